"""The rooms import one way, also in compiled files, which import-linter cannot read; and no function is too long."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "dodona"
IMPORT = re.compile(r"^\s*(?:from|import|cimport)\s+dodona\.([a-z_]+)(?:\.([a-z_]+))?", re.M)
LONGEST_FUNCTION = 60
FUNCTION = re.compile(r"^( *)(?:def|cdef|cpdef) [^=]*\b(\w+)\(")
LONG_FOR_A_REASON = {
    "sentence_keys": "a list of features, one a line",
    "train": "the options of `dodona.train`, one a line",
}


def layers() -> dict[str, int]:
    """The height of each room, as pyproject.toml has it."""
    (contract,) = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    return {
        room.strip().removeprefix("dodona."): height
        for height, rooms in enumerate(reversed(contract["layers"]))
        for room in rooms.split(":")
    }


def files(*suffixes: str) -> list[Path]:
    return sorted(path for path in SOURCE.rglob("*") if path.suffix in suffixes)


def room_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def test_every_room_has_its_place() -> None:
    rooms = {room_of(path) for path in files(".py", ".pyx")} - {"__init__", "__main__"}
    assert rooms == set(layers())


@pytest.mark.parametrize("path", files(".pyx", ".pxd", ".pyi"), ids=lambda path: str(path.relative_to(SOURCE)))
def test_compiled_files_import_from_below(path: Path) -> None:
    height = layers()
    own = room_of(path)
    for room, _ in IMPORT.findall(path.read_text()):
        assert room == own or height[room] < height[own], f"{own} imports {room}"


def functions(lines: list[str]) -> Iterator[tuple[str, int]]:
    """The name and the number of lines of every function; what is indented more belongs to it."""
    for begin, line in enumerate(lines):
        found = FUNCTION.match(line)
        if found is None or "cdef class" in line:
            continue
        indent = " " * (len(found[1]) + 1)
        end = begin + 1
        while end < len(lines) and (not lines[end].strip() or lines[end].startswith((indent, f"{found[1]})"))):
            end += 1
        while not lines[end - 1].strip():
            end -= 1
        yield found[2], end - begin


@pytest.mark.parametrize("path", files(".py", ".pyx"), ids=lambda path: str(path.relative_to(SOURCE)))
def test_no_function_is_too_long_without_a_reason(path: Path) -> None:
    long = {name for name, length in functions(path.read_text().splitlines()) if length > LONGEST_FUNCTION}
    assert long <= LONG_FOR_A_REASON.keys()


def test_functions_are_measured() -> None:
    text = "def one(\n    a\n) -> None:\n    b\n\n\nclass Two:\n    cdef int three(self) except -1:\n        c"
    assert list(functions(text.splitlines())) == [("one", 4), ("three", 2)]
