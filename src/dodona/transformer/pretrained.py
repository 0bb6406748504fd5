"""Pretrained encoders: read from a folder in Hugging Face's layout, described in a model, and built from a description.

Weights are read from safetensors only, and no code that comes with an encoder is run. What a model file says of its
encoder is checked before anything is built: which kind it is, how many parameters it has, and how much it would hold.
"""

import hashlib
import json
import logging
import re
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import safetensors
import torch
import transformers
from numpy.typing import NDArray
from tokenizers import Tokenizer
from transformers.models.auto.modeling_auto import MODEL_FOR_MASKED_LM_MAPPING_NAMES

from dodona.errors import FormatError, OptionError, name_faults

__all__ = ["TeacherEncoder", "build_encoder", "count_positions", "read_encoder"]

CONFIG, TOKENIZER, WEIGHTS, INDEX, CARD = (
    *("config.json", "tokenizer.json", "model.safetensors", "model.safetensors.index.json", "README.md"),
)
NAME = re.compile(r"\w[\w.-]*(/[\w.-]+)?")  # of an encoder elsewhere: NAME or OWNER/NAME
VOCABULARIES = ("vocab.*", "merges.txt", "*.model", "*.bpe")  # what a tokenizer can be made from
NOT_STATED = "not stated"
DROPPED = ("auto_map", "attn_implementation", "architectures", "dtype", "torch_dtype", "quantization_config")
MAX_NUMBER = 10_000_000  # in a configuration
MAX_LAYERS = 1_000
MAX_PARAMETERS = 100_000  # tensors
MAX_BUFFER = 100_000_000  # numbers that are no weights, such as positions
Weights = dict[str, NDArray[np.float32]]


@dataclass(frozen=True)
class TeacherEncoder:
    """Where an encoder comes from, and what it takes to build it again and to cut words for it."""

    name: str
    licence: str
    digest: str  # SHA-256 of its weights
    config: dict[str, Any]
    tokenizer: str  # as JSON

    def description(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def restore(cls, description: Any) -> "TeacherEncoder":
        """Return the encoder that a model file describes."""
        kinds = {field.name: dict if field.name == "config" else str for field in fields(cls)}
        if not isinstance(description, dict) or set(description) != set(kinds):
            raise ValueError(f"the description of an encoder; expected {', '.join(kinds)}")
        for name, kind in kinds.items():
            if not isinstance(description[name], kind):
                raise ValueError(f"{name} of an encoder: {type(description[name]).__name__}; expected {kind.__name__}")
        return cls(**description)

    def __str__(self) -> str:
        return f"{self.name} (licence {self.licence}), SHA-256 {self.digest}"


def read_encoder(source: str | Path) -> tuple[TeacherEncoder, Weights]:
    """Return an encoder and its weights, from a folder, or by the name that transformers knows it by."""
    folder = _find_folder(source)
    config = _read_config(folder)
    tokenizer = _read_tokenizer(folder)
    digest = hashlib.sha256()
    for file in _weight_files(folder):
        try:
            with safetensors.safe_open(file, "pt"):  # which compares the sizes of all arrays with that of the file
                pass
        except (safetensors.SafetensorError, OSError) as error:
            raise FormatError(f"{file}: no safetensors, or cut: {error}") from error
        with open(file, "rb") as stream:
            while chunk := stream.read(1 << 20):
                digest.update(chunk)
    weights = _read_weights(folder, config)
    name = str(source) if not Path(source).is_dir() else folder.resolve().name
    return TeacherEncoder(name, _read_licence(folder), digest.hexdigest(), config, tokenizer), weights


def _find_folder(source: str | Path) -> Path:
    if Path(source).is_dir():
        return Path(source)
    if Path(source).exists():
        raise OptionError(f"{source}: expected a folder with {CONFIG}, {TOKENIZER} and {WEIGHTS}")
    return _look_up(str(source))


@cache
def _look_up(name: str) -> Path:
    """Return the folder where transformers keeps the files of an encoder with this name; they may be fetched first."""
    if not NAME.fullmatch(name):
        raise OptionError(f"{name}: there is no such folder; expected one with {CONFIG}, {TOKENIZER} and {WEIGHTS}")
    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)  # without a network, it tells of each of many attempts
    try:
        folder = Path(transformers.utils.cached_file(name, CONFIG)).parent
        for file in (TOKENIZER, WEIGHTS, INDEX, CARD):
            transformers.utils.cached_file(name, file, _raise_exceptions_for_missing_entries=False)
        for file in _named_shards(folder):
            transformers.utils.cached_file(name, file)
    except OSError as error:
        first = str(error).splitlines()[0]
        raise OptionError(f"{name}: no folder has this name, and transformers finds no encoder: {first}") from error
    return folder


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise FormatError(f"{path}: cannot be read: {reason}") from error


