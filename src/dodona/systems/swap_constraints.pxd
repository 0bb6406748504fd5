cimport cython

from dodona.systems.arc_standard cimport ArcStandard
from dodona.transitions.gold cimport Gold
from dodona.transitions.state cimport State
from dodona.transitions.system cimport Workspace

cdef int SHIFT, LEFT, RIGHT, SWAP, NONE
cdef int EFFORT, UNLIMITED, WORK

@cython.final
cdef class SwapConstraints:
    cdef bint single_root  # exactly one word is attached to ROOT

    @cython.locals(first=cython.int, move=cython.int, penalty=cython.int)
    cdef int penalties(
        self, ArcStandard system, State s, Gold gold, int site, int carried, Workspace work, int[::1] out
    ) except -1 nogil
    cdef bint follows(self, ArcStandard system, State s, Gold gold, int move, int first, Workspace work) except -1 nogil
    cdef int penalty(self, ArcStandard system, State s, Gold gold, int move, int site, Workspace work) except? -1 nogil
    @cython.locals(depth=cython.int, floor=cython.int, effort=cython.int)
    cdef bint is_open(self, State s, Gold gold, int move, int removed, Workspace work) noexcept nogil
    @cython.locals(count=cython.int, depth=cython.int)
    cdef int list_words(self, State s, int move, int removed, Workspace work) noexcept nogil
    @cython.locals(count=cython.int, highest=cython.int, vehicle=cython.int, k=cython.int)
    cdef int gather(self, State s, Gold gold, int removed, int depth, Workspace work) noexcept nogil
    @cython.locals(left=cython.int)
    cdef int floor(self, int[::1] words, int depth, int vehicle, Workspace work) noexcept nogil
    @cython.locals(q=cython.int, h=cython.int)
    cdef bint arrange(self, Gold gold, Workspace work) noexcept nogil
    cdef void expect(self, Gold gold, Workspace work) noexcept nogil
    @cython.locals(size=cython.int)
    cdef bint is_expected(self, State s, Gold gold, Workspace work) noexcept nogil
    @cython.locals(t=cython.int, swapped=cython.bint)
    cdef int next_move(self, State s, Gold gold, Workspace work) noexcept nogil
    @cython.locals(end=cython.int, t=cython.int, b=cython.int, frontier=cython.int, unsettled=cython.int)
    cdef bint builds(self, Gold gold, int depth, int effort, Workspace work) noexcept nogil
    @cython.locals(linked=cython.bint, turned=cython.bint)
    cdef void lay_out(self, int depth, Workspace work) noexcept nogil
    @cython.locals(b=cython.int, q=cython.int)
    cdef void unlink(self, State state, int p) noexcept nogil
    @cython.locals(q=cython.int)
    cdef void link(self, State state, int p, int b) noexcept nogil
    cdef int budget(self, int n) noexcept nogil
    @cython.locals(budget=cython.int, nobody=cython.int, move=cython.int, h=cython.int)
    cdef bint leads_on(self, ArcStandard system, State s, Gold gold, Workspace work) except -1 nogil
    @cython.locals(t=cython.int, b=cython.int, f=cython.int, nobody=cython.int, swappable=cython.bint)
    cdef int step(self, ArcStandard system, State s, Gold gold, Workspace work) except -2 nogil
    @cython.locals(
        count=cython.int, chosen=cython.int, least=cython.int, obstacles=cython.int, i=cython.int, k=cython.int
    )
    cdef bint can_untangle(self, State s, Gold gold, Workspace work) noexcept nogil
    @cython.locals(d=cython.int, h=cython.int, j=cython.int, past=cython.int)
    cdef int obstacles(self, State s, Gold gold, int i, Workspace work) noexcept nogil
    @cython.locals(
        d=cython.int, h=cython.int, j=cython.int, left=cython.int, right=cython.int, back=cython.int, p=cython.int,
        q=cython.int, k=cython.int
    )
    cdef int take_out(self, State s, Gold gold, int i, int count, Workspace work) noexcept nogil
