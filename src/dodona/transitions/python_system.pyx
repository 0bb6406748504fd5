"""Transition systems written in Python, for experiments: the compiled loops call their methods, slowly.

    class Mine(PythonSystem):
        def start(self, s, n): ...
        def is_terminal(self, s): ...
        def legal(self, s, move, site): ...
        def apply(self, s, move, site, label): ...
        def head_of(self, s, move, site): ...
        def dependent_of(self, s, move, site): ...
        def cost(self, s, gold, move, site): ...       # for the dynamic oracle
        def canonical(self, s, gold, site): ...        # for the static oracle

The methods are those of `TransitionSystem`, which documents them; its other methods are inherited. Exceptions are
passed on to the caller of search or training. Return values are checked, because compiled loops use them as indices.

The same file may be compiled later: with its own .pxd the class is as fast as those that come with Dodona.
"""

from dodona.errors import TransitionError
from dodona.transitions.gold cimport Gold
from dodona.transitions.moves import NONE as _NONE
from dodona.transitions.state cimport State
from dodona.transitions.system cimport TransitionSystem
from dodona.transitions.system import HEAP_TYPE
from dodona.transitions.workspace cimport Workspace

cdef int NONE = _NONE
cdef int MOST = 2147483646

NEEDED = ("start", "is_terminal", "legal", "apply", "head_of", "dependent_of")


cdef bint truth(system, str method, found) except -1:
    """Check the truth value that a method returned; None means that a `return` is missing."""
    if found is None:
        raise TypeError(f"{type(system).__name__}.{method} gave None; expected True or False")
    return bool(found)


cdef int number(system, str method, found, int least, int most) except? -1:
    """Check that a method returned a number from `least` to `most`."""
    if not isinstance(found, int):
        raise TypeError(f"{type(system).__name__}.{method} gave {found!r}; expected a number")
    if not least <= found <= most:
        raise ValueError(f"{type(system).__name__}.{method} gave {found}; expected a number from {least} to {most}")
    return found


cdef class PythonSystem(TransitionSystem):
    """Passes the calls of the compiled loops on to the methods of the Python object."""

    def __cinit__(self, *arguments, **options):
        kind = type(self)
        self.interpreted = kind is PythonSystem or kind.__flags__ & HEAP_TYPE != 0
        lacking = [name for name in NEEDED if self.interpreted and not hasattr(kind, name)]
        if lacking:
            needed = f"every system needs {', '.join(NEEDED)}, and cost and canonical for its oracles"
            raise TypeError(f"{kind.__name__} does not define {', '.join(lacking)}; {needed}")

    cdef int start(self, State s, int n) except -1 nogil:
        with gil:
            (<object> self).start(s, n)
        return 0

    cdef bint is_terminal(self, State s) except -1 nogil:
        with gil:
            return truth(self, "is_terminal", (<object> self).is_terminal(s))

    cdef bint legal(self, State s, int move, int site) except -1 nogil:
        with gil:
            return truth(self, "legal", (<object> self).legal(s, move, site))

    cdef int apply(self, State s, int move, int site, int label) except -1 nogil:
        with gil:
            if not (<object> self).legal(s, move, site):
                raise TransitionError(f"{type(self).__name__} is to take move {move}, which it says is not legal here")
            (<object> self).apply(s, move, site, label)
        return 0

    cdef int head_of(self, State s, int move, int site) except -1 nogil:
        with gil:
            return number(self, "head_of", (<object> self).head_of(s, move, site), 0, s.n + 1)

    cdef int dependent_of(self, State s, int move, int site) except -1 nogil:
        with gil:
            return number(self, "dependent_of", (<object> self).dependent_of(s, move, site), 0, s.n + 1)

    cdef int progress(self, State s) except -1 nogil:
        if self.interpreted:
            with gil:
                if hasattr(self, "progress"):
                    return number(self, "progress", (<object> self).progress(s), 0, MOST)
        return TransitionSystem.progress(self, s)

    cdef int next_site(self, State s, int site) except -2 nogil:
        if self.interpreted:
            with gil:
                if hasattr(self, "next_site"):
                    return number(self, "next_site", (<object> self).next_site(s, site), NONE, s.n)
        return TransitionSystem.next_site(self, s, site)

    cdef int reopened_site(self, State s) except -2 nogil:
        if self.interpreted:
            with gil:
                if hasattr(self, "reopened_site"):
                    return number(self, "reopened_site", (<object> self).reopened_site(s), NONE, s.n)
        return TransitionSystem.reopened_site(self, s)

    cdef int cost(self, State s, Gold gold, int move, int site) except? -1 nogil:
        with gil:
            if hasattr(self, "cost"):
                return number(self, "cost", (<object> self).cost(s, gold, move, site), 0, MOST)
        return TransitionSystem.cost(self, s, gold, move, site)

    cdef int penalty(self, State s, Gold gold, int move, int site, Workspace work) except? -1 nogil:
        if self.interpreted:
            with gil:
                if hasattr(self, "penalty"):
                    return number(self, "penalty", (<object> self).penalty(s, gold, move, site, work), 0, MOST)
        return self.cost(s, gold, move, site)

    cdef bint prefers(self, State s, Gold gold, int move, int label) except -1 nogil:
        if self.interpreted:
            with gil:
                if hasattr(self, "prefers"):
                    return truth(self, "prefers", (<object> self).prefers(s, gold, move, label))
        return TransitionSystem.prefers(self, s, gold, move, label)

    cdef bint reaches(self, State s, Gold gold, Workspace work) except -1 nogil:
        if self.interpreted:
            with gil:
                if hasattr(self, "reaches"):
                    return truth(self, "reaches", (<object> self).reaches(s, gold, work))
        return TransitionSystem.reaches(self, s, gold, work)

    cdef int correct_moves(self, State s, Gold gold, Workspace work, bint links_too) except -1 nogil:
        if self.interpreted:
            with gil:
                if hasattr(self, "correct_moves"):
                    found = (<object> self).correct_moves(s, gold, work, links_too)
                    return number(self, "correct_moves", found, 0, MOST)
        return TransitionSystem.correct_moves(self, s, gold, work, links_too)

    cdef int canonical(self, State s, Gold gold, int site) except -2 nogil:
        with gil:
            if hasattr(self, "canonical"):
                return number(self, "canonical", (<object> self).canonical(s, gold, site), NONE, 30)
        return TransitionSystem.canonical(self, s, gold, site)