def _read_config(folder: Path) -> dict[str, Any]:
    path = folder / CONFIG
    if not path.is_file():
        raise OptionError(f"{folder}: there is no {CONFIG}; expected an encoder in Hugging Face's layout")
    with name_faults(f"{path}: not the configuration of an encoder"):
        config = json.loads(_read_text(path))
        if not isinstance(config, dict):
            raise ValueError(f"{type(config).__name__}; expected an object")
    config = {key: value for key, value in config.items() if key not in DROPPED and not key.startswith("_")}
    _check_config(config, str(path))
    return config


def _named_shards(folder: Path) -> list[str]:
    """Return the files that an index of weights names, if there is one."""
    path = folder / INDEX
    if not path.is_file():
        return []
    with name_faults(f"{path}: not an index of weights"):
        named = sorted(set(json.loads(_read_text(path))["weight_map"].values()))
        if not named or any(Path(name).name != name for name in named):
            raise ValueError("a file outside of the folder")
        return named


def _weight_files(folder: Path) -> list[Path]:
    files = [folder / WEIGHTS] if (folder / WEIGHTS).is_file() else [folder / name for name in _named_shards(folder)]
    missing = [file for file in files if not file.is_file()]
    if not files or missing:
        lacks = missing[0].name if missing else WEIGHTS
        raise OptionError(f"{folder}: there is no {lacks}; expected weights as safetensors")
    return files


def _read_weights(folder: Path, config: Mapping[str, Any]) -> Weights:
    """Return the weights under the names that the encoder has for them: transformers knows which are meant."""
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    try:
        with _own_chance():
            encoder, loading = transformers.AutoModel.from_pretrained(
                folder, config=_make_config(config), dtype=torch.float32, use_safetensors=True, local_files_only=True,
                trust_remote_code=False, output_loading_info=True, ignore_mismatched_sizes=True,
            )  # fmt: skip
    except Exception as error:  # of safetensors, of PyTorch or of transformers
        first = next((line for line in str(error).splitlines() if line.strip()), type(error).__name__)
        raise FormatError(f"{folder}: weights that do not fit {CONFIG}: {first}") from error
    _drop_pooler(encoder)
    weights = {name: value.detach().numpy() for name, value in encoder.named_parameters()}
    for name, stored, wanted in sorted(loading["mismatched_keys"]):
        if name in weights:
            raise FormatError(f"{folder}: {name} has the size {_show(stored)}; expected {_show(wanted)} by {CONFIG}")
    if missing := sorted(set(loading["missing_keys"]) & set(weights)):
        raise FormatError(
            f"{folder}: {len(missing)} weights are missing, such as {missing[0]}; expected those of {CONFIG}"
        )
    for name, values in weights.items():
        if not np.isfinite(values).all():
            raise FormatError(f"{folder}: {name} has numbers that are not finite")
    return weights


def _show(size: Iterable[int]) -> str:
    return " × ".join(map(str, size))


def _read_tokenizer(folder: Path) -> str:
    """Return the tokenizer as JSON. Words are given one by one, so each begins like one after a blank."""
    if (folder / TOKENIZER).is_file():
        text = _read_text(folder / TOKENIZER)
    else:
        if not any(file for pattern in VOCABULARIES for file in folder.glob(pattern)):
            raise OptionError(f"{folder}: there is no {TOKENIZER}, nor anything to make it from")
        try:
            made = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
            text = made.backend_tokenizer.to_str()
        except Exception as error:  # whatever the many kinds of tokenizers raise
            first = str(error).strip().splitlines()[:1] or [type(error).__name__]
            raise OptionError(f"{folder}: there is no {TOKENIZER}, and none can be made: {first[0]}") from error
    try:
        parsed = json.loads(text)
        _prefix_space(parsed.get("pre_tokenizer"))
        tokenizer = json.dumps(parsed, ensure_ascii=False)
        Tokenizer.from_str(tokenizer)
    except Exception as error:  # of json, and of the tokenizers, which raise nothing more special
        raise FormatError(f"{folder / TOKENIZER}: not a tokenizer: {error}") from error
    return tokenizer


