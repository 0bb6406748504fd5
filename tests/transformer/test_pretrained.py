"""Encoders as they come: folders of many kinds, damaged ones, and model files that lie about theirs."""

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch
from click.testing import CliRunner
from numpy.typing import NDArray
from samples.encoders import SMALL, edit_json, word_pieces, write_encoder
from samples.treebank import treebank

import dodona
from dodona.cli.commands.train import train_command
from dodona.errors import DodonaError, FormatError, OptionError
from dodona.parser.options import ParserOptions
from dodona.parser.parser import Parser
from dodona.parser.training import NetworkSource, train_parser
from dodona.pipeline.pipeline import Pipeline
from dodona.transformer.pretrained import build_encoder, count_positions, read_encoder

FEW = treebank(8)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_encoder(tmp_path / "tiny")


def taught(folder: Path) -> Parser:
    source = NetworkSource(encoder=read_encoder(folder), device="cpu")
    return train_parser(FEW, ParserOptions(scorer="transformer", iterations=1, transformer=SMALL), source=source)


# Folders


def test_an_encoder_is_read(folder: Path) -> None:
    encoder, weights = read_encoder(folder)
    assert (encoder.name, encoder.licence) == ("tiny", "cc0-1.0")
    assert len(encoder.digest) == 64
    assert encoder.config["hidden_size"] == 32
    assert not [key for key in encoder.config if key.startswith("_") or key in ("architectures", "dtype")]
    assert "pooler.dense.weight" not in weights
    assert weights["encoder.layer.1.output.dense.weight"].shape == (32, 48)
    assert str(encoder).startswith("tiny (licence cc0-1.0), SHA-256 ")
    from safetensors.numpy import load_file

    stored = load_file(folder / "model.safetensors")
    assert all((stored[name] == values).all() for name, values in weights.items())


@pytest.mark.parametrize(
    ("card", "licence"),
    [
        ("---\nlicense: 'mit'\n---\n", "mit"),
        ("---\ntags:\n- x\n---\nlicense: mit\n", "not stated"),
        ("license: mit\n", "not stated"),
        (None, "not stated"),
    ],
)
def test_its_licence(folder: Path, card: str | None, licence: str) -> None:
    (folder / "README.md").unlink()
    if card is not None:
        (folder / "README.md").write_text(card)
    assert read_encoder(folder)[0].licence == licence


@pytest.mark.parametrize(
    ("kind", "sizes"),
    [
        ("roberta", {}),
        ("mpnet", {}),
        ("distilbert", {"n_layers": 2, "dim": 32, "n_heads": 2, "hidden_dim": 48}),
        ("electra", {"embedding_size": 16}),
    ],
)
def test_other_kinds_of_encoders(tmp_path: Path, kind: str, sizes: dict[str, Any]) -> None:
    made = taught(write_encoder(tmp_path / kind, kind, **sizes))
    again = Parser.from_parts(*made.parts(), "copy")
    for sentence in FEW[:3]:
        assert again.tree(sentence) == made.tree(sentence)
    assert made.tree(dodona.Sentence.from_words(["dove"] * 200))[0].count(0) == 1  # in windows


