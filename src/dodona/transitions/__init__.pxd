# For compiled files: what dodona.transitions.moves defines for Python.
cdef enum:
    NONE = -1  # no head, no label, no action, no site
