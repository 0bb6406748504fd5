"""The interface of UDPipe's service, asked in the ways in which its clients ask."""

import email.mime.multipart
import email.mime.nonmultipart
import email.policy
from collections.abc import Mapping
from itertools import permutations
from pathlib import Path
from urllib.parse import urlencode

import pytest
from samples.asgi import Reply, ask
from samples.random_networks import random_network
from samples.small_models import linear, whole
from starlette.applications import Starlette

import dodona
from dodona import OptionError, Pipeline, Sentence
from dodona.data.conllu import read_conllu
from dodona.data.stream import only_sentences
from dodona.server import models as served
from dodona.server.app import create_app
from dodona.server.models import Models, divide
from dodona.server.requests import convert
from dodona.server.udpipe import INPUTS, NO_BREAK, OUTPUTS, PREDICTED, ProcessRequest, process, write

TEXT = "the dog sees a cat . a cat sleeps ."
FORM = {"content-type": "application/x-www-form-urlencoded"}
EVERYTHING = {"tokenizer": "", "tagger": "", "parser": "", "data": TEXT}


@pytest.fixture(scope="module")
def models() -> Models:
    return Models({"whole-small-1": whole(), "parser": linear("arc-hybrid")}, {"english-ewt-ud-2.15": "parser"})


@pytest.fixture(scope="module")
def app(models: Models) -> Starlette:
    return create_app(models)


def multipart(fields: Mapping[str, str], encoding: str = "8bit") -> tuple[bytes, dict[str, str]]:
    """A body as UDPipe's own client makes it, with Python's email package."""
    message = email.mime.multipart.MIMEMultipart("form-data", policy=email.policy.HTTP)
    for name, value in fields.items():
        part = email.mime.nonmultipart.MIMENonMultipart("text", "plain")
        part.add_header("Content-Disposition", f'form-data; name="{name}"')
        if encoding:
            part.add_header("Content-Transfer-Encoding", encoding)
        part.set_payload(value, charset="utf-8")
        message.attach(part)
    return message.as_bytes().split(b"\r\n\r\n", maxsplit=1)[1], {"content-type": message["Content-Type"]}


def urlencoded(app: Starlette, **fields: str) -> Reply:
    return ask(app, "/process", urlencode(fields).encode(), headers=FORM)


def result(models: Models, **fields: str) -> str:
    return "".join(process(convert(fields, ProcessRequest), models).result)


def sentences(conllu: str) -> list[Sentence]:
    return list(only_sentences(read_conllu([conllu.encode()], "result")))


def test_all_ways_to_ask_get_the_same_answer(app: Starlette) -> None:
    """URL-encoded, in several parts with each encoding, in the address, and at the address of the official service."""
    answer = urlencoded(app, **EVERYTHING)
    assert (answer.status, answer.headers["content-type"]) == (200, "application/json")
    assert list(answer.json) == ["model", "acknowledgements", "result"]
    assert answer.json["model"] == "whole-small-1"
    for encoding in ("8bit", "", "base64"):
        body, headers = multipart(EVERYTHING, encoding)
        if encoding == "base64":
            body = body.replace(TEXT.encode(), b"dGhlIGRvZyBzZWVzIGEgY2F0IC4gYSBjYXQg\r\nc2xlZXBzIC4=")
            for name in (b"tokenizer", b"tagger", b"parser"):
                assert b'name="%b"' % name in body
        assert ask(app, "/process", body, headers=headers).json == answer.json
    query = urlencode(EVERYTHING)
    assert ask(app, f"/process?{query}", method="GET").json == answer.json
    assert ask(app, f"/api/process?{query}", method="GET").json == answer.json
    rest = urlencode({"data": TEXT, "model": "whole"}).encode()
    split = ask(app, "/process?tokenizer&tagger&parser&model=parser", rest, headers=FORM)
    assert split.json == answer.json  # what is in the body counts


def test_the_result_is_that_of_the_pipeline(models: Models) -> None:
    heading, _, rest = result(models, **EVERYTHING).partition("# newdoc")
    assert heading.startswith("# generator = Dodona ")
    assert "# udpipe_model = whole-small-1\n" in heading
    assert f"# newdoc{rest}" == b"".join(s.to_bytes() for s in whole()(TEXT)).decode()


