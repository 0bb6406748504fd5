cimport cython
from libc.stdint cimport int16_t, int32_t, uint8_t, uint16_t, uint32_t, uint64_t

@cython.final
cdef class RowPool:
    cdef int actions
    cdef int bits                    # of a pair that are the weight; 16: pairs of 32 bits
    cdef int width                   # of a dense row
    cdef uint64_t* memory            # the rows: units of 8 bytes
    cdef uint32_t[::1] starts        # for each feature the start of its row, with its kind

    cdef int32_t[::1] weights        # of the row that was unpacked last
    cdef int32_t[::1] touched        # and its actions
    cdef uint8_t[::1] is_touched     # whether an action is one of them
    cdef int count                   # number of these

    cdef Py_ssize_t unpack(self, const uint16_t[::1] rows, const int16_t[::1] wide, Py_ssize_t at) noexcept nogil
    cdef inline void add(self, int action, int weight) noexcept nogil
    cdef int kind(self) noexcept nogil
    cdef Py_ssize_t units(self, int kind) noexcept nogil
    cdef void pack(self, int kind, Py_ssize_t unit, Py_ssize_t feature) noexcept nogil
    cdef void clear(self) noexcept nogil
