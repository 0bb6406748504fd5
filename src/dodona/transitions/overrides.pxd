cimport cython
from cpython.object cimport PyObject

from dodona.transitions.gold cimport Gold
from dodona.transitions.state cimport State
from dodona.transitions.system cimport TransitionSystem
from dodona.transitions.workspace cimport Workspace

cdef enum:
    START, IS_TERMINAL, LEGAL, APPLY, HEAD_OF, DEPENDENT_OF, PROGRESS, NEXT_SITE, REOPENED_SITE
    COST, PENALTY, PREFERS, REACHES, CORRECT_MOVES, CANONICAL
    OVERRIDABLE  # how many they are

@cython.final
cdef class Overrides(TransitionSystem):
    cdef TransitionSystem system          # the object of the Python class
    cdef list bound                       # its methods that are written in Python
    cdef PyObject* methods[OVERRIDABLE]   # the same by number; NULL: the compiled method is not overridden

    cdef bint truth(self, int method, value) except -1
    cdef int number(self, int method, value, int least, int most) except? -1
