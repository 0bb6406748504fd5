"""Ctrl-C ends every command at once while it waits for its input: one line, exit code 130, nothing left behind."""

import errno
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from samples.signals import hearing_interrupts

from dodona.cli.main import COMMANDS

PATIENCE = 60  # seconds until a test fails rather than hangs
INPUT = "input.conllu"  # a named pipe to which nobody writes
LINES = {
    "parse": f"parse en-fast {INPUT} -o out.conllu --jobs 2",
    "train": f"train {INPUT} -o out.model",
    "pretrain": f"pretrain {INPUT} -o out.encoder",
    "distill": f"distill en-fast {INPUT} --dev {INPUT} --text {INPUT} -o out.model",
    "evaluate": f"evaluate {INPUT} {INPUT}",
    "crossvalidate": f"crossvalidate {INPUT} --jobs 2 -o out.conllu",
    "validate": f"validate {INPUT}",
    "convert": f"convert {INPUT} --to vertical -o out.txt",
    "draw": f"draw {INPUT} -o out.svg",
    "search": f"search 'pattern{{V[]}}' {INPUT} -o out.conllu",
    "info": f"info {INPUT}",
    "models": "models",
    "package": f"package {INPUT} --language ga --licence none",
    "stats": f"stats {INPUT}",
    "oracle": f"oracle {INPUT}",
    "lattice": f"lattice {INPUT} -o out.svg",
    "experiment": "experiment systems --treebanks . -o .",
    "bench": f"bench en-fast {INPUT}",
    "annotate": f"annotate . --text {INPUT} --model {INPUT}",
    "serve": f"serve {INPUT}",
    "cite": f"cite {INPUT}",
}


def place_pipe(command: str, folder: Path) -> Path:
    """Make the pipe that a command reads first."""
    pipe = folder / INPUT
    if command == "models":
        pipe = folder / "installed-1.0.dist-info" / "entry_points.txt"  # of a package that may have models
    elif command == "experiment":
        pipe = folder / "treebank" / "train.conllu"
    pipe.parent.mkdir(exist_ok=True)
    os.mkfifo(pipe)
    return pipe


def wait_for_reader(pipe: Path, process: "subprocess.Popen[str]") -> int:
    """Return the handle of the pipe, open for writing, as soon as the process has opened it for reading."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        except OSError as error:
            if error.errno != errno.ENXIO:
                raise
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux opens named pipes without a writer")
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_ends(command: str, tmp_path: Path) -> None:
    pipe = place_pipe(command, tmp_path)
    before = sorted(tmp_path.rglob("*"))
    with subprocess.Popen(
        hearing_interrupts([sys.executable, "-m", "dodona", *shlex.split(LINES[command])]), cwd=tmp_path,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
    ) as process:  # fmt: skip
        try:
            handle = wait_for_reader(pipe, process)
            os.killpg(process.pid, signal.SIGINT)
            out, err = process.communicate(timeout=PATIENCE)  # the pipe stays open: it must not end the command
            os.close(handle)
        finally:
            process.kill()
    assert (process.returncode, out, err.strip()) == (130, "", "dodona: interrupted")
    assert sorted(tmp_path.rglob("*")) == before


LOST = """
import gc, os, signal, sys, time
from dodona.cli.process import hear_signals
hear_signals()
gc.callbacks.append(lambda *_: os.kill(os.getpid(), signal.SIGINT))
try:
    gc.collect()
    gc.callbacks.clear()
    print("goes on", flush=True)
    time.sleep(60)
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_an_interrupt_that_python_ignores_comes_again() -> None:
    """In a callback of the garbage collector, which JAX has, a KeyboardInterrupt is lost."""
    done = subprocess.run(
        hearing_interrupts([sys.executable, "-c", LOST]), stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=PATIENCE,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "goes on\ninterrupted\n", "")
