cimport cython
from libc.stdint cimport uint32_t, uint64_t

from dodona.scoring.linear.hash_table cimport HashTable

@cython.final
cdef class MultiwordFilter:
    cdef HashTable forms        # hashes of lowercased tokens that are in the lexicon
    cdef HashTable suffixes     # hashes of the suffixes of rules, read backwards
    cdef int longest            # of them

    cdef bint passes(self, const uint32_t* codes, Py_ssize_t size) noexcept nogil
