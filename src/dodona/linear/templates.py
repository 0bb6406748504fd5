"""Feature templates as data: a text with one template per line is converted to the input of the compiled extractor.

    # the top of the stack and the front of the buffer
    S0.w
    S0.p+N0.p
    S0.lc.w+N0.p+dist

A template joins atoms with `+`. An atom is `address.attribute`, or a distance: `dist` between S0 and N0, `gap` between
S1 and S0. An address is a position in the configuration, followed by steps along the arcs built so far. If it leads to
no node (nobody), the template is silent: it gives no feature.
"""

from array import array
from dataclasses import dataclass

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
        found: set[str] = set()
        for where, attribute in self.atoms:
            distance = DISTANCES.get(ATTRIBUTES[attribute])
            found.update(distance or [PLACES[self.nodes[where][0]]])
        return sorted(found, key=PLACES.index)

    def numbers(self) -> tuple["array[int]", "array[int]"]:
        """For the extractor: atoms flattened in pairs, and combinations each preceded by its length."""
        flat = array("i")
        for combination in self.combinations:
            flat.extend([len(combination), *combination])
        return array("i", sum(self.atoms, ())), flat


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