def test_a_byte_level_tokenizer_sees_words_after_a_blank(folder: Path) -> None:
    edit_json(
        folder / "tokenizer.json",
        pre_tokenizer={"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True},
    )
    assert json.loads(read_encoder(folder)[0].tokenizer)["pre_tokenizer"]["add_prefix_space"] is True


def test_weights_in_several_files(folder: Path) -> None:
    encoder, weights = read_encoder(folder)
    import transformers

    model = transformers.AutoModel.from_pretrained(folder)
    (folder / "model.safetensors").unlink()
    model.save_pretrained(folder, max_shard_size="20KB")
    assert (folder / "model.safetensors.index.json").is_file()
    again, same = read_encoder(folder)
    assert all((same[name] == values).all() for name, values in weights.items())
    assert again.digest != encoder.digest


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


FAULTS: list[tuple[Callable[[Path], Any], str]] = [
    (lambda f: (f / "config.json").unlink(), "there is no config.json; expected an encoder in Hugging Face's layout"),
    (lambda f: (f / "config.json").write_text("{"), "config.json: not the configuration of an encoder"),
    (lambda f: (f / "config.json").write_text("[1]"), "config.json: not the configuration of an encoder: list"),
    (lambda f: (f / "config.json").write_bytes(b"\xff"), "config.json: cannot be read: not UTF-8"),
    (lambda f: edit_json(f / "config.json", model_type="gpt2"), "model_type 'gpt2'; expected an encoder of text"),
    (lambda f: edit_json(f / "config.json", model_type=None), "model_type None; expected an encoder of text"),
    (lambda f: edit_json(f / "config.json", num_hidden_layers=10**9), "num_hidden_layers 1000000000; expected 1,000"),
    (lambda f: edit_json(f / "config.json", vocab_size=10**12), "vocab_size 1000000000000; expected 10,000,000"),
    (
        lambda f: edit_json(f / "config.json", hidden_size=64),
        r"embeddings\.LayerNorm\.bias has the size 32; expected 64 by config\.json",
    ),
    (
        lambda f: edit_json(f / "config.json", type_vocab_size=3),
        r"embeddings\.token_type_embeddings\.weight has the size 2 × 32; expected 3 × 32 by config\.json",
    ),
    (lambda f: edit_json(f / "config.json", hidden_size=31), "weights that do not fit config.json"),
    (lambda f: edit_json(f / "config.json", num_hidden_layers=3), "16 weights are missing, such as encoder.layer.2"),
    (lambda f: (f / "model.safetensors").unlink(), "there is no model.safetensors; expected weights as safetensors"),
    (lambda f: cut(f / "model.safetensors"), "model.safetensors: no safetensors, or cut"),
    (lambda f: (f / "model.safetensors").write_bytes(b""), "model.safetensors: no safetensors, or cut"),
    (lambda f: (f / "tokenizer.json").unlink(), "there is no tokenizer.json, nor anything to make it from"),
    (lambda f: cut(f / "tokenizer.json"), "tokenizer.json: not a tokenizer"),
    (lambda f: (f / "tokenizer.json").write_text("3"), "tokenizer.json: not a tokenizer"),
    (lambda f: (f / "tokenizer.json").write_text("{}"), "tokenizer.json: not a tokenizer: Model missing"),
]


@pytest.mark.parametrize(("damage", "message"), FAULTS)
def test_damaged_folders(folder: Path, damage: Callable[[Path], Any], message: str) -> None:
    damage(folder)
    with pytest.raises(DodonaError, match=message) as raised:
        read_encoder(folder)
    assert str(folder) in str(raised.value)
    assert "\n" not in str(raised.value)


def test_weights_that_are_not_numbers(folder: Path) -> None:
    from safetensors.numpy import load_file, save_file

    weights = load_file(folder / "model.safetensors")
    weights["embeddings.word_embeddings.weight"][3, 3] = np.nan
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    with pytest.raises(FormatError, match=r"embeddings.word_embeddings.weight has numbers that are not finite"):
        read_encoder(folder)


def test_pickled_weights_are_not_read(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    torch.save({}, folder / "pytorch_model.bin")
    with pytest.raises(OptionError, match="expected weights as safetensors"):
        read_encoder(folder)


def test_code_of_an_encoder_is_not_run(folder: Path) -> None:
    evil = folder / "evil.py"
    evil.write_text(f"open({str(folder / 'was_run')!r}, 'w')\n")
    edit_json(folder / "config.json", auto_map={"AutoModel": "evil.Model", "AutoConfig": "evil.Config"})
    encoder, _ = read_encoder(folder)
    assert "auto_map" not in encoder.config
    assert not (folder / "was_run").exists()


def test_names_and_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def refuse(name: str, file: str, **_: Any) -> None:
        asked.append(file)
        raise OSError("there is no network\nso nothing is found")

    monkeypatch.setattr("transformers.utils.cached_file", refuse)
    with pytest.raises(OptionError, match="no folder has this name, and transformers finds no encoder: there is no n"):
        read_encoder("nobody/has-this-encoder")
    assert asked == ["config.json"]  # each attempt takes half a minute
    for name in (tmp_path / "none", "./none", "a/b/c"):
        with pytest.raises(OptionError, match=r"there is no such folder; expected one with config\.json"):
            read_encoder(name)
    (tmp_path / "file").write_text("x")
    with pytest.raises(OptionError, match=r"file: expected a folder with config\.json"):
        read_encoder(tmp_path / "file")


def test_an_encoder_is_looked_up_by_its_name_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def find(name: str, file: str, **_: Any) -> str | None:
        asked.append((name, file))
        return str(folder / file) if (folder / file).exists() else None

    monkeypatch.setattr("transformers.utils.cached_file", find)
    first, again = read_encoder("somebody/tiny"), read_encoder("somebody/tiny")
    assert first[0] == again[0]
    assert (first[0].name, first[0].digest) == ("somebody/tiny", read_encoder(folder)[0].digest)
    assert sorted(file for _, file in asked) == [
        *("README.md", "config.json", "model.safetensors", "model.safetensors.index.json", "tokenizer.json"),
    ]


def test_positions_of_an_encoder(folder: Path) -> None:
    encoder, _ = read_encoder(folder)
    built = build_encoder(encoder.config, "here").config
    assert (count_positions(built, 256), count_positions(built, 40)) == (64, 40)
    assert count_positions(SimpleNamespace(max_position_embeddings=None), 256) == 256
    assert count_positions(SimpleNamespace(), 256) == 256


# Model files that lie


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    return taught(write_encoder(tmp_path_factory.mktemp("encoder") / "tiny")).parts()


def with_config(**changes: Any) -> Callable[[dict[str, Any], dict[str, NDArray[Any]]], Any]:
    return lambda description, arrays: description["encoder"]["config"].update(changes)


QUERY = "encoder.encoder.layer.0.attention.self.query.weight"
LIES: list[tuple[Callable[[dict[str, Any], dict[str, NDArray[Any]]], Any], str]] = [
    (lambda d, a: d.pop("encoder"), "'encoder'"),
    (lambda d, a: d.update(encoder=3), "the description of an encoder; expected name"),
    (lambda d, a: d["encoder"].pop("licence"), "the description of an encoder; expected name"),
    (lambda d, a: d["encoder"].update(config=[]), "config of an encoder: list; expected dict"),
    (lambda d, a: d["encoder"].update(tokenizer="{}"), "not a tokenizer of word pieces"),
    (lambda d, a: d["encoder"]["config"].pop("model_type"), "model_type None"),
    (with_config(model_type="timm_backbone"), "model_type 'timm_backbone'"),
    (with_config(auto_map={"AutoModel": "evil--evil.Model"}), "'auto_map' in the configuration"),
    (with_config(_attn_implementation="evil/kernel"), "'_attn_implementation' in the configuration"),
    (with_config(attn_implementation="evil/kernel"), "'attn_implementation' in the configuration"),
    (with_config(num_hidden_layers=10**9), "num_hidden_layers 1000000000; expected 1,000 at most"),
    (with_config(num_hidden_layers=40), "array 'encoder.encoder.layer.2.*: nothing"),
    (with_config(num_hidden_layers=1), "array 'mix': 2 of float32; expected 1"),
    (with_config(num_hidden_layers=0), "an encoder without num_hidden_layers"),
    (
        with_config(vocab_size=10_000_000, hidden_size=10_000_000),
        "expected .* of int8|finite|cannot be built|of float32",
    ),
    (with_config(max_position_embeddings=float("inf")), "max_position_embeddings inf; expected"),
    (with_config(max_position_embeddings=10_000_000), "expected 320000000 of int8|of float32"),
    (with_config(hidden_size="32"), "an encoder that cannot be built"),
    (with_config(hidden_act="os.system"), "an encoder that cannot be built"),
    (with_config(hidden_size=-32), "an encoder that cannot be built|without hidden_size"),
    (lambda d, a: d["options"]["transformer"].update(width=13), "array 'input|array 'lstm|array 'ends"),
    (lambda d, a: d["options"]["transformer"].update(subwords=1 << 24), "array 'subword.*: .*expected"),
    (lambda d, a: d["options"]["transformer"].update(mix=1), "array 'mix': 2 of float32; expected 1"),
    (lambda d, a: d["options"]["transformer"].update(code="x"), "unexpected keyword"),
    (lambda d, a: d["options"].update(transformer=None, scorer="neural"), "not valid"),
    (lambda d, a: d.update(tags=[]), "expected tags, each once"),
    (lambda d, a: d.update(retags=1), "whether it predicts tags"),
    (lambda d, a: a.pop(QUERY), "query.weight': nothing; expected 1024 of int8"),
    (lambda d, a: a.update({QUERY: a[QUERY][:-1]}), "query.weight': 1023 of int8; expected 1024 of int8"),
    (lambda d, a: a.update({QUERY: a[QUERY].astype(np.float32)}), "1024 of float32; expected 1024 of int8"),
    (lambda d, a: a.update({"mix": np.array([np.nan, 0], np.float32)}), "'mix': expected finite numbers"),
    (
        lambda d, a: a.update({f"{QUERY}.scales": np.full(32, 3e38, np.float32)}),
        "query.weight': expected finite numbers",
    ),
    (lambda d, a: a.update({"more": np.zeros(3, np.float32)}), "array 'more': expected none of this name"),
]


@pytest.mark.parametrize(("lie", "message"), LIES)
def test_hostile_models(
    parts: tuple[dict[str, Any], dict[str, NDArray[Any]]],
    lie: Callable[[dict[str, Any], dict[str, NDArray[Any]]], Any],
    message: str,
) -> None:
    description, arrays = json.loads(json.dumps(parts[0])), dict(parts[1])
    Parser.from_parts(description, arrays, "x.model")
    lie(description, arrays)
    with pytest.raises(FormatError, match=message) as raised:
        Parser.from_parts(description, arrays, "x.model")
    assert "x.model" in str(raised.value)


def test_a_network_with_too_many_parameters(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = read_encoder(folder)[0].config
    monkeypatch.setattr("dodona.transformer.pretrained.MAX_PARAMETERS", 10)
    with pytest.raises(FormatError, match="here: an encoder that cannot be built: more than 10 parameters"):
        build_encoder(config, "here")
    monkeypatch.setattr("dodona.transformer.pretrained.MAX_PARAMETERS", 1000)
    monkeypatch.setattr("dodona.transformer.pretrained.MAX_BUFFER", 10)
    with pytest.raises(FormatError, match=r"here: an encoder with buffers of .* numbers; expected 10 at most"):
        build_encoder(config, "here")


def test_a_tokenizer_with_more_pieces_than_the_encoder(parts: tuple[dict[str, Any], dict[str, NDArray[Any]]]) -> None:
    description = json.loads(json.dumps(parts[0]))
    tokenizer = word_pieces()
    tokenizer.add_tokens(["more"])
    description["encoder"]["tokenizer"] = tokenizer.to_str()
    with pytest.raises(FormatError, match=r"a tokenizer with .* pieces for an encoder of"):
        Parser.from_parts(description, parts[1], "x.model")


def test_a_model_that_is_cut(parts: tuple[dict[str, Any], dict[str, NDArray[Any]]], tmp_path: Path) -> None:
    Pipeline(Parser.from_parts(*parts, "x.model")).save(tmp_path / "x.model")
    cut(tmp_path / "x.model")
    with pytest.raises(FormatError, match=r"x\.model"):
        dodona.load(tmp_path / "x.model")


# The command line


def test_from_the_command_line(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    train = tmp_path / "train.conllu"
    train.write_bytes(b"".join(sentence.to_bytes() for sentence in treebank(12)))
    output = tmp_path / "teacher.model"
    sizes = ["--width", "12", "--units", "24", "--batch", "64"]
    own = ["--scorer", "transformer", "--encoder", str(folder), "--iterations", "1", "--components", "parser"]
    called = CliRunner().invoke(train_command, [str(train), "-o", str(output), *own, *sizes, "--device", "cpu"])
    assert called.exit_code == 0, called.output
    made = dodona.load(output)
    assert made.parser.options.transformer is not None
    assert (made.parser.options.transformer.width, made.parser.options.transformer.units) == (12, 24)
    assert not list(tmp_path.glob("*.checkpoint"))
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    for more, message in ((["--device", "cuda"], "PyTorch finds no GPU"), (["--layers", "3"], "layers; expected them")):
        refused = CliRunner().invoke(train_command, [str(train), "-o", str(tmp_path / "other"), *own, *more])
        assert isinstance(refused.exception, OptionError)
        assert message in str(refused.exception)