def _prefix_space(pretokenizer: Any) -> None:
    if isinstance(pretokenizer, dict):
        if "add_prefix_space" in pretokenizer:
            pretokenizer["add_prefix_space"] = True
        for part in pretokenizer.get("pretokenizers") or ():
            _prefix_space(part)


def _read_licence(folder: Path) -> str:
    """Return the licence that the front matter of the model card states."""
    if not (folder / CARD).is_file():
        return NOT_STATED
    matter = re.match(r"---\n(.*?)\n---", _read_text(folder / CARD), re.S)
    stated = re.search(r"^license:[ \t]*(\S.*?)[ \t]*$", matter[1], re.M) if matter else None
    return stated[1].strip("'\"") if stated else NOT_STATED


def build_encoder(config: Mapping[str, Any], where: str) -> Any:
    """Return an encoder with this configuration. On the device `meta` nothing is allocated, and its sizes are known.

    Its weights are random; parameters that say nothing about single words are left out.
    """
    _check_config(config, where)
    try:
        with _own_chance(), _few_parameters():
            encoder = transformers.AutoModel.from_config(_make_config(config), trust_remote_code=False)
    except Exception as error:  # what a configuration with strange values leads to
        raise FormatError(f"{where}: an encoder that cannot be built: {error}") from error
    _drop_pooler(encoder)
    for name in ("hidden_size", "num_hidden_layers"):
        if not isinstance(getattr(encoder.config, name, None), int) or getattr(encoder.config, name) < 1:
            raise FormatError(f"{where}: an encoder without {name}; expected a BERT-like one")
    held = sum(buffer.numel() for buffer in encoder.buffers())
    if held > MAX_BUFFER:
        raise FormatError(f"{where}: an encoder with buffers of {held:,} numbers; expected {MAX_BUFFER:,} at most")
    return encoder


def count_positions(config: Any, window: int) -> int:
    """Return how many pieces an encoder can see at once, `window` at most. Some number their positions from 2 on."""
    positions = getattr(config, "max_position_embeddings", None)
    return min(window, positions - 2) if isinstance(positions, int) and positions > 0 else window


def _make_config(config: Mapping[str, Any]) -> Any:
    rest = {key: value for key, value in config.items() if key != "model_type"}
    return transformers.AutoConfig.for_model(config["model_type"], **rest)


def _check_config(config: Mapping[str, Any], where: str) -> None:
    kind = config.get("model_type")
    if not isinstance(kind, str) or kind not in MODEL_FOR_MASKED_LM_MAPPING_NAMES:
        raise FormatError(
            f"{where}: model_type {kind!r}; expected an encoder of text, such as bert, roberta, deberta-v2"
        )
    if bad := sorted(key for key in config if key in DROPPED or key.startswith("_")):
        raise FormatError(f"{where}: {bad[0]!r} in the configuration of an encoder")
    for key, number in _numbers(config):
        most = MAX_LAYERS if "layers" in key else MAX_NUMBER
        if not abs(number) <= most:
            raise FormatError(f"{where}: {key} {number}; expected {most:,} at most")


def _numbers(value: Any, key: str = "") -> Iterator[tuple[str, float]]:
    if isinstance(value, int | float) and not isinstance(value, bool):
        yield key, value
    elif isinstance(value, dict):
        for name, part in value.items():
            yield from _numbers(part, name)
    elif isinstance(value, list):
        for part in value:
            yield from _numbers(part, key)


def _drop_pooler(encoder: Any) -> None:
    """Remove the layer that some encoders have for the sentence as a whole."""
    if getattr(encoder, "pooler", None) is not None:
        encoder.pooler = None


@contextmanager
def _own_chance() -> Iterator[None]:
    """Building an encoder draws random weights, which must not change what comes after."""
    with torch.random.fork_rng(devices=[]):
        yield


@contextmanager
def _few_parameters() -> Iterator[None]:
    """Stop the building of a network with more parameters than any has: a small file can ask for a billion layers."""
    count, thread = 0, threading.get_ident()

    def check(module: Any, name: str, parameter: Any) -> None:
        nonlocal count
        count += threading.get_ident() == thread
        if count > MAX_PARAMETERS:
            raise ValueError(f"more than {MAX_PARAMETERS:,} parameters")

    handle = torch.nn.modules.module.register_module_parameter_registration_hook(check)
    try:
        yield
    finally:
        handle.remove()
