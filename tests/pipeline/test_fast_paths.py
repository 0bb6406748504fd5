"""Whole batches give what single sentences give, by the plainest way there is: text in, strings replaced, text out.

The plain way asks the tagger for the tags of some words, the lemmatizer for the lemmas, and the parser for the trees of
one sentence, and writes them into the lines by splitting these at tabs. Whatever is done for the sake of speed, in
reading, tagging, lemmatizing, searching, threads and writing, has to give the same bytes.
"""

import threading
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from samples.random_networks import random_network
from samples.small_models import linear, neural, whole
from samples.treebank import treebank
from samples.variants import VARIANTS

from dodona import Sentence, read
from dodona.cli.commands.parse import parse as parse_command
from dodona.data.stream import Boundary, Pause, only_sentences
from dodona.parser.confidence import Calibration
from dodona.parser.parser import Parser
from dodona.parser.request import Request
from dodona.pipeline.pipeline import Pipeline
from dodona.pipeline.threads import work_in_threads
from dodona.systems.registry import SYSTEMS

pytestmark = pytest.mark.filterwarnings("ignore:.*CRLF line ends")
NOTES = ("# nbest = ", "# score = ", "# confidence = ", "# parsed_in_pieces = ")
COLUMNS = {"lemmas": 2, "upos": 3, "xpos": 4, "feats": 5, "heads": 6, "labels": 7}
MODELS = [
    (kind, system)
    for system, entry in SYSTEMS.items()
    for kind in ("linear", "neural", *(["beam"] if entry.has_beam else []))
]


@cache
def model(kind: str, system: str, single_root: bool) -> Pipeline:
    parser = (neural(system) if kind == "neural" else linear(system, 4 if kind == "beam" else 1)).parser
    description, arrays = parser.parts()
    options = {**description["options"], "single_root": single_root}
    parser = Parser.from_parts({**description, "options": options}, arrays, "a model with other roots")
    return Pipeline(parser, whole().tagger, whole().lemmatizer, whole().tokenizer)


def lines_of(sentence: Sentence, begin: str = "") -> str:
    return begin + sentence.to_bytes().decode().rstrip("\n") + "\n"


def rows(words: str, **columns: str) -> str:
    """The lines of a sentence; columns are given by their words, `_` for nothing."""
    forms = words.split()
    cells = [[str(k), form, *"_" * 8] for k, form in enumerate(forms, start=1)]
    for name, values in columns.items():
        place = 9 if name == "misc" else COLUMNS[name]
        for cell, value in zip(cells, values.split(), strict=True):
            cell[place] = value
    return "".join("\t".join(cell) + "\n" for cell in cells)


@cache
def blocks(whole_trees: bool = True) -> list[str]:
    """Sentences as text, of many lengths, with all that can stand in a file. Without crossing arcs, so that all
    systems can keep those that are given; `whole_trees` False: every third word has lost its head."""
    found = []
    for i, sentence in enumerate(treebank(10, seed=4, crossing=0.0)):
        begins = ("# newdoc id = d\n# newpar\n", "# newpar id = p\n", "")[i % 3]
        text = lines_of(sentence, f"{begins}# sent_id = s{i}\n")
        if not whole_trees:
            lines = [line.split("\t") for line in text.split("\n")]
            for line in lines[i % 3 :: 3]:
                if len(line) == 10:
                    line[6:8] = "_", "_"
            text = "\n".join("\t".join(line) for line in lines)
        found.append(text)
    bare = [rows("asks"), rows("the oak"), rows("nobody knows " * 9), rows("Oak oak OAK . , ( ) 1990 ö 樫 the")]
    tagged = rows("the oak asks .", upos="DET NOUN _ PUNCT")  # any tag: all are kept
    lemmas = rows("the doves see .", lemmas="_ dove _ _")
    earlier = rows("the oak asks the dove .", misc="Confidence=0.5 SpaceAfter=No|Confidence=0.25 _ A=b _ C=d")
    earlier = "# nbest = 2\n# score = -1.5\n# confidence = 0.7\n# parsed_in_pieces = 3\n# note = x\n" + earlier
    alone = [rows("the oak asks", misc="_ A=b|Confidence=0.5 _")]  # each note by itself
    alone += [f"# x = y\n{note}1\n" + rows("the oak asks") for note in NOTES]
    words = rows("do n't ask").split("\n")
    ranged = "\n".join(["1-2\tdon't" + "\t_" * 8, *words[:2], "2.1\tasked" + "\t_" * 8, *words[2:]])
    windows = rows("the priest hears .").replace("\n", "\r\n")
    plain = [*bare, tagged, lemmas, earlier, ranged, windows]
    return [text for pair in zip(found, [*plain, ""], strict=False) for text in pair if text] + alone


