"""What a pipeline says about itself: its components, how its parser was trained, and what its file tells."""

from typing import TYPE_CHECKING

from dodona.components.network_options import NetworkOptions

if TYPE_CHECKING:
    from dodona.pipeline.pipeline import Pipeline

__all__ = ["description"]


def description(pipeline: "Pipeline") -> dict[str, str]:
    """Return the description line by line: names and values."""
    parser = pipeline.parser
    options = parser.options
    how = options.update if options.scorer == "linear" else "log likelihood"
    rows = {
        "scorer": options.scorer,
        "components": ", ".join(pipeline.components()),
        "system": " ".join([str(options.system), *(f"{k}={v}" for k, v in options.system_options.items())]),
        "oracle": options.oracle,
        "training": f"{options.iterations} iterations, {how}, seed {options.seed}",
        "beam": f"{options.beam}, {'early update' if options.early_update else 'max-violation'}"
        if options.beam > 1
        else None,
        "exploration": f"after {options.explore_after}, p = {options.explore}" if options.oracle == "dynamic" else None,
        "templates": options.templates,
        "network": _network(options.network) if options.network is not None else None,
        "positions": options.positions,
        "word vectors": f"{len(parser.model.arrays['vectors']):,} words" if options.network is not None else None,
        "tags": "those of the network replace the tagger's" if parser.model.retags else None,
        "non-projective": options.nonprojective,
        "roots": "exactly one" if options.single_root else "any number",
        "labels": f"{len(parser.labels)}: {' '.join(parser.labels)}",
    }
    rows |= {key: value for key, value in pipeline.about.items() if key not in rows}
    return {key: _written(value) for key, value in rows.items() if value is not None}


def _written(value: object) -> str:
    return " ".join(f"{k} {v}" for k, v in value.items()) if isinstance(value, dict) else str(value)


def _network(options: NetworkOptions) -> str:
    return f"{options.layers} layers of {options.width} in each direction, {options.units} hidden units"
