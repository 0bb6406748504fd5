"""Sentences and documents, treebank files, and projectivization of trees."""

from dodona.data.conllu import read, write
from dodona.data.dataframe import to_dataframe
from dodona.data.document import Document
from dodona.data.noun_chunks import NounChunk
from dodona.data.pseudoprojective import ENCODINGS, deprojectivize, projectivize
from dodona.data.sentence import Sentence
from dodona.data.token import Token
from dodona.data.trees import make_projective

__all__ = [
    "ENCODINGS", "Document", "NounChunk", "Sentence", "Token", "deprojectivize", "make_projective", "projectivize",
    "read", "to_dataframe", "write",
]  # fmt: skip
