from dodona.transitions.gold cimport Gold
from dodona.transitions.state cimport State
from dodona.transitions.system cimport TransitionSystem

cdef int NONE

cpdef State start(TransitionSystem system, int n)
cpdef Gold gold_tree(list heads, list labels)
cpdef State copy(State s)
cpdef list sites(TransitionSystem system, State s)
cpdef list legal_moves(TransitionSystem system, State s, int site)
cpdef list actions(TransitionSystem system)
cpdef list costs(TransitionSystem system, State s, Gold gold, int site, int carried)
cpdef list correct_moves(TransitionSystem system, State s, Gold gold, bint links_too)
cpdef list canonical_derivation(TransitionSystem system, Gold gold, moves)
