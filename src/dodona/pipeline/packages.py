"""A model as a Python package: a wheel with the model file, a page about it, and an entry point.

A wheel is a zip file with some metadata, so it is written here, without a build tool and without the network. The same
model gives the same bytes: times are not recorded, and files are in a fixed order. There is no code in it; the module
`__init__.py`, which makes the folder a package, holds a docstring only.
"""

import base64
import hashlib
import re
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dodona.data.files import name_errors, replace_file
from dodona.errors import OptionError
from dodona.pipeline.modelfile import check_target
from dodona.pipeline.models import GROUP, MODELS
from dodona.pipeline.pipeline import Pipeline

__all__ = ["ModelPackage", "write_package"]

NAME = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*", re.ASCII)
VERSION = re.compile(r"[0-9]+(?:\.[0-9]+)*(?:(?:a|b|rc|\.post|\.dev)[0-9]+)?", re.ASCII)
LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the earliest time that a zip file can record
CHUNK = 1 << 18  # bytes that are compressed at a time


@dataclass(frozen=True)
class ModelPackage:
    """What a package says about its model."""

    name: str  # for `dodona.load`, and in the name of the package
    language: str
    licence: str
    version: str

    def __post_init__(self) -> None:
        if not NAME.fullmatch(self.name):
            raise OptionError(f"name {self.name!r}: expected small letters and digits, perhaps with `-`: ga, ga-fast")
        if (MODELS / f"{self.name}.model").exists():
            raise OptionError(f"name {self.name!r}: a model that comes with Dodona has it; expected another one")
        if not VERSION.fullmatch(self.version):
            raise OptionError(f"version {self.version!r}: expected a version like 1.0 or 1.2.3")
        for key in ("language", "licence"):
            value = getattr(self, key)
            if not value.strip() or not value.isprintable():
                raise OptionError(f"{key} {value!r}: expected text on one line")

    @property
    def module(self) -> str:
        return f"dodona_model_{self.name.replace('-', '_')}"

    @property
    def file(self) -> str:
        """The name of the wheel."""
        return f"{self.module}-{self.version}-py3-none-any.whl"


def write_package(model: str | Path, package: ModelPackage, folder: str | Path) -> Path:
    """Write the wheel of a model into a folder, and return its path. The model is loaded first, to check it."""
    about = Pipeline.load(model).about
    files = _files(Path(model).read_bytes(), package, about)
    target = Path(folder) / package.file
    with (
        name_errors(str(target)),
        replace_file(str(check_target(target)), str(target)) as temporary,
        zipfile.ZipFile(temporary, "x") as wheel,
    ):
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, LONG_AGO)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # the same on every system
            entry.external_attr = 0o100644 << 16
            with wheel.open(entry, "w") as stream:
                for begin in range(0, len(data), CHUNK):  # Ctrl-C is heard between two of them
                    stream.write(data[begin : begin + CHUNK])
    return target


def _files(model: bytes, package: ModelPackage, about: Mapping[str, Any]) -> dict[str, bytes]:
    page = _page(package, about)
    info = f"{package.module}-{package.version}.dist-info"
    texts = {
        f"{package.module}/__init__.py": f'"""The model {package.name} of Dodona: data, and no code."""\n',
        f"{package.module}/{package.name}.md": page,
        f"{info}/METADATA": _metadata(package, page),
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: dodona\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": f"[{GROUP}]\n{package.name} = {package.module}\n",
    }
    files = {f"{package.module}/{package.name}.model": model, **{name: text.encode() for name, text in texts.items()}}
    digests = {name: base64.urlsafe_b64encode(hashlib.sha256(data).digest()) for name, data in files.items()}
    rows = [f"{name},sha256={digests[name].rstrip(b'=').decode()},{len(data)}\n" for name, data in files.items()]
    return {**files, f"{info}/RECORD": "".join([*rows, f"{info}/RECORD,,\n"]).encode()}


def _page(package: ModelPackage, about: Mapping[str, Any]) -> str:
    """What the package says about the model; `dodona models` reads the language there."""
    rows = {"language": package.language, "training data": about.get("data"), "licence": package.licence}
    rows |= {"training sentences": about.get("sentences")}
    lines = [f"- {key}: {value}" for key, value in rows.items() if value is not None]
    lines += [f"- {name} on development data: {score}" for name, score in about.get("dev", {}).items()]
    shown = "".join(letter if letter.isprintable() or letter == "\n" else " " for letter in "\n".join(lines))
    return f'# {package.name}\n\nA model for Dodona: `dodona.load("{package.name}")`.\n\n{shown}\n'


def _metadata(package: ModelPackage, page: str) -> str:
    rows = {
        "Metadata-Version": "2.1",
        "Name": package.module.replace("_", "-"),
        "Version": package.version,
        "Summary": f"A model for Dodona, a dependency parser: {package.language}",
        "License": package.licence,
        "Requires-Python": ">=3.11",
        "Requires-Dist": "dodona",
        "Description-Content-Type": "text/markdown",
    }
    return "".join(f"{key}: {value}\n" for key, value in rows.items()) + f"\n{page}"
