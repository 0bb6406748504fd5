"""`dodona parse` with limits, and Ctrl-C at any time: from the outside."""

import subprocess
import sys
from pathlib import Path

import pytest
from samples.command_line import call_dodona
from samples.signals import hearing_interrupts
from samples.treebank import treebank

from dodona import Sentence, read, write
from dodona.parser.options import ParserOptions
from dodona.parser.training import train_parser
from dodona.pipeline.pipeline import Pipeline

COMMAND = [sys.executable, "-m", "dodona"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small model, and a sentence that it does not finish within the time of a test."""
    path = tmp_path_factory.mktemp("limits")
    write(treebank(3), path / "text.conllu")
    n = 20_000
    heads = [0, *(d // 2 + 1 for d in range(1, n))]  # arcs cross: 2 → 3, 2 → 4, 3 → 5, …
    words = [f"w{k % 50}" for k in range(n)]
    write([Sentence.from_words(words, ["NOUN"] * n, heads=heads, labels=["dep"] * n)], path / "long.conllu")
    options = ParserOptions(system="covington", iterations=1)
    Pipeline(train_parser(treebank(20), options)).save(path / "covington")
    return path


def test_long_sentences_are_marked_and_counted_once(folder: Path) -> None:
    arguments = ("parse", folder / "covington", folder / "text.conllu", "-o", folder / "parsed.conllu")
    done = call_dodona(*arguments, "--max-length", "3")
    assert done.returncode == 0
    marked = [s for s in read(folder / "parsed.conllu") if any("# parsed_in_pieces = " in line for line in s.comments)]
    assert done.stderr == (
        f"dodona: {len(marked)} sentences were parsed in pieces, because of length or time; "
        "see the comment '# parsed_in_pieces'\n"
    )
    assert len(marked) > 1
    assert call_dodona(*arguments, "--timeout", "60").stderr == ""
    assert "parsed_in_pieces" not in (folder / "parsed.conllu").read_text()


def test_several_processes_mark_the_same_sentences(folder: Path) -> None:
    arguments = ("parse", folder / "covington", folder / "text.conllu", "--max-length", "3")
    assert call_dodona(*arguments, "--jobs", "2").stdout == call_dodona(*arguments).stdout


def test_limits_on_the_command_line_are_checked(folder: Path) -> None:
    for wrong in (("--max-length", "0"), ("--timeout", "0")):
        assert call_dodona("parse", folder / "covington", folder / "text.conllu", *wrong).returncode == 2


WORK = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGVTALRM, signal.default_int_handler)
signal.setitimer(signal.ITIMER_VIRTUAL, 0.8)  # of processor time, so that a busy machine changes nothing
from dodona.cli.process import run
run()
"""


def test_ctrl_c_is_heard_in_a_long_sentence(folder: Path) -> None:
    command = [sys.executable, "-c", WORK, "parse", str(folder / "covington"), str(folder / "long.conllu")]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "\ndodona: interrupted\n")


BREAK = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
class Finder:
    "Sends Ctrl-C to this process when a module is looked for, which comes early."
    def find_spec(self, name, path, target=None):
        if name == place:
            os.kill(os.getpid(), signal.SIGINT)
place = sys.argv[1]
sys.meta_path.insert(0, Finder())
from dodona.cli.process import run
sys.argv[1:] = ["info"]
run()
"""


@pytest.mark.parametrize("module", ["dodona.cli.main", "click", "dodona.cli.commands.info"])
def test_ctrl_c_while_the_program_starts(module: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", BREAK, module], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60
    )
    assert (done.returncode, done.stderr.lstrip()) == (130, "dodona: interrupted\n")


FRAGILE = """
import os, signal
from importlib.machinery import ExtensionFileLoader
class Loader(ExtensionFileLoader):
    def create_module(self, spec):
        try:
            os.kill(os.getpid(), signal.NAME)
            for _ in range(1000): pass
        except BaseException: pass
        else: print("loaded", flush=True)
Loader("compiled", "compiled.so").create_module(None)
"""


@pytest.mark.parametrize(("name", "status"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_ctrl_c_waits_until_a_compiled_module_is_loaded(name: str, status: int, tmp_path: Path) -> None:
    """It may lose a KeyboardInterrupt, or crash; those of JAX do both."""
    (tmp_path / "fragile.py").write_text(FRAGILE.replace("NAME", name))
    command = [sys.executable, "-m", "dodona", "--import", "fragile", "oracle", "--verify", "6", "-s", "swap-standard"]
    done = subprocess.run(
        hearing_interrupts(command), cwd=tmp_path, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60
    )
    assert (done.returncode, done.stdout.partition("\n")[0]) == (status, "loaded")
    assert "Traceback" not in done.stderr


def test_little_is_imported_before_ctrl_c_is_heard() -> None:
    """What the interpreter has imported itself does not count."""
    program = "import sys; sys.modules.pop('dodona', 0); import dodona.cli.process; print(*sorted(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60
    )
    assert {name for name in done.stdout.split() if name.startswith("dodona")} == {
        "dodona",
        "dodona.cli",
        "dodona.cli.process",
    }


def test_an_ignored_signal_stays_ignored() -> None:
    program = "import signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN); from dodona.cli.process import run\n"
    program += (
        "sys.argv[1:] = ['--version']\ntry:\n    run()\nfinally:\n    print(signal.getsignal(signal.SIGINT).name)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60
    )
    assert done.stdout.splitlines()[-1] == "SIG_IGN"


SCARCE = """
import resource, sys
import dodona.cli.commands.parse, dodona.pipeline.pipeline
from dodona.cli.process import run
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (8 << 20), resource.RLIM_INFINITY))
run()
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux limits the memory of a process")
def test_too_little_memory_is_one_line() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCARCE, "parse", "en", "Oak trees grow."], capture_output=True, text=True,
        stdin=subprocess.DEVNULL, timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("dodona: there is not enough memory for this; ")
    assert done.stderr.count("\n") == 1