def split(block: str) -> tuple[list[str], list[list[str]]]:
    """Comments, and the cells of all other lines."""
    lines = block.replace("\r", "").rstrip("\n").split("\n")
    return [line for line in lines if line[0] == "#"], [line.split("\t") for line in lines if line[0] != "#"]


def plain_parse(nlp: Pipeline, block: str, request: Request, retag: bool) -> Iterator[str]:
    """The trees of one sentence, as text."""
    comments, cells = split(block)
    own = [cell for cell in cells if cell[0].isdigit()]
    columns: dict[str, Any] = {name: [cell[place] for cell in own] for name, place in COLUMNS.items()}
    words = [cell[1] for cell in own]
    assert nlp.tagger is not None
    assert nlp.lemmatizer is not None
    tags = retag or set(columns["upos"]) == {"_"}
    if tags:
        columns |= dict(zip(("upos", "xpos", "feats"), nlp.tagger.columns(words), strict=True))
    columns["heads"] = [None if head == "_" else int(head) for head in columns["heads"]]
    sentence = Sentence.from_words(words, **columns)
    analyses = nlp.parser.analyses(sentence, request)
    if tags and nlp.parser.model.retags:
        (better,) = nlp.parser.predict_tags([sentence])
        columns |= {name: getattr(better, name) for name in ("upos", "xpos", "feats")}
    if retag or set(columns["lemmas"]) == {"_"}:
        columns["lemmas"] = nlp.lemmatizer.lemmas(words, columns["upos"], columns["feats"])
    comments = [comment for comment in comments if not comment.startswith(NOTES)]
    for rank, tree in enumerate(analyses, start=1):
        columns |= {"heads": list(map(str, tree.heads)), "labels": tree.labels}
        written = []
        k = 0
        for cell in cells:
            new = list(cell)
            if cell[0].isdigit():
                for name, place in COLUMNS.items():
                    new[place] = columns[name][k]
                misc = [part for part in cell[9].split("|") if part != "_" and not part.startswith("Confidence=")]
                misc += [f"Confidence={tree.confidence[k]:.4f}"] if request.confidence else []
                new[9] = "|".join(misc) or "_"
                k += 1
            written.append("\t".join(new))
        notes = []
        if request.nbest > 1:
            notes += [f"# nbest = {rank}", f"# score = {tree.score:.6f}"]
        notes += [f"# parsed_in_pieces = {tree.pieces}"] if tree.pieces > 1 else []
        if request.confidence:
            notes.append(f"# confidence = {sum(tree.confidence) / len(tree.confidence):.4f}")
        named = [f"{c}-{rank}" if rank > 1 and c.startswith("# sent_id = ") else c for c in comments]
        named = [c for c in named if rank == 1 or not c.startswith(("# newdoc", "# newpar"))]
        yield "\n".join([*named, *notes, *written]) + "\n\n"


def plainly(nlp: Pipeline, texts: list[str], request: Request, retag: bool = False) -> str:
    return "".join(tree for text in texts for tree in plain_parse(nlp, text, request, retag))


def as_text(sentences: Iterator[Any]) -> str:
    return "".join(s.to_bytes().decode().replace("\r", "").rstrip("\n") + "\n\n" for s in sentences)


def stored(tmp_path: Path, texts: list[str], how: str) -> list[Sentence]:
    """The sentences: as they are read, with lists that somebody has looked at, as copies, or made from lists."""
    path = tmp_path / "sentences.conllu"
    path.write_bytes("\n".join([*texts, ""]).encode())
    sentences = list(read(path))
    assert len(sentences) == len(texts)
    for sentence in sentences if how == "looked at" else ():
        for name in ("words", "misc", "heads", "comments", *COLUMNS):
            getattr(sentence, name)
    return [sentence.copy() for sentence in sentences] if how == "copies" else sentences


def requests_of(kind: str, system: str) -> list[Request]:
    """What can be asked of this model."""
    found = [Request(), Request(confidence=True), Request(constrained=True), Request(max_length=4, confidence=True)]
    if SYSTEMS[system].has_beam:
        found += [Request(beam=3, nbest=2, confidence=True), Request(beam=2, constrained=True)]
    return found


