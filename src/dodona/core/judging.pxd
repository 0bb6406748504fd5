cimport cython

from dodona.core.gold cimport Gold
from dodona.core.state cimport State
from dodona.core.system cimport TransitionSystem
from dodona.systems.nonmonotonic cimport NonMonotonic

@cython.final
cdef class Judge:
    cdef readonly TransitionSystem system
    cdef readonly int[::1] costs    # of the actions at the site judged last; NONE: not legal
    cdef int policy                 # STATIC, ORACLE_SET or COSTS
    cdef bint links_too             # swap-standard's ND-ALL, not ND-SW
    cdef bint joint                 # non-monotonic: prefer what the monotonic oracle allows
    cdef int[::1] unfit             # labels that no arc of the gold tree may carry; empty if all may
    cdef State work

    cdef void judge(
        self, TransitionSystem system, State s, Gold gold, int site, int planned, int remembered
    ) noexcept nogil
    cdef void prefer_monotonic(self, NonMonotonic system, State s, Gold gold) noexcept nogil
    cdef void avoid_unfit(self, TransitionSystem system, State s, Gold gold, int site) noexcept nogil
