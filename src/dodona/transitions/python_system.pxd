from dodona.transitions.system cimport TransitionSystem

cdef class PythonSystem(TransitionSystem):
    cdef bint interpreted  # the class was created by the interpreter, so it may define any method
