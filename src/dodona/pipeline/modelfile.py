"""Model files: the safetensors format, read into memory and checked before use.

    8 bytes   length of the header, little-endian
    header    JSON: {"__metadata__": {str: str}, name: {"dtype": …, "shape": […], "data_offsets": [begin, end]}, …}
    data      the arrays, one after the other

A model is data, never code: nothing in it is executed, and any inconsistency is an error. The metadata has a SHA-256
digest of everything else, so that a single flipped bit is detected.

The version is that of what components put into their parts. Every version in FIRST_READERS is read, now and by later
Dodonas (docs/model_files.md). When parts change so that older ones are no longer understood, VERSION is raised, `load`
brings older parts into the new form, and the tests get models of the new version beside the older ones.
"""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from io import BytesIO
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dodona.data.files import name_errors, replace_file
from dodona.errors import FormatError

__all__ = [
    "FIRST_READERS", "VERSION", "Contents", "check_target", "describe_version", "is_model", "load", "pack", "read",
    "read_about", "save", "unpack",
]  # fmt: skip

FORMAT = "dodona"
VERSION = 2
FIRST_READERS = {2: "0.1"}
"""The versions of model files that are read, and the first Dodona that reads each."""
MAX_HEADER = 100_000_000
DTYPES: dict[str, type[np.generic]] = {
    "U8": np.uint8,
    "I8": np.int8,
    "U16": np.uint16,
    "I16": np.int16,
    "U32": np.uint32,
    "I32": np.int32,
    "F32": np.float32,
}
NAMES = {np.dtype(dtype): name for name, dtype in DTYPES.items()}


class Contents(NamedTuple):
    """What is in a model file, checked."""

    metadata: dict[str, Any]
    arrays: dict[str, NDArray[Any]]
    digest: str  # SHA-256 of the other two


