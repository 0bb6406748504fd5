"""Trees and pseudo-projective parsing (Nivre and Nilsson 2005) by their definitions, however long it takes."""

from collections.abc import Callable, Sequence

Heads = Sequence[int]


def ancestors(heads: Heads, k: int) -> list[int]:
    """The head of a word of a tree, its head, and so on to ROOT."""
    found = []
    while k != 0:
        k = heads[k - 1]
        found.append(k)
    return found


def arc_is_projective(heads: Heads, d: int) -> bool:
    """Every word between d and its head descends from the head."""
    h = heads[d - 1]
    return all(h in ancestors(heads, k) for k in range(min(h, d) + 1, max(h, d)))


def lifted(heads: Heads) -> tuple[list[int], set[int]]:
    """Again and again the shortest arc that is not projective, the leftmost of equals, goes to the head of its head.

    The new heads, and the words whose arcs were lifted over.
    """
    heads = list(heads)
    passed: set[int] = set()
    while True:
        crossing = [d for d in range(1, len(heads) + 1) if not arc_is_projective(heads, d)]
        if not crossing:
            return heads, passed
        d = min(crossing, key=lambda d: (abs(heads[d - 1] - d), d))
        passed.add(heads[d - 1])
        heads[d - 1] = heads[heads[d - 1] - 1]


def encoded(heads: Heads, labels: Sequence[str], encoding: str) -> tuple[list[int], list[str]]:
    """The table of the paper; labels without arrows."""
    new, passed = lifted(heads)
    names = []
    for d, label in enumerate(labels, start=1):
        old = heads[d - 1]
        up = {"baseline": "", "head": f"↑{labels[old - 1]}", "path": "↑", "head+path": f"↑{labels[old - 1]}"}[encoding]
        down = "↓" if encoding in ("path", "head+path") and d in passed else ""
        names.append(label + (up if new[d - 1] != old else "") + down)
    return new, names


def said(name: str) -> tuple[str, str | None, bool]:
    """(label, the label of the head it came from, whether something was lifted over it); no head: not lifted."""
    is_path = name.endswith("↓")
    label, up, head = name.removesuffix("↓").partition("↑")
    return label, head if up else None, is_path


def breadth_first(heads: Heads, top: int, without: int, wanted: Callable[[int], bool]) -> list[int]:
    """The words below `top`, level by level, from left to right, along wanted arcs; nothing under `without`."""
    level, found = [top], []
    while level:
        level = [k for h in level for k in range(1, len(heads) + 1) if heads[k - 1] == h and k != without and wanted(k)]
        found += level
    return found


def lowered(heads: Heads, names: Sequence[str], encoding: str) -> tuple[list[int], list[str]]:
    """Undo `encoded`: each lifted arc, the highest first, goes to the head that a search below its own head finds.

    head         the first word of the right label
    path         the first word on a path of marked arcs where no other marked arc goes on
    head+path    of the words of the right label on such a path the first where it ends, else the first of them all,
                 else as in head
    What finds none waits until all others were tried, and is tried again as long as any was moved.
    """
    heads = list(heads)
    labels, origins, paths = zip(*map(said, names), strict=True) if names else ((), (), ())
    if encoding == "baseline":
        return heads, list(names)

    def is_marked(k: int) -> bool:
        return bool(paths[k - 1])

    def target(d: int) -> int | None:
        top = heads[d - 1]
        everywhere = breadth_first(heads, top, d, lambda k: True)
        marked = breadth_first(heads, top, d, is_marked)
        ends = [
            k
            for k in marked
            if not any(heads[m - 1] == k and is_marked(m) and m != d for m in range(1, len(heads) + 1))
        ]
        choices = {
            "head": [k for k in everywhere if labels[k - 1] == origins[d - 1]],
            "path": ends,
            "head+path": [k for some in (ends, marked, everywhere) for k in some if labels[k - 1] == origins[d - 1]],
        }[encoding]
        return choices[0] if choices else None

    waiting = [d for d in breadth_first(heads, 0, 0, lambda k: True) if origins[d - 1] is not None]
    moved = True
    while waiting and moved:
        moved, rest = False, []
        for d in waiting:
            h = target(d)
            if h is None:
                rest.append(d)
            else:
                heads[d - 1] = h
                moved = True
        waiting = rest
    return heads, list(labels)
