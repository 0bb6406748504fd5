"""The rooms import one way, also in compiled files, which import-linter cannot read; and no file is too long."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "dodona"
IMPORT = re.compile(r"^\s*(?:from|import|cimport)\s+dodona\.([a-z_]+)(?:\.([a-z_]+))?", re.M)
LONGEST = 300


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


@pytest.mark.parametrize("path", files(".py", ".pyx", ".pxd"), ids=lambda path: str(path.relative_to(SOURCE)))
def test_no_file_is_longer_than_one_sitting(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= LONGEST
