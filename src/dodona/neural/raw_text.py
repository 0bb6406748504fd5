"""Raw text to learn words from: sentences on disk, each once, and the words that are frequent enough to be guessed.

A text may be larger than memory. Sentences go to a temporary file as they come, and are read from there in any order;
what has to be remembered about all of them has a fixed size. A filter of hashes knows which sentences were there before
(and takes one in ten thousand for one that was, in a text of 100 million words). Words are counted in a table that
forgets the rarest ones when it is full, which are far from being guessed.
"""

import hashlib
import mmap
import tempfile
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from types import TracebackType
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from dodona.data import Sentence
from dodona.data.hashing import hash_text
from dodona.data.held_out import HeldOut
from dodona.errors import FormatError
from dodona.neural.vocabulary import fingerprint

__all__ = ["LONGEST", "HashFilter", "RawText", "WordCounts", "choose_words", "pick_order"]

LONGEST = 64
"""Words of a sentence; longer ones are cut, so that all batches have one shape."""
SHORTEST = 3  # words: in shorter sentences there is nothing to guess from
FILTER_BITS = 1 << 28  # 32 megabytes
PROBES = 4  # bits of the filter that stand for a text
COUNTED = 500_000  # different words that are counted at the same time
GROUP = 1 << 16  # sentences that are shuffled together
RUN = 256  # sentences that stay together when groups are made: neighbours on disk
HELD_BACK = 600  # sentences that the loss is measured on
ONE_IN = 20  # sentences that are held back at most


class HashFilter:
    """A set of texts that only grows, in memory of a fixed size: a Bloom filter."""

    def __init__(self, bits: int = FILTER_BITS) -> None:
        self._bits = bits
        self._bytes = mmap.mmap(-1, bits // 8)  # pages that are not used take no memory

    def add(self, text: str) -> bool:
        """Add a text; returns whether it is new."""
        value = hash_text(text)
        step = value >> 33 | 1
        is_new = False
        for _ in range(PROBES):
            place, bit = (value % self._bits) >> 3, 1 << (value & 7)
            if not self._bytes[place] & bit:
                self._bytes[place] |= bit
                is_new = True
            value += step
        return is_new


class WordCounts:
    """How often words occur. At most `room` are counted at the same time: then those of the rarer half are forgotten,
    and begin anew if they come again."""

    def __init__(self, room: int = COUNTED) -> None:
        self.words = 0
        self.types = 0
        self._room, self._counts, self._known = room, Counter[str](), HashFilter()

    def add(self, words: Iterable[str]) -> None:
        counts = self._counts
        for word in words:
            self.words += 1
            if word in counts:
                counts[word] += 1
            else:
                self.types += self._known.add(word)
                counts[word] = 1
        if len(counts) > self._room:
            self._counts = Counter(dict(self.most_common(self._room // 2)))

    def most_common(self, number: int) -> list[tuple[str, int]]:
        """Return the most frequent words with their counts; those that are equally frequent in alphabetical order."""
        return sorted(self._counts.items(), key=lambda item: (-item[1], item[0]))[:number]


class RawText:
    """Sentences in temporary files, which vanish when it is closed."""

    def __init__(self, folder: str, held_out: HeldOut | None = None) -> None:
        self._held_out = held_out
        self._text: IO[bytes] = self._open(folder)
        self._places: IO[bytes] = self._open(folder)
        self._waiting = array("q")  # ends of sentences that are not written yet
        self._end = 0
        self._seen = HashFilter()
        self._hash = hashlib.sha256()
        self._view: tuple[Any, NDArray[np.int64]] | None = None
        self.counts = WordCounts()
        self.sentences = 0
        self.dropped = {"duplicates": 0, "unusable": 0, "held out": 0}
        self.cut = 0  # sentences that are longer than LONGEST

    @staticmethod
    def _open(folder: str) -> IO[bytes]:
        try:
            return tempfile.TemporaryFile(dir=folder)
        except OSError as error:
            raise FormatError(f"{folder}: a temporary file cannot be made: {error.strerror}") from error

    def __enter__(self) -> "RawText":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._view = None
        self._text.close()
        self._places.close()

    def add(self, sentence: Sentence) -> None:
        """Keep a sentence, unless it was there before, is held out, or has too few words to learn from."""
        words = sentence.words
        if len(words) < SHORTEST or not any(word[:1].isalpha() for word in words):
            self.dropped["unusable"] += 1
            return
        line = "\t".join(words)
        if not self._seen.add(line):
            self.dropped["duplicates"] += 1
            return
        if self._held_out is not None and self._held_out.has(sentence):
            self.dropped["held out"] += 1
            return
        self.counts.add(map(str.lower, words))
        if len(words) <= LONGEST:
            self._write(line)
            return
        self.cut += 1
        parts = -(-len(words) // LONGEST)
        for part in range(parts):
            here = words[len(words) * part // parts : len(words) * (part + 1) // parts]
            self._write("\t".join(here))

    def _write(self, line: str) -> None:
        encoded = line.encode("utf-8", "surrogatepass")
        self._hash.update(encoded + b"\n")
        self._text.write(encoded)
        self._end += len(encoded)
        self._waiting.append(self._end)
        self.sentences += 1
        if len(self._waiting) >= GROUP:
            self._places.write(self._waiting.tobytes())
            del self._waiting[:]

    @property
    def digest(self) -> str:
        """That of all sentences in their order."""
        return self._hash.hexdigest()

    def __len__(self) -> int:
        return self.sentences

    def __getitem__(self, number: int) -> list[str]:
        """Return the words of a sentence."""
        if self._view is None:
            self._places.write(self._waiting.tobytes())
            del self._waiting[:]
            self._text.flush()
            self._places.flush()
            text = mmap.mmap(self._text.fileno(), 0, access=mmap.ACCESS_READ)
            self._view = text, np.memmap(self._places, np.int64, "r")
        text, ends = self._view
        begin = int(ends[number - 1]) if number else 0
        return text[begin : int(ends[number])].decode("utf-8", "surrogatepass").split("\t")

    @property
    def spacing(self) -> int:
        """One sentence in so many is held back, to measure the loss on."""
        return max(ONE_IN, len(self) // HELD_BACK)

    def list_held_back(self) -> Sequence[int]:
        """Return the numbers of the sentences that are never learned from."""
        return range(0, len(self), self.spacing)


def pick_order(count: int, spacing: int, seed: int, number: int) -> Iterator[int]:
    """Yield the numbers of `count` sentences in the order of pass `number`, without those that are held back.

    Runs of neighbours are dealt out at random into groups, and each group is shuffled: nearly as random as a shuffle of
    all sentences, for which there may be no room.
    """
    generator = np.random.default_rng([seed, number])
    runs = generator.permutation(-(-count // RUN))
    for begin in range(0, len(runs), GROUP // RUN):
        own = (runs[begin : begin + GROUP // RUN, None] * RUN + np.arange(RUN)).reshape(-1)
        own = own[(own < count) & (own % spacing != 0)]
        yield from generator.permutation(own).tolist()


def choose_words(counts: WordCounts, number: int, least: int) -> list[int]:
    """Return the fingerprints of the most frequent words, that occur at least so often, the most frequent first."""
    return list(dict.fromkeys(fingerprint(word) for word, count in counts.most_common(number) if count >= least))
