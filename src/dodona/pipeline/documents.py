"""Names for the documents that a tokenizer makes, where several go into one output."""

from collections.abc import Iterable, Iterator

from dodona.data import Sentence
from dodona.data.marks import Item

__all__ = ["named"]


def named(items: Iterator[Item], name: str | None) -> Iterator[Item]:
    """Give the document of some sentences a name, and put it before the numbers of the sentences; None: neither."""
    return items if name is None else _renamed(items, name)


def _renamed(items: Iterable[Item], name: str) -> Iterator[Item]:
    for item in items:
        if isinstance(item, Sentence):
            comments = [comment.replace("# sent_id = ", f"# sent_id = {name}-", 1) for comment in item.comments]
            item.set_comments([f"# newdoc id = {name}" if comment == "# newdoc" else comment for comment in comments])
        yield item
