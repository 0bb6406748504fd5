cimport cython
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from dodona.data.hashing cimport HashTable
from libc.stdint cimport uint64_t
from dodona.linear.frozen cimport FrozenWeights
from dodona.linear.weights cimport Weights

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
