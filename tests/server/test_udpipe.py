"""The interface of UDPipe's service, asked in the ways in which its clients ask."""

import email.mime.multipart
import email.mime.nonmultipart
import email.policy
from collections.abc import Mapping
from itertools import permutations
from urllib.parse import urlencode

import pytest
from samples.asgi import Reply, ask
from samples.random_networks import random_network
from samples.small_models import linear, whole
from starlette.applications import Starlette

from dodona import Pipeline, Sentence
from dodona.data.conllu import read_conllu
from dodona.data.stream import only_sentences
from dodona.server import models as served
from dodona.server.app import create_app
from dodona.server.models import Models, divide
from dodona.server.requests import convert
from dodona.server.udpipe import ProcessRequest, process, write

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
