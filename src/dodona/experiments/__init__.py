"""Experiments: the tables and figures of the papers, made again on any treebanks, one command each."""
