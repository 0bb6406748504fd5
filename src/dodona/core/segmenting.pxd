cimport cython
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t

from dodona.core.frozen cimport FrozenWeights
from dodona.core.weights cimport Weights

cdef struct Run:
    Py_ssize_t start, end
    uint64_t form       # a hash of its characters
    uint64_t lower      # of its characters in lower case
    uint64_t shape      # what kinds of characters, how many
    uint8_t gap         # what stands before it: NONE, BLANK or PARAGRAPH
    uint8_t is_piece    # whether it begins inside a word that is known to split there
    uint8_t first, last # kinds of its first and last character
    uint8_t seen        # how the training text had it: 1 in lower case, 2 capitalized in mid-sentence, 3 both

cdef struct Progress:
    int sentence        # the first run of this sentence
    int token           # the first run of this token
    uint64_t form       # a hash of the token so far
    uint64_t signs      # bit i: it has a run that begins with a character of kind i
    int tokens          # before this one, in this sentence
    int quotes          # whether a straight quotation mark is open
    int depth           # of brackets and other quotation marks

cdef struct Split:
    uint64_t form       # 0: empty
    uint64_t places     # bit i: a new run begins after i characters

@cython.final
cdef class Rules:
    cdef const uint8_t[::1] questions
    cdef const uint8_t[::1] words
    cdef Split* splits
    cdef uint64_t mask

@cython.final
cdef class Passage:
    cdef readonly str text
    cdef Rules rules
    cdef uint32_t* codes
    cdef Py_ssize_t length
    cdef Run* runs
    cdef readonly Py_ssize_t count
    cdef Py_ssize_t room

    cdef int find_runs(self) except -1
    cdef int add_run(self, Py_ssize_t start, Py_ssize_t end, int gap, bint is_piece) except -1
    cdef int question(self, int which, int k) noexcept nogil
    cdef uint64_t before(self, Progress* at, int k, int back) noexcept nogil
    cdef uint64_t after(self, int k, int ahead) noexcept nogil
    cdef int last_in_reach(self, int k) noexcept nogil
    cdef void begin_sentence(self, Progress* at, int k) noexcept nogil
    cdef void begin_token(self, Progress* at, int k) noexcept nogil
    cdef void go_on(self, Progress* at, int k) noexcept nogil
    cdef int token_keys(self, Progress* at, int k, uint64_t* keys) noexcept nogil
    cdef int sentence_keys(self, Progress* at, int k, uint64_t* keys) noexcept nogil
    cdef (uint64_t, uint64_t, uint64_t) neighbour(self, int k) noexcept nogil
    cdef int multiword_keys(self, int sentence, int first, int last, uint64_t* keys) noexcept nogil

@cython.final
cdef class Segment:
    cdef readonly list forms            # of the tokens, as they stand in the text
    cdef readonly list gaps             # what is between each and the next
    cdef readonly list spaced           # numbers of the tokens with blanks inside
    cdef readonly int first             # run
    cdef readonly list lasts            # run of each token
    cdef readonly bint ends_paragraph
    cdef readonly str text              # of the sentence, or None if not all blanks in it are single spaces

@cython.final
cdef class Segmenter:
    cdef FrozenWeights weights

    cdef int score(self, uint64_t* keys, int count, int question) noexcept nogil
    cdef int decide(self, Passage passage, Progress* at, int k) noexcept nogil

@cython.final
cdef class SegmentLearner:
    cdef readonly Weights weights
    cdef readonly long long asked, mistakes
    cdef float rate

    cdef int learn(self, uint64_t* keys, int count, int question, bint gold) except -1
