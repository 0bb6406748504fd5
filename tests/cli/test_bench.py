"""`dodona bench` from the outside."""

import json
from pathlib import Path

import pytest
from samples.small_models import full_treebank, linear, whole

from dodona import DodonaError, FormatError, write
from dodona.cli.commands import bench as module
from dodona.cli.commands.bench import bench
from dodona.data.spacing import raw_text
from dodona.evaluation.speed import WHOLE, Speed


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bench")
    whole().save(folder / "whole.model")
    linear("arc-hybrid").save(folder / "parser.model")
    sentences = full_treebank(250)
    write(sentences, folder / "trees.conllu")
    (folder / "text.txt").write_text(raw_text(sentences), "utf-8")
    (folder / "short.txt").write_text("Doves see the oak.\n", "utf-8")
    return folder


def run(*arguments: object) -> None:
    bench.main([*map(str, arguments), "--seconds", "0.01"], standalone_mode=False)


def test_figures(
    files: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dodona.cli.commands.bench.STARTS", 1)
    monkeypatch.setattr("dodona.evaluation.speed.LEAST_CHARACTERS", 1)
    target = tmp_path / "figures.json"
    run(files / "whole.model", files / "text.txt", "--threads", 2, "-o", target)
    out, found = capfd.readouterr().out, json.loads(target.read_text("utf-8"))
    assert f"{found['words_per_second']:,} words per CPU second from text to CoNLL-U" in out
    assert f"2 threads: {found['threads']['speed']:.2f} times as fast" in out
    assert f"from start to end: {found['start_seconds']:.2f} s" in out
    assert found["words"] > 1000


@pytest.mark.parametrize("factor", [0.01, 100])
def test_comparison(
    factor: float, files: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a program that was a hundred times slower, or faster."""
    monkeypatch.setattr("dodona.cli.commands.bench._measure_start", lambda model: 0.1)
    target = tmp_path / "figures.json"
    arguments = (files / "whole.model", files / "trees.conllu", "--threads", 1)
    run(*arguments, "-o", target)
    found = json.loads(target.read_text("utf-8"))
    assert found["threads"] is None
    found["words_per_reference_loop"][WHOLE] *= factor
    target.write_text(json.dumps(found), "utf-8")
    if factor < 1:
        run(*arguments, "--compare", target)
    else:
        with pytest.raises(DodonaError, match=r"slower: text to CoNLL-U by 9.* expected at most 5 %"):
            run(*arguments, "--compare", target)
    assert capfd.readouterr().out.splitlines()[-1].startswith("  text to CoNLL-U")


@pytest.mark.parametrize("words", [999, 1000])
def test_a_thousand_words_are_enough(
    words: int, files: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "measure_speed", lambda *_: Speed(words, 3, {WHOLE: 1.0}, 1.0))
    monkeypatch.setattr(module, "_measure_start", lambda model: 0.1)
    arguments = (files / "whole.model", files / "short.txt", "--threads", 1)
    if words < 1000:
        with pytest.raises(FormatError, match=r"short.txt: 999 words; expected at least 1,000, to measure well"):
            run(*arguments)
    else:
        run(*arguments)
        assert "1,000 words per CPU second" in capfd.readouterr().out


def test_bad_input(files: Path, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"short.txt: 5 words; expected at least 1,000"):
        run(files / "whole.model", files / "short.txt")
    with pytest.raises(DodonaError, match=r"parser.model: this model has no tokenizer"):
        run(files / "parser.model", files / "text.txt")
    other = tmp_path / "other.json"
    for content in ("[]", "{", '{"format": 2}'):
        other.write_text(content)
        with pytest.raises(FormatError, match=r"other.json: .* expected what `dodona bench -o` wrote"):
            run(files / "whole.model", files / "text.txt", "--compare", other)
