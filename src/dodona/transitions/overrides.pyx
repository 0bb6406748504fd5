"""Methods of transition systems that are written in Python: compiled code calls them, and Python calls compiled ones.

A compiled loop runs without the interpreter's lock, so it cannot look whether a method is overridden. Instead a system
says once, when it is made, what such loops have to call: its `dispatch`. This is the system itself, and nothing is
lost. For an object of a class that is written in Python it is an `Overrides`, which calls the methods of that class
with the lock. It passes on exceptions, checks return values, because compiled loops use them as indices, and leaves
methods that are not overridden to the compiled class. So loops call everything by `dispatch`, and a method that is
called for the system itself calls others by `self.dispatch` where they may be overridden.
"""

cimport cython
from cpython.object cimport PyObject
from cpython.type cimport PyType_Modified

from dodona.transitions.gold cimport Gold
from dodona.transitions.state cimport State
from dodona.transitions.system cimport TransitionSystem, Workspace

from dodona.errors import TransitionError
from dodona.transitions.moves import NONE as _NONE
from dodona.transitions.system import MAX_MOVES

cdef extern from "Python.h":
    ctypedef struct Dictionary "PyTypeObject":
        PyObject* tp_dict

cdef int NONE = _NONE
cdef int UNBOUNDED = 2147483646
cdef int HEAP_TYPE = 1 << 9  # flag of a class that was created by the interpreter


# What Python sees of the methods of a compiled system. They never call an override, so an override can call them.


def start(TransitionSystem self, State s not None, int n):
    self.start(s, n)


def is_terminal(TransitionSystem self, State s not None):
    return self.is_terminal(s)


def legal(TransitionSystem self, State s not None, int move, int site):
    return self.legal(s, move, site)


def apply(TransitionSystem self, State s not None, int move, int site, int label):
    self.apply(s, move, site, label)


def head_of(TransitionSystem self, State s not None, int move, int site):
    return self.head_of(s, move, site)


def dependent_of(TransitionSystem self, State s not None, int move, int site):
    return self.dependent_of(s, move, site)


def progress(TransitionSystem self, State s not None):
    return self.progress(s)


def next_site(TransitionSystem self, State s not None, int site):
    return self.next_site(s, site)


def reopened_site(TransitionSystem self, State s not None):
    return self.reopened_site(s)


def cost(TransitionSystem self, State s not None, Gold gold not None, int move, int site):
    return self.cost(s, gold, move, site)


def penalty(TransitionSystem self, State s not None, Gold gold not None, int move, int site, Workspace work not None):
    return self.penalty(s, gold, move, site, work)


def prefers(TransitionSystem self, State s not None, Gold gold not None, int move, int label):
    return self.prefers(s, gold, move, label)


def reaches(TransitionSystem self, State s not None, Gold gold not None, Workspace work not None):
    return self.reaches(s, gold, work)


def correct_moves(TransitionSystem self, State s not None, Gold gold not None, Workspace work not None, bint links_too):
    return self.correct_moves(s, gold, work, links_too)


def canonical(TransitionSystem self, State s not None, Gold gold not None, int site):
    return self.canonical(s, gold, site)


cdef enum:
    START, IS_TERMINAL, LEGAL, APPLY, HEAD_OF, DEPENDENT_OF, PROGRESS, NEXT_SITE, REOPENED_SITE
    COST, PENALTY, PREFERS, REACHES, CORRECT_MOVES, CANONICAL
    OVERRIDABLE  # how many they are

METHODS = (  # in the order of these numbers
    start, is_terminal, legal, apply, head_of, dependent_of, progress, next_site, reopened_site,
    cost, penalty, prefers, reaches, correct_moves, canonical,
)
NEEDED = METHODS[:6]
for _method in METHODS:
    (<dict> (<Dictionary*> TransitionSystem).tp_dict)[_method.__name__] = _method
PyType_Modified(TransitionSystem)


def dispatch_of(TransitionSystem system not None):
    """Return what compiled loops call: the system itself, unless its class is written in Python."""
    kind = type(system)
    if kind is not TransitionSystem and not kind.__flags__ & HEAP_TYPE:
        return system
    compiled = next(base for base in kind.__mro__ if not base.__flags__ & HEAP_TYPE)
    lacking = [method.__name__ for method in NEEDED if getattr(kind, method.__name__) is method]
    if compiled is TransitionSystem and lacking:
        needed = f"every system needs {', '.join(method.__name__ for method in NEEDED)}"
        raise TypeError(
            f"{kind.__name__} does not define {', '.join(lacking)}; {needed}, and cost and canonical for its oracles"
        )
    return Overrides(system)


