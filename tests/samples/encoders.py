"""Tiny encoders with random weights and word pieces of their own, in Hugging Face's layout."""

import json
from pathlib import Path
from typing import Any

import torch
import transformers
from samples.treebank import treebank
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from dodona.transformer.options import TransformerOptions

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
SMALL = TransformerOptions(
    mix=2, embedding=6, subwords=64, inputs=24, width=12, units=24, dropout=0.05, batch=64, rate=2e-2, encoder_rate=1e-3
)


def word_pieces() -> Tokenizer:
    """Whole words for those that begin with a letter up to m; the others are spelled."""
    words = sorted({word for sentence in treebank(50) for word in sentence.words})
    letters = sorted({letter for word in words for letter in word})
    vocabulary = [*SPECIAL, *letters, *(f"##{letter}" for letter in letters)]
    vocabulary += [word for word in words if word < "n" and len(word) > 1]
    tokenizer = Tokenizer(models.WordPiece({piece: i for i, piece in enumerate(vocabulary)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.enable_padding(length=32)  # as some encoders have it; words have to come out without
    return tokenizer


def write_encoder(folder: Path, kind: str = "bert", **sizes: Any) -> Path:
    """Write an encoder with two layers of 32 numbers, and return its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = word_pieces()
    tokenizer.save(str(folder / "tokenizer.json"))
    usual = {
        "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 48,
        "max_position_embeddings": 66, "vocab_size": tokenizer.get_vocab_size(), "pad_token_id": 0,
    }  # fmt: skip
    config = transformers.AutoConfig.for_model(kind, **usual | sizes)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        transformers.AutoModel.from_config(config).save_pretrained(folder)
    (folder / "README.md").write_text("---\nlanguage: en\nlicense: cc0-1.0\n---\nA tiny encoder.\n")
    return folder


def edit_json(path: Path, **changes: Any) -> None:
    """Change the values of a JSON file; None removes one."""
    values = json.loads(path.read_text()) | changes
    path.write_text(json.dumps({key: value for key, value in values.items() if value is not None}))
