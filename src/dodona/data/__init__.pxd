cdef extern from "Python.h":
    void* PyTuple_GET_ITEM(void* items, Py_ssize_t i) noexcept nogil

cdef inline void* item(tuple items, Py_ssize_t i) noexcept nogil:
    """Return an item for a batch that is processed without the interpreter's lock: the tuple keeps it alive, and cannot
    change meanwhile."""
    return PyTuple_GET_ITEM(<void*> items, i)
