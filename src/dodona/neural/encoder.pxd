cimport cython
from libc.stdint cimport int8_t, int32_t

from dodona.neural.matrix cimport Matrix, Memory
from dodona.transitions.watch cimport Watch

cdef extern from "gates.h" nogil:
    ctypedef struct Scales "dodona_scales":
        const float* input_scales
        const float* recurrent_scales
        const float* bias

@cython.final
cdef class Direction:
    cdef Matrix input, recurrent
    cdef Scales scales
    cdef tuple arrays                   # what `scales` points to

@cython.final
cdef class Network:
    cdef readonly int inputs
    cdef readonly int width
    cdef readonly int layers
    cdef readonly str kernel
    cdef int kernel_number
    cdef float inverse_scale            # of the inputs
    cdef list directions                # forward and backward of the first layer, then of the next

@cython.final
cdef class Encoder:
    cdef readonly Network network
    cdef Memory inputs                  # prepared rows: the inputs of several time steps, one sentence after the other
    cdef Memory input_sums              # of their products
    cdef Memory states                  # prepared rows: the outputs of the step before
    cdef Memory recurrent_sums          # of their products
    cdef Memory cells
    cdef Watch watch

    cdef int run(
        self, Direction direction, bint backward, const int8_t* inputs, const Py_ssize_t* begins,
        const int32_t* lengths, int sentences, int8_t* outputs
    ) except -1 nogil
    cdef void step(
        self, Direction direction, bint backward, int time, const int32_t* sums, const Py_ssize_t* begins,
        const int32_t* lengths, int active, int8_t* outputs
    ) noexcept nogil

@cython.final
cdef class Dense:
    cdef readonly int inputs
    cdef readonly int outputs
    cdef readonly str kernel
    cdef Matrix matrix
    cdef const float[::1] scales, bias

    cdef void fill(self, const int8_t* rows, Py_ssize_t m, char* prepared, int32_t* sums, float* found) noexcept nogil
