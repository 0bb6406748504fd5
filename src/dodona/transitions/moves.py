"""Small integers shared by every transition system. Stays uncompiled; importers type it in their .pxd.

An action is (move, site, label). The site is the head word for easy-first and 0 for all other systems.
"""

SHIFT, LEFT, RIGHT, REDUCE, SWAP, NOARC, ATTACH = range(7)

NAMES = ("SHIFT", "LEFT", "RIGHT", "REDUCE", "SWAP", "NOARC", "REDUCE")
"""ATTACH is REDUCE on a headless word (non-monotonic): people see both as REDUCE, one with a label."""

BUFFER, STACK, GONE = range(3)
"""Where a word stands."""

NONE = -1
"""No head, no label."""
