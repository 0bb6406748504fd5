cimport cython
from cpython cimport array

from dodona.data.values cimport Values

cdef enum:  # the columns of CoNLL-U, as in dodona.data.ud
    FORM = 1
    HEAD = 6
    DEPREL = 7
    MISC = 9
    COLUMNS = 10

cdef class WordRows:
    cdef readonly int n  # words

    cdef bytes to_bytes(self, dict replaced)
    cdef list to_list(self, int number)
    cdef Values to_values(self, int number)
    cdef list heads(self)
    cdef bint lacks(self, int number) except -1
    cdef list given_list(self, int number)
    cdef int count_above(self, int d) except -1

@cython.final
cdef class ReadRows(WordRows):
    cdef bytes body             # the lines of the sentence, all of them
    cdef array.array starts     # WIDTH positions in `body` for each word

@cython.final
cdef class MadeRows(WordRows):
    cdef bytes header    # the comments
    cdef dict columns    # by number: values, or lists of strings; the others are `_`
    cdef dict between    # the lines of multiword ranges and empty nodes, by the word that comes after them
    cdef bint has_lists  # of strings, which somebody may have, and may have changed
    cdef bint is_new     # from a tokenizer, and no parse has written anything into them

    cdef list comments(self)
