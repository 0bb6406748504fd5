cimport cython
from libc.stdint cimport uint8_t, uint32_t, uint64_t

from dodona.scoring.linear.hash_table cimport HashTable

cpdef enum:  # the questions; actions of the weights
    TOKEN = 0
    SENTENCE = 1
    MULTIWORD = 2

cpdef enum:  # the answers by kind
    NEVER = 0
    ASK = 1
    ALWAYS = 2

cpdef enum:
    QUESTIONS = 2 * 2 * 64 * 64  # for TOKEN and SENTENCE, without and with blanks, the kinds before and after
    WORDS = 65536                # bytes of the table of words: two bits for each of four times as many hashes

cdef enum:  # the whitespace before a run
    NO_GAP = 0
    BLANKS = 1
    PARAGRAPH = 2

cdef struct Run:
    Py_ssize_t start, end
    uint64_t form       # a hash of its characters
    uint64_t lower      # of its lowercased characters
    uint64_t shape      # kinds and number of its characters
    uint8_t gap         # the whitespace before it: NONE, BLANK or PARAGRAPH
    uint8_t is_piece    # whether it begins inside a word that is known to split there
    uint8_t first, last # kinds of its first and last character
    uint8_t seen        # in the training text: 1 lowercased, 2 capitalized in mid-sentence, 3 both

@cython.final
cdef class Rules:
    cdef const uint8_t[::1] questions
    cdef const uint8_t[::1] words
    cdef HashTable splits           # of known words: bit i is set if a new run begins after i characters

    cdef uint64_t places(self, list pieces)

@cython.final
cdef class Passage:
    cdef readonly str text
    cdef Rules rules
    cdef uint32_t* codes
    cdef Py_ssize_t length
    cdef Run* runs
    cdef readonly Py_ssize_t count
    cdef Py_ssize_t room

    cdef int find_runs(self) except -1 nogil
    cdef int add_run(self, Py_ssize_t start, Py_ssize_t end, int gap, bint is_piece) except -1 nogil
    cdef int question(self, int which, int k) noexcept nogil
    cdef uint64_t before(self, int sentence, int k, int back) noexcept nogil
    cdef uint64_t after(self, int k, int ahead) noexcept nogil
    cdef int last_in_reach(self, int k) noexcept nogil

cdef bint is_blank(uint32_t code) noexcept nogil
