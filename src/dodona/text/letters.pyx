"""A word as the numbers of its characters, which compiled loops read one by one."""

from libc.stdint cimport uint32_t
from libc.stdlib cimport free, realloc

cdef extern from "Python.h":
    uint32_t* PyUnicode_AsUCS4(object text, uint32_t* codes, Py_ssize_t room, int with_null) except NULL


cdef class Letters:
    """The word read last; the memory is used for one word after the other."""

    def __cinit__(self):
        self.make_room(64)

    def __dealloc__(self):
        free(self.codes)

    cdef int make_room(self, Py_ssize_t room) except -1 nogil:
        if room > 0x3FFFFFFF:
            raise MemoryError("a word of more than a gigabyte")
        cdef uint32_t* codes = <uint32_t*> realloc(self.codes, 2 * room * sizeof(uint32_t))
        if codes == NULL:
            raise MemoryError
        self.codes, self.room = codes, 2 * <int> room
        return 0

    cdef int read_string(self, str text) except -1:
        cdef Py_ssize_t size = len(text)
        if size > self.room:
            self.make_room(size)
        if size > 0:
            PyUnicode_AsUCS4(text, self.codes, size, 0)
        self.size = <int> size
        return 0

    cdef void lower(self) noexcept nogil:
        """Lowercase each character by itself: the length stays the same."""
        cdef int i
        for i in range(self.size):
            self.codes[i] = lowered(self.codes[i])