def test_only_what_is_asked_for_is_predicted(models: Models) -> None:
    def filled(**fields: str) -> list[str]:
        found = sentences(result(models, data=TEXT, tokenizer="", **fields))
        return [name for name in ("lemmas", "upos", "feats", "labels") if not found[0].lacks(name)]

    assert filled() == []
    assert filled(tagger="") == ["lemmas", "upos", "feats"]
    assert filled(parser="") == ["labels"]
    assert filled(parser="", tagger="") == ["lemmas", "upos", "feats", "labels"]
    trees = [s.heads for s in whole()(TEXT)]
    assert [s.heads for s in sentences(result(models, data=TEXT, tokenizer="", parser=""))] == trees


def test_tags_of_the_input_are_replaced_or_kept() -> None:
    given = "1\tdog\twolf\tX\t_\t_\t_\t_\t_\t_\n\n"
    models = Models({"whole": whole()})
    (kept,) = sentences(result(models, data=given, parser=""))
    assert (kept.upos, kept.lemmas, kept.heads) == (["X"], ["wolf"], [0])
    (tagged,) = sentences(result(models, data=given, tagger=""))
    expected = Sentence.from_words(["dog"])
    whole().tag([expected])
    whole().lemmatize([expected])
    assert (tagged.upos, tagged.lemmas, tagged.heads) == (expected.upos, expected.lemmas, [None])
    assert (tagged.upos, tagged.lemmas) != (["X"], ["wolf"])


def test_a_network_that_tags_better_is_used_for_tags_alone() -> None:
    pipeline = Pipeline(random_network("arc-hybrid"), whole().tagger, whole().lemmatizer, whole().tokenizer)
    models = Models({"net": pipeline})
    both = sentences(result(models, **EVERYTHING))
    alone = sentences(result(models, data=TEXT, tokenizer="", tagger=""))
    assert [s.upos for s in alone] == [s.upos for s in both]
    assert [s.upos for s in alone] != [s.upos for s in whole()(TEXT)]
    assert pipeline.lemmatizer is not None
    for sentence in (*alone, *both):
        assert sentence.lemmas == pipeline.lemmatizer.lemmas(sentence.words, sentence.upos, sentence.feats)


def test_formats_of_input_and_output(models: Models) -> None:
    conllu = result(models, data="a dog\r\nthe cat sees", input="horizontal")
    assert [s.words for s in sentences(conllu)] == [["a", "dog"], ["the", "cat", "sees"]]
    assert result(models, data="a\r\ndog\r\n\r\nthe\r\n", input="vertical", output="horizontal") == "a dog\nthe\n"
    assert result(models, data="a dog", input="horizontal", output="vertical") == "a\ndog\n\n"
    text = "the  dog\tsees a cat .\n\na cat sleeps ."
    assert result(models, data=text, tokenizer="", output="plaintext") == text
    assert result(models, data="1\ta dog\t_\t_\t_\t_\t_\t_\t_\t_\n", output="horizontal") == "a\N{NO-BREAK SPACE}dog\n"
    windows = "1\tdog\t_\t_\t_\t_\t_\t_\t_\t_\r\n\r\n"
    assert "\r" not in result(models, data="\ufeff" + windows, input="conllu", output="conllu=v2")
    assert result(models, data="", tokenizer="", output="horizontal") == ""


def test_a_line_can_be_a_sentence(models: Models) -> None:
    text = "the dog sees . a cat\nsleeps\n\n. .\n"
    plain = sentences(result(models, data=text, tokenizer="presegmented;ranges"))
    assert [" ".join(s.words) for s in plain] == ["the dog sees . a cat", "sleeps", ". ."]
    assert [s.text for s in plain] == ["the dog sees . a cat", "sleeps", ". ."]
    assert [s.sent_id for s in plain] == ["1", "2", "3"]
    assert "# newpar" in plain[2].comments
    for sentence in plain:
        for word, misc in zip(sentence.words, sentence.misc, strict=True):
            start, end = map(int, misc.partition("TokenRange=")[2].split(":"))
            assert text[start:end] == word


def test_of_all_that_stands_in_misc_only_spaces_are_left_out() -> None:
    """Wherever they stand, and however many there are."""
    notes = ["SpacesBefore=\\s", "Gloss=x", "SpacesAfter=\\s\\s", "SpaceAfter=No", "SpacesInToken=a", "Spaces=y"]
    some = [list(each) for n in range(1, 4) for each in permutations(notes, n)]
    sentence = Sentence.from_words(["w"] * len(some), misc=["|".join(each) for each in some])
    rows = "".join(write([sentence], "conllu", {"normalized_spaces"})).split("\n")
    spaces = ("SpacesBefore=", "SpacesAfter=", "SpacesInToken=")
    expected = ["|".join(note for note in each if not note.startswith(spaces)) or "_" for each in some]
    assert [row.split("\t")[9] for row in rows if "\t" in row] == expected


