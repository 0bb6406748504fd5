"""The scores of the CoNLL 2018 shared task (Zeman et al. 2018), for any tokenization of the same text.

A file is one sequence of characters, spaces ignored, which gold and system output have in common. A word that is a
token is aligned with a token that covers the same characters. The words inside a multiword token have no characters of
their own (French *du* is *de* + *le*), so around multiword tokens words are aligned by form: a longest common
subsequence.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from dodona.data import Sentence
from dodona.data.marks import ASPECTS, is_annotated, is_open
from dodona.data.ud import UNIVERSAL_RELATIONS, strip_subtype
from dodona.errors import FormatError, MismatchError
from dodona.tables import Cell, Table

__all__ = ["METRICS", "Score", "Scores", "evaluate"]

METRICS = (
    "Tokens", "Sentences", "Words", "UPOS", "XPOS", "UFeats", "AllTags", "Lemmas",
    "UAS", "LAS", "CLAS", "MLAS", "BLEX",
)  # fmt: skip

CONTENT_METRICS = ("CLAS", "MLAS", "BLEX")
SCORED_ASPECTS = {
    "UPOS": ("upos",), "XPOS": ("upos",), "UFeats": ("feats",), "AllTags": ("upos", "feats"), "Lemmas": ("lemma",),
    "UAS": ("arc",), "LAS": ("arc",), "CLAS": ("arc",), "MLAS": ("arc", "upos", "feats"), "BLEX": ("arc", "lemma"),
}  # fmt: skip
"""What of a word must be annotated to be scored."""
FUNCTIONAL = frozenset(("aux", "cop", "mark", "det", "clf", "case", "cc"))
CONTENT = frozenset(UNIVERSAL_RELATIONS) - FUNCTIONAL - {"punct"}
Span = tuple[int, int]  # of characters, the second one past the end

ROOT = -1  # as the parent of a word
SPACES = dict.fromkeys(map(ord, "\x20\xa0\u1680\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))))

# the features that UD defined for all languages at the time of the shared task; its UFeats looks at no others
UNIVERSAL_FEATURES = frozenset((
    "PronType", "NumType", "Poss", "Reflex", "Foreign", "Abbr", "Gender", "Animacy", "Number", "Case",
    "Definite", "Degree", "VerbForm", "Mood", "Tense", "Aspect", "Voice", "Evident", "Polarity", "Person",
    "Polite",
))  # fmt: skip
MAX_CONTEXT = 20  # characters in an error


@dataclass(frozen=True, slots=True)
class Score:
    """The numbers of items in gold, in the system output, and of correct ones; `aligned` is that of aligned words."""

    gold: int
    system: int
    correct: int
    aligned: int | None = None

    @property
    def precision(self) -> float:
        return self.correct / self.system if self.system else 0.0

    @property
    def recall(self) -> float:
        return self.correct / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        return 2 * self.correct / (self.gold + self.system) if self.gold + self.system else 0.0

    @property
    def aligned_accuracy(self) -> float | None:
        """The share of correct words among the aligned words; None for tokenization itself."""
        return self.correct / self.aligned if self.aligned else None


class Scores(dict[str, Score]):
    """Scores by name, such as those in METRICS; a notebook shows them as a table."""

    def _repr_html_(self) -> str:
        rows = [
            (Cell(name, style="strong"), s.gold, s.system, s.correct, 100 * s.precision, 100 * s.recall, 100 * s.f1)
            for name, s in self.items()
        ]
        return Table(("", "gold", "system", "correct", "precision", "recall", "F1"), rows).html()


@dataclass(slots=True)
class FlatText:
    """Tokens and sentences as spans of `characters`, and the columns of all words, one list each."""

    characters: str = ""
    tokens: list[Span] = field(default_factory=list)
    sentences: list[Span] = field(default_factory=list)
    locations: list[str] = field(default_factory=list)  # file:line of each sentence, for errors
    spans: list[Span] = field(default_factory=list)  # of each word; the words of a multiword token share its span
    multiword: list[bool] = field(default_factory=list)  # whether the word is a part of a multiword token
    forms: list[str] = field(default_factory=list)
    lemmas: list[str] = field(default_factory=list)
    upos: list[str] = field(default_factory=list)
    xpos: list[str] = field(default_factory=list)
    feats: list[str] = field(default_factory=list)  # the universal ones, sorted
    labels: list[str] = field(default_factory=list)  # their universal part
    parents: list[int] = field(default_factory=list)  # the index of another word, or ROOT
    guesses: dict[str, set[int]] = field(default_factory=lambda: {aspect: set() for aspect in ASPECTS})
    """The words of gold of which these aspects are not annotated: they are left out of the scores."""

    def __len__(self) -> int:
        return len(self.parents)


def evaluate(gold_sentences: Iterable[Sentence], system_sentences: Iterable[Sentence]) -> Scores:
    """Relations count without subtypes, features only where they are universal, punctuation like any other word.

    Of sentences of gold that are annotated in part (`# annotation = open`), only what is marked is scored.
    """
    gold, system = flatten(gold_sentences, is_gold=True), flatten(system_sentences)
    pairs = align(gold, system)
    right = _agreements(gold, system, pairs)
    scores = Scores()
    for name, ours, theirs in (
        ("Tokens", gold.tokens, system.tokens),
        ("Sentences", gold.sentences, system.sentences),
    ):
        scores[name] = Score(len(ours), len(theirs), len(set(ours) & set(theirs)))  # that cover the same characters
    scores["Words"] = Score(len(gold), len(system), len(pairs))
    for name, aspects in SCORED_ASPECTS.items():
        out: set[int] = set().union(*(gold.guesses[aspect] for aspect in aspects))
        left_out = {s for g, s in pairs if g in out}
        kept = [g not in out for g, _ in pairs]
        of_content = name in CONTENT_METRICS
        if of_content:
            kept = [k and gold.labels[g] in CONTENT for k, (g, _) in zip(kept, pairs, strict=True)]
        correct = sum(r and k for r, k in zip(right[name], kept, strict=True))
        totals = _count_words(gold, out, of_content), _count_words(system, left_out, of_content)
        scores[name] = Score(*totals, correct, sum(kept))
    return scores


def _count_words(side: FlatText, left_out: set[int], of_content: bool) -> int:
    if not of_content:
        return len(side) - len(left_out)
    return sum(label in CONTENT for word, label in enumerate(side.labels) if word not in left_out)


def _agreements(gold: FlatText, system: FlatText, pairs: list[tuple[int, int]]) -> dict[str, list[bool]]:
    """For each metric, which of the aligned pairs agree."""
    gold_of = {ROOT: ROOT} | {s: g for g, s in pairs}
    upos = _equal(gold.upos, system.upos, pairs)
    xpos = _equal(gold.xpos, system.xpos, pairs)
    feats = _equal(gold.feats, system.feats, pairs)
    # a treebank without lemmas, or a word without one, asks for none
    lemmas = [gold.lemmas[g] in ("_", system.lemmas[s]) for g, s in pairs]
    heads = [gold.parents[g] == gold_of.get(system.parents[s]) for g, s in pairs]
    arcs = _all(heads, _equal(gold.labels, system.labels, pairs))
    return {
        "UPOS": upos,
        "XPOS": xpos,
        "UFeats": feats,
        "AllTags": _all(upos, xpos, feats),
        "Lemmas": lemmas,
        "UAS": heads,
        "LAS": arcs,
        "CLAS": arcs,
        "MLAS": _all(arcs, upos, feats, _function_words(gold, system, pairs, gold_of)),
        "BLEX": _all(arcs, lemmas),
    }


def _equal(gold: Sequence[str], system: Sequence[str], pairs: list[tuple[int, int]]) -> list[bool]:
    return [gold[g] == system[s] for g, s in pairs]


def _all(*columns: list[bool]) -> list[bool]:
    return list(map(all, zip(*columns, strict=True)))


def _function_words(
    gold: FlatText, system: FlatText, pairs: list[tuple[int, int]], gold_of: dict[int, int]
) -> list[bool]:
    """Whether both words have the same function words with the same relations, tags and features.

    Function words have the role that inflection has in other languages, so MLAS counts them as part of a content word.
    """
    in_gold = _children(gold, {word: word for word in range(len(gold))})
    in_system = _children(system, gold_of)
    return [in_gold[g] == in_system[s] for g, s in pairs]


def _children(side: FlatText, gold_of: dict[int, int]) -> dict[int, list[tuple[int | None, str, str, str]]]:
    children: dict[int, list[tuple[int | None, str, str, str]]] = defaultdict(list)
    for word, (parent, label) in enumerate(zip(side.parents, side.labels, strict=True)):
        if label in FUNCTIONAL and parent != ROOT:
            children[parent].append((gold_of.get(word), label, side.upos[word], side.feats[word]))
    return children


def flatten(sentences: Iterable[Sentence], is_gold: bool = False) -> FlatText:
    """Read a whole file. Every sentence needs a tree: a missing head is an error, not a wrong head. In gold, what is
    not annotated may be missing."""
    flat = FlatText()
    characters: list[str] = []
    universal_feats: dict[str, str] = {}
    position = 0
    for sentence in sentences:
        start, first_word = position, len(flat)
        for first, last, form in sentence.tokens():
            is_multiword = last > first
            form = form.translate(SPACES)  # one tokenizer may keep a space inside a word and another split there
            if not form:
                location = f"{sentence.file}:{sentence.word_line(first)}"
                raise FormatError(f"{location}: the FORM of word {first} is only spaces; expected a word")
            span = (position, position + len(form))
            position = span[1]
            characters.append(form)
            flat.tokens.append(span)
            flat.spans += [span] * (last - first + 1)
            flat.multiword += [is_multiword] * (last - first + 1)
            flat.forms += sentence.words[first - 1 : last] if is_multiword else [form]
        flat.sentences.append((start, position))
        flat.locations.append(f"{sentence.file}:{sentence.line}")
        flat.lemmas += sentence.lemmas
        flat.upos += sentence.upos
        flat.xpos += sentence.xpos
        for feats in sentence.feats:
            if feats not in universal_feats:
                kept = (feat for feat in feats.split("|") if feat.partition("=")[0] in UNIVERSAL_FEATURES)
                universal_feats[feats] = "|".join(sorted(kept))
            flat.feats.append(universal_feats[feats])
        flat.labels += map(strip_subtype, sentence.labels)
        heads: Sequence[int | None]
        if is_gold and is_open(sentence):
            heads = sentence.known_heads()
            for aspect, guesses in flat.guesses.items():
                annotated = is_annotated(sentence, aspect)
                guesses.update(first_word + k for k, counts in enumerate(annotated) if not counts)
        else:
            heads = sentence.gold_heads()
        flat.parents += [first_word + h - 1 if h else ROOT for h in heads]
    flat.characters = "".join(characters)
    return flat


def align(gold: FlatText, system: FlatText) -> list[tuple[int, int]]:
    """Return pairs of a gold word and a system word, both ascending."""
    _check_characters(gold, system)
    pairs: list[tuple[int, int]] = []
    g = s = 0
    while g < len(gold) and s < len(system):
        if gold.multiword[g] or system.multiword[s]:
            gold_words, system_words = _region(gold, system, g, s)
            pairs += _common_forms(gold, system, gold_words, system_words)
            g, s = gold_words.stop, system_words.stop
        elif gold.spans[g] == system.spans[s]:
            pairs.append((g, s))
            g, s = g + 1, s + 1
        elif gold.spans[g][0] <= system.spans[s][0]:
            g += 1
        else:
            s += 1
    return pairs


def _region(gold: FlatText, system: FlatText, g: int, s: int) -> tuple[range, range]:
    """The words of both sides around the multiword token at g or s, until no multiword token sticks out of the region.

    A word that begins before the multiword token overlaps another word before it and is passed over. Only one word is,
    as in the shared task, even where the other side lags behind by more.
    """
    sides, at = (gold, system), [g, s]
    leader = 0 if gold.multiword[g] else 1
    other = 1 - leader
    begin, end = sides[leader].spans[at[leader]]
    if not sides[other].multiword[at[other]] and sides[other].spans[at[other]][0] < begin:
        at[other] += 1
    first = tuple(at)
    while any(_is_within(side, i, end) for side, i in zip(sides, at, strict=True)):
        turn = 0 if _start(gold, at[0]) <= _start(system, at[1]) else 1
        word = at[turn]
        if sides[turn].multiword[word]:
            end = max(end, sides[turn].spans[word][1])
        at[turn] += 1
    return range(first[0], at[0]), range(first[1], at[1])


def _start(side: FlatText, word: int) -> float:
    return side.spans[word][0] if word < len(side) else float("inf")


def _is_within(side: FlatText, word: int, end: int) -> bool:
    """Whether a word belongs to a region that ends there: multiword tokens stretch it, other words must fit in."""
    if word >= len(side):
        return False
    return side.spans[word][0] < end if side.multiword[word] else side.spans[word][1] <= end


def _common_forms(gold: FlatText, system: FlatText, gold_words: range, system_words: range) -> list[tuple[int, int]]:
    """A longest common subsequence of the forms, letter case aside; of several, the one that skips gold words first."""
    a = [gold.forms[g].lower() for g in gold_words]
    b = [system.forms[s].lower() for s in system_words]
    if a == b:
        return list(zip(gold_words, system_words, strict=True))
    longest = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]  # of a[i:] and b[j:]
    for i in reversed(range(len(a))):
        for j in reversed(range(len(b))):
            if a[i] == b[j]:
                longest[i][j] = 1 + longest[i + 1][j + 1]
            else:
                longest[i][j] = max(longest[i + 1][j], longest[i][j + 1])
    pairs = []
    i = j = 0
    while i < len(a) and j < len(b):
        if a[i] == b[j]:
            pairs.append((gold_words[i], system_words[j]))
            i, j = i + 1, j + 1
        elif longest[i][j] == longest[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs


def _check_characters(gold: FlatText, system: FlatText) -> None:
    if gold.characters == system.characters:
        return
    pairs = zip(gold.characters, system.characters, strict=False)
    shorter = min(len(gold.characters), len(system.characters))
    at = next((i for i, (g, s) in enumerate(pairs) if g != s), shorter)
    raise MismatchError(
        f"{_sentence_at(system, at)}: the text of this sentence goes on with {_text_at(system, at)}; "
        f"expected {_text_at(gold, at)} as in {_sentence_at(gold, at)}"
    )


def _sentence_at(side: FlatText, at: int) -> str:
    if not side.locations:
        return "(a file without sentences)"
    return side.locations[min(bisect_right(side.sentences, at, key=lambda span: span[1]), len(side.locations) - 1)]


def _text_at(side: FlatText, at: int) -> str:
    return repr(side.characters[at : at + MAX_CONTEXT]) if at < len(side.characters) else "the end of the file"
