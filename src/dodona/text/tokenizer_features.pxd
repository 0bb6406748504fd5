from libc.stdint cimport uint64_t

from dodona.text.runs cimport Passage

cdef enum:
    MOST_KEYS = 48
    GENERAL = 7         # keys of a multiword token that do not need all of it

cdef struct Progress:
    int sentence        # the first run of this sentence
    int token           # the first run of this token
    uint64_t form       # a hash of the token so far
    uint64_t signs      # bit i: it has a run that begins with a character of kind i
    int tokens          # before this one, in this sentence
    int quotes          # whether a straight quotation mark is open
    int depth           # of brackets and other quotation marks

cdef void begin_sentence(Passage p, Progress* at, int k) noexcept nogil
cdef void begin_token(Passage p, Progress* at, int k) noexcept nogil
cdef void go_on(Passage p, Progress* at, int k) noexcept nogil
cdef int token_keys(Passage p, Progress* at, int k, uint64_t* keys) noexcept nogil
cdef int sentence_keys(Passage p, Progress* at, int k, uint64_t* keys) noexcept nogil
cdef (uint64_t, uint64_t, uint64_t) neighbour(Passage p, int k) noexcept nogil
cdef int multiword_keys(Passage p, int sentence, int first, int last, uint64_t* keys) noexcept nogil