def save(path: str | Path, metadata: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write a model atomically: to a temporary file first, which is then renamed."""
    chunks = _chunks(metadata, arrays)
    with (
        name_errors(str(path)),
        replace_file(str(check_target(path)), str(path)) as temporary,
        open(temporary, "xb") as stream,
    ):
        for chunk in chunks:
            stream.write(chunk)


def pack(metadata: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Return the bytes of a model file."""
    return b"".join(_chunks(metadata, arrays))


def _chunks(metadata: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Iterator[bytes]:
    entries: dict[str, Any] = {}
    begin = 0
    for name, values in arrays.items():
        end = begin + values.nbytes
        entries[name] = {"dtype": NAMES[values.dtype], "shape": list(values.shape), "data_offsets": [begin, end]}
        begin = end
    about = {"format": FORMAT, "version": str(VERSION)}
    about |= {key: json.dumps(value, ensure_ascii=False, sort_keys=True) for key, value in metadata.items()}
    about["digest"] = _digest(about, entries, b"".join(values.tobytes() for values in arrays.values()))
    header = json.dumps({"__metadata__": about, **entries}, ensure_ascii=False).encode()
    header += b" " * (-len(header) % 8)
    yield len(header).to_bytes(8, "little") + header
    for values in arrays.values():
        yield values.tobytes()


def check_target(path: str | Path) -> Path:
    """Check that a model can be written there, before training rather than after it."""
    target = Path(path)
    if not str(path) or (target.exists() and not target.is_file()):
        raise FormatError(f"{str(path)!r}: cannot be written: expected the name of a file")
    if not os.access(target.parent, os.W_OK):
        raise FormatError(f"{path}: cannot be written: no folder there that can be written to")
    return target.resolve()


def load(path: str | Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return (metadata, arrays) of a model."""
    metadata, arrays, _ = read(path)
    return metadata, arrays


def read(path: str | Path) -> Contents:
    """Return what is in a model file; any inconsistency raises a FormatError."""
    with name_errors(str(path), "read"), open(path, "rb") as stream:
        about, entries = _read_header(path, stream, os.fstat(stream.fileno()).st_size)
        # read, not memory-mapped: the contents must not change after they were checked
        body = np.fromfile(stream, np.uint8).data
    return _check(path, about, entries, body)


def unpack(data: bytes, name: str) -> Contents:
    """Return what is in the bytes of a model file, checked as `read` does; the name is for errors."""
    stream = BytesIO(data)
    about, entries = _read_header(name, stream, len(data))
    return _check(name, about, entries, memoryview(bytearray(stream.read())))


def _read_header(path: str | Path, stream: IO[bytes], size: int) -> tuple[dict[str, str], dict[str, Any]]:
    length = int.from_bytes(stream.read(8), "little")
    if size < 8:
        raise FormatError(f"{path}: {size} bytes; expected a Dodona model")
    if length > min(size - 8, MAX_HEADER):
        raise FormatError(
            f"{path}: the header should be {length} bytes long, the file has {size}; no Dodona model, or cut"
        )
    return _header(path, stream.read(length))


def _check(path: str | Path, about: dict[str, str], entries: dict[str, Any], body: memoryview) -> Contents:
    arrays = _arrays(path, entries, body)
    try:
        if about.get("digest") != _digest(about, entries, body):
            raise FormatError(f"{path}: the digest does not fit the contents; the file is damaged")
        metadata = {k: _parse_json(v) for k, v in about.items() if k not in ("format", "version", "digest")}
    except (ValueError, RecursionError) as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(f"{path}: metadata that is no JSON in UTF-8") from error
    return Contents(metadata, arrays, about["digest"])


def read_about(path: str | Path) -> dict[str, str]:
    """Return what stands in the header of a model file, whose other contents are not read."""
    with name_errors(str(path), "read"), open(path, "rb") as stream:
        return _read_header(path, stream, os.fstat(stream.fileno()).st_size)[0]


def describe_version(path: str | Path) -> str:
    """Return the version of a model file, and what reads it, in words."""
    version = int(read_about(path)["version"])
    return f"{version}, which Dodona reads from {FIRST_READERS[version]} on, in every later 0.x and 1.x"


def _parse_json(text: str) -> Any:
    """Return the value. Halves of characters, which only an escape can put into it, are not text: a ValueError."""
    value = json.loads(text)
    if "\\u" in text:
        json.dumps(value, ensure_ascii=False).encode()
    return value


def is_model(path: str | Path) -> bool:
    """Return whether the first bytes of a file are those of a model; nothing is read from a pipe."""
    if not os.path.isfile(path):
        return False
    try:
        with open(path, "rb") as stream:
            length = int.from_bytes(stream.read(8), "little")
            return stream.read(17) == b'{"__metadata__": ' and length <= MAX_HEADER
    except OSError:
        return False


def _header(path: str | Path, header: bytes) -> tuple[dict[str, str], dict[str, Any]]:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len({key for key, _ in pairs}) != len(pairs):
            raise ValueError("a name that stands twice")
        return dict(pairs)

    try:
        entries = json.loads(header, object_pairs_hook=once)
        about = entries.pop("__metadata__")
        valid = isinstance(about, dict) and all(isinstance(value, str) for value in about.values())
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise FormatError(f"{path}: the header is not that of a model ({error})") from error
    if not valid or about.get("format") != FORMAT:
        raise FormatError(f"{path}: the header does not say that this is a Dodona model")
    version = about.get("version", "")
    if version not in map(str, FIRST_READERS):
        readable = " or ".join(map(str, FIRST_READERS))
        newer = version.isascii() and version.isdecimal() and int(version[:9]) > VERSION
        hint = " (a newer Dodona has written it, and reads it)" if newer else ""
        raise FormatError(f"{path}: model version {version[:40]!r}; this Dodona reads version {readable}{hint}")
    return about, entries


def _arrays(path: str | Path, entries: dict[str, Any], body: memoryview) -> dict[str, NDArray[Any]]:
    arrays: dict[str, NDArray[Any]] = {}
    expected = 0
    for name, entry in entries.items():
        try:
            dtype = np.dtype(DTYPES[entry["dtype"]])
            (count,) = entry["shape"]
            begin, end = entry["data_offsets"]
            sound = all(isinstance(value, int) and value >= 0 for value in (count, begin, end))
        except (KeyError, TypeError, ValueError) as error:
            raise FormatError(f"{path}: array {name!r} is described wrongly") from error
        if not sound or begin != expected or end - begin != count * dtype.itemsize or end > len(body):
            raise FormatError(f"{path}: array {name!r} does not lie where it should; the file is cut or damaged")
        values = np.frombuffer(body[begin:end], dtype=dtype)
        arrays[name] = values if begin % dtype.itemsize == 0 else values.copy()  # compiled loops need aligned arrays
        expected = end
    if expected != len(body):
        raise FormatError(f"{path}: {len(body) - expected} bytes that belong to no array")
    return arrays


def _digest(about: Mapping[str, str], entries: Mapping[str, Any], body: Any) -> str:
    digest = hashlib.sha256()
    rest = {key: value for key, value in about.items() if key != "digest"}
    digest.update(json.dumps([rest, entries], ensure_ascii=False, sort_keys=True).encode())
    digest.update(body)
    return digest.hexdigest()