def test_ranges_belong_to_tokens_and_spaces_can_be_normalized() -> None:
    sentence = Sentence.from_words(
        ["de", "el", "x"], misc=["_", "_", "SpacesAfter=\\n"], multiword=[(1, 2, "del")],
        multiword_misc=["SpacesBefore=\\s"],
    )  # fmt: skip
    both = {"ranges", "normalized_spaces"}
    for offsets in ([(1, 4), (1, 4), (5, 6)], [(1, 2), (2, 4), (5, 6)]):  # words have their own, or those of the token
        sentence.offsets = offsets
        rows = [line.split("\t") for line in "".join(write([sentence], "conllu", both)).split("\n") if "\t" in line]
        assert [(row[0], row[9]) for row in rows] == [
            ("1-2", "TokenRange=1:4"), ("1", "_"), ("2", "_"), ("3", "TokenRange=5:6"),
        ]  # fmt: skip


def test_models_are_listed_and_chosen_by_name_or_its_beginning(app: Starlette, models: Models) -> None:
    listed = ask(app, "/models", method="GET").json
    assert listed == {
        "models": {"whole-small-1": ["tokenizer", "tagger", "parser"], "parser": ["parser"]},
        "default_model": "whole-small-1",
    }
    assert ask(app, "/api/models", method="GET").json == listed
    for name in ("whole", "whole-small", "whole-small-1"):
        assert models.pick(name)[0] == "whole-small-1"
    for name in ("english", "english-ewt", "english-ewt-ud-2.15", "parser"):
        assert models.pick(name)[0] == "parser"


def test_of_several_models_that_a_name_fits_the_first_is_taken(models: Models) -> None:
    """Unless one has this very name."""
    one, other = models.pipelines.values()
    several = Models({"en-a-1": one, "en-a-2": other, "en-b": other, "de": one}, {"de-x": "en-b", "en-b-1": "en-a-1"})
    wanted = {"en": "en-a-1", "en-a": "en-a-1", "en-a-2": "en-a-2", "en-b": "en-b", "en-b-1": "en-a-1", "de": "de"}
    assert {name: several.pick(name)[0] for name in wanted} == wanted
    assert several.pick("de-x")[0] == "en-b"
    assert several.pick()[0] == "en-a-1"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "the request: object missing required field `data`"),
        ({"data": "x", "model": "klingon"}, "there is no model 'klingon'; the models are: whole-small-1, parser"),
        ({"data": "x", "model": ""}, "there is no model ''; the models are: whole-small-1, parser"),
        ({"data": "x", "model": "wh"}, "there is no model 'wh'; the models are: whole-small-1, parser"),
        ({"data": "x", "model": "n" * 99}, f"there is no model '{'n' * 40}…'; the models are: whole-small-1, parser"),
        ({"data": "x", "output": "matxin"}, "Unknown output format 'matxin'; the formats are: conllu, …"),
        ({"data": "x", "input": "epe"}, "Unknown input format 'epe'; the formats are: conllu, horizontal, vertical."),
        ({"data": "x"}, "data:1: 1 columns; expected 10, separated by tabs"),
        ({"data": "x", "tokenizer": "", "model": "parser"}, "this model has no tokenizer; …"),
        ({"data": "x", "input": "horizontal", "tagger": "", "model": "parser"}, "The model 'parser' has no tagger."),
        ({"data": "a " * 10_001, "input": "horizontal"}, "A sentence of 10,001 words; expected at most 10,000."),
    ],
)  # fmt: skip
def test_a_bad_request_gets_one_sentence(app: Starlette, fields: dict[str, str], message: str) -> None:
    reply = urlencoded(app, **fields)
    assert reply.status == 400
    assert reply.text == f"{message}\n" or (message[-1] == "…" and reply.text.startswith(message[:-1]))
    assert reply.text.count("\n") == 1
    assert reply.headers["content-type"] == "text/plain; charset=utf-8"


