"""What a release is checked for, in small: archives that are the same bytes, their parts, numbers, and the audit."""

import gzip
import json
import os
import sys
import tarfile
import zipfile
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
VERSION = "1.2.3"
CHANGES = "# Changelog\n\n## [1.2.3] - 2030-01-31\n\n## [1.2.2] - 2029-01-01\n"
CITATION = 'type: software\nversion: 1.2.3\ndate-released: "2030-01-31"\n'


@pytest.fixture(scope="module")
def scripts() -> Any:
    """The modules `archives` and `release_check`."""
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        return import_module("archives"), import_module("release_check")
    finally:
        sys.path.remove(str(ROOT / "scripts"))


def test_an_archive_does_not_depend_on_the_machine(scripts: Any, tmp_path: Path) -> None:
    archives, _ = scripts
    made = []
    for number, names in enumerate([["b.txt", "a/c.py", "run"], ["run", "a/c.py", "b.txt"]]):
        folder = tmp_path / str(number) / "dodona-1.0"
        for at, name in enumerate(names):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(name)
            (folder / name).chmod((0o700 if name == "run" else 0o600) | (0o055 * number))
            os.utime(folder / name, (at * 1000, at * 1000))
        made.append(tmp_path / f"{number}.tar.gz")
        archives.write_archive(folder, made[-1], 1_700_000_000)
    assert made[0].read_bytes() == made[1].read_bytes()
    with tarfile.open(made[0]) as tar:
        entries = [(each.name, each.mode, each.mtime, each.uid, each.uname) for each in tar]
    assert entries == [
        ("dodona-1.0/a/c.py", 0o644, 1_700_000_000, 0, ""),
        ("dodona-1.0/b.txt", 0o644, 1_700_000_000, 0, ""),
        ("dodona-1.0/run", 0o755, 1_700_000_000, 0, ""),
    ]
    assert gzip.decompress(made[0].read_bytes()).count(b"a/c.py") == 2  # the name and the contents


