"""Bags and data frames of texts have the sentences that a pipeline finds in each text."""

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from samples.small_models import whole
from samples.texts import english

from dodona import OptionError, Pipeline, Request
from dodona.data.spacing import raw_text
from dodona.distributed import parse_bag, parse_frame, parse_frames, parse_texts, read_model

pytest.importorskip("dask", reason="pip install 'dodona[dask]'")
TEXTS = ["", *(raw_text(english(count, count)) for count in (1, 4, 2)), "Zeus saw the oak."]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "small.model"
    whole().save(path)
    return path


def conllu(text: str, request: Request | None = None) -> str:
    return b"".join(sentence.to_bytes() for sentence in whole()(text, request)).decode()


def test_a_bag(model: Path) -> None:
    bags = pytest.importorskip("dask.bag")
    bag = bags.from_sequence(TEXTS, npartitions=2)
    parsed = parse_bag(bag, model, conllu=True).compute(scheduler="synchronous")
    assert parsed == [conllu(text) for text in TEXTS]
    request = Request(confidence=True)
    sentences = parse_bag(bag, read_model(model), request=request).compute(scheduler="synchronous")
    assert ["".join(s.to_bytes().decode() for s in some) for some in sentences] == [conllu(t, request) for t in TEXTS]


def test_a_model_is_one_value_of_the_graph_and_loaded_once(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bags = pytest.importorskip("dask.bag")
    monkeypatch.setattr("dodona.pipeline.models._kept", {})
    loads: list[str] = []
    load = Pipeline.from_bytes

    def count(data: bytes, name: str) -> Pipeline:
        loads.append(name)
        return load(data, name)

    monkeypatch.setattr(Pipeline, "from_bytes", count)
    parsed = parse_bag(bags.from_sequence(TEXTS, npartitions=5), model)
    digest = read_model(model).digest
    assert [key for key in dict(parsed.__dask_graph__()) if "dodona_model" in str(key)] == [f"dodona_model-{digest}"]
    parsed.compute(scheduler="synchronous")
    assert loads == ["small.model"]


def test_data_frames(model: Path) -> None:
    pandas: Any = pytest.importorskip("pandas", reason="pip install 'dask[dataframe]'")
    frame = pandas.DataFrame({"id": range(6), "text": [*TEXTS, None]}, index=list("abcdef"))
    expected = [*map(conllu, TEXTS), None]
    parsed = parse_frame(frame, model)
    assert list(parsed.columns) == ["id", "text", "conllu"]
    assert list(parsed.index) == list("abcdef")
    assert [value if isinstance(value, str) else None for value in parsed["conllu"]] == expected
    assert "conllu" not in frame.columns
    with pytest.raises(OptionError, match="column 'body': expected one of 'id', 'text'"):
        parse_frame(frame, model, column="body")

    function = partial(parse_frames, model=str(model), column="body", into="trees")  # as in the recipe for Spark
    named = frame.rename(columns={"text": "body"})
    some = list(function(iter([named[:2], named[2:]])))
    assert [value for part in some for value in part["trees"] if isinstance(value, str)] == expected[:-1]
    assert [list(part.columns) for part in some] == [["id", "body", "trees"]] * 2

    frames: Any = pytest.importorskip("dask.dataframe", reason="pip install 'dask[dataframe]'")
    spread = parse_frame(frames.from_pandas(frame, npartitions=3), model).compute(scheduler="synchronous")
    assert [value if isinstance(value, str) else None for value in spread["conllu"]] == expected
    assert list(spread.index) == list("abcdef")


class Column(list[str]):
    """What a column of pandas has of what is used."""

    dtype = None

    def __init__(self, values: Iterable[str], index: object = None, dtype: object = None) -> None:
        super().__init__(values)


class Frame(dict[str, Column]):
    """And a data frame."""

    index = None

    @property
    def columns(self) -> list[str]:
        return list(self)

    def assign(self, **more: Column) -> "Frame":
        return Frame(**self, **more)


def test_requests_arrive_in_every_function(model: Path) -> None:
    bags: Any = pytest.importorskip("dask.bag")
    bag = bags.from_sequence(TEXTS, npartitions=2)
    for request in (None, Request(confidence=True), Request(max_length=2)):
        expected = [conllu(text, request) for text in TEXTS]
        texts = parse_texts(TEXTS, model, request=request)
        assert [document.to_conllu() for document in texts] == expected
        assert parse_frame(Frame(text=Column(TEXTS)), model, request=request)["conllu"] == expected
        frames = [Frame(body=Column(some)) for some in (TEXTS[:2], TEXTS[2:])]
        parsed = parse_frames(frames, model, column="body", into="trees", request=request)
        assert [value for frame in parsed for value in frame["trees"]] == expected
        assert parse_bag(bag, model, conllu=True, request=request).compute(scheduler="synchronous") == expected


def test_texts_that_are_missing_have_no_sentences(model: Path) -> None:
    assert [len(sentences) for sentences in parse_texts([None, "Zeus saw.", ""], model)][::2] == [0, 0]
