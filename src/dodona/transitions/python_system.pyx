"""Transition systems written in Python, for trying ideas out: the compiled loops call their methods, slowly.

    class Mine(PythonSystem):
        def start(self, s, n): ...
        def is_terminal(self, s): ...
        def legal(self, s, move, site): ...
        def apply(self, s, move, site, label): ...
        def head_of(self, s, move, site): ...
        def dependent_of(self, s, move, site): ...
        def cost(self, s, gold, move, site): ...
        def canonical(self, s, gold, site): ...

The methods are those of `TransitionSystem`, whose file says what each means; a method that is not defined does what it
does there. Errors come out where the search or the training was asked for.
"""

from dodona.transitions.gold cimport Gold
from dodona.transitions.state cimport State
from dodona.transitions.system cimport TransitionSystem
from dodona.transitions.workspace cimport Workspace


cdef class PythonSystem(TransitionSystem):
    """What the compiled loops ask of the system, they ask of the Python object."""

    cdef int start(self, State s, int n) except -1 nogil:
        with gil:
            (<object> self).start(s, n)
        return 0

    cdef bint is_terminal(self, State s) except -1 nogil:
        with gil:
            return (<object> self).is_terminal(s)

    cdef bint legal(self, State s, int move, int site) except -1 nogil:
        with gil:
            return (<object> self).legal(s, move, site)

    cdef int apply(self, State s, int move, int site, int label) except -1 nogil:
        with gil:
            (<object> self).apply(s, move, site, label)
        return 0

    cdef int head_of(self, State s, int move, int site) except -1 nogil:
        with gil:
            return (<object> self).head_of(s, move, site)

    cdef int dependent_of(self, State s, int move, int site) except -1 nogil:
        with gil:
            return (<object> self).dependent_of(s, move, site)

    cdef int next_site(self, State s, int site) except -2 nogil:
        with gil:
            if hasattr(self, "next_site"):
                return (<object> self).next_site(s, site)
        return TransitionSystem.next_site(self, s, site)

    cdef int reopened_site(self, State s) except -2 nogil:
        with gil:
            if hasattr(self, "reopened_site"):
                return (<object> self).reopened_site(s)
        return TransitionSystem.reopened_site(self, s)

    cdef int cost(self, State s, Gold gold, int move, int site) except? -1 nogil:
        with gil:
            return (<object> self).cost(s, gold, move, site)

    cdef int penalty(self, State s, Gold gold, int move, int site, Workspace work) except? -1 nogil:
        with gil:
            if hasattr(self, "penalty"):
                return (<object> self).penalty(s, gold, move, site, work)
        return self.cost(s, gold, move, site)

    cdef bint prefers(self, State s, Gold gold, int move, int label) except -1 nogil:
        with gil:
            if hasattr(self, "prefers"):
                return (<object> self).prefers(s, gold, move, label)
        return TransitionSystem.prefers(self, s, gold, move, label)

    cdef bint reaches(self, State s, Gold gold, Workspace work) except -1 nogil:
        with gil:
            if hasattr(self, "reaches"):
                return (<object> self).reaches(s, gold, work)
        return TransitionSystem.reaches(self, s, gold, work)

    cdef int correct_moves(self, State s, Gold gold, Workspace work, bint links_too) except -1 nogil:
        with gil:
            if hasattr(self, "correct_moves"):
                return (<object> self).correct_moves(s, gold, work, links_too)
        return TransitionSystem.correct_moves(self, s, gold, work, links_too)

    cdef int canonical(self, State s, Gold gold, int site) except -2 nogil:
        with gil:
            return (<object> self).canonical(s, gold, site)
