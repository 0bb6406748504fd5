cimport cython
from libc.stdint cimport uint64_t

from dodona.data.values cimport Inventory, Values
from dodona.linear.scorer cimport Words
from dodona.data.hashing cimport Letters

@cython.final
cdef class ColumnHashes:
    cdef int count          # of numbers for each value
    cdef int[::1] columns   # where each of them goes
    cdef int[::1] parts     # of the value that is hashed: 0 all of it, k > 0 its first k characters, -k its last k
    cdef uint64_t[::1] root
    cdef dict known         # from an inventory to the numbers of its values

    cdef const uint64_t[::1] of_inventory(self, Inventory inventory)
    cdef int hash(self, const char* text, int size, Letters letters, uint64_t* numbers) except -1 nogil
    cdef int put(self, Values values, Words words, const uint64_t* known, Letters letters) except -1 nogil
