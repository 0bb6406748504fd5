"""Fast 64-bit hashes of strings, and a table of such hashes.

A hash is computed character by character, from the front for prefixes and from the back for suffixes, so that the
hashes of all affixes of a word are computed on the way. Hashes are not cached here, because raw text has many unknown
words.
"""

from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memset

cdef extern from "Python.h":
    uint32_t* PyUnicode_AsUCS4(object text, uint32_t* codes, Py_ssize_t room, int with_null) except NULL
    bint Py_UNICODE_ISUPPER(uint32_t character) nogil
    bint Py_UNICODE_ISALPHA(uint32_t character) nogil
    bint Py_UNICODE_ISDIGIT(uint32_t character) nogil

cdef extern from "rows.h" nogil:
    void* dodona_allocate(size_t size)
    void dodona_free(void* memory)

cdef enum:
    SHAPE = 2      # initial value of the hash of a shape
    MAX_SHAPE = 8  # runs


cdef class HashTable:
    """A table from 64-bit hashes, of which none is 0, to numbers of 64 bits: open addressing, at most half full.

    It has memory for `expected` keys at first, and grows automatically. One thread at a time may change it.
    """

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


cdef class Letters:
    """A word as the numbers of its characters: the one read last; the memory is used for one after the other."""

    def __cinit__(self):
        self.make_room(64)

    def __dealloc__(self):
        free(self.codes)

    cdef int make_room(self, Py_ssize_t room) except -1 nogil:
        if room > 0x3FFFFFFF:
            raise MemoryError("a word of more than a gigabyte")
        cdef uint32_t* codes = <uint32_t*> realloc(self.codes, 2 * room * sizeof(uint32_t))
        if codes == NULL:
            raise MemoryError
        self.codes, self.room = codes, 2 * <int> room
        return 0

    cdef int read_string(self, str text) except -1:
        cdef Py_ssize_t size = len(text)
        if size > self.room:
            self.make_room(size)
        if size > 0:
            PyUnicode_AsUCS4(text, self.codes, size, 0)
        self.size = <int> size
        return 0

    cdef void lower(self) noexcept nogil:
        """Lowercase each character by itself: the length stays the same."""
        cdef int i
        for i in range(self.size):
            self.codes[i] = to_lower(self.codes[i])


def hash_text(str text not None, int kind=-1):
    """Return the hash of a string; `kind` makes it different for the same string in another column."""
    cdef uint64_t h = hash_string(text)
    return h if kind < 0 else mix(h, kind + 1)


cdef uint64_t hash_string(str text):
    cdef Letters word = Letters()
    word.read_string(text)
    return hash_codes(word.codes, word.size)


cdef uint64_t hash_prefixes(Letters word, uint64_t* hashes, int count) noexcept nogil:
    """Return the hash of a word; those of its first 1..count characters go into `hashes`, 0 where it is too short."""
    cdef int i
    cdef uint64_t h = FORWARDS
    for i in range(word.size):
        h = mix(h, word.codes[i])
        if i < count:
            hashes[i] = h
    for i in range(word.size, count):
        hashes[i] = 0
    return h


cdef void hash_suffixes(Letters word, uint64_t* hashes, int count) noexcept nogil:
    """Compute the hashes of the last 1..count characters, 0 where the word is too short."""
    cdef int i
    cdef uint64_t h = BACKWARDS
    for i in range(min(word.size, count)):
        h = mix(h, word.codes[word.size - 1 - i])
        hashes[i] = h
    for i in range(word.size, count):
        hashes[i] = 0


cdef uint64_t hash_shape(Letters word) noexcept nogil:
    """Return the hash of the word shape: runs of capitals, other letters and digits, and all other characters."""
    cdef int i, runs = 0
    cdef uint32_t character, last = 0
    cdef uint64_t h = SHAPE
    for i in range(word.size):
        character = word.codes[i]
        if Py_UNICODE_ISUPPER(character):
            character = c"X"
        elif Py_UNICODE_ISALPHA(character):
            character = c"x"
        elif Py_UNICODE_ISDIGIT(character):
            character = c"0"
        if character != last:
            h = mix(h, character)
            last = character
            runs += 1
            if runs == MAX_SHAPE:
                break
    return h
