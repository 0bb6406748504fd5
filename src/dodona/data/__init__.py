"""Treebank files: reading and writing of sentences, and projectivization of trees."""

from dodona.data.conllu import read, write
from dodona.data.pseudoprojective import ENCODINGS, deprojectivize, projectivize
from dodona.data.sentence import Sentence
from dodona.data.token import Token
from dodona.data.trees import make_projective

__all__ = ["ENCODINGS", "Sentence", "Token", "deprojectivize", "make_projective", "projectivize", "read", "write"]
