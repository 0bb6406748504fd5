"""The rows of frozen weights in memory, arranged for speed.

A model file has sparse rows of any length and wide ones. In memory, rows have the kinds of `sums.h`: rows of few pairs
are filled up to four or eight, with weights of 0, and rows of many pairs are dense, with 8 bits for each action, or with
16 where a weight needs them. Dense rows come first: they are few, used most, and stay in the cache together.
"""

from array import array

import numpy as np

from libc.stdint cimport int16_t, int32_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

cdef extern from "sums.h" nogil:
    void* dodona_allocate(size_t size)
    void dodona_free(void* memory)
    uint16_t dodona_pair_weights(int first, int second)
    int BLOCK "DODONA_BLOCK"
    int HALF "DODONA_HALF"
    int KIND_BITS "DODONA_KIND_BITS"
    int FOUR "DODONA_FOUR_PAIRS"
    int EIGHT "DODONA_EIGHT_PAIRS"
    int MANY "DODONA_MANY_PAIRS"
    int DENSE "DODONA_DENSE"
    int WIDE "DODONA_WIDE"
    int KINDS "DODONA_KINDS"

cdef int WIDE_ROW = 0xFFFF  # in a model file: instead of the number of pairs
cdef int DENSE_FROM = 16    # rows of more than 8 pairs are dense if they have a pair for each 16 actions
cdef int UNIT = 8


cdef class RowPool:
    """Made from the arrays `rows` and `wide` of a model file with this many features."""

    def __init__(self, int actions, int bits, Py_ssize_t features, const uint16_t[::1] rows, const int16_t[::1] wide):
        cdef Py_ssize_t i, at = 0, total = 0
        cdef int kind
        cdef Py_ssize_t[::1] sizes = np.zeros(KINDS, np.intp)
        cdef const int16_t* wide_rows = &wide[0] if wide.shape[0] else NULL
        self.actions, self.bits, self.step = actions, bits, 2 if bits == 16 else 1
        self.width = (actions + BLOCK - 1) // BLOCK * BLOCK
        self.weights = array("i", bytes(4 * self.width))
        self.starts = array("I", bytes(4 * max(1, features)))
        for i in range(features):
            kind = self.starts[i] = self.kind(&rows[at], wide_rows)
            sizes[kind] += self.units(kind, rows[at])
            at += self.step * (3 if rows[at] == WIDE_ROW else 1 + rows[at])
        for kind in (DENSE, WIDE, MANY, EIGHT, FOUR):
            total, sizes[kind] = total + sizes[kind], total
        if total >> (32 - KIND_BITS):
            raise MemoryError
        self.memory = <uint64_t*> dodona_allocate(total * UNIT + UNIT)
        if self.memory == NULL:
            raise MemoryError
        at = 0
        for i in range(features):
            kind = self.starts[i]
            self.pack(kind, &rows[at], wide_rows, &self.memory[sizes[kind]], i)
            self.starts[i] = sizes[kind] << KIND_BITS | kind
            sizes[kind] += self.units(kind, rows[at])
            at += self.step * (3 if rows[at] == WIDE_ROW else 1 + rows[at])

    def __dealloc__(self):
        dodona_free(self.memory)

    def kinds(self):
        """Return the number of rows of each kind, for tests."""
        return np.bincount(np.asarray(self.starts) & ((1 << KIND_BITS) - 1), minlength=KINDS).tolist()

    cdef int kind(self, const uint16_t* row, const int16_t* wide) noexcept nogil:
        """Return the kind for a row of a model file."""
        cdef int i, least = 0, most = 0, size = row[0]
        if size != WIDE_ROW and (size <= 8 or DENSE_FROM * size <= self.width):
            return FOUR if size <= 4 else EIGHT if size <= 8 else MANY
        self.unpack(row, wide)
        for i in range(self.actions):
            least, most = min(least, self.weights[i]), max(most, self.weights[i])
        return WIDE if least < -128 or most > 127 else DENSE

    cdef void unpack(self, const uint16_t* row, const int16_t* wide) noexcept nogil:
        """Write the weights of a row of a model file into `weights`."""
        cdef int i, size = row[0]
        cdef int32_t* weights = &self.weights[0]
        if size == WIDE_ROW:
            wide += (row[self.step] | <Py_ssize_t> row[2 * self.step] << 16) * self.actions
            for i in range(self.actions):
                weights[i] = wide[i]
            return
        for i in range(self.actions):
            weights[i] = 0
        for i in range(1, size + 1):
            if self.step == 2:
                weights[row[2 * i]] += <int16_t> row[2 * i + 1]
            else:
                weights[row[i] >> self.bits] += <int16_t> (row[i] << (16 - self.bits)) >> (16 - self.bits)

    cdef Py_ssize_t units(self, int kind, int pairs) noexcept nogil:
        """Return how many units of memory a row takes."""
        if kind == DENSE:
            return self.width // UNIT
        if kind == WIDE:
            return (self.actions * 2 + UNIT - 1) // UNIT
        if kind == MANY:
            return ((1 + pairs) * self.step * 2 + UNIT - 1) // UNIT
        return (4 if kind == FOUR else 8) * self.step * 2 // UNIT

    cdef void pack(self, int kind, const uint16_t* row, const int16_t* wide, void* to, Py_ssize_t feature) noexcept nogil:
        """Copy a row of a model file."""
        cdef int i, action, size = row[0]
        if kind == MANY:
            memcpy(to, row, (1 + size) * self.step * sizeof(uint16_t))
        elif kind == DENSE:
            self.unpack(row, wide)
            for i in range(self.width // 2):
                action = i // HALF * BLOCK + i % HALF
                (<uint16_t*> to)[i] = dodona_pair_weights(self.weights[action], self.weights[action + HALF])
        elif kind == WIDE:
            self.unpack(row, wide)
            for i in range(self.actions):
                (<int16_t*> to)[i] = self.weights[i]
        else:
            memcpy(to, row + self.step, size * self.step * sizeof(uint16_t))
            for i in range(size, 4 if kind == FOUR else 8):
                action = (feature + i) % self.actions  # additions to different actions do not wait for each other
                if self.step == 2:
                    (<uint32_t*> to)[i] = action
                else:
                    (<uint16_t*> to)[i] = action << self.bits
