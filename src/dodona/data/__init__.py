"""Treebank files: reading and writing of sentences, and projectivization of trees."""

from dodona.data.conllu import read, write
from dodona.data.projectivity import projectivized
from dodona.data.pseudoprojective import ENCODINGS, deprojectivize, projectivize
from dodona.data.sentence import Sentence

__all__ = ["ENCODINGS", "Sentence", "deprojectivize", "projectivize", "projectivized", "read", "write"]
