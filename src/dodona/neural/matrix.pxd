cimport cython
from libc.stdint cimport int8_t, int32_t

cdef extern from "products.h" nogil:
    int STRIP "DODONA_STRIP"            # outputs are padded to a multiple of this
    int DEPTH "DODONA_DEPTH"            # and inputs of this
    ctypedef struct PackedMatrix "dodona_matrix":
        int kernel
        int inputs
        int depth
        int outputs
        void* weights
        int32_t* start
    int cell_size "dodona_cell_size" (int kernel)
    void prepare "dodona_prepare" (const PackedMatrix* matrix, const int8_t* row, void* prepared)
    void product "dodona_product" (const PackedMatrix* matrix, const void* prepared, int m, int32_t* sums)

cdef inline int padded(int number, int unit) noexcept nogil:
    return (number + unit - 1) // unit * unit

@cython.final
cdef class Memory:
    cdef char* data                     # zeroed, aligned to a cache line

@cython.final
cdef class Matrix:
    cdef PackedMatrix packed
    cdef Memory weights, start          # what `packed` points to
