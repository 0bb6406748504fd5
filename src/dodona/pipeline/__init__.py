"""Components that train, apply, save and load themselves."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dodona.data import Sentence, read
from dodona.errors import FormatError, OptionError

if TYPE_CHECKING:
    from dodona.pipeline.pipeline import Pipeline

__all__ = ["load", "model_path", "train"]


def load(model: str | Path = "en") -> "Pipeline":
    """A trained pipeline: one that comes with Dodona, by its name, or one from a file.

    `nlp(text)` gives sentences; `nlp.parse(sentences)` fills in what they lack.
    """
    from dodona.pipeline.pipeline import Pipeline  # numpy comes along, which the research door need not wait for

    return Pipeline.load(model_path(model))


def model_path(model: str | Path) -> Path:
    """The file of a model; a name of one that comes with Dodona goes before a file of that name."""
    bundled = {path.name.removesuffix(".model"): path for path in _bundled()}
    if str(model) in bundled:
        return bundled[str(model)]
    if not Path(model).exists():
        known = f"; the models that come with Dodona are: {', '.join(sorted(bundled))}" if bundled else ""
        raise FormatError(f"{model}: there is no such file or model{known}")
    return Path(model)


def _bundled() -> list[Path]:
    folder = Path(__file__).parent.parent / "models"
    return sorted(folder.glob("*.model"))


def train(
    treebank: str | Path | Iterable[Sentence], dev: str | Path | Iterable[Sentence] = (), **options: Any
) -> "Pipeline":
    """Train a pipeline on gold trees, from a file or from sentences.

    The options are those of `ParserOptions` and `TrainingPlan`.
    """
    from dodona.components.parser_options import ParserOptions
    from dodona.pipeline.training import TrainingPlan, train_pipeline

    own, plans = ParserOptions.__dataclass_fields__, TrainingPlan.__dataclass_fields__
    unknown = sorted(set(options) - set(own) - set(plans))
    if unknown:
        raise OptionError(f"unknown option {unknown[0]!r}; the options are: {', '.join([*own, *plans])}")
    choice = ParserOptions(**{key: value for key, value in options.items() if key in own})
    plan = TrainingPlan(**{key: value for key, value in options.items() if key in plans})
    sentences, dev_sentences = (
        read(source) if isinstance(source, str | Path) else source for source in (treebank, dev)
    )
    return train_pipeline(sentences, choice, plan, dev_sentences)
