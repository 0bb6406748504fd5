"""Bags and data frames of texts: of Dask, of pandas, and in Spark's `mapInPandas`.

A model is loaded once a process. Dask sends its bytes once to each worker that has something to parse.
"""

from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from dodona.data import Document
from dodona.distributed.cluster import MISSING
from dodona.distributed.models import Model, read_model
from dodona.errors import DodonaError, OptionError
from dodona.parser.request import Request

__all__ = ["parse_bag", "parse_frame", "parse_frames", "parse_texts"]


def parse_texts(
    texts: Iterable[str | None], model: str | Path | Model = "en", *, request: Request | None = None
) -> Iterator[Document]:
    """Yield the document of each text, in order; that of a text that is missing (None, NaN) has no sentences."""
    held = model if isinstance(model, Model) else read_model(model)
    return held.pipeline().pipe((text if isinstance(text, str) else "" for text in texts), request)


def parse_bag(
    bag: Any, model: str | Path | Model = "en", *, conllu: bool = False, request: Request | None = None
) -> Any:
    """Return a bag with the document of each text of a Dask bag, or with `conllu` its CoNLL-U as a string."""
    return bag.map_partitions(_parse_partition, model=_share(model), conllu=conllu, request=request)


def parse_frame(
    frame: Any, model: str | Path | Model = "en", *, column: str = "text", into: str = "conllu",
    request: Request | None = None,
) -> Any:  # fmt: skip
    """Return a data frame, of Dask or pandas, with one more column: the CoNLL-U of the texts in another one."""
    if column not in frame.columns:
        raise OptionError(f"column {column!r}: expected one of {', '.join(map(repr, frame.columns))}")
    if not hasattr(frame, "map_partitions"):
        return _parse_frame(frame, model, column, into, request)
    meta = frame._meta.assign(**{into: frame._meta[column]})
    more = {"column": column, "into": into, "request": request}
    return frame.map_partitions(_parse_frame, model=_share(model), meta=meta, **more)


def parse_frames(
    frames: Iterable[Any], model: str | Path | Model = "en", *, column: str = "text", into: str = "conllu",
    request: Request | None = None,
) -> Iterator[Any]:  # fmt: skip
    """Yield for each pandas data frame what `parse_frame` returns: a function for `mapInPandas` of Spark."""
    for frame in frames:
        yield parse_frame(frame, model, column=column, into=into, request=request)


def _share(model: str | Path | Model) -> Any:
    """The model as one value of the graph, by its digest: for each worker it is fetched once."""
    held = model if isinstance(model, Model) else read_model(model)
    try:
        dask: Any = import_module("dask")
    except ImportError as error:
        raise DodonaError(MISSING) from error
    return dask.delayed(held, name=f"dodona_model-{held.digest}", traverse=False)


def _parse_partition(texts: Iterable[str], model: Model, conllu: bool, request: Request | None) -> list[Any]:
    parses = parse_texts(texts, model, request=request)
    return [document.to_conllu() if conllu else document for document in parses]


def _parse_frame(frame: Any, model: str | Path | Model, column: str, into: str, request: Request | None) -> Any:
    texts = frame[column]
    parses = zip(texts, parse_texts(texts, model, request=request), strict=True)
    values = [document.to_conllu() if isinstance(text, str) else None for text, document in parses]
    return frame.assign(**{into: type(texts)(values, index=frame.index, dtype=texts.dtype)})
