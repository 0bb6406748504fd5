from dodona.transitions.gold cimport Gold
from dodona.transitions.state cimport State
from dodona.transitions.system cimport TransitionSystem

cdef int NONE

cpdef State start(TransitionSystem system, int n)
cpdef Gold gold_tree(list heads, list labels)
cpdef State copy(State s)
cpdef bint is_terminal(TransitionSystem system, State s) except -1
cpdef int progress(TransitionSystem system, State s) except -1
cpdef list sites(TransitionSystem system, State s)
cpdef bint is_legal(TransitionSystem system, State s, int move, int site) except -1
cpdef list legal_moves(TransitionSystem system, State s, int site)
cpdef int apply(TransitionSystem system, State s, int move, int site, int label) except -1
cpdef int head_of(TransitionSystem system, State s, int move, int site) except -1
cpdef int dependent_of(TransitionSystem system, State s, int move, int site) except -1
cpdef list actions(TransitionSystem system)
cpdef int cost(TransitionSystem system, State s, Gold gold, int move, int site) except? -1
cpdef list costs(TransitionSystem system, State s, Gold gold, int site, int carried)
cpdef bint prefers(TransitionSystem system, State s, Gold gold, int move, int label) except -1
cpdef list correct_moves(TransitionSystem system, State s, Gold gold, bint links_too)
cpdef int canonical(TransitionSystem system, State s, Gold gold, int site) except -2
cpdef list canonical_derivation(TransitionSystem system, Gold gold, moves)
cpdef int derive_treebank(TransitionSystem system, heads, labels, lengths, bint dynamic) except -1

cdef int follow_static(TransitionSystem system, State s, Gold gold) except -1 nogil
cdef int follow_dynamic(TransitionSystem system, State s, Gold gold, int[::1] costs) except -1 nogil
cdef int derive_all(
    TransitionSystem system, State s, Gold gold, const int[::1] heads, const int[::1] labels,
    const int[::1] lengths, bint dynamic, int[::1] costs
) except -1 nogil