@pytest.mark.parametrize("single_root", [True, False], ids=["one root", "several roots"])
@pytest.mark.parametrize(("kind", "system"), MODELS, ids=[" ".join(pair) for pair in MODELS])
def test_batches_are_parsed_as_single_sentences(kind: str, system: str, single_root: bool, tmp_path: Path) -> None:
    nlp = model(kind, system, single_root)
    for number, request in enumerate(requests_of(kind, system)):
        texts = blocks(not request.constrained)
        expected = plainly(nlp, texts, request)
        how = ("as read", "looked at", "copies")[number % 3]
        for batch, jobs in ((128, 1), (5, 1), (3, 3)):
            items = stored(tmp_path, texts, how)
            assert as_text(only_sentences(nlp.stream(items, request, batch=batch, jobs=jobs))) == expected, request
    retagged = plainly(nlp, blocks(), Request(), retag=True)
    for jobs in (1, 3):
        assert as_text(nlp.parse(stored(tmp_path, blocks(), "as read"), retag=True, jobs=jobs)) == retagged


def test_words_that_are_left_headless_in_every_system_and_with_every_option(tmp_path: Path) -> None:
    """They hang on ROOT in the end, with the same label in a batch as alone."""
    texts = blocks()[:14]
    headless = Counter[str]()
    for variant, seed in product(VARIANTS, (1, 6)):
        options = dict(variant.options)
        roots = {"single_root": options.pop("single_root")}
        nlp = Pipeline(
            random_network(variant.name, seed=seed, system_options=options, **roots), whole().tagger, whole().lemmatizer
        )
        for request in (Request(), Request(beam=2) if SYSTEMS[variant.name].has_beam else Request(confidence=True)):
            expected = plainly(nlp, texts, request)
            for batch in (128, 3):
                items = stored(tmp_path, texts, "as read")
                assert as_text(only_sentences(nlp.stream(items, request, batch=batch))) == expected, variant
        nlp.parser.calibration = Calibration({"late": 1.0})  # so that confidence says which words these are
        for parsed in nlp.parse(stored(tmp_path, texts, "as read"), Request(beam=1, confidence=True)):
            late = [misc.endswith("Confidence=0.7311") for misc in parsed.misc]
            assert all(head == 0 for head, is_late in zip(parsed.heads, late, strict=True) if is_late)
            headless[str(variant)] += sum(late)
    wanted = {f"arc-eager root={root} single_root=False" for root in ("first", "attach")}
    assert wanted | {"arc-eager root=first single_root=True"} <= {name for name, count in headless.items() if count}


def test_pieces_and_confidence_see_the_tags_that_the_network_has_learned_to_use() -> None:
    """Those of the tagger, which the network's own ones replace only in the end: its confidence was fitted to them."""
    nlp = model("neural", "arc-hybrid", True)
    assert nlp.tagger is not None
    nlp.parser.calibration = Calibration({"action": 1.0, "upos=NOUN": 2.0, "upos=DET": -2.0, "upos=VERB": 1.0})
    try:
        for request in (Request(confidence=True), Request(confidence=True, max_length=3)):
            words = ["the", "old", "oak", "asks", "the", "sacred", "dove", "today", "."]
            tagged = nlp.tagger.apply([Sentence.from_words(words)])[0]
            (plain,) = nlp.parser.analyses(tagged, request)
            (found,) = nlp.parse([Sentence.from_words(words)], request)
            assert found.upos != tagged.upos
            assert (found.heads, found.labels) == (plain.heads, plain.labels)
            assert found.misc == [f"Confidence={value:.4f}" for value in plain.confidence]
    finally:
        nlp.parser.calibration = Calibration()


def test_a_network_weighs_the_taggers_tags_in_a_batch_as_in_a_sentence(tmp_path: Path) -> None:
    """A tagger leaves numbers of its own tags; here they are strings, as somebody else may have written them."""
    nlp = model("neural", "arc-hybrid", True)
    assert nlp.parser.model.retags
    without = plainly(nlp, blocks(), Request())
    nlp.parser.model.tagger_bonus = 1.5
    try:
        expected = plainly(nlp, blocks(), Request())
        assert expected != without
        for batch, jobs in ((128, 1), (3, 2)):
            found = nlp.stream(stored(tmp_path, blocks(), "as read"), batch=batch, jobs=jobs)
            assert as_text(only_sentences(found)) == expected
    finally:
        nlp.parser.model.tagger_bonus = 0.0


