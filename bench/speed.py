"""How fast is this build, and how fast another one? `python bench/speed.py TEST MODEL [SRC MODEL]...`

TEST is a treebank file. Further builds are given as their folder `src` and a model for it. Prints words per CPU second
of the parser alone, with a beam of 20, of tagger and parser, and from raw text to CoNLL-U; for further builds also how
many times as fast this one is. Each build has its own process, and they take turns, so that a busy machine disturbs
all alike. CPU time on one core, best of several rounds.
"""

import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

ROUNDS = 10
BEAM = 20
SHARE = 5  # the beam parses one sentence of so many


def measures(model: str, test: str, folder: str) -> dict[str, tuple[int, Callable[[], object]]]:
    """Return for each measure the number of words and the work."""
    from dodona import load, read, write
    from dodona.data.spacing import raw_text

    nlp = load(model)
    sentences = list(read(test))
    words = sum(map(len, sentences))
    encoded = nlp.parser._searches.session.encode(sentences)
    greedy, beam = nlp.parser._searches.greedy, nlp.parser._searches.beam(BEAM)
    found: dict[str, tuple[int, Callable[[], object]]] = {
        "parser": (words, lambda: [greedy.parse(one) for one in encoded]),
        f"beam {BEAM}": (sum(map(len, sentences[::SHARE])), lambda: list(map(beam.search, encoded[::SHARE]))),
    }
    if nlp.tagger is not None:
        text = raw_text(sentences)
        copies = [sentence.copied() for sentence in sentences]
        found["tagger and parser"] = words, lambda: list(nlp.parse(copies, retag=True))
        found["text to CoNLL-U"] = words, lambda: write(nlp.parse(nlp.sentences([text])), Path(folder) / "out.conllu")
    return found


def serve(model: str, test: str) -> None:
    """Answer each line, the name of a measure, with words per CPU second; first the names of all measures."""
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        known = measures(model, test, folder)
        print("\t".join(known), flush=True)
        for line in sys.stdin:
            words, work = known[line.rstrip("\n")]
            begin = time.process_time()
            work()
            print(words / (time.process_time() - begin), flush=True)


def started(source: str, model: str, test: str) -> "subprocess.Popen[str]":
    command = [sys.executable, __file__, "--serve", model, test]
    environment = os.environ | {"PYTHONPATH": str(Path(source).resolve())}
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)


def asked(build: "subprocess.Popen[str]", measure: str) -> float:
    assert build.stdin is not None
    assert build.stdout is not None
    build.stdin.write(f"{measure}\n")
    build.stdin.flush()
    return float(build.stdout.readline())


def main() -> None:
    if sys.argv[1:2] == ["--serve"]:
        serve(*sys.argv[2:])
        return
    test, *rest = sys.argv[1:]
    rest.insert(0, str(Path(__file__).parent.parent / "src"))
    builds = [started(source, model, test) for source, model in zip(rest[::2], rest[1::2], strict=True)]
    names = [build.stdout.readline().rstrip("\n").split("\t") for build in builds if build.stdout is not None]
    for name in names[0]:
        best = [0.0] * len(builds)
        for _ in range(ROUNDS):
            best = [max(before, asked(build, name)) for before, build in zip(best, builds, strict=True)]
        others = "".join(f"  {other:9,.0f} ({best[0] / other:.2f})" for other in best[1:])
        print(f"{name:18} {best[0]:9,.0f}{others}", flush=True)
    for build in builds:
        assert build.stdin is not None
        build.stdin.close()
        build.wait()


if __name__ == "__main__":
    main()
