"""The result of a finished search."""

from dodona.transitions.moves import NONE as _NONE

cdef int NONE = _NONE


cdef tuple arcs_of(State s):
    """Return (heads, labels) of the words 1..n; headless words are attached to ROOT."""
    cdef int k
    heads = [s.head[k] if s.head[k] != NONE else 0 for k in range(1, s.n + 1)]
    return heads, [s.label[k] for k in range(1, s.n + 1)]
