"""The tables of `dodona evaluate --confusion`, and the worst sentences with both trees."""

from collections.abc import Iterator, Sequence

from dodona.cli.tables import Table, Value, percent
from dodona.data import Sentence
from dodona.drawing import shown
from dodona.drawing.comparison import OTHER_HEAD, OTHER_LABEL, compared
from dodona.evaluation import Comparison
from dodona.evaluation.confusion import (
    Confusion,
    Flaws,
    head_confusion,
    label_confusion,
    tag_confusion,
    worst_sentences,
)

__all__ = ["confusion_tables", "worst_drawn"]

MOST = 20  # confusions that are listed; the matrices have all of them


def confusion_tables(
    comparison: Comparison, gold: Sequence[Sentence], system: Sequence[Sentence], most: int, matrices: bool
) -> list[Table]:
    """Return the most frequent confusions, heads by direction and distance, and the `most` worst sentences.

    `matrices` adds those of relations and tags, which are too wide to be looked at, and the worst trees as text.
    """
    labels, tags, heads = label_confusion(comparison), tag_confusion(gold, system), head_confusion(comparison)
    tables = [
        _mistakes("confused relations", "Relations confused, gold → system", labels),
        _mistakes("confused UPOS", "UPOS confused, gold → system", tags),
        _heads(heads),
    ]
    if matrices:
        tables.append(_matrix("relations by relations", "Relations, gold by system", labels))
        tables.append(_matrix("UPOS by UPOS", "UPOS, gold by system", tags))
    tables.append(_worst(worst_sentences(comparison, most), gold, system, matrices))
    return tables


def _mistakes(name: str, title: str, found: Confusion) -> Table:
    has_heads = found.right_heads is not None
    rows: dict[str, tuple[Value, ...]] = {
        f"{one.gold} → {one.system}": (one.words, 100 * one.share, *((one.right_head,) if has_heads else ()))
        for one in found.mistakes()[:MOST]
    }
    return Table(name, title, ("words", "% of gold", *(("head correct",) if has_heads else ())), rows)


def _matrix(name: str, title: str, found: Confusion) -> Table:
    rows: dict[str, tuple[Value, ...]] = {gold: tuple(found.row(gold)) for gold in found.names}
    return Table(name, title, tuple(found.names), rows)


def _heads(found: Confusion) -> Table:
    table = _matrix("heads", "Where heads are, gold by system", found)
    right = found.right_heads or {}
    rows: dict[str, tuple[Value, ...]] = {}
    for name, row in table.rows.items():
        total = sum(found.row(name))
        rows[name] = (*row, total, percent(right.get((name, name), 0), total))
    return Table(table.name, table.title, (*table.columns, "words", "UAS"), rows)


def _worst(found: Sequence[Flaws], gold: Sequence[Sentence], system: Sequence[Sentence], trees: bool) -> Table:
    rows: dict[str, tuple[Value, ...]] = {}
    for one in found:
        numbers = (one.words, one.wrong_heads, one.wrong_labels, 100 * (1 - one.wrong_arcs / one.words))
        sides = gold[one.sentence], system[one.sentence]
        more = (_name(sides[0]), shown(" ".join(sides[0].words)), *map(_tree, sides)) if trees else ()
        rows[str(one.sentence + 1)] = (*numbers, *more)
    columns = (
        "words",
        "other head",
        "other relation",
        "LAS",
        *(("sent_id", "text", "gold", "system") if trees else ()),
    )
    return Table("worst sentences", "Worst sentences", columns, rows)


def _name(sentence: Sentence) -> str | None:
    return None if sentence.sent_id is None else shown(sentence.sent_id)


def _tree(sentence: Sentence) -> str:
    """Heads and relations, word by word."""
    return shown(" ".join(f"{h}:{label}" for h, label in zip(sentence.heads, sentence.labels, strict=True)))


def worst_drawn(
    comparison: Comparison, gold: Sequence[Sentence], system: Sequence[Sentence], most: int, width: int
) -> Iterator[str]:
    """Yield lines with both trees of the worst sentences."""
    for one in worst_sentences(comparison, most):
        sentence = gold[one.sentence]
        name = f" ({sentence.sent_id})" if sentence.sent_id else ""
        place = f"{sentence.file}:{sentence.line}: sentence {one.sentence + 1}{name}"
        marked = f"{OTHER_HEAD} {one.wrong_heads} other heads, {OTHER_LABEL} {one.wrong_labels} other relations only"
        yield shown(f"{place}; of {one.words} words, {marked}")
        yield from compared(sentence, system[one.sentence], width)
        yield ""
