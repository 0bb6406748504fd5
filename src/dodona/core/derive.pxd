from dodona.core.gold cimport Gold
from dodona.core.state cimport State
from dodona.core.system cimport TransitionSystem

cdef int NONE

cpdef State start(TransitionSystem system, int n)
cpdef Gold gold_tree(list heads, list labels)
cpdef State copy(State s)
cpdef bint is_terminal(TransitionSystem system, State s)
cpdef list sites(TransitionSystem system, State s)
cpdef list legal_moves(TransitionSystem system, State s, int site)
cpdef void apply(TransitionSystem system, State s, int move, int site, int label)
cpdef list costs(TransitionSystem system, State s, Gold gold, int site, int remembered)
cpdef list canonical_derivation(TransitionSystem system, Gold gold, moves)
cpdef int derive_treebank(TransitionSystem system, heads, labels, lengths, bint dynamic)

cdef int follow_static(TransitionSystem system, State s, Gold gold) noexcept nogil
cdef int follow_dynamic(TransitionSystem system, State s, Gold gold, int[::1] costs) noexcept nogil
cdef int derive_all(
    TransitionSystem system, State s, Gold gold, const int[::1] heads, const int[::1] labels,
    const int[::1] lengths, bint dynamic, int[::1] costs
) noexcept nogil
