"""Where PyTorch is missing, only teachers miss it, and say so."""

import subprocess
import sys
from dataclasses import asdict

import pytest
from samples.treebank import treebank

import dodona
from dodona.errors import DodonaError
from dodona.parser.options import ParserOptions
from dodona.parser.parser import Parser

MESSAGE = r"a transformer needs PyTorch and transformers \(.*\); install them with: pip install 'dodona\[transformer\]'"


@pytest.fixture
def no_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith(("dodona.transformer.", "dodona.parser.transformer"))]:
        if name != "dodona.transformer.options":
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "torch", None)


@pytest.mark.usefixtures("no_torch")
def test_training_and_loading_name_the_extra() -> None:
    with pytest.raises(DodonaError, match=MESSAGE):
        dodona.train(treebank(4), scorer="transformer", encoder="anything")
    options = asdict(ParserOptions(scorer="transformer", iterations=1))
    with pytest.raises(DodonaError, match=MESSAGE):
        Parser.from_parts({"options": options, "labels": ["det"], "temperature": 1.0}, {}, "teacher.model")


def test_nothing_else_imports_it() -> None:
    """Neither start-up nor parsing nor the options of training."""
    code = (
        "import sys, dodona, dodona.cli.main, dodona.cli.commands.train\n"
        "dodona.load('en-fast')('Oaks rustle.')\n"
        "print(sorted({'torch', 'transformers', 'tokenizers', 'jax'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == "[]"
