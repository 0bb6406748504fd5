"""Constants shared by all transition systems. This file is not compiled; importers declare the types in their .pxd.

An action is (move, site, label). The site is the head word for easy-first and 0 for all other systems.
"""

SHIFT, LEFT, RIGHT, REDUCE, SWAP, NOARC, ATTACH = range(7)

NAMES = ("SHIFT", "LEFT", "RIGHT", "REDUCE", "SWAP", "NOARC", "REDUCE")
"""ATTACH is REDUCE on a headless word (non-monotonic). Both are named REDUCE in the API; ATTACH has a label."""

BUFFER, STACK, GONE = range(3)
"""The place of a word."""

NONE = -1
"""No head, no label."""
