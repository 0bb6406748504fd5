cimport cython
from libc.stdint cimport uint32_t, uint64_t
from dodona.data.hashing cimport HashTable
from libc.stdint cimport uint32_t
from dodona.data.values cimport Values
from dodona.tokenizer.segmenter cimport Passage
from dodona.tokenizer.segmenter cimport Segmenter, Segments, Token

@cython.final
cdef class MultiwordFilter:
    cdef HashTable forms        # hashes of lowercased tokens that are in the lexicon
    cdef HashTable suffixes     # hashes of the suffixes of rules, read backwards
    cdef int longest            # of them

    cdef bint passes(self, const uint32_t* codes, Py_ssize_t size) noexcept nogil

@cython.final
cdef class Pieces:
    cdef char* text
    cdef Py_ssize_t size, room
    cdef int* ends
    cdef int count, end_room

    cdef int make_room(self, Py_ssize_t more) except -1 nogil
    cdef int put(self, const char* text, Py_ssize_t size) except -1 nogil
    cdef int put_string(self, str text) except -1
    cdef int put_code(self, uint32_t code) except -1 nogil
    cdef int put_codes(self, const uint32_t* codes, Py_ssize_t size) except -1 nogil
    cdef int put_escaped(self, const uint32_t* codes, Py_ssize_t size) except -1 nogil
    cdef int end(self) except -1 nogil
    cdef void clear(self) noexcept nogil
    cdef Py_ssize_t begin_of(self, int i) noexcept nogil
    cdef bytes piece(self, int i)
    cdef Values values(self, int first, int count)

@cython.final
cdef class SentenceMaker:
    cdef Segmenter segmenter
    cdef object expander            # from a form to its words, if it is a multiword token
    cdef MultiwordFilter filter
    cdef Pieces text, forms, misc   # of a passage
    cdef Pieces careful_text, careful_forms, careful_misc  # of a sentence
    cdef Pieces one                 # value

    cdef int add_form(self, Pieces to, Passage passage, Token* token) except -1 nogil
    cdef bint make(self, Segments segments, int i, Py_ssize_t before) except -1 nogil
    cdef tuple make_carefully(self, Segments segments, int i, Py_ssize_t before)
    cdef Values misc_values(self, Pieces misc, int first, int count)
    cdef int add_text(self, Pieces to, Passage passage, Token* token, bint is_last) except -1 nogil
    cdef bint may_be_several(self, Passage passage, Token* token) noexcept nogil
    cdef int add_misc(self, Pieces to, Passage passage, Token* token, Py_ssize_t before) except -1 nogil
    cdef list words_of(self, Passage passage, Token* token, int sentence, int first)
    cdef str form(self, Passage passage, Token* token)
