"""A hash table from 64-bit numbers to 64-bit numbers with open addressing, at most half full.

Keys are hashes already, so their lower bits are the index of the slot. No key is 0.
"""

from libc.stdint cimport uint64_t
from libc.string cimport memset

cdef extern from "rows.h" nogil:
    void* dodona_allocate(size_t size)
    void dodona_free(void* memory)


cdef class HashTable:
    """Memory for `expected` keys at first; it grows automatically. One thread at a time may change it."""

    def __cinit__(self, Py_ssize_t expected=0):
        self.mask = 15
        while <Py_ssize_t> self.mask < 2 * expected:
            self.mask = 2 * self.mask + 1
        self.slots = <Slot*> dodona_allocate((self.mask + 1) * sizeof(Slot))
        if self.slots == NULL:
            raise MemoryError

    def __dealloc__(self):
        dodona_free(self.slots)

    def get(self, uint64_t key):
        """Return the value of a key, None if it is not in the table."""
        cdef Slot* slot = self.find(key)
        return slot.value if slot.key else None

    def put(self, uint64_t key, uint64_t value):
        if key == 0:
            raise ValueError("a key of 0; expected another number")
        self.add(key).value = value

    cdef Slot* find(self, uint64_t key) noexcept nogil:
        """Return the slot of a key, or an empty one if it is not in the table."""
        return slot_of(self.slots, self.mask, key)

    cdef Slot* add(self, uint64_t key) except NULL nogil:
        """Return the slot of a key, which is added with the value 0 if it is missing. Valid until the next call."""
        cdef Slot* slot = slot_of(self.slots, self.mask, key)
        if slot.key == 0:
            if 2 * self.count > <Py_ssize_t> self.mask:
                self.grow()
                slot = slot_of(self.slots, self.mask, key)
            slot.key = key
            self.count += 1
        return slot

    cdef int grow(self) except -1 nogil:
        """Double the number of slots."""
        cdef uint64_t old = self.mask, i
        cdef Slot* slots = self.slots
        cdef Slot* larger = <Slot*> dodona_allocate(2 * (old + 1) * sizeof(Slot))
        if larger == NULL:
            with gil:
                raise MemoryError
        self.slots, self.mask = larger, 2 * old + 1
        for i in range(old + 1):
            if slots[i].key != 0:
                slot_of(larger, self.mask, slots[i].key)[0] = slots[i]
        dodona_free(slots)
        return 0

    cdef void clear(self) noexcept nogil:
        """Remove all keys; the memory stays allocated."""
        memset(self.slots, 0, (self.mask + 1) * sizeof(Slot))
        self.count = 0
