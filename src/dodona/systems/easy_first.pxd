from dodona.transitions.system cimport TransitionSystem

cdef int LEFT, RIGHT, GONE, STACK, NONE

cdef class EasyFirst(TransitionSystem):
    pass
