"""How sdist and wheel are written, for setup.py: the same bytes wherever they are built, and a list of their parts.

A tar file has the owner, the time and the order of files as they were on the machine of whoever made it; here it has
none of that. SOURCE_DATE_EPOCH is the time of all files, as reproducible-builds.org describes it. The list of parts
(software bill of materials, CycloneDX) is in the sdist and, by PEP 770, in `.dist-info/sboms/` of the wheel.
"""

import gzip
import hashlib
import json
import os
import tarfile
import tomllib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from setuptools.command.bdist_wheel import bdist_wheel  # type: ignore[import-untyped]
from setuptools.command.sdist import sdist  # type: ignore[import-untyped]

__all__ = ["SBOM", "ListedWheel", "SameSdist", "describe_parts", "read_epoch", "write_archive"]

SBOM = "dodona.cdx.json"
FIRST_YEAR = 315_532_800  # 1980, the first that a wheel can have


def read_epoch() -> int:
    """Return the time of all files, in seconds since 1970."""
    return max(FIRST_YEAR, int(os.environ.get("SOURCE_DATE_EPOCH", FIRST_YEAR)))


def write_archive(folder: Path, target: Path, epoch: int) -> None:
    """Write all files below a folder into a tar.gz, with the name of the folder."""
    with (
        target.open("wb") as file,
        gzip.GzipFile("", "wb", 9, file, epoch) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar,
    ):
        for path in sorted(folder.rglob("*"), key=lambda path: path.relative_to(folder).parts):
            if path.is_file():
                entry = tarfile.TarInfo(f"{folder.name}/{path.relative_to(folder).as_posix()}")
                entry.size, entry.mtime = path.stat().st_size, epoch
                entry.mode = 0o755 if path.stat().st_mode & 0o100 else 0o644
                with path.open("rb") as content:
                    tar.addfile(entry, content)


def describe_parts(root: Path, version: str, epoch: int) -> str:
    """Return the list of parts: what is in the archives beside Dodona's own code, and what they need to run."""
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    project = settings["project"]
    (cython,) = (each for each in settings["build-system"]["requires"] if each.startswith("cython=="))
    whole = _describe("dodona", version) | {
        "description": project["description"],
        "licenses": [{"expression": project["license"]}],
    }
    models = [
        {
            "type": "machine-learning-model",
            "bom-ref": f"model:{path.stem}",
            "name": path.stem,
            "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(path.read_bytes()).hexdigest()}],
            "licenses": [{"license": {"id": "CC-BY-SA-4.0"}}],
        }
        for path in sorted((root / "src" / "dodona" / "models").glob("*.model"))
    ]
    compiled = _describe("cython", cython.partition("==")[2]) | {
        "description": "Its support code is compiled into the extension modules.",
        "licenses": [{"license": {"id": "Apache-2.0"}}],
    }
    needed = [
        _describe(name) | {"scope": "required", "description": f"Not in the archive, but needed: {name}{bound}"}
        for name, bound in (_split_requirement(each) for each in project["dependencies"])
    ]
    parts = [*models, compiled, *needed]
    bill = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "timestamp": datetime.fromtimestamp(epoch, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": whole,
        },
        "components": parts,
        "dependencies": [{"ref": whole["bom-ref"], "dependsOn": [str(part["bom-ref"]) for part in parts]}],
    }
    return json.dumps(bill, indent=2, ensure_ascii=False) + "\n"


def _describe(name: str, version: str | None = None) -> dict[str, Any]:
    url = f"pkg:pypi/{name}" if version is None else f"pkg:pypi/{name}@{version}"
    numbered = {} if version is None else {"version": version}
    return {"type": "library", "bom-ref": url, "name": name, **numbered, "purl": url}


def _split_requirement(text: str) -> tuple[str, str]:
    name = text.rstrip("0123456789.<>=!~, ")
    return name, text[len(name) :]


class SameSdist(sdist):  # type: ignore[misc]
    """An sdist that is the same bytes on every machine."""

    def make_release_tree(self, base_dir: str, files: Any) -> None:
        super().make_release_tree(base_dir, files)
        described = describe_parts(Path(), self.distribution.get_version(), read_epoch())
        (Path(base_dir) / SBOM).write_text(described, encoding="utf-8", newline="\n")

    def make_archive(self, base_name: Any, *args: Any, **kwargs: Any) -> str:
        target = Path(f"{base_name}.tar.gz")
        target.parent.mkdir(parents=True, exist_ok=True)
        write_archive(Path(target.name.removesuffix(".tar.gz")), target, read_epoch())
        return str(target)


class ListedWheel(bdist_wheel):  # type: ignore[misc]
    """A wheel with the list of its parts."""

    def write_wheelfile(self, wheelfile_base: Any, *args: Any, **kwargs: Any) -> None:
        super().write_wheelfile(wheelfile_base, *args, **kwargs)
        folder = Path(wheelfile_base) / "sboms"
        folder.mkdir()
        described = describe_parts(Path(), self.distribution.get_version(), read_epoch())
        (folder / SBOM).write_text(described, encoding="utf-8", newline="\n")
