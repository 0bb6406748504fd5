from dodona.transitions.system cimport TransitionSystem

cdef class PythonSystem(TransitionSystem):
    cdef bint interpreted  # the interpreter made its class, so it may define any method
