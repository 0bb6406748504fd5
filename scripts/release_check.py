"""Builds what a release would publish, twice, and looks whether it is fit to be published: `make release-check`.

    python scripts/release_check.py [--output FOLDER] [--tag vX.Y.Z] [--require-audit]

From the last commit, and nothing else: an sdist, and a wheel that is built from the sdist, each in an environment of
its own. Both are built again in other folders, and must be the same bytes. Then: version, CHANGELOG.md and CITATION.cff
agree; the archives have licences and a valid list of parts, and nothing that does not belong there; the wheel is
installed where there is no compiler, and parses; and pip-audit knows no vulnerability of what is installed with it.
Where pip-audit cannot reach what it asks, that is told, and is an error with --require-audit. Needs git, a compiler,
and a package index for pip.
"""

import argparse
import ast
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import venv
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SBOM = "dodona.cdx.json"
TIMEOUT = 1800.0  # seconds for a command
VERSION = r"[0-9]+\.[0-9]+\.[0-9]+(?:(?:a|b|rc)[0-9]+)?"  # semantic, as Python writes it
FOREIGN = (".so", ".pyd", ".dylib", ".c", ".pyc", ".o")  # what no sdist has
EXTRAS = "serve"  # whose dependencies are audited, too: they meet strangers


class Unfit(Exception):
    """Something that must not be published."""


