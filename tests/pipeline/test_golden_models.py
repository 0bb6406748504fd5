"""Models that were saved by earlier versions are read, and parse as they did then."""

import json
import lzma
from pathlib import Path

import pytest
from samples.golden_models import FOLDER, golden_models, parse_again

import dodona
from dodona import FormatError
from dodona.neural.encoder import kernels
from dodona.pipeline import modelfile

NAMES = [path.name.removesuffix(".model.xz") for path in golden_models()]


def unpack(name: str, folder: Path) -> Path:
    path = folder / f"{name}.model"
    path.write_bytes(lzma.decompress((FOLDER / f"{name}.model.xz").read_bytes()))
    return path


@pytest.mark.parametrize("name", NAMES)
def test_the_same_trees(name: str, tmp_path: Path) -> None:
    path = unpack(name, tmp_path)
    assert modelfile.describe_version(path).startswith(f"{name.partition('-')[0]}, which Dodona reads from ")
    nlp = dodona.load(path)
    expected = FOLDER / f"{name}.conllu"
    parsed = b"".join(sentence.to_bytes() for sentence in parse_again(nlp, list(dodona.read(expected))))
    assert parsed == expected.read_bytes()
    nlp.save(tmp_path / "again")
    again = dodona.load(tmp_path / "again")
    assert b"".join(s.to_bytes() for s in parse_again(again, list(dodona.read(expected)))) == parsed


@pytest.mark.parametrize("kernel", kernels())
def test_the_same_trees_with_every_kernel(kernel: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DODONA_KERNEL", kernel)
    for name in NAMES:
        if name.endswith("-neural"):
            test_the_same_trees(name, tmp_path)


def test_every_version_that_is_read_has_its_models() -> None:
    kinds = {"whole", "beam", "neural"}
    assert set(NAMES) == {f"{version}-{kind}" for version in modelfile.FIRST_READERS for kind in kinds}
    assert max(modelfile.FIRST_READERS) == modelfile.VERSION


@pytest.mark.parametrize(("version", "hint"), [("1", "$"), ("3", r" \(a newer Dodona has written it"), ("²", "$")])
def test_versions_that_are_not_read(version: str, hint: str, tmp_path: Path) -> None:
    path = unpack("2-neural", tmp_path)
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    header["__metadata__"]["version"] = version
    encoded = json.dumps(header).encode()
    path.write_bytes(len(encoded).to_bytes(8, "little") + encoded + data[8 + length :])
    for work in (dodona.load, modelfile.describe_version):
        with pytest.raises(FormatError, match=f"model version '{version}'; this Dodona reads version 2{hint}"):
            work(path)
