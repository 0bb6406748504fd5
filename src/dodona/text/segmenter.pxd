cimport cython
from libc.stdint cimport uint64_t

from dodona.text.tokenizer_features cimport Progress
from dodona.scoring.linear.frozen cimport FrozenWeights
from dodona.text.runs cimport Passage, Run
from dodona.scoring.linear.weights cimport Weights

cdef struct Token:
    Py_ssize_t start, end   # in the text
    Py_ssize_t next         # where the next token starts; the end of the text after the last
    int last                # run
    bint is_spaced          # whether it has blanks inside

@cython.final
cdef class Segments:
    cdef Passage passage
    cdef Token* tokens
    cdef int size, room         # of the tokens
    cdef int* firsts            # token of each sentence, and one more
    cdef readonly int count     # sentences
    cdef int first_room

    cdef int add(self, Run* first, Run* last, int k, Py_ssize_t next, bint is_spaced) except -1 nogil
    cdef int end_sentence(self) except -1 nogil

@cython.final
cdef class Segmenter:
    cdef FrozenWeights weights

    cdef int score(self, uint64_t* keys, int count, int question) noexcept nogil
    cdef int decide(self, Passage passage, Progress* at, int k) noexcept nogil
    cdef Py_ssize_t find(self, Passage passage, Segments found, int limit) except -1 nogil
    cdef bint is_several(self, Passage passage, int sentence, int first, int last) noexcept nogil

@cython.final
cdef class SegmentLearner:
    cdef readonly Weights weights
    cdef readonly long long asked, mistakes
    cdef float rate

    cdef int learn(self, uint64_t* keys, int count, int question, bint gold) except -1
