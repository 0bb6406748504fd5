"""Models as packages: the same wheel twice, with data only; once it is there, its model is found by name."""

import base64
import hashlib
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from samples.treebank import treebank

import dodona
from dodona import FormatError, OptionError
from dodona.pipeline import packages
from dodona.pipeline.models import find_installed_models
from dodona.pipeline.packages import ModelPackage, write_package

PACKAGE = ModelPackage("xx-small", "xx", "CC BY-SA 4.0", "1.2")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "small.model"
    trained = dodona.train(treebank(20), dev=treebank(5, seed=2), iterations=1)
    trained.about |= {"data": "a small treebank", "licence": "CC0"}
    trained.save(path)
    return path


def test_the_same_model_gives_the_same_bytes_with_data_only(model: Path, tmp_path: Path) -> None:
    found = write_package(model, PACKAGE, tmp_path)
    assert found.name == "dodona_model_xx_small-1.2-py3-none-any.whl"
    first = found.read_bytes()
    os.utime(model, (1, 1))
    assert write_package(model, PACKAGE, tmp_path).read_bytes() == first
    with zipfile.ZipFile(found) as wheel:
        assert wheel.testzip() is None
        files = {name: wheel.read(name) for name in wheel.namelist()}
        assert {entry.external_attr >> 16 for entry in wheel.infolist()} == {0o100644}
    info = "dodona_model_xx_small-1.2.dist-info"
    assert files["dodona_model_xx_small/xx-small.model"] == model.read_bytes()
    assert files["dodona_model_xx_small/__init__.py"] == b'"""The model xx-small of Dodona: data, and no code."""\n'
    assert files[f"{info}/entry_points.txt"] == b"[dodona.models]\nxx-small = dodona_model_xx_small\n"
    metadata = files[f"{info}/METADATA"].decode()
    for line in ("Name: dodona-model-xx-small", "Version: 1.2", "License: CC BY-SA 4.0", "Requires-Dist: dodona"):
        assert f"\n{line}\n" in metadata
    assert "- training data: a small treebank\n- licence: CC BY-SA 4.0\n" in metadata
    assert "- LAS on development data: " in metadata
    rows = [line.split(",") for line in files[f"{info}/RECORD"].decode().splitlines()]
    assert [name for name, _, _ in rows] == list(files)
    for name, digest, size in rows[:-1]:
        told = base64.urlsafe_b64decode(digest.removeprefix("sha256=") + "=")
        assert (told, int(size)) == (hashlib.sha256(files[name]).digest(), len(files[name]))


def test_an_installed_model_is_found_and_none_of_it_is_imported(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with zipfile.ZipFile(write_package(model, PACKAGE, tmp_path)) as wheel:
        wheel.extractall(tmp_path / "site")
    assert "xx-small" not in find_installed_models()
    monkeypatch.syspath_prepend(tmp_path / "site")
    assert "xx-small" in dodona.model_names()
    expected = tmp_path / "site" / "dodona_model_xx_small" / "xx-small.model"
    assert find_installed_models()["xx-small"] == expected
    assert dodona.load("xx-small").about["data"] == "a small treebank"
    assert "dodona_model_xx_small" not in sys.modules
    with pytest.raises(FormatError, match=r"yy: there is no such file or model; .*xx-small.* \(install the package of"):
        dodona.load("yy")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "xx-small").mkdir()  # a folder is no model, so the name is meant
    assert dodona.load("xx-small").about["data"] == "a small treebank"
    expected.unlink()
    assert "xx-small" not in find_installed_models()


def run(*arguments: str, folder: Path, path: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "dodona", *arguments], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
        text=True, check=False, timeout=60, env={**os.environ, "PYTHONPATH": path},
    )  # fmt: skip


def test_the_commands(model: Path, tmp_path: Path) -> None:
    path = os.pathsep.join(entry for entry in sys.path if entry)
    made = run("package", str(model), "--language", "xx", "--version", "2", folder=tmp_path, path=path)
    assert (made.returncode, made.stdout) == (0, "dodona_model_xx-2-py3-none-any.whl\n")
    with zipfile.ZipFile(tmp_path / "dodona_model_xx-2-py3-none-any.whl") as wheel:
        wheel.extractall(tmp_path / "site")
    path = f"{tmp_path / 'site'}{os.pathsep}{path}"
    (tmp_path / "a.conllu").write_bytes(treebank(1)[0].to_bytes())
    (tmp_path / "xx").mkdir()
    parsed = run("parse", "xx", "a.conllu", folder=tmp_path, path=path)
    assert (parsed.returncode, parsed.stderr) == (0, "")
    assert len(parsed.stdout.splitlines()) > 5
    listed = run("models", folder=tmp_path, path=path)
    (row,) = [line for line in listed.stdout.splitlines() if line.startswith("xx ")]
    assert row.split()[1:3] == ["xx", "linear"]
    assert row.split()[-1] == "CC0"
    (tmp_path / "site" / "dodona_model_xx" / "xx.model").write_bytes(b"damaged")
    listed = run("models", folder=tmp_path, path=path)
    assert listed.returncode == 0
    assert "en-fast" in listed.stdout
    assert "xx.model" in listed.stderr


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (("Ga", "ga", "l", "1"), "name 'Ga': expected small letters"),
        (("../ga", "ga", "l", "1"), "name '../ga': expected small letters"),
        (("en-fast", "en", "l", "1"), "name 'en-fast': a model that comes with Dodona has it; expected another"),
        (("ga", "ga", "l", "one"), "version 'one': expected a version like 1.0"),
        (("ga", "ga", " ", "1"), "licence ' ': expected text on one line"),
        (("ga", "ga\nName: x", "l", "1"), "language 'ga.*': expected text on one line"),
    ],
)
def test_what_a_package_cannot_say(values: tuple[str, str, str, str], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        ModelPackage(*values)


def test_only_models_are_packed_and_only_where_it_is_possible(model: Path, tmp_path: Path) -> None:
    (tmp_path / "no.model").write_text("no model")
    with pytest.raises(FormatError, match=r"no\.model"):
        write_package(tmp_path / "no.model", PACKAGE, tmp_path)
    with pytest.raises(FormatError, match="cannot be written: no folder there"):
        write_package(model, PACKAGE, tmp_path / "nowhere")
    assert [file.name for file in tmp_path.iterdir()] == ["no.model"]


def test_a_model_is_compressed_in_small_steps_between_which_ctrl_c_is_heard(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    write = zipfile._ZipWriteFile.write  # type: ignore[attr-defined]

    def note(stream: object, data: bytes) -> int:
        sizes.append(len(data))
        return int(write(stream, data))

    monkeypatch.setattr(packages, "CHUNK", 1000)
    monkeypatch.setattr("zipfile._ZipWriteFile.write", note)
    wheel = write_package(model, ModelPackage("tiny", "ga", "none", "1.0"), tmp_path)
    assert max(sizes) <= 1000
    with zipfile.ZipFile(wheel) as contents:
        assert contents.read("dodona_model_tiny/tiny.model") == model.read_bytes()
