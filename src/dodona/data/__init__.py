"""Treebank files: sentences in, one at a time, and trees made ready for projective systems."""

from dodona.data.conllu import Sentence, read
from dodona.data.projectivity import projectivized
from dodona.data.pseudoprojective import ENCODINGS, deprojectivize, projectivize

__all__ = ["ENCODINGS", "Sentence", "deprojectivize", "projectivize", "projectivized", "read"]
