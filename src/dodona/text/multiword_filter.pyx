"""Which tokens can be multiword tokens at all: few are, and only for these the lexicon and the rules are asked."""

from libc.stdint cimport uint32_t, uint64_t

from dodona.scoring.linear.hash_table cimport HashTable, mix
from dodona.text.hashing cimport BACKWARDS, FORWARDS
from dodona.text.letters cimport Letters, lowered

cdef enum:
    CAPITAL_I_WITH_DOT = 0x130
    CAPITAL_SIGMA = 0x3A3


cdef class MultiwordFilter:
    """Passes every token that a lexicon of tokens, in any case, or one of the suffixes may apply to."""

    def __init__(self, forms, suffixes):
        cdef Letters word = Letters()
        cdef uint64_t h
        cdef int i
        self.forms, self.suffixes = HashTable(len(forms)), HashTable(len(suffixes))
        for form in forms:
            word.read_string(form)
            h = FORWARDS
            for i in range(word.size):
                h = mix(h, lowered(word.codes[i]))
            self.forms.add(h | 1)
        for suffix in suffixes:
            word.read_string(suffix)
            h = BACKWARDS
            for i in range(word.size - 1, -1, -1):
                h = mix(h, word.codes[i])
            self.suffixes.add(h | 1)
            self.longest = max(self.longest, word.size)

    def __contains__(self, str token not None):
        cdef Letters word = Letters()
        word.read_string(token)
        return self.passes(word.codes, word.size)

    cdef bint passes(self, const uint32_t* codes, Py_ssize_t size) noexcept nogil:
        """Whether a token with these characters may be a multiword token.

        Two capitals are lowercased by `str.lower` in a way that depends on their neighbours or changes the length.
        """
        cdef uint64_t h = FORWARDS
        cdef Py_ssize_t i
        if self.forms.count == 0 and self.suffixes.count == 0:
            return False
        for i in range(size):
            if codes[i] == CAPITAL_SIGMA or codes[i] == CAPITAL_I_WITH_DOT:
                return True
            h = mix(h, lowered(codes[i]))
        if self.forms.find(h | 1).key != 0:
            return True
        h = BACKWARDS
        for i in range(size - 1, max(0, size - 1 - self.longest), -1):  # not the whole token
            h = mix(h, lowered(codes[i]))
            if self.suffixes.find(h | 1).key != 0:
                return True
        return False