def test_sentences_are_parsed_in_portions(monkeypatch: pytest.MonkeyPatch, models: Models) -> None:
    whole_answer = result(models, **EVERYTHING)
    monkeypatch.setattr(served, "PORTION", 5)
    given = [Sentence.from_words(["a"] * n) for n in (2, 3, 1, 6, 1)]
    assert [[len(s) for s in each] for each in divide(given)] == [[2, 3], [1], [6], [1]]
    assert result(models, **EVERYTHING) == whole_answer


def test_models_come_from_files_under_any_names(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("models")
    file = folder / "mine.model"
    linear("arc-hybrid").save(file)
    models = Models.load([str(file), f"first:second={file}"])
    assert list(models.pipelines) == ["mine", "first"]
    assert models.pick("second")[0] == "first"
    assert models.pick()[0] == "mine"


# All of an answer


def about(**values: str) -> Pipeline:
    pipeline = Pipeline(whole().parser, whole().tagger, whole().lemmatizer, whole().tokenizer)
    pipeline.about = dict(values)
    return pipeline


@pytest.mark.parametrize(
    ("values", "acknowledgements", "licence"),
    [
        ({}, [], None),
        ({"name": "x"}, [], None),
        ({"data": "a treebank"}, ["a treebank"], None),
        ({"data": "a treebank", "licence": "CC  BY\n4.0"}, ["a treebank", "CC  BY\n4.0"], "CC BY 4.0"),
        ({"data": "", "licence": "CC0"}, ["CC0"], "CC0"),
    ],
)
def test_where_a_model_comes_from(values: dict[str, str], acknowledgements: list[str], licence: str | None) -> None:
    """In the answer, and above sentences in CoNLL-U; the licence in one line."""
    models = Models({"named": about(**values)})
    heading = f"# generator = Dodona {dodona.__version__}\n# udpipe_model = named\n"
    heading += "" if licence is None else f"# udpipe_model_licence = {licence}\n"
    for output in OUTPUTS:
        answer = process(ProcessRequest(data="a dog", tokenizer="", output=output), models)
        text = "".join(answer.result)
        assert (answer.model, answer.acknowledgements) == ("named", acknowledgements)
        assert text.startswith(heading) == (output == "conllu")
        assert text.count("#") == (heading.count("#") + 3 if output == "conllu" else 0)


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("form", INPUTS)
def test_every_input_in_every_output(form: str, output: str, models: Models) -> None:
    """With options, with a byte order mark, and with the ends of lines of Windows, all the same; spaces inside of words
    do not end them where spaces or lines do."""
    first = "ab" if form == "horizontal" else "a b"
    row = "\t_" * 8 + "\n"
    data = {
        "conllu": f"1\t{first}{row}2\tc{row}\n1\tc{row}\n",
        "vertical": f"{first}\nc\n\nc\n\n",
        "horizontal": f"{first} c\nc\n",
    }[form]
    expected = {
        "horizontal": f"{first.replace(' ', NO_BREAK)} c\nc\n",
        "vertical": f"{first}\nc\n\nc\n\n",
        "plaintext": f"{first} c c ",
    }
    texts = {
        result(models, data=each, input=name, output=output)
        for each in (data, f"\ufeff{data}", data.replace("\n", "\r\n"))
        for name in (form, f"{form}=x;y")
    }
    (text,) = texts
    if output == "conllu":
        assert result(models, data=data, input=form, output="conllu=v2") == text
        assert [sentence.words for sentence in sentences(text)] == [[first, "c"], ["c"]]
        assert text.endswith("\n\n")
        assert "\r" not in text
    else:
        assert text == expected[output]


def test_names_of_formats_that_there_are_not(app: Starlette) -> None:
    """Only their beginning is in the message; the first version of CoNLL-U is one of them."""
    for name, formats in (("input", INPUTS), ("output", OUTPUTS)):
        wrong = ["epe", "x" * 99, "", "CoNLLU", *(["conllu=v1"] if name == "output" else [])]
        for given in wrong:
            reply = urlencoded(app, data="a", **{name: given})
            told = f"Unknown {name} format {given[:40]!r}; the formats are: {', '.join(formats)}.\n"
            assert (reply.status, reply.text) == (400, told)


def test_what_needs_a_tagger_says_so(app: Starlette) -> None:
    data = {"data": "a dog", "input": "horizontal", "model": "parser"}
    for more in ({"tagger": ""}, {"tagger": "", "parser": ""}):
        reply = urlencoded(app, **data, **more)
        assert (reply.status, reply.text) == (400, "The model 'parser' has no tagger.\n")
    assert urlencoded(app, **data, parser="").status == 200


def test_columns_that_nobody_has_asked_for_stay_empty() -> None:
    """Also those that trees need; those of the input stay, each for itself."""
    values = {"lemmas": "own", "upos": "X", "xpos": "own", "feats": "Own=Yes"}
    models = Models({"whole": whole()})
    for name, value in values.items():
        sentence = Sentence.from_words(["dog", "sees"])
        sentence.set_column(name, [value, value])
        (parsed,) = sentences(result(models, data=sentence.to_bytes().decode(), parser=""))
        assert [parsed.lacks(each) for each in PREDICTED] == [each != name for each in PREDICTED]
        assert list(getattr(parsed, name)) == [value, value]
        assert None not in parsed.heads


def test_options_of_the_tokenizer_with_spaces_and_values() -> None:
    models = Models({"whole": whole()})
    text = "a dog\n sees a  cat ."
    plain = [s.words for s in sentences(result(models, data=text, tokenizer="presegmented"))]
    for options in (
        "presegmented;ranges",
        " ranges ; presegmented ",
        "ranges=x;presegmented=1",
        "presegmented ; other;ranges",
    ):
        found = sentences(result(models, data=text, tokenizer=options))
        assert [s.words for s in found] == plain
        assert found[0].comments[2:4] == ["# newdoc", "# sent_id = 1"]
        assert [s.sent_id for s in found] == ["1", "2"]
        for sentence in found:
            for word, misc in zip(sentence.words, sentence.misc, strict=True):
                start, end = map(int, misc.partition("TokenRange=")[2].split(":"))
                assert text[start:end] == word


# Models


def test_names_of_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """NAME=FILE, several names, a file with such a name; and none twice, in whatever place."""
    for name in ("one.model", "a=b.model"):
        linear("arc-hybrid").save(tmp_path / name)
    monkeypatch.chdir(tmp_path)
    for given, names, others in (
        (["one.model"], ["one"], {}),
        (["x=one.model"], ["x"], {}),
        (["x:y:z=one.model", "one.model"], ["x", "one"], {"y": "x", "z": "x"}),
        (["a=b.model"], ["a=b"], {}),
    ):
        models = Models.load(given)
        assert list(models.pipelines) == names
        assert {name: models.pick(name)[0] for name in others} == others
    for first, second, name in (
        ("x", "x", "x"),
        ("x:y", "y", "y"),
        ("x", "y:x", "x"),
        ("x:y", "z:y", "y"),
        ("one", "", "one"),
    ):
        given = [f"{each}=one.model" if each else "one.model" for each in (first, second)]
        with pytest.raises(
            OptionError, match=f"^two models of the name {name!r}; expected NAME=FILE with other names$"
        ):
            Models.load(given)
    for wrong in (
        "=one.model",
        "x:=one.model",
        ":x=one.model",
        "a b=one.model",
        "a\tb=one.model",
        "a\x07=one.model",
        "x=",
    ):
        with pytest.raises(OptionError, match=r"expected NAME=FILE or NAME:NAME=FILE, with names without spaces$"):
            Models.load([wrong])
    with pytest.raises(OptionError, match=r"^no model; expected at least one$"):
        Models({})


@pytest.mark.parametrize("name", ["a-b-c-d", "a-b-c", "a-b", "a"])
def test_every_beginning_of_a_name_up_to_a_hyphen(name: str) -> None:
    models = Models({"a-b-c-d": whole(), "z": linear("arc-hybrid")}, {"q-r-s": "z"})
    assert models.pick(name)[0] == "a-b-c-d"
    assert models.pick(name.translate({97: 113, 98: 114, 99: 115}).removesuffix("-d"))[0] == "z"
    for wrong in (f"{name}-", f"{name[:-1]}x", name.upper()):
        with pytest.raises(OptionError, match=f"^there is no model '{wrong}'; the models are: a-b-c-d, z$"):
            models.pick(wrong)


@pytest.mark.parametrize("length", [39, 40, 41, 500])
def test_long_names_are_cut(length: int) -> None:
    shown = "n" * length if length <= 40 else "n" * 40 + "…"
    with pytest.raises(OptionError, match=f"^there is no model '{shown}'; the models are: whole$"):
        Models({"whole": whole()}).pick("n" * length)
