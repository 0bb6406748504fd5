"""Training and parsing on UD English EWT: `make bench`, or `python bench/parsing.py [TREEBANKS]`.

Trains arc-eager with Zhang and Nivre's 72 templates (and with the default ones), then measures accuracy, words per CPU
second of the parser alone and from file to file, loading, memory and size; and the time per word by sentence length.
CPU time on one core, best of several runs, because machines are noisy.
"""

import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

from treebank_folder import treebank_folder

from dodona import Sentence, load, read, write
from dodona.parser.options import ParserOptions
from dodona.parser.parser import Parser
from dodona.parser.training import train_parser
from dodona.pipeline.pipeline import Pipeline

LENGTHS = (10, 100, 1000)


def seconds(work: Callable[[], object], runs: int) -> float:
    times = []
    for _ in range(runs):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return min(times)


def peak_memory() -> int:
    """Megabytes; getrusage would count what the parent process had."""
    (line,) = (line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) // 1024


def per_word(parser: Parser, sentences: list[Sentence], length: int) -> float:
    """Microseconds a word, in sentences cut to this length."""
    words = [word for sentence in sentences for word in sentence.words][:20_000]
    tags = [tag for sentence in sentences for tag in sentence.upos][:20_000]
    cut = [
        parser._searches.session.encode([Sentence.from_words(words[i : i + length], tags[i : i + length])])[0]
        for i in range(0, len(words), length)
    ]
    return seconds(lambda: [parser._searches.greedy.parse(one) for one in cut], 5) / len(words) * 1e6


def measure(folder: Path, templates: str, work: Path) -> None:
    training = read(folder / "en_ewt" / "train.conllu.gz")
    test = folder / "en_ewt" / "test.conllu.gz"
    begin = time.process_time()
    Pipeline(train_parser(training, ParserOptions(templates=templates, nonprojective="baseline"))).save(work / "model")
    print(f"{templates}: trained in {time.process_time() - begin:.1f} CPU s, peak {peak_memory()} MB", flush=True)
    uas, las = load(work / "model").scores(read(test))
    size, loading = (work / "model").stat().st_size / 1e6, seconds(lambda: load(work / "model"), 5)
    print(f"  UAS {uas:.2f}  LAS {las:.2f}; model {size:.1f} MB, loads in {loading:.3f} s", flush=True)
    subprocess.run([sys.executable, __file__, "--speed", str(work / "model"), str(test)], check=True)


def measure_speed(model: str, test: str) -> None:
    """In a process of its own, as a user would have it."""
    parser = load(model).parser
    sentences = list(read(test))
    count = sum(map(len, sentences))
    encoded = parser._searches.session.encode(sentences)
    alone = count / seconds(lambda: [parser._searches.greedy.parse(one) for one in encoded], 20)
    lengths = ", ".join(f"{per_word(parser, sentences, n):.2f} µs at {n}" for n in LENGTHS)
    with tempfile.TemporaryDirectory() as folder:
        text, parsed = Path(folder) / "in.conllu", Path(folder) / "out.conllu"
        write(sentences * 8, text)
        sentences.clear()
        encoded.clear()
        whole = 8 * count / seconds(lambda: write(parser.apply(read(text)), parsed), 5)
    print(f"  {alone:,.0f} words a CPU second, the parser alone; {whole:,.0f} from file to file")
    print(f"  a word takes {lengths} words a sentence; {peak_memory()} MB in all")


def main() -> None:
    warnings.simplefilter("ignore")  # the same sentences several times over, which the reader remarks on
    if sys.argv[1:2] == ["--speed"]:
        measure_speed(*sys.argv[2:])
        return
    folder = treebank_folder(sys.argv[1:])
    with tempfile.TemporaryDirectory() as work:
        for templates in ("stack", "stack-full"):
            measure(folder, templates, Path(work))


if __name__ == "__main__":
    main()
