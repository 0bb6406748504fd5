"""The main entry points: `dodona.load` and `dodona.train`. Modules that need numpy are imported only when one of them
is called."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dodona.data import Sentence
from dodona.data.conllu import read_all
from dodona.errors import FormatError

if TYPE_CHECKING:
    from dodona.neural.options import NetworkOptions
    from dodona.pipeline.pipeline import Pipeline
    from dodona.pipeline.training import Callback

__all__ = ["GROUP", "installed_models", "load", "model_names", "model_path", "train"]

GROUP = "dodona.models"


def installed_models() -> dict[str, Path]:
    """Return the files of all installed models by name. It takes some time: all installed packages are looked at."""
    from importlib.metadata import entry_points

    found = {}
    for entry in sorted(entry_points(group=GROUP)):
        if entry.dist is not None and entry.value.isidentifier() and "/" not in entry.name:
            path = Path(str(entry.dist.locate_file(f"{entry.value}/{entry.name}.model")))
            if path.is_file():
                found[entry.name] = path
    return found


MODELS = Path(__file__).parent.parent / "models"
GET_ONE = "install the package of another one, or make one with `dodona train`"


def load(model: str | Path = "en") -> "Pipeline":
    """Return a trained pipeline: one that comes with Dodona or is installed, by its name, or one from a file.

    `nlp(text)` returns sentences; `nlp.parse(sentences)` fills in missing columns.
    """
    from dodona.pipeline.pipeline import Pipeline

    return Pipeline.load(model_path(model))


def model_path(model: str | Path) -> Path:
    """Return the file of a model. The name of a model that comes with Dodona takes precedence over a file name, and a
    file over the name of an installed model."""
    if str(model) in _shipped():
        return MODELS / f"{model}.model"
    path = Path(model)
    if path.exists() and not path.is_dir():
        return path
    installed = installed_models()
    if str(model) in installed:
        return installed[str(model)]
    if not path.exists():
        names = sorted({*_shipped(), *installed})
        known = f"; the models here are: {', '.join(names)}" if names else "; no models are installed"
        raise FormatError(f"{model}: there is no such file or model{known} ({GET_ONE})")
    return path


def model_names() -> list[str]:
    """Return the names of all models for `load`: those that come with Dodona, and those that are installed."""
    return sorted({*_shipped(), *installed_models()})


def _shipped() -> list[str]:
    """Return the names of the models that come with Dodona."""
    return [path.name.removesuffix(".model") for path in MODELS.glob("*.model")]


def train(
    treebank: str | Path | Iterable[Sentence],
    dev: str | Path | Iterable[Sentence] = (),
    *,
    components: Sequence[str] | None = None,
    tags: str = "predicted",
    folds: int = 10,
    jobs: int = 1,
    patience: int | None = None,
    vectors: str | Path | None = None,
    vectors_size: float = 10.0,
    checkpoint: str | Path | None = None,
    resume: bool = False,
    max_length: int | None = None,
    system: str | None = None,
    system_options: Mapping[str, Any] | None = None,
    templates: str | None = None,
    positions: str | None = None,
    oracle: str | None = None,
    iterations: int | None = None,
    explore_after: int = 1,
    explore: float = 0.9,
    random_choice: bool = False,
    update: str = "perceptron",
    aggressiveness: float = 0.1,
    beam: int = 1,
    early_update: bool = False,
    nonprojective: str = "head",
    single_root: bool = True,
    size: float = 12.0,
    seed: int = 1,
    scorer: str = "linear",
    network: "NetworkOptions | None" = None,
    callback: "Callback | None" = None,
) -> "Pipeline":
    """Train a pipeline on gold trees, from a file or from sentences.

    The options up to `max_length` are those of `TrainingPlan`: the components, the tags on which the parser is trained,
    the files of a network's training, and the length of sentences. The others are those of `ParserOptions`, which
    docs/training.md and docs/neural.md explain. None means the default for the treebank, the scorer or the system.
    `callback` is called with a `TrainingStep` after each iteration of each component; if it returns True, that was the
    last one of this component.
    """
    from dodona.parser.options import ParserOptions
    from dodona.pipeline.training import TrainingPlan, nobody, train_pipeline

    choice = ParserOptions(
        system=system,
        system_options=dict(system_options or {}),
        templates=templates,
        positions=positions,
        oracle=oracle,
        iterations=iterations,
        explore_after=explore_after,
        explore=explore,
        random_choice=random_choice,
        update=update,
        aggressiveness=aggressiveness,
        beam=beam,
        early_update=early_update,
        nonprojective=nonprojective,
        single_root=single_root,
        size=size,
        seed=seed,
        scorer=scorer,
        network=network,
    )
    plan = TrainingPlan(components, tags, folds, jobs, patience, vectors, vectors_size, checkpoint, resume, max_length)
    heard = nobody if callback is None else callback
    return train_pipeline(_sentences(treebank), choice, plan, _sentences(dev), callback=heard)


def _sentences(source: str | Path | Iterable[Sentence]) -> list[Sentence]:
    return read_all(source) if isinstance(source, str | Path) else list(source)
