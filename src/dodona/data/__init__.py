"""Treebank files: reading and writing of sentences, and projectivization of trees."""

from dodona.data.conllu import read, write
from dodona.data.projectivity import projectivized
from dodona.data.pseudoprojective import ENCODINGS, deprojectivize, projectivize
from dodona.data.sentence import Sentence
from dodona.data.tokens import Token

__all__ = ["ENCODINGS", "Sentence", "Token", "deprojectivize", "projectivize", "projectivized", "read", "write"]
