"""The folders import one way, also in compiled files, which import-linter cannot read; and no function is too long."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "dodona"
IMPORT = re.compile(r"^\s*(?:from|import|cimport)\s+dodona\.([a-z_]+)(?:\.([a-z_]+))?", re.M)
MAX_FUNCTION_LINES = 60
FUNCTION = re.compile(r"^( *)(?:def|cdef|cpdef) [^=]*\b(\w+)\(")
LONG_FOR_A_REASON = {
    "sentence_keys": "a list of features, one a line",
    "train": "the options of `dodona.train`, one a line",
}


def layers() -> dict[str, int]:
    """The height of each folder, as pyproject.toml has it."""
    (contract,) = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    return {
        folder.strip().removeprefix("dodona."): height
        for height, folders in enumerate(reversed(contract["layers"]))
        for folder in folders.split(":")
    }


def files(*suffixes: str) -> list[Path]:
    return sorted(path for path in SOURCE.rglob("*") if path.suffix in suffixes)


def folder_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def test_every_folder_has_its_place() -> None:
    assert {folder_of(path) for path in files(".py", ".pyx")} - {"__init__", "__main__"} == set(layers())


def test_compiled_files_import_from_below() -> None:
    height = layers()
    imports = [
        (path, folder) for path in files(".pyx", ".pxd", ".pyi") for folder, _ in IMPORT.findall(path.read_text())
    ]
    assert len(imports) > 50
    for path, folder in imports:
        own = folder_of(path)
        assert folder == own or height[folder] < height[own], f"{path.relative_to(SOURCE)} imports {folder}"


def functions(lines: list[str]) -> Iterator[tuple[str, int]]:
    """The name and the number of lines of every function; what is indented more belongs to it."""
    for begin, line in enumerate(lines):
        head = FUNCTION.match(line)
        if head is None or "cdef class" in line:
            continue
        indent = " " * (len(head[1]) + 1)
        end = begin + 1
        while end < len(lines) and (not lines[end].strip() or lines[end].startswith((indent, f"{head[1]})"))):
            end += 1
        while not lines[end - 1].strip():
            end -= 1
        yield head[2], end - begin


def test_no_function_is_too_long_without_a_reason() -> None:
    long = {
        f"{path.relative_to(SOURCE)}: {name}"
        for path in files(".py", ".pyx")
        for name, length in functions(path.read_text().splitlines())
        if length > MAX_FUNCTION_LINES and name not in LONG_FOR_A_REASON
    }
    assert not long


def test_no_class_name_occurs_twice() -> None:
    kind = re.compile(r"^ *(?:class|cdef class|cdef struct|ctypedef struct) (\w+)", re.M)
    names = [name for path in files(".py", ".pyx") for name in kind.findall(path.read_text())]
    assert not {name for name in names if names.count(name) > 1}
