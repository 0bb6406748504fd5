"""Treebank files: sentences in, one at a time."""

from dodona.data.conllu import Sentence, read
from dodona.data.projectivity import projectivized

__all__ = ["Sentence", "projectivized", "read"]
