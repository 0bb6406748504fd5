"""What the network reads for a word: tables of embeddings, and a linear layer over them.

The form of a word and its tag contribute separately, so that each is computed once and kept. The sums have a fixed
order, so the result has the same bits on every machine.
"""

import numpy as np

cimport cython
from libc.stdint cimport int8_t, int32_t
from libc.string cimport memset

cdef extern from "layer.h" nogil:
    void add_product(float* total, const float* values, int count, const float* weights, int size)


@cython.final
cdef class EmbeddingTable:
    """Embeddings as 8-bit numbers with a scale for each row. Row 0 stands for everything that has no row."""

    cdef readonly int count, width
    cdef const int8_t[:, ::1] values
    cdef const float[::1] scales

    def __init__(self, const int8_t[:, ::1] values not None, const float[::1] scales not None):
        if values.shape[0] != scales.shape[0] or values.shape[0] < 1 or values.shape[1] < 1:
            raise ValueError(f"{values.shape[0]} rows of {values.shape[1]} numbers with {scales.shape[0]} scales")
        self.values, self.scales = values, scales
        self.count, self.width = values.shape[0], values.shape[1]

    cdef void add(self, int number, float* total) noexcept nogil:
        cdef int i
        cdef const int8_t* row = &self.values[number, 0]
        cdef float scale = self.scales[number]
        for i in range(self.width):
            total[i] += row[i] * scale


@cython.final
cdef class Inputs:
    """Tables and the weights of the linear layer. `vector` is None in a network without pretrained vectors."""

    cdef readonly int size
    cdef EmbeddingTable word, subword, vector, tag
    cdef const float[:, ::1] from_word, from_subword, from_vector, from_tag
    cdef const float[::1] bias
    cdef int widest                 # row of a table

    def __init__(
        self, EmbeddingTable word not None, EmbeddingTable subword not None, EmbeddingTable vector,
        EmbeddingTable tag not None, weights, bias,
    ):
        """`weights` are matrices [width of the table, inputs of the network], in the order of the tables."""
        self.word, self.subword, self.vector, self.tag = word, subword, vector, tag
        self.from_word, self.from_subword, self.from_vector, self.from_tag = weights
        self.bias = bias
        self.size = self.bias.shape[0]
        for table, matrix in zip((word, subword, vector, tag), weights, strict=True):
            if (table is None) != (matrix is None):
                raise ValueError("expected a matrix for each table")
            if table is not None and matrix.shape != (table.width, self.size):
                raise ValueError(f"a matrix of {matrix.shape} for a table of {table.width} and {self.size} inputs")
        self.widest = max(table.width for table in (word, subword, vector, tag) if table is not None)

    def of_forms(self, const int32_t[:, ::1] numbers not None):
        """Return what forms contribute [forms, inputs]; a row of `numbers` is vocabulary, vector, subwords. 0 is
        nothing, but a form that is not in the vocabulary has an embedding too."""
        cdef int i
        if numbers.shape[1] < 2:
            raise ValueError(f"{numbers.shape[1]} numbers of a form; expected those of word and vector, and subwords")
        counts = [self.word.count, self.vector.count if self.vector is not None else 1]
        counts += [self.subword.count] * (numbers.shape[1] - 2)
        values, most = np.asarray(numbers), np.array(counts)
        for i, k in np.argwhere((values < 0) | (values >= most)):
            raise ValueError(f"number {values[i, k]} of {most[k]}")
        sums = np.zeros((numbers.shape[0], self.size), np.float32)
        cdef float[:, ::1] rows = sums
        cdef float[::1] part = np.zeros(self.widest, np.float32)
        with nogil:
            for i in range(numbers.shape[0]):
                self.add_form(&numbers[i, 0], numbers.shape[1], &rows[i, 0], &part[0])
        return sums

    def of_tags(self, tags):
        """Return what tags contribute [tags, inputs]; each is a list of the numbers of its parts."""
        sums = np.zeros((len(tags), self.size), np.float32)
        cdef float[:, ::1] rows = sums
        cdef float[::1] part = np.zeros(self.widest, np.float32)
        cdef int i
        for i in range(len(tags)):
            memset(&part[0], 0, self.tag.width * sizeof(float))
            for number in tags[i]:
                if not 0 <= number < self.tag.count:
                    raise ValueError(f"number {number} of {self.tag.count}")
                self.tag.add(number, &part[0])
            add_product(&rows[i, 0], &part[0], self.tag.width, &self.from_tag[0, 0], self.size)
        return sums

    cdef void add_form(self, const int32_t* numbers, int count, float* total, float* part) noexcept nogil:
        """`part` is memory for a row of any of the tables."""
        cdef int i, some = 0
        for i in range(self.size):
            total[i] = self.bias[i]
        memset(part, 0, self.word.width * sizeof(float))
        self.word.add(numbers[0], part)
        add_product(total, part, self.word.width, &self.from_word[0, 0], self.size)
        memset(part, 0, self.subword.width * sizeof(float))
        for i in range(2, count):
            if numbers[i] != 0:
                self.subword.add(numbers[i], part)
                some += 1
        for i in range(self.subword.width):
            part[i] /= max(1, some)
        add_product(total, part, self.subword.width, &self.from_subword[0, 0], self.size)
        if self.vector is not None and numbers[1] != 0:
            memset(part, 0, self.vector.width * sizeof(float))
            self.vector.add(numbers[1], part)
            add_product(total, part, self.vector.width, &self.from_vector[0, 0], self.size)
