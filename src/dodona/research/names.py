"""Names for actions: `LEFT:nsubj` at the one site of a stack system, `LEFT:3:nsubj` where sites are many."""

from collections.abc import Callable, Sequence

from dodona.errors import TransitionError
from dodona.research.configuration import Configuration
from dodona.systems.build import BuiltSystem, some
from dodona.transitions import derivations
from dodona.transitions.moves import NONE

__all__ = ["Action", "ActionNames"]

Action = tuple[int, int, int]
"""Move, site, label."""


class ActionNames:
    """The actions of a system, their names, and which of them are legal."""

    def __init__(self, built: BuiltSystem) -> None:
        self._entry = built.entry
        self._core = built.core
        self._freer = built.with_options(single_root=False).core
        self._move_labels: Sequence[tuple[int, int]] = derivations.actions(built.core)
        self._names = {
            (move, label): self._entry.move_name(move)
            + (f":{built.labels[label]}" if label != NONE and built.labels else "")
            for move, label in self._move_labels
        }

    def at(self, site: int) -> list[Action]:
        """Return all actions at a site, in the order of the cost table of the compiled core."""
        return [(move, site, label) for move, label in self._move_labels]

    def legal(self, c: Configuration) -> list[Action]:
        if derivations.is_terminal(self._core, c.state):
            return []
        found = []
        for site in derivations.sites(self._core, c.state):
            legal = set(derivations.legal_moves(self._core, c.state, site))
            found += [action for action in self.at(site) if action[0] in legal]
        return found

    def namer(self, c: Configuration) -> Callable[[Action], str]:
        """Return a function from actions here to their names; a site is named by its index in the first list."""
        first_list = next(iter(c.lists.values()))
        places = {node: i for i, node in enumerate(first_list, start=1)} if self._core.has_sites else {}

        def name(action: Action) -> str:
            move, site, label = action
            plain = self._names[move, label] if (move, label) in self._names else self._names[move, NONE]
            if not places:
                return plain
            verb, *rest = plain.split(":", maxsplit=1)
            return ":".join([verb, str(places[site]), *rest])

        return name

    def parse(self, c: Configuration, transition: str) -> Action:
        """Return the action of that name; the error says why if there is none or it is not legal here."""
        legal = self.legal(c)
        name = self.namer(c)
        for action in legal:
            if name(action) == transition:
                return action
        if not legal:
            raise TransitionError(f"{transition} is not legal: the configuration is terminal")
        verb = str(transition).partition(":")[0]
        if verb not in self._entry.rules:
            verbs = ", ".join(self._entry.rules)
            raise TransitionError(f"{self._entry.name} has no transition {transition!r}; it has: {verbs}")
        raise TransitionError(f"{transition} is not legal in {c}: {self._reason(c, verb, list(map(name, legal)))}")

    def _reason(self, c: Configuration, verb: str, legal: list[str]) -> str:
        like = [name for name in legal if name.partition(":")[0] == verb]
        if like:
            return f"{verb} is possible here as: {some(like)}"
        freer = (
            self._entry.move_name(move)
            for site in derivations.sites(self._core, c.state)
            for move in derivations.legal_moves(self._freer, c.state, site)
        )
        why = f"{verb} {self._entry.rules[verb]}"
        if verb in freer:
            why = "single_root forbids it, because exactly one word could not be the root any more"
        return f"{why}; legal: {some(legal)}"
