"""The rows of frozen weights in memory, arranged for speed.

A model file has sparse rows of any length and wide ones. In memory, rows have the kinds of `sums.h`: rows of few pairs
are filled up to four or eight, with weights of 0, and rows of many pairs are dense, with 8 bits for each action, or with
16 where a weight needs them. Dense rows come first: they are few, used most, and stay in the cache together.
"""

from array import array

import numpy as np

from libc.stdint cimport int8_t, int16_t, int32_t, uint16_t, uint32_t, uint64_t

cdef extern from "sums.h" nogil:
    void* dodona_allocate(size_t size)
    void dodona_free(void* memory)
    int BLOCK "DODONA_BLOCK"
    int KIND_BITS "DODONA_KIND_BITS"
    int FOUR "DODONA_FOUR_PAIRS"
    int EIGHT "DODONA_EIGHT_PAIRS"
    int MANY "DODONA_MANY_PAIRS"
    int DENSE "DODONA_DENSE"
    int WIDE "DODONA_WIDE"
    int KINDS "DODONA_KINDS"

cdef int WIDE_ROW = 0xFFFF  # in a model file: instead of the number of pairs
cdef int DENSE_FROM = 16    # a dense row has less than this many actions for each pair: measured on English and Finnish
cdef int UNIT = 8


cdef class RowPool:
    """Made from the arrays `rows` and `wide` of a model file with this many features."""

    def __init__(self, int actions, int bits, Py_ssize_t features, const uint16_t[::1] rows, const int16_t[::1] wide):
        cdef Py_ssize_t i, at = 0, total = 0
        cdef int kind
        cdef Py_ssize_t[::1] sizes = np.zeros(KINDS, np.intp)
        self.actions, self.bits = actions, bits
        self.width = (actions + BLOCK - 1) // BLOCK * BLOCK
        self.weights = array("i", bytes(4 * actions))
        self.touched = array("i", bytes(4 * actions))
        self.is_touched = array("B", bytes(actions))
        self.starts = array("I", bytes(4 * max(1, features)))
        for i in range(features):
            at = self.unpack(rows, wide, at)
            kind = self.kind()
            sizes[kind] += self.units(kind)
            self.starts[i] = kind
            self.clear()
        for kind in (DENSE, WIDE, MANY, EIGHT, FOUR):
            total, sizes[kind] = total + sizes[kind], total
        if total >> (32 - KIND_BITS):
            raise MemoryError
        self.memory = <uint64_t*> dodona_allocate(total * UNIT + UNIT)
        if self.memory == NULL:
            raise MemoryError
        at = 0
        for i in range(features):
            at = self.unpack(rows, wide, at)
            kind = self.starts[i]
            self.pack(kind, sizes[kind], i)
            self.starts[i] = sizes[kind] << KIND_BITS | kind
            sizes[kind] += self.units(kind)
            self.clear()

    def __dealloc__(self):
        dodona_free(self.memory)

    def kinds(self):
        """Return the number of rows of each kind, for tests."""
        return np.bincount(np.asarray(self.starts) & ((1 << KIND_BITS) - 1), minlength=KINDS).tolist()

    cdef Py_ssize_t unpack(self, const uint16_t[::1] rows, const int16_t[::1] wide, Py_ssize_t at) noexcept nogil:
        """Read the row of a model file that begins here; returns where the next one begins."""
        cdef int i, size = rows[at], action, weight
        cdef int step = 2 if self.bits == 16 else 1
        cdef Py_ssize_t number
        self.count = 0
        if size == WIDE_ROW:
            number = rows[at + step] | <Py_ssize_t> rows[at + 2 * step] << 16
            for i in range(self.actions):
                self.add(i, wide[number * self.actions + i])
            return at + 3 * step
        for i in range(1, size + 1):
            if step == 2:
                action, weight = rows[at + 2 * i], <int16_t> rows[at + 2 * i + 1]
            else:
                action = rows[at + i] >> self.bits
                weight = <int16_t> (rows[at + i] << (16 - self.bits)) >> (16 - self.bits)
            self.add(action, weight)
        return at + step * (1 + size)

    cdef inline void add(self, int action, int weight) noexcept nogil:
        if weight != 0 and not self.is_touched[action]:
            self.is_touched[action] = True
            self.touched[self.count] = action
            self.count += 1
        self.weights[action] += weight

    cdef int kind(self) noexcept nogil:
        """Return the kind for the row that was unpacked last."""
        cdef int i, weight, least = 0, most = 0
        cdef int limit = 1 << (min(8, self.bits) - 1)
        for i in range(self.count):
            weight = self.weights[self.touched[i]]
            least, most = min(least, weight), max(most, weight)
        if least < -128 or most > 127:
            return WIDE
        if least < -limit or most >= limit or (self.count > 8 and DENSE_FROM * self.count > self.width):
            return DENSE
        return FOUR if self.count <= 4 else EIGHT if self.count <= 8 else MANY

    cdef Py_ssize_t units(self, int kind) noexcept nogil:
        """Return how many units of memory the row that was unpacked last takes."""
        cdef int pair = 4 if self.bits == 16 else 2
        if kind == DENSE:
            return self.width // UNIT
        if kind == WIDE:
            return (self.actions * 2 + UNIT - 1) // UNIT
        if kind == MANY:
            return ((1 + self.count) * pair + UNIT - 1) // UNIT
        return (4 if kind == FOUR else 8) * pair // UNIT

    cdef void pack(self, int kind, Py_ssize_t unit, Py_ssize_t feature) noexcept nogil:
        """Write the row that was unpacked last into the pool."""
        cdef void* row = &self.memory[unit]
        cdef uint16_t* pairs = <uint16_t*> row
        cdef uint32_t* long_pairs = <uint32_t*> row
        cdef int i, k = 0, action, weight, size = 4 if kind == FOUR else 8
        if kind == MANY:
            if self.bits == 16:
                long_pairs[0] = self.count
            else:
                pairs[0] = self.count
            k, size = 1, self.count + 1
        for i in range(self.count):
            action = self.touched[i]
            weight = self.weights[action]
            if kind == DENSE:
                (<int8_t*> row)[action] = weight
            elif kind == WIDE:
                (<int16_t*> row)[action] = weight
            else:
                if self.bits == 16:
                    long_pairs[k] = action | (<uint32_t> <uint16_t> weight) << 16
                else:
                    pairs[k] = action << self.bits | (weight & ((1 << self.bits) - 1))
                k += 1
        if kind == FOUR or kind == EIGHT:
            for i in range(k, size):  # additions of 0 to different actions do not wait for each other
                action = (feature + i) % self.actions
                if self.bits == 16:
                    long_pairs[i] = action
                else:
                    pairs[i] = action << self.bits

    cdef void clear(self) noexcept nogil:
        """Set all weights to 0 again."""
        cdef int i
        for i in range(self.count):
            self.weights[self.touched[i]] = 0
            self.is_touched[self.touched[i]] = False
