from dodona.transitions.system cimport TransitionSystem

cdef class PythonSystem(TransitionSystem):
    pass
