"""The list of suspicious arcs that `dodona crossvalidate` writes: a table, JSON, or text with both trees."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from dodona.data import Sentence
from dodona.data.files import bare_name, output
from dodona.drawing import shown
from dodona.drawing.comparison import compared
from dodona.evaluation.suspects import Suspect

__all__ = ["write_suspects"]

WIDTH = 160  # of two trees beside each other


def write_suspects(path: str, gold: Sequence[Sentence], parsed: Sequence[Sentence], found: Sequence[Suspect]) -> None:
    """Write them in the format that the name of the file ends with."""
    name = bare_name(path)
    if name.endswith(".json"):
        records = [_record(each, gold, parsed) for each in found]
        text = json.dumps(records, ensure_ascii=False, indent=1) + "\n"
    elif name.endswith(".tsv"):
        text = "".join(f"{line}\n" for line in _table(gold, parsed, found))
    else:
        text = "".join(f"{line}\n" for line in _drawn(gold, parsed, found))
    with output(path) as stream:
        stream.write(text.encode())


def _record(each: Suspect, gold: Sequence[Sentence], parsed: Sequence[Sentence]) -> dict[str, Any]:
    sentence = gold[each.sentence]
    trees = {"annotated_tree": sentence, "predicted_tree": parsed[each.sentence]}
    return {
        "confidence": each.confidence,
        "sentence": each.sentence + 1,
        "sent_id": sentence.sent_id,
        "line": sentence.word_line(each.word),
        "word": each.word,
        "form": sentence.words[each.word - 1],
        "annotated_head": each.annotated_head,
        "annotated_head_form": _form(sentence, each.annotated_head),
        "annotated_label": each.annotated_label,
        "predicted_head": each.predicted_head,
        "predicted_head_form": _form(sentence, each.predicted_head),
        "predicted_label": each.predicted_label,
        "text": sentence.text or " ".join(sentence.surface()),
        **{name: " ".join(map("{}:{}".format, tree.heads, tree.labels)) for name, tree in trees.items()},
    }


def _form(sentence: Sentence, k: int) -> str:
    return sentence.words[k - 1] if k else "ROOT"


def _table(gold: Sequence[Sentence], parsed: Sequence[Sentence], found: Sequence[Suspect]) -> Iterator[str]:
    yield "\t".join(_record(Suspect(0.0, 0, 1, 0, "", 0, ""), gold, parsed))
    for each in found:
        values = _record(each, gold, parsed).values()
        yield "\t".join("" if value is None else shown(str(value)) for value in values)


def _drawn(gold: Sequence[Sentence], parsed: Sequence[Sentence], found: Sequence[Suspect]) -> Iterator[str]:
    """Each sentence once, with all its suspects: the one with the most confident suspect comes first."""
    of_sentence: dict[int, list[Suspect]] = {}
    for each in found:
        of_sentence.setdefault(each.sentence, []).append(each)
    for i, suspects in of_sentence.items():
        sentence = gold[i]
        name = f" ({sentence.sent_id})" if sentence.sent_id else ""
        yield shown(f"{sentence.file}:{sentence.line}: sentence {i + 1}{name}")
        for each in suspects:
            yield shown(_told(sentence, each))
        yield from compared(sentence, parsed[i], WIDTH, ("annotated", "predicted"))
        yield ""


def _told(sentence: Sentence, each: Suspect) -> str:
    annotated = f"{_form(sentence, each.annotated_head)} ({each.annotated_head}), {each.annotated_label}"
    predicted = f"{_form(sentence, each.predicted_head)} ({each.predicted_head}), {each.predicted_label}"
    word = f"{sentence.words[each.word - 1]} ({each.word})"
    return f"{each.confidence:.4f}  {word}: annotated {annotated}; predicted {predicted}"
