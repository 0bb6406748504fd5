"""Weights of 8 bits, packed for the kernel that multiplies them, and the checks of arrays from a model file."""

import numpy as np

from libc.stdint cimport int8_t, int32_t

cdef extern from "rows.h" nogil:
    void* dodona_allocate(size_t size)
    void dodona_free(void* memory)

cdef extern from "products.h" nogil:
    bint dodona_can_run(int kernel)
    void dodona_pack(const PackedMatrix* matrix, int output, const int8_t* weights)

KERNELS = ("portable", "avx2", "avx512vnni")  # by number, the fastest last
MOST_INPUTS = 100_000  # with more, a sum of products might not fit 32 bits


def kernels():
    """Return the names of the kernels that this machine can run, the fastest first."""
    return [name for number, name in reversed(list(enumerate(KERNELS))) if dodona_can_run(number)]


def kernel_number(kernel):
    """Return the number of this kernel, or of the fastest one."""
    possible = kernels()
    if kernel is None:
        kernel = possible[0]
    if kernel not in possible:
        raise ValueError(f"expected a kernel that this machine can run ({', '.join(possible)}), found {kernel!r}")
    return KERNELS.index(kernel)


def checked(name, array, dtype, size):
    """Return the array if it is as a model must have it: one-dimensional, of this type and size, all finite."""
    if not isinstance(array, np.ndarray) or array.dtype != dtype or array.shape != (size,):
        found = f"{array.dtype} {list(array.shape)}" if isinstance(array, np.ndarray) else type(array).__name__
        raise ValueError(f"{name}: expected an array {np.dtype(dtype)} [{size}], found {found}")
    if dtype == np.float32 and not np.isfinite(array).all():
        raise ValueError(f"{name}: expected finite numbers, found {array[~np.isfinite(array)][0]}")
    return np.ascontiguousarray(array)


def check_size(name, value, most):
    if not 1 <= value <= most:
        raise ValueError(f"{name}: expected a number from 1 to {most}, found {value}")


cdef class Memory:
    def __cinit__(self, size_t size):
        self.data = <char*> dodona_allocate(size)
        if self.data == NULL:
            raise MemoryError

    def __dealloc__(self):
        dodona_free(self.data)


cdef class Matrix:
    """Weights [outputs, inputs] packed for a kernel. The outputs are in `parts` of the same size, each padded."""

    def __init__(self, const int8_t[::1] weights, int inputs, int parts, int kernel):
        cdef int outputs = weights.shape[0] // inputs, size = outputs // parts, n
        cdef Py_ssize_t cells
        self.packed.kernel = kernel
        self.packed.inputs = inputs
        self.packed.depth = padded(inputs, DEPTH)
        self.packed.outputs = parts * padded(size, STRIP)
        cells = <Py_ssize_t> self.packed.outputs * self.packed.depth
        self.weights = Memory(cells * cell_size(kernel))
        self.start = Memory(self.packed.outputs * sizeof(int32_t))
        self.packed.weights = self.weights.data
        self.packed.start = <int32_t*> self.start.data
        for n in range(outputs):
            dodona_pack(&self.packed, n // size * padded(size, STRIP) + n % size, &weights[<Py_ssize_t> n * inputs])
