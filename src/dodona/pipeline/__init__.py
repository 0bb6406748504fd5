"""Components that train, apply, save and load themselves."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dodona.data import Sentence, read
from dodona.errors import OptionError

if TYPE_CHECKING:
    from dodona.pipeline.parser import Parser

__all__ = ["load", "train"]


def load(path: str | Path) -> "Parser":
    """A trained parser from its file; `parser.parse(sentences)` fills in heads and labels."""
    from dodona.pipeline.parser import Parser  # numpy comes along, which the research door need not wait for

    return Parser.load(path)


def train(treebank: str | Path | Iterable[Sentence], **options: Any) -> "Parser":
    """Train a parser on gold trees, from a file or from sentences; the options are those of `Options`."""
    from dodona.pipeline import learning
    from dodona.pipeline.options import Options

    sentences = read(treebank) if isinstance(treebank, str | Path) else treebank
    known = Options.__dataclass_fields__
    unknown = sorted(set(options) - set(known))
    if unknown:
        raise OptionError(f"unknown option {unknown[0]!r}; the options are: {', '.join(known)}")
    return learning.train(sentences, Options(**options))