@cython.final
cdef class Overrides(TransitionSystem):
    """Passes the calls of compiled loops on to a system, and to methods in Python wherever its class has them."""

    cdef TransitionSystem system          # the object of the Python class
    cdef list bound                       # its methods that are written in Python
    cdef PyObject* methods[OVERRIDABLE]   # the same by number; NULL: the compiled method is not overridden

    def __init__(self, TransitionSystem system):
        self.system = system
        self.dispatch = self
        self.bound = []
        for i, method in enumerate(METHODS):
            self.methods[i] = NULL
            if getattr(type(system), method.__name__) is not method:
                self.bound.append(getattr(system, method.__name__))
                self.methods[i] = <PyObject*> self.bound[len(self.bound) - 1]

    cdef int update(self) except -1:
        """Copy the fields, which constructors set after that of the base class has run."""
        self.labels, self.single_root = self.system.labels, self.system.single_root
        self.plain, self.moves, self.first = self.system.plain, self.system.moves, self.system.first
        self.actions, self.has_sites = self.system.actions, self.system.has_sites
        self.has_preferences, self.carried_move = self.system.has_preferences, self.system.carried_move
        return 0

    cdef bint truth(self, int method, value) except -1:
        """Check the truth value that a method returned; None means that a `return` is missing."""
        if value is None:
            raise TypeError(f"{self.name(method)} gave None; expected True or False")
        return bool(value)

    cdef int number(self, int method, value, int least, int most) except? -1:
        """Check that a method returned a number from `least` to `most`."""
        if not isinstance(value, int):
            raise TypeError(f"{self.name(method)} gave {value!r}; expected a number")
        if not least <= value <= most:
            raise ValueError(f"{self.name(method)} gave {value}; expected a number from {least} to {most}")
        return value

    def name(self, int method):
        """Return the name of a method with that of its class."""
        return f"{type(self.system).__name__}.{METHODS[method].__name__}"

    cdef int start(self, State s, int n) except -1 nogil:
        if self.methods[START] == NULL:
            return self.system.start(s, n)
        with gil:
            (<object> self.methods[START])(s, n)
        return 0

    cdef bint is_terminal(self, State s) except -1 nogil:
        if self.methods[IS_TERMINAL] == NULL:
            return self.system.is_terminal(s)
        with gil:
            return self.truth(IS_TERMINAL, (<object> self.methods[IS_TERMINAL])(s))

    cdef bint legal(self, State s, int move, int site) except -1 nogil:
        if self.methods[LEGAL] == NULL:
            return self.system.legal(s, move, site)
        with gil:
            return self.truth(LEGAL, (<object> self.methods[LEGAL])(s, move, site))

    cdef int apply(self, State s, int move, int site, int label) except -1 nogil:
        if not self.legal(s, move, site):
            with gil:
                kind = type(self.system).__name__
                raise TransitionError(f"{kind} is to take move {move}, which it says is not legal here")
        if self.methods[APPLY] == NULL:
            return self.system.apply(s, move, site, label)
        with gil:
            (<object> self.methods[APPLY])(s, move, site, label)
        return 0

    cdef int head_of(self, State s, int move, int site) except -1 nogil:
        if self.methods[HEAD_OF] == NULL:
            return self.system.head_of(s, move, site)
        with gil:
            return self.number(HEAD_OF, (<object> self.methods[HEAD_OF])(s, move, site), 0, s.n + 1)

    cdef int dependent_of(self, State s, int move, int site) except -1 nogil:
        if self.methods[DEPENDENT_OF] == NULL:
            return self.system.dependent_of(s, move, site)
        with gil:
            return self.number(DEPENDENT_OF, (<object> self.methods[DEPENDENT_OF])(s, move, site), 0, s.n + 1)

    cdef int progress(self, State s) except -1 nogil:
        if self.methods[PROGRESS] == NULL:
            return self.system.progress(s)
        with gil:
            return self.number(PROGRESS, (<object> self.methods[PROGRESS])(s), 0, UNBOUNDED)

    cdef int next_site(self, State s, int site) except -2 nogil:
        if self.methods[NEXT_SITE] == NULL:
            return self.system.next_site(s, site)
        with gil:
            return self.number(NEXT_SITE, (<object> self.methods[NEXT_SITE])(s, site), NONE, s.n)

    cdef int reopened_site(self, State s) except -2 nogil:
        if self.methods[REOPENED_SITE] == NULL:
            return self.system.reopened_site(s)
        with gil:
            return self.number(REOPENED_SITE, (<object> self.methods[REOPENED_SITE])(s), NONE, s.n)

    cdef int cost(self, State s, Gold gold, int move, int site) except? -1 nogil:
        if self.methods[COST] == NULL:
            return self.system.cost(s, gold, move, site)
        with gil:
            return self.number(COST, (<object> self.methods[COST])(s, gold, move, site), 0, UNBOUNDED)

    cdef int penalty(self, State s, Gold gold, int move, int site, Workspace work) except? -1 nogil:
        if self.methods[PENALTY] == NULL:
            return self.system.penalty(s, gold, move, site, work)
        with gil:
            return self.number(PENALTY, (<object> self.methods[PENALTY])(s, gold, move, site, work), 0, UNBOUNDED)

    cdef bint prefers(self, State s, Gold gold, int move, int label) except -1 nogil:
        if self.methods[PREFERS] == NULL:
            return self.system.prefers(s, gold, move, label)
        with gil:
            return self.truth(PREFERS, (<object> self.methods[PREFERS])(s, gold, move, label))

    cdef bint reaches(self, State s, Gold gold, Workspace work) except -1 nogil:
        if self.methods[REACHES] == NULL:
            return self.system.reaches(s, gold, work)
        with gil:
            return self.truth(REACHES, (<object> self.methods[REACHES])(s, gold, work))

    cdef int correct_moves(self, State s, Gold gold, Workspace work, bint links_too) except -1 nogil:
        if self.methods[CORRECT_MOVES] == NULL:
            return self.system.correct_moves(s, gold, work, links_too)
        with gil:
            moves = (<object> self.methods[CORRECT_MOVES])(s, gold, work, links_too)
            return self.number(CORRECT_MOVES, moves, 0, UNBOUNDED)

    cdef int canonical(self, State s, Gold gold, int site) except -2 nogil:
        if self.methods[CANONICAL] == NULL:
            return self.system.canonical(s, gold, site)
        with gil:
            return self.number(CANONICAL, (<object> self.methods[CANONICAL])(s, gold, site), NONE, MAX_MOVES - 1)

    cdef int penalties(self, State s, Gold gold, int site, int carried, Workspace work, int[::1] out) except -1 nogil:
        return self.system.penalties(s, gold, site, carried, work, out)

    cdef int dead_end(self, State s) except -1 with gil:
        return self.system.dead_end(s)

    cdef int unknown_canonical(self) except -2 with gil:
        return self.system.unknown_canonical()
