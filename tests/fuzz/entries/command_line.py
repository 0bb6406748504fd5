"""The command line: any arguments, one a line, in an empty folder with a few files.

Whatever they are, the exit status is 0, 1 or 2, and what is wrong is told without a traceback. `--jobs` is left out:
processes that parse have no other arguments.
"""

import contextlib
import io
import os
import random
import signal
import sys
from functools import cache
from pathlib import Path

from samples.small_models import full_treebank, linear, whole

from dodona.cli import main

COMMANDS = (
    "parse",
    "train",
    "evaluate",
    "validate",
    "convert",
    "crossvalidate",
    "info",
    "stats",
    "oracle",
    "lattice",
    "draw",
    "search",
)
FILES = ("small.model", "beam.model", "some.conllu", "text.txt", "broken", "folder", "missing", "-")
OPTIONS = (
    "-o", "--output", "--input", "--format", "--retag", "--beam", "--nbest", "--confidence", "--constrained",
    "--system", "--iterations", "--components", "--tags", "--seed", "--oracle", "--history", "--sentence", "--list",
    "--help", "--calibration", "--templates", "--nonprojective", "--dev", "--explore", "--size", "--folds", "--errors",
    "--version", "--update", "--single-root", "--root", "--no-such-option", "--diff", "--width", "--heads", "--labels",
)  # fmt: skip
VALUES = (
    "1", "0", "-1", "3", "1.5", "nan", "99999999999999999999", "", "conllu", "conllx", "text", "tree", "horizontal",
    "parser", "tokenizer,tagger", "gold", "arc-eager", "covington", "easy-first", "static", "dynamic", "eager", "SHIFT",
    "SHIFT LEFT:nsubj", "two words", "é\u202e", "head+path", "out.conllu", "out.conllu.gz", "out.model", "stack",
    "html", "svg", "tikz", "jsonl", "2 0 2", "nsubj root obj", "out.html", "folder/",
)  # fmt: skip
SLOW = ("-j", "--jobs", "neural", "--import")  # other processes, JAX, and code that is not ours


def seeds() -> list[bytes]:
    lines = (
        "parse\nsmall.model\nsome.conllu\n--confidence",
        "parse\nbeam.model\nsome.conllu\n--beam\n4\n--nbest\n2",
        "parse\nsmall.model\nthe oak answers .\n--format\ntree",
        "parse\nsmall.model\ntext.txt\n-o\nout.conllu.gz",
        "parse\nsmall.model\nsome.conllu\n--constrained",
        "train\nsome.conllu\n-o\nout.model\n--components\nparser\n--iterations\n1",
        "evaluate\nsome.conllu\nsome.conllu",
        "info\nsmall.model",
        "stats\nsome.conllu",
        "oracle\nsome.conllu\n--system\narc-hybrid",
        "oracle\n--list",
        "validate\nsome.conllu",
        "validate\nsome.conllu\n--fix\n-o\nout.conllu",
        "convert\nsome.conllu\n--to\nconllx",
        "evaluate\nsome.conllu\nsome.conllu\n--confusion",
        "lattice\nsome.conllu\n--format\ntext",
        "oracle\n--heads\n2 0 2\n--labels\nnsubj root obj\n--format\nhtml",
        "draw\nsome.conllu\n-o\nout.html\n--width\n300",
        "draw\n--diff\nsome.conllu\nsome.conllu\n--format\ntikz",
        "parse\nsmall.model\nsome.conllu\n--format\njsonl",
        "search\npattern { V [upos=VERB]; V -> S }\nsome.conllu\n--count\nV.lemma",
        "search\npattern { V [upos=VERB] }\ntext.txt\n--model\nsmall.model\n--context\n1\n-o\nout.html",
    )
    return [line.encode() for line in lines]


def mutate(seeds: list[bytes], chance: random.Random) -> bytes:
    """Arguments added, left out and exchanged."""
    arguments = chance.choice(seeds).decode().split("\n")
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(arguments) + 1)
        new = chance.choice((COMMANDS, FILES, OPTIONS, OPTIONS, VALUES, VALUES))
        arguments[at : at + chance.randrange(2)] = [chance.choice(new)]
    return "\n".join(arguments).encode()


def target(data: bytes) -> None:
    arguments = data.decode("utf-8", "surrogateescape").split("\n")
    if any(word in argument for argument in arguments for word in SLOW) or any(
        "/" in argument or "~" in argument or "\0" in argument for argument in arguments
    ):
        return  # other processes, other folders; and no system call takes a NUL
    _prepare()
    status, said = _run(arguments)
    assert status in (0, 1, 2), f"exit status {status}: {said}"
    assert "Traceback" not in said, said
    found = Path("stdout").stat().st_size  # `validate` writes its findings there
    assert status == 0 or said.strip() or found, "a failure without a word"
    left = list(Path().glob("*.tmp"))
    assert not left, f"files left behind: {left}"


def _prepare() -> None:
    """The files that arguments name, as they were."""
    Path("folder").mkdir(exist_ok=True)
    for name, data in _contents().items():
        Path(name).write_bytes(data)


@cache
def _contents() -> dict[str, bytes]:
    whole().save("small.model")
    linear("arc-eager", 4).save("beam.model")
    return {
        "small.model": Path("small.model").read_bytes(),
        "beam.model": Path("beam.model").read_bytes(),
        "some.conllu": b"".join(s.to_bytes() for s in full_treebank(6)),
        "text.txt": b"the oak answers. the dove hears.",
        "broken": b"1\t\xff\n",
    }


def _run(arguments: list[str]) -> tuple[object, str]:
    """The exit status, and what was written to standard error."""
    errors = io.StringIO()
    arguments_before, streams, handles = sys.argv, (sys.stdin, sys.stdout), (os.dup(0), os.dup(1))
    hearing = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    with (
        Path("text.txt").open(encoding="utf-8") as given,
        Path("stdout").open("w", encoding="utf-8", errors="replace") as out,
        contextlib.redirect_stderr(errors),
    ):
        sys.argv = ["dodona", *arguments]
        sys.stdin, sys.stdout = given, out
        for handle, stream in enumerate((given, out)):
            os.dup2(stream.fileno(), handle)  # results go to the open file itself
        try:
            main.run()
        except SystemExit as end:
            return end.code or 0, errors.getvalue()
        finally:
            sys.argv, (sys.stdin, sys.stdout) = arguments_before, streams
            for handle, before in enumerate(handles):
                os.dup2(before, handle)
                os.close(before)
            for number, handler in hearing.items():
                signal.signal(number, handler)
    return 0, errors.getvalue()
