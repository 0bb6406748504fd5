"""Sentences and documents, treebank files, and projectivization of trees."""

from dodona.data.conllu import read, write
from dodona.data.document import Document
from dodona.data.pseudoprojective import ENCODINGS, deprojectivize, projectivize
from dodona.data.sentence import Sentence
from dodona.data.token import Token
from dodona.data.trees import make_projective

__all__ = [
    "ENCODINGS", "Document", "Sentence", "Token", "deprojectivize", "make_projective", "projectivize", "read", "write",
]  # fmt: skip
