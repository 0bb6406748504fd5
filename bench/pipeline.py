"""From raw text to CoNLL-U: `python bench/pipeline.py MODEL TREEBANK_TEST`.

Takes the raw text of a treebank's test part through a whole pipeline and prints words per CPU second, microseconds a
word for each stage, what starting `dodona parse` for one sentence takes, and the most memory that was ever needed. CPU
time on one core, best of several runs, because machines are noisy; speed and memory in a process of its own. From the
second run on, a model has seen the words before: that makes it about a tenth faster.
"""

import os
import subprocess
import sys
import tempfile
import time
import warnings
from functools import partial
from pathlib import Path

from dodona import load, read, write
from dodona.data.rawtext import raw_text

RUNS = 10
STARTS = 10


def measure(model: str, text: Path) -> None:
    """Stage by stage, as `Pipeline.parse` and `write` do it, and all together."""
    nlp = load(model)
    if nlp.tagger is None or nlp.lemmatizer is None:
        raise SystemExit(f"{model}: expected a model of the whole pipeline")
    pieces = [text.read_text(encoding="utf-8")]
    target = text.with_suffix(".conllu")
    stages: dict[str, list[float]] = {"tokenize": [], "tag": [], "lemmatize": [], "parse": [], "write": []}
    whole = []
    words = 0
    for _ in range(RUNS):
        times = [time.process_time()]
        sentences = list(nlp.sentences(pieces))
        times.append(time.process_time())
        tagged = {id(sentence) for sentence in sentences}
        for work in (nlp.tagger.apply, nlp.lemmatizer.apply, partial(nlp.parser.apply, tagged=tagged)):
            list(work(sentences))
            times.append(time.process_time())
        write(sentences, target)
        times.append(time.process_time())
        for name, begin, end in zip(stages, times, times[1:], strict=False):
            stages[name].append(end - begin)
        words = sum(map(len, sentences))
        del sentences
        begin = time.process_time()
        write(nlp.parse(nlp.sentences(pieces)), target)
        whole.append(time.process_time() - begin)
    print(f"{words / min(whole):,.0f} words a CPU second from raw text to CoNLL-U ({words:,} words)")
    print("  " + ", ".join(f"{name} {min(taken) / words * 1e6:.2f}" for name, taken in stages.items()) + " µs a word")
    print(f"  {peak_memory()} MB in all")


def peak_memory() -> int:
    """Megabytes; getrusage would count what the parent process had."""
    (line,) = (line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) // 1024


def measure_start(model: str) -> None:
    """From the start of the process to its end, with one short sentence parsed in between."""
    command = [sys.executable, "-m", "dodona", "parse", model, "Oak leaves rustle."]
    walls, cpus = [], []
    for _ in range(STARTS):
        begin, before = time.perf_counter(), os.times()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        after = os.times()
        walls.append(time.perf_counter() - begin)
        cpus.append(after.children_user + after.children_system - before.children_user - before.children_system)
    print(f"  one sentence from start to end: {min(walls):.3f} s, {min(cpus):.2f} CPU s")


def main() -> None:
    warnings.simplefilter("ignore")
    if sys.argv[1:2] == ["--speed"]:
        measure(sys.argv[2], Path(sys.argv[3]))
        return
    model, test = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder) / "text.txt"
        text.write_text(raw_text(read(test)), encoding="utf-8")
        subprocess.run([sys.executable, __file__, "--speed", model, str(text)], check=True)
    measure_start(model)


if __name__ == "__main__":
    main()
