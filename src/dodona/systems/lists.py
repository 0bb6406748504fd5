"""The data structures of a configuration besides its arcs, as named lists of nodes, for display and research."""

from collections.abc import Callable

from dodona.transitions.state import State

__all__ = ["ONE_LIST", "STACK_AND_BUFFER", "TWO_LISTS_AND_BUFFER", "ListOf"]

ListOf = Callable[[State], list[int]]


def stack(s: State) -> list[int]:
    """Return the stack, top last."""
    return list(s.stack[: s.depth])


def buffer(s: State) -> list[int]:
    """Return the buffer, front first."""
    return list(s.queue[s.front : s.end])


def passed(s: State) -> list[int]:
    """Covington's λ2: the words that the current focus has already been compared with."""
    return list(s.stack[s.depth : s.front])


def linked(s: State) -> list[int]:
    """Easy-first's list, from ROOT on."""
    nodes = [0]
    while s.after[nodes[-1]] <= s.n:
        nodes.append(s.after[nodes[-1]])
    return nodes


STACK_AND_BUFFER: dict[str, ListOf] = {"stack": stack, "buffer": buffer}
TWO_LISTS_AND_BUFFER: dict[str, ListOf] = {"left": stack, "right": passed, "buffer": buffer}
ONE_LIST: dict[str, ListOf] = {"list": linked}
