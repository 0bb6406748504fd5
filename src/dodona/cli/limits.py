"""What the command line says about sentences that were parsed in pieces."""

from collections.abc import Iterable, Iterator

import click

from dodona.components.analysis import IN_PIECES
from dodona.data import Sentence
from dodona.data.marks import Item

__all__ = ["with_a_count_of_pieces"]


def with_a_count_of_pieces(items: Iterable[Item]) -> Iterator[Item]:
    """Pass the sentences on, and say at the end how many were parsed in pieces."""
    count = 0
    for item in items:
        if isinstance(item, Sentence):
            count += any(comment.startswith(IN_PIECES) for comment in item.comments)
        yield item
    if count:
        which = "1 sentence was" if count == 1 else f"{count} sentences were"
        click.echo(
            f"dodona: {which} parsed in pieces, because of length or time; see the comment {IN_PIECES[:-3]!r}",
            err=True,
        )