def test_the_time_of_files(scripts: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    archives, _ = scripts
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    assert archives.read_epoch() == 315_532_800
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    assert archives.read_epoch() == 1_700_000_000


def test_the_list_of_parts_is_that_of_the_package(scripts: Any) -> None:
    archives, _ = scripts
    listed = json.loads(archives.describe_parts(ROOT, VERSION, 1_700_000_000))
    assert listed["metadata"]["timestamp"] == "2023-11-14T22:13:20Z"
    assert listed["metadata"]["component"]["licenses"] == [{"expression": "MIT AND CC-BY-SA-4.0"}]
    parts = {each["name"]: each for each in listed["components"]}
    models = {path.stem for path in (ROOT / "src" / "dodona" / "models").glob("*.model")}
    assert parts.keys() == models | {"cython", "click", "numpy", "rich"}
    assert parts["numpy"]["description"].endswith("numpy>=1.26")
    assert parts["cython"]["purl"] == f"pkg:pypi/cython@{parts['cython']['version']}"
    references = [each["bom-ref"] for each in listed["components"]]
    assert listed["dependencies"] == [{"ref": f"pkg:pypi/dodona@{VERSION}", "dependsOn": references}]


def make_wheel(path: Path, members: dict[str, bytes], when: int = 1980) -> Path:
    with zipfile.ZipFile(path, "w") as packed:
        for name, content in members.items():
            packed.writestr(zipfile.ZipInfo(name, (when, 1, 1, 0, 0, 0)), content)
    return path


def test_models_are_those_of_the_list(scripts: Any, tmp_path: Path) -> None:
    archives, check = scripts
    listed = archives.describe_parts(ROOT, VERSION, 0)
    files = {path.name: path.read_bytes() for path in (ROOT / "src" / "dodona" / "models").glob("*.model")}
    check.check_parts(listed, make_wheel(tmp_path / "a.whl", {f"dodona/models/{k}": v for k, v in files.items()}))
    files["en.model"] += b"x"
    with pytest.raises(check.Unfit, match="expected"):
        check.check_parts(listed, make_wheel(tmp_path / "b.whl", {f"dodona/models/{k}": v for k, v in files.items()}))


def test_what_differs_is_named(scripts: Any, tmp_path: Path) -> None:
    _, check = scripts
    one = make_wheel(tmp_path / "1.whl", {"a": b"1", "b": b"2"})
    assert check.find_difference(one, make_wheel(tmp_path / "2.whl", {"a": b"1", "b": b"2"})) is None
    assert check.find_difference(one, make_wheel(tmp_path / "3.whl", {"a": b"1", "b": b"3"})) == "b"
    assert check.find_difference(one, make_wheel(tmp_path / "4.whl", {"a": b"1"})) == "b"
    late = make_wheel(tmp_path / "5.whl", {"a": b"1", "b": b"2"}, 1999)
    assert check.find_difference(one, late) == "order, times or packing"


WHEEL = {
    "dodona/__init__.py": b"", "dodona/py.typed": b"",
    "dodona/models/en.model": b"", "dodona/models/en-fast.model": b"",
    "dodona-1.2.3.dist-info/licenses/LICENSE": b"", "dodona-1.2.3.dist-info/sboms/dodona.cdx.json": b"{}",
    "dodona-1.2.3.dist-info/licenses/src/dodona/models/LICENSE.md": b"",
    "dodona-1.2.3.dist-info/METADATA":
        b"Name: dodona\nVersion: 1.2.3\nLicense-Expression: MIT AND CC-BY-SA-4.0\nRequires-Python: >=3.11\n\nText",
}  # fmt: skip


def test_a_wheel_with_all_that_belongs_to_it(scripts: Any, tmp_path: Path) -> None:
    _, check = scripts
    committed = ["src/dodona/__init__.py", "src/dodona/data/storage.pyx", "README.md"]
    assert check.check_wheel(make_wheel(tmp_path / "a.whl", WHEEL), VERSION, committed) == "{}"
    for name in WHEEL:
        fewer = {key: value for key, value in WHEEL.items() if key != name}
        with pytest.raises((check.Unfit, KeyError)):
            check.check_wheel(make_wheel(tmp_path / "b.whl", fewer), VERSION, committed)
    for name in ("eager", "dodona/x.c", "dodona/__pycache__/x.pyc"):
        with pytest.raises(check.Unfit, match=f"{name} does not belong there"):
            check.check_wheel(make_wheel(tmp_path / "c.whl", WHEEL | {name: b""}), VERSION, committed)


def test_an_sdist_with_all_that_belongs_to_it(scripts: Any, tmp_path: Path) -> None:
    archives, check = scripts
    committed = ["src/dodona/a.pyx", "scripts/smoke.py", "LICENSE", "setup.py", ".github/workflows/ci.yml"]
    folder = tmp_path / "dodona-1.2.3"

    def make(*more: str, without: str = "") -> Path:
        for name in (*committed[:4], "dodona.cdx.json", "PKG-INFO", "src/dodona.egg-info/SOURCES.txt", *more):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text("")
        if without:
            (folder / without).unlink()
        archives.write_archive(folder, tmp_path / "a.tar.gz", 0)
        for name in more:
            (folder / name).unlink()
        return tmp_path / "a.tar.gz"

    check.check_sdist(make(), committed)
    for name in (*committed[:4], "dodona.cdx.json"):
        with pytest.raises(check.Unfit, match=f"{name} is missing"):
            check.check_sdist(make(without=name), committed)
    for name in ("eager", "build/src/a.c", "src/dodona/a.so"):
        with pytest.raises(check.Unfit, match=f"{name} does not belong there"):
            check.check_sdist(make(name), committed)


@pytest.mark.parametrize(
    ("version", "changes", "citation", "tag", "message"),
    [
        (VERSION, CHANGES, CITATION, None, None),
        (VERSION, CHANGES, CITATION, "v1.2.3", None),
        ("1.2.3rc1", CHANGES.replace(".3]", ".3rc1]"), CITATION.replace("1.2.3", "1.2.3rc1"), "v1.2.3rc1", None),
        (VERSION, CHANGES.replace("2030-01-31", "unreleased"), CITATION, None, None),
        (VERSION, CHANGES.replace("2030-01-31", "unreleased"), CITATION, "v1.2.3", "expected the date of the release"),
        (VERSION, CHANGES, CITATION.replace("31", "30"), "v1.2.3", "expected date-released: 2030-01-31"),
        (VERSION, CHANGES, CITATION, "v1.2.4", "tag v1.2.4: expected v1.2.3"),
        ("1.2.4", CHANGES, CITATION, None, "the first section is 1.2.3; expected 1.2.4"),
        (VERSION, "", CITATION, None, "the first section is None"),
        (VERSION, CHANGES, CITATION.replace("1.2.3", "1.2.2"), None, "CITATION.cff: expected version: 1.2.3"),
        ("1.2", CHANGES, CITATION, None, "version 1.2: expected three numbers"),
        ("1.2.3.dev4", CHANGES, CITATION, None, "version 1.2.3.dev4: expected three numbers"),
    ],
)
def test_numbers(scripts: Any, version: str, changes: str, citation: str, tag: str | None, message: str | None) -> None:
    _, check = scripts
    if message is None:
        check.check_numbers(version, changes, citation, tag)
        return
    with pytest.raises(check.Unfit, match=message):
        check.check_numbers(version, changes, citation, tag)


def test_the_numbers_of_this_tree(scripts: Any) -> None:
    _, check = scripts
    texts = ((ROOT / name).read_text(encoding="utf-8") for name in ("CHANGELOG.md", "CITATION.cff"))
    check.check_numbers(check.read_version(ROOT), *texts, None)


def test_an_audit_is_good_or_bad_or_was_not_made(scripts: Any) -> None:
    _, check = scripts
    good = {"name": "click", "version": "8.1", "vulns": []}
    bad = {"name": "numpy", "version": "1.0", "vulns": [{"id": "CVE-1"}]}
    skipped = {"name": "rich", "skip_reason": "could not be reached"}

    def judge(*found: dict[str, Any]) -> str | None:
        reason: str | None = check.judge_audit(0, json.dumps({"dependencies": found}), "")
        return reason

    assert judge(good, {"name": "dodona", "skip_reason": "not published"}) is None
    assert judge(good, skipped) == "1 of 2 packages were skipped, the first of them: could not be reached"
    with pytest.raises(check.Unfit, match=r"numpy 1\.0: CVE-1"):
        judge(good, bad, skipped)
    assert check.judge_audit(1, "", "ERROR: no connection\n") == "ERROR: no connection"
    assert check.judge_audit(2, "", "") == "pip-audit ended with exit status 2"
