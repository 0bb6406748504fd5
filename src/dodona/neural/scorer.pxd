cimport cython

from dodona.search.addresses cimport Addresses
from dodona.search.scorer cimport EncodedSentence, Scorer
from dodona.transitions.state cimport State

@cython.final
cdef class Contributions(EncodedSentence):
    cdef const float[:, ::1] rows  # what each node adds to the hidden layer, for each position: positions × units
    cdef int first, stride      # the row of word 1, and how far the next one is
    cdef int root, nobody       # the rows of ROOT and of nobody

    cdef int row_of(self, int k) noexcept nogil

@cython.final
cdef class HiddenLayer(Scorer):
    cdef readonly int words     # positions that show a word
    cdef readonly int labels    # positions that show a label
    cdef readonly int units
    cdef Addresses addresses    # of the words, then of the labels
    cdef const float[:, :, ::1] label_rows  # what each label adds at each position; number 0 is no label
    cdef const float[::1] bias
    cdef const float[:, ::1] weights  # units × actions, padded to whole blocks
    cdef const float[::1] action_bias
    cdef float[::1] hidden
    cdef int[::1] active        # workspace: the units above zero
    cdef float[:, ::1] cache    # rows of scores; without a cache one row
    cdef int[:, ::1] seen       # what each row was computed for: the search, then the nodes and labels; 0: nothing
    cdef int searches           # how many there were

    cdef float* slot(self, State s, int* known) noexcept nogil
