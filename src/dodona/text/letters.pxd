cimport cython
from libc.stdint cimport uint32_t

from dodona.data.values cimport decoded

cdef extern from "Python.h":
    uint32_t Py_UNICODE_TOLOWER(uint32_t code) nogil

@cython.final
cdef class Letters:
    cdef uint32_t* codes
    cdef int size
    cdef int room

    cdef int make_room(self, Py_ssize_t room) except -1 nogil
    cdef int read_string(self, str text) except -1
    cdef void lower(self) noexcept nogil

    cdef inline int read(self, const char* text, int size) except -1 nogil:
        """Take the characters of UTF-8."""
        if size > self.room:
            self.make_room(size)
        self.size = decoded(text, size, self.codes)
        return 0

cdef inline uint32_t lowered(uint32_t code) noexcept nogil:
    if code < 128:
        return code + 32 * (65 <= code <= 90)
    return Py_UNICODE_TOLOWER(code)