def run(*command: str | Path, folder: Path = ROOT, more: Mapping[str, str] | None = None) -> str:
    """Return what a command prints; an error shows the end of it."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | dict(more or {})
    done = subprocess.run(
        list(map(str, command)), cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=TIMEOUT,
    )  # fmt: skip
    if done.returncode:
        lines = (done.stdout + done.stderr).splitlines()[-30:]
        raise Unfit("\n".join([f"{' '.join(map(str, command))}: exit status {done.returncode}", *lines]))
    return done.stdout


@contextmanager
def telling(step: str) -> Iterator[None]:
    begin = time.monotonic()
    print(f"{step} …", flush=True)
    yield
    print(f"    {time.monotonic() - begin:.1f} s", flush=True)


def check_numbers(version: str, changes: str, citation: str, tag: str | None) -> None:
    """Version, changelog and citation agree; with a tag, the release has a date."""
    if not re.fullmatch(VERSION, version):
        raise Unfit(f"version {version}: expected three numbers, as in 1.2.3 or 1.2.3rc1")
    heading = re.search(r"^## \[(.+?)\] - (.+)$", changes, re.M)
    if heading is None or heading[1] != version:
        raise Unfit(f"CHANGELOG.md: the first section is {heading and heading[1]}; expected {version}")
    if f"\nversion: {version}\n" not in citation:
        raise Unfit(f"CITATION.cff: expected version: {version}")
    if tag is not None:
        if tag != f"v{version}":
            raise Unfit(f"tag {tag}: expected v{version}")
        if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", heading[2]):
            raise Unfit(f"CHANGELOG.md: {version} - {heading[2]}; expected the date of the release")
        if f"\ndate-released: {heading[2]}\n" not in citation.replace('"', ""):
            raise Unfit(f"CITATION.cff: expected date-released: {heading[2]}")


def read_version(root: Path) -> str:
    text = (root / "src" / "dodona" / "__init__.py").read_text(encoding="utf-8")
    (version,) = re.findall(r"^__version__ = (.+)$", text, re.M)
    return str(ast.literal_eval(version))


def make_environment(folder: Path, *packages: str) -> Path:
    """Make a virtual environment with these packages, and return its Python."""
    venv.create(folder, with_pip=True)
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages)
    return python


def export(commit: str, folder: Path) -> Path:
    """Write the files of a commit into a folder."""
    folder.mkdir(parents=True)
    packed = folder.parent / "commit.tar"
    run("git", "archive", "--output", packed, commit)
    with tarfile.open(packed) as tar:
        tar.extractall(folder, filter="data")
    packed.unlink()
    return folder


def build(python: Path, kind: str, source: Path, output: Path, epoch: str) -> Path:
    """Build an archive in an environment that is made for it alone; the compiler sees no setting of this machine."""
    settings = {
        "SOURCE_DATE_EPOCH": epoch,
        "CFLAGS": "",
        "CPPFLAGS": "",
        "LDFLAGS": "",
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
    }
    run(python, "-m", "build", f"--{kind}", "--outdir", output, source, more=settings)
    (built,) = output.glob("*.tar.gz" if kind == "sdist" else "*.whl")
    return built


def unpack(archive: Path, folder: Path) -> Path:
    folder.mkdir(parents=True)
    with tarfile.open(archive) as tar:
        tar.extractall(folder, filter="data")
    (inside,) = folder.iterdir()
    return inside


def find_difference(one: Path, two: Path) -> str | None:
    """Return what differs between two archives: a member, or how they are packed; None if they are the same bytes."""
    if one.read_bytes() == two.read_bytes():
        return None
    first, second = (dict(list_members(path)) for path in (one, two))
    for name in sorted(first.keys() | second.keys()):
        if first.get(name) != second.get(name):
            return name
    return "order, times or packing"


def list_members(archive: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the names of the files of an archive, and their contents."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as packed:
            for entry in packed.infolist():
                yield entry.filename, packed.read(entry)
    else:
        with tarfile.open(archive) as tar:
            for member in tar:
                file = tar.extractfile(member)
                yield member.name, file.read() if file is not None else b""


def check_sdist(archive: Path, committed: Sequence[str]) -> None:
    """Everything that is compiled or licensed is there, and nothing that is built or unknown."""
    names = {name.partition("/")[2] for name, _ in list_members(archive)}
    known = {*committed, "PKG-INFO", "setup.cfg", SBOM}
    strange = {
        name
        for name in names
        if name.endswith(FOREIGN) or not (name in known or name.startswith("src/dodona.egg-info/"))
    }
    if strange:
        raise Unfit(f"{archive.name}: {min(strange)} does not belong there")
    wanted = {name for name in committed if name.startswith(("src/", "scripts/")) or name in ("LICENSE", "setup.py")}
    if missing := {SBOM, *wanted} - names:
        raise Unfit(f"{archive.name}: {min(missing)} is missing")


def check_wheel(archive: Path, version: str, committed: Sequence[str]) -> str:
    """Code, licences and the list of parts are there; returns the list."""
    members = dict(list_members(archive))
    info = f"dodona-{version}.dist-info"
    strange = [name for name in members if not name.startswith(("dodona/", f"{info}/"))]
    strange += [name for name in members if name.endswith(FOREIGN[3:])]
    if strange:
        raise Unfit(f"{archive.name}: {strange[0]} does not belong there")
    wanted = {name.removeprefix("src/") for name in committed if name.startswith("src/") and name.endswith(".py")}
    wanted |= {f"{info}/licenses/LICENSE", f"{info}/licenses/src/dodona/models/LICENSE.md", f"{info}/sboms/{SBOM}"}
    wanted |= {"dodona/py.typed", "dodona/models/en.model", "dodona/models/en-fast.model"}
    if missing := wanted - members.keys():
        raise Unfit(f"{archive.name}: {min(missing)} is missing")
    metadata = members[f"{info}/METADATA"].decode()
    for line in (f"Version: {version}", "License-Expression: MIT AND CC-BY-SA-4.0", "Requires-Python: >=3.11"):
        if f"\n{line}\n" not in metadata:
            raise Unfit(f"{archive.name}: METADATA has no line {line!r}")
    return members[f"{info}/sboms/{SBOM}"].decode()


def check_parts(listed: str, archive: Path) -> None:
    """The digests of models in the list of parts are those of the archive."""
    members = dict(list_members(archive))
    models = {
        each["name"]: each["hashes"][0]["content"] for each in json.loads(listed)["components"] if "hashes" in each
    }
    packed = {
        Path(name).stem: hashlib.sha256(content).hexdigest()
        for name, content in members.items()
        if name.endswith(".model")
    }
    if models != packed:
        raise Unfit(f"{SBOM}: models {models}; expected {packed}")


VALIDATE = """
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
error = JsonStrictValidator(SchemaVersion.V1_6).validate_str(open(sys.argv[1], encoding="utf-8").read())
sys.exit(f"{sys.argv[1]}: {error}" if error else 0)
"""


def audit(python: Path, site: str) -> str | None:
    """Return why pip-audit could not ask, or None if it did and knows nothing bad of what is installed there."""
    done = subprocess.run(
        [python, "-m", "pip_audit", "--path", site, "--format", "json", "--progress-spinner", "off"],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIMEOUT,
    )  # fmt: skip
    return judge_audit(done.returncode, done.stdout, done.stderr)


def judge_audit(status: int, output: str, errors: str) -> str | None:
    """Tell a vulnerability, which is an error, from an audit that was not made."""
    try:
        found = json.loads(output)["dependencies"]
    except (ValueError, KeyError, TypeError):
        lines = errors.strip().splitlines()
        return lines[-1] if lines else f"pip-audit ended with exit status {status}"
    bad = [f"{each['name']} {each['version']}: {flaw['id']}" for each in found for flaw in each.get("vulns", ())]
    if bad:
        raise Unfit("\n".join(["pip-audit knows of vulnerabilities:", *bad]))
    skipped = [each for each in found if "skip_reason" in each and each["name"] != "dodona"]
    if not skipped:
        return None
    return f"{len(skipped)} of {len(found)} packages were skipped, the first of them: {skipped[0]['skip_reason']}"


def check_release(folder: Path, output: Path, tag: str | None, require_audit: bool) -> None:
    os.umask(0o022)  # wheels have the permissions of files
    with telling("the commit: nothing changed, and numbers that agree"):
        if changed := run("git", "status", "--porcelain"):
            raise Unfit(f"not committed, so it would not be released: {changed.splitlines()[0].strip()}")
        version = read_version(ROOT)
        changes, citation = ((ROOT / name).read_text(encoding="utf-8") for name in ("CHANGELOG.md", "CITATION.cff"))
        check_numbers(version, changes, citation, tag)
        commit, epoch = run("git", "log", "-1", "--format=%H %ct").split()
        committed = run("git", "ls-tree", "-r", "--name-only", commit).splitlines()
    with telling("two sdists, in different folders"):
        python = make_environment(folder / "tools", "build>=1.2")
        sdist = build(python, "sdist", export(commit, folder / "one"), output, epoch)
        again = build(python, "sdist", export(commit, folder / "another" / "place"), folder / "again", epoch)
        compare(sdist, again)
        check_sdist(sdist, committed)
    with telling("two wheels from it, in different folders"):
        wheel = build(python, "wheel", unpack(sdist, folder / "first"), output, epoch)
        again = build(python, "wheel", unpack(sdist, folder / "second" / "deeper"), folder / "again", epoch)
        compare(wheel, again)
        listed = check_wheel(wheel, version, committed)
    with telling("the list of parts"):
        check_parts(listed, wheel)
        (output / SBOM).write_text(listed, encoding="utf-8")
        validator = make_environment(folder / "validator", "cyclonedx-python-lib[json-validation]>=11,<12")
        run(validator, "-c", VALIDATE, output / SBOM)
    with telling("the wheel, where there is no compiler"):
        print(run(ROOT / "scripts" / "check_wheel", sys.executable, wheel), end="")
    with telling("pip-audit of what is installed with it"):
        installed = make_environment(folder / "installed", "--only-binary", ":all:", f"{wheel}[{EXTRAS}]")
        site = run(installed, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip()
        reason = audit(make_environment(folder / "auditor", "pip-audit>=2.7,<3"), site)
        if reason is not None:
            message = f"NOT AUDITED: {reason}"
            if require_audit:
                raise Unfit(message)
            print(f"    {message}")
    for path in (sdist, wheel, output / SBOM):
        print(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}  {path.stat().st_size:,} bytes")


def compare(one: Path, two: Path) -> None:
    if (difference := find_difference(one, two)) is not None:
        raise Unfit(f"{one.name} is not the same bytes when it is built again: {difference}")


def main() -> None:
    parser = argparse.ArgumentParser(description="Build a release twice, and look whether it is fit to be published.")
    parser.add_argument("--output", type=Path, default=ROOT / "dist", help="a folder, emptied first [default: dist]")
    parser.add_argument("--tag", help="of the release; then CHANGELOG.md and CITATION.cff must have its date")
    parser.add_argument("--require-audit", action="store_true", help="fail if pip-audit cannot ask")
    given = parser.parse_args()
    output = given.output.resolve()
    shutil.rmtree(output, ignore_errors=True)
    output.mkdir(parents=True)
    begin = time.monotonic()
    try:
        with tempfile.TemporaryDirectory(prefix="dodona-release-") as folder:
            check_release(Path(folder), output, given.tag, given.require_audit)
    except Unfit as error:
        sys.exit(f"release-check: {error}")
    print(f"fit to be released, after {time.monotonic() - begin:.0f} s")


if __name__ == "__main__":
    main()
