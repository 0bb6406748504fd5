"""Feature templates as data: a text with one template per line is converted to the input of the compiled extractor.

    # the top of the stack and the front of the buffer
    S0.w
    S0.p+N0.p
    S0.lc.w+N0.p+dist

A template joins atoms with `+`. An atom is `address.attribute`, or a distance: `dist` between S0 and N0, `gap` between
S1 and S0. An address is a position in the configuration, followed by steps along the arcs built so far. If it leads to
no node (nobody), the template is silent: it gives no feature.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from dodona.data.files import read_shipped
from dodona.errors import OptionError
from dodona.search.addresses import PLACES, STEPS

__all__ = ["ATTRIBUTES", "COLUMNS", "Templates"]

COLUMNS = ("w", "p", "x", "f", "pre2", "pre3", "suf2", "suf3", "suf4")
"""What is known of a word from the input: form, UPOS, XPOS, FEATS, prefixes and suffixes of the form."""

DISTANCES = {"dist": ("S0", "N0"), "gap": ("S1", "S0")}
"""The places between which a distance is."""

ATTRIBUTES = (*COLUMNS, "l", "vl", "vr", "sl", "sr", *DISTANCES)
"""And what the parse knows: label, number of dependents left and right, sets of their labels, distances."""


class Arrangement(NamedTuple):
    """Some of the templates; nodes and atoms are those that they need."""

    nodes: list[tuple[int, int]]  # (place, step)
    atoms: list[tuple[int, int, int]]  # (node, attribute, for distances the other node); columns of the input first
    from_input: int  # how many atoms are columns of the input
    numbers: list[int]  # of the templates, sorted by length
    combinations: list[list[int]]  # their atoms
    places: list[int]  # where each template is among the sorted ones
    users: list[set[int]]  # the nodes that each template needs


@dataclass(frozen=True)
class Templates:
    """Parsed templates. Nodes and atoms that several templates share are computed once."""

    text: str
    nodes: tuple[tuple[int, int], ...]  # (place, step)
    atoms: tuple[tuple[int, int], ...]  # (index into nodes, attribute)
    combinations: tuple[tuple[int, ...], ...]  # indices into atoms

    @classmethod
    def parse(cls, text: str, source: str = "templates") -> "Templates":
        nodes: dict[tuple[int, int], int] = {}
        atoms: dict[tuple[int, int], int] = {}
        combinations: dict[tuple[int, ...], int] = {}
        for number, line in enumerate(text.splitlines(), start=1):
            body = line.partition("#")[0].strip()
            if not body:
                continue
            combination = []
            for name in body.split("+"):
                node, attribute = _parse_atom(name.strip(), f"{source}:{number}")
                where = nodes.setdefault(node, len(nodes))
                combination.append(atoms.setdefault((where, attribute), len(atoms)))
            if tuple(combination) in combinations:
                raise OptionError(f"{source}:{number}: the template {body!r} is there already")
            combinations[tuple(combination)] = number
        if not combinations:
            raise OptionError(f"{source}: no templates; expected one a line, such as S0.w+N0.p")
        return cls(text, tuple(nodes), tuple(atoms), tuple(combinations))

    @classmethod
    def load(cls, name: str) -> "Templates":
        """One of the sets that come with Dodona, or a file."""
        return cls.parse(*read_shipped("linear/templates", name))

    def __len__(self) -> int:
        return len(self.combinations)

    def places(self) -> list[str]:
        """The places that the templates look at."""
        places = {place for atom in range(len(self.atoms)) for place, _ in self._ends(atom)}
        return [PLACES[place] for place in sorted(places)]

    def find_steady(self) -> list[int]:
        """Return the numbers of the templates that look only at words of the input in places, not at what was built."""
        return [i for i, combination in enumerate(self.combinations) if all(map(self._is_steady, combination))]

    def _is_steady(self, atom: int) -> bool:
        is_built = len(COLUMNS) <= self.atoms[atom][1] < ATTRIBUTES.index("dist")
        return not is_built and all(step == 0 for _, step in self._ends(atom))

    def _ends(self, atom: int) -> list[tuple[int, int]]:
        """Return the two nodes that an atom needs: those of a distance, else twice the same."""
        node, attribute = self.atoms[atom]
        distance = DISTANCES.get(ATTRIBUTES[attribute])
        return [(PLACES.index(place), 0) for place in distance] if distance else [self.nodes[node]] * 2

    def arrange(self, chosen: Sequence[int] | None = None) -> Arrangement:
        """Return the templates with these numbers, or all, as input of the compiled extractor."""
        numbers = range(len(self)) if chosen is None else chosen
        combinations = [self.combinations[number] for number in numbers]
        order = list(dict.fromkeys(atom for combination in combinations for atom in combination))
        order.sort(key=lambda atom: self.atoms[atom][1] >= len(COLUMNS))
        nodes = list(dict.fromkeys(end for atom in order for end in self._ends(atom)))
        ends = {atom: [nodes.index(end) for end in self._ends(atom)] for atom in order}
        by_length = sorted(range(len(numbers)), key=lambda i: len(combinations[i]))
        return Arrangement(
            nodes,
            [(ends[atom][0], self.atoms[atom][1], ends[atom][1]) for atom in order],
            sum(self.atoms[atom][1] < len(COLUMNS) for atom in order),
            [numbers[i] for i in by_length],
            [[order.index(atom) for atom in combinations[i]] for i in by_length],
            [by_length.index(i) for i in range(len(numbers))],
            [{node for atom in combination for node in ends[atom]} for combination in combinations],
        )


def _parse_atom(name: str, place: str) -> tuple[tuple[int, int], int]:
    if name in DISTANCES:
        return (0, 0), ATTRIBUTES.index(name)
    address, *step, attribute = name.split(".") if "." in name else (name, "")
    if address not in PLACES:
        raise OptionError(f"{place}: {address!r} in {name!r}; expected one of the places {' '.join(PLACES)}")
    if len(step) > 1 or (step and step[0] not in STEPS[1:]):
        raise OptionError(f"{place}: {'.'.join(step)!r} in {name!r}; expected one of the steps {' '.join(STEPS[1:])}")
    if attribute not in ATTRIBUTES[:-2]:
        valid = " ".join(ATTRIBUTES[:-2])
        raise OptionError(f"{place}: {attribute!r} in {name!r}; expected one of the attributes {valid}")
    return (PLACES.index(address), STEPS.index(step[0]) if step else 0), ATTRIBUTES.index(attribute)
