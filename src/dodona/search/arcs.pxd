from dodona.transitions.state cimport State

cdef tuple arcs_of(State s)