def test_marks_change_nothing(tmp_path: Path) -> None:
    """Pauses and boundaries stand where they stood, whatever the batches and threads are."""
    nlp = model("linear", "arc-eager", True)
    expected = plainly(nlp, blocks(), Request()).split("\n\n")
    for batch, jobs in ((1, 1), (4, 1), (128, 1), (2, 2)):
        items: list[Any] = [Boundary(0)]
        for number, sentence in enumerate(stored(tmp_path, blocks(), "as read")):
            items += [
                sentence,
                *([Pause()] if number % 3 == 1 else []),
                *([Boundary(number)] if number % 4 == 2 else []),
            ]
        kinds = [type(item) for item in items]
        found = list(nlp.stream(items, batch=batch, jobs=jobs))
        assert [type(item) for item in found] == kinds
        assert [item.value for item in found if isinstance(item, Boundary)] == [
            item.value for item in items if isinstance(item, Boundary)
        ]
        assert as_text(only_sentences(found)).split("\n\n") == expected


def test_notes_that_somebody_writes_into_new_sentences_go_away_too() -> None:
    """Those of a tokenizer are known to have none, unless somebody has touched them."""
    nlp = model("linear", "arc-eager", True)
    texts = ["The oak asks the dove."]
    first, second, third, fourth = (next(nlp.sentences(texts)) for _ in range(4))
    first.misc[1] = "Confidence=0.5|A=b"
    second.set_column("misc", ["Confidence=0.5", *second.misc[1:]])
    third.set_comments([*third.comments, "# nbest = 3", "# x = y"])
    parsed = list(nlp.parse([first, second, third, fourth]))
    assert [s.misc for s in parsed] == [["_", "A=b", *fourth.misc[2:]], *[fourth.misc] * 3]
    assert parsed[2].comments == [*fourth.comments, "# x = y"]


def test_a_result_goes_on_as_soon_as_it_is_there() -> None:
    """Also while the work after it takes long: nothing more is read to wait for it."""
    done, released = threading.Event(), threading.Event()
    taken = 0

    def items() -> Iterator[Any]:
        nonlocal taken
        for number in range(40):
            taken += 1
            yield Boundary(number)
            assert done.wait(60)

    def work(batch: list[Any]) -> list[Any]:
        if batch[0].value > 0:
            assert released.wait(60)
        done.set()
        return batch

    found = work_in_threads(work, items(), 3, 1)
    try:
        assert next(found) == Boundary(0)
        assert taken <= 3
    finally:
        released.set()
    assert [item.value for item in found] == list(range(1, 40))  # type: ignore[union-attr]


def test_what_is_known_of_a_sentence_does_not_go_to_the_next(tmp_path: Path) -> None:
    """Caches are filled and workspaces are large: all again, backwards, long after short, short after long."""
    nlp = model("neural", "arc-hybrid", True)
    for texts in (blocks(), blocks()[::-1], [rows("oak " * 300), *blocks()], sorted(blocks(), key=len)):
        expected = plainly(nlp, texts, Request())
        assert as_text(nlp.parse(stored(tmp_path, texts, "as read"))) == expected


@pytest.mark.parametrize(
    "arguments", [(), ("--jobs", "3"), ("--confidence",), ("--retag", "--jobs", "2"), ("--beam", "3")]
)
def test_the_command_parses_as_single_sentences(
    arguments: tuple[str, ...], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    nlp = model("linear", "arc-eager", True)
    nlp.save(tmp_path / "model")
    (tmp_path / "in.conllu").write_bytes("\n".join([*blocks(), ""]).encode())
    request = Request(beam=3 if "--beam" in arguments else None, confidence="--confidence" in arguments)
    out = tmp_path / "out.conllu"
    parse_command.main(
        [str(tmp_path / "model"), str(tmp_path / "in.conllu"), "-o", str(out), *arguments], standalone_mode=False
    )
    assert out.read_bytes().decode().replace("\r", "") == plainly(nlp, blocks(), request, "--retag" in arguments)


@pytest.mark.parametrize("jobs", [1, 3])
def test_texts_without_sentences_among_others(jobs: int) -> None:
    nlp = model("linear", "arc-standard", True)
    texts = ["", "The oak asks.", " \n ", "\n", "The dove hears the oak. The priest sees.", "", "."]
    for batch in (1, 2, 128):
        found = [document.text for document in nlp.pipe(texts, batch=batch, jobs=jobs)]
        assert found == texts
        trees = [[s.to_bytes() for s in document] for document in nlp.pipe(texts, batch=batch, jobs=jobs)]
        assert trees == [[s.to_bytes() for s in nlp(text)] for text in texts]
        assert [bool(each) for each in trees] == [bool(text.strip()) for text in texts]
