cimport cython
from libc.stdint cimport int16_t, int32_t, uint16_t, uint32_t, uint64_t

@cython.final
cdef class RowPool:
    cdef int actions
    cdef int bits                    # of a pair that are the weight; 16: pairs of 32 bits
    cdef int step                    # the size of a pair, in units of 16 bits
    cdef int width                   # of a dense row
    cdef uint64_t* memory            # the rows: units of 8 bytes
    cdef uint32_t[::1] starts        # for each feature the start of its row, with its kind
    cdef int32_t[::1] weights        # of the row that was unpacked last; 0 for what fills up a dense row

    cdef int kind(self, const uint16_t* row, const int16_t* wide) noexcept nogil
    cdef void unpack(self, const uint16_t* row, const int16_t* wide) noexcept nogil
    cdef Py_ssize_t units(self, int kind, int pairs) noexcept nogil
    cdef void pack(self, int kind, const uint16_t* row, const int16_t* wide, void* to, Py_ssize_t feature) noexcept nogil
