"""The input of the tagger: the tag set, the lexicon, the attributes of each word, and the features."""

from libc.stdint cimport int32_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from dodona.data.values cimport Values, begin_of, end_of
from dodona.scoring.linear.hash_table cimport HashTable, Slot, mix
from dodona.text.hashing cimport hash_codes, hash_prefixes, hash_shape, hash_suffixes
from dodona.text.letters cimport Letters

from dodona.data.values import values_of

cdef class TagSet:
    """All tags as a prefix tree: tags share the nodes of common parts, so that all are scored in one pass."""

    def __init__(self, int parts, parents, part, ends, names, classes):
        self.parts, self.count, self.nodes = parts, len(ends), len(parents)
        self.parents, self.part, self.ends = parents, part, ends
        self.names, self.classes = names, classes

    cdef bint has(self, int tag, int part) noexcept nogil:
        cdef int node = self.ends[tag]
        while node >= 0:
            if self.part[node] == part:
                return True
            node = self.parents[node]
        return False


cdef class Lexicon:
    """The lexicon of the training data: the most frequent tag of each word, and all possible tags of frequent words."""

    def __init__(self, const uint32_t[::1] words, const int32_t[::1] entries, usual, begins, tags):
        cdef Py_ssize_t i
        self.words = HashTable(words.shape[0])
        for i in range(words.shape[0]):
            self.words.add(words[i]).value = entries[i]
        self.usual, self.begins, self.tags = usual, begins, tags

    cdef int find(self, uint64_t word) noexcept nogil:
        """Return the entry of a word, -1 if it has none. Half of the hash identifies a word."""
        cdef Slot* slot = self.words.find(<uint32_t> word | 1)
        return <int> slot.value if slot.key != 0 else -1


cdef class Traits:
    """A sentence as input of the tagger: the form, shape, affixes and most frequent tag of each word.

    The memory can be filled with one sentence after the other.
    """

    def __init__(self, words, TagSet tagset not None, Lexicon lexicon not None):
        """The words are `Values`, or a list of strings."""
        cdef Values forms = words if isinstance(words, Values) else values_of(words)
        self.lexicon = lexicon
        self.letters = Letters()
        self.fill(forms, tagset, lexicon)

    def __dealloc__(self):
        free(self.values)
        free(self.entries)

    cdef int fill(self, Values words, TagSet tagset, Lexicon lexicon) except -1 nogil:
        cdef int i, begin, entry, n = words.n
        cdef uint64_t* row
        if n > self.room or self.values == NULL:
            self.make_room(n)
        self.n = n
        memset(self.values, 0, <size_t> WIDTH * (n + 2 * BORDER) * sizeof(uint64_t))
        for i in range(2 * BORDER):
            row = &self.values[WIDTH * (i if i < BORDER else n + i)]
            row[LOWER] = row[KIND] = NOBODY
        for i in range(n):
            begin = begin_of(words, i)
            self.letters.read(words.text + begin, end_of(words, i) - begin)
            row = &self.values[WIDTH * (i + BORDER)]
            row[FORM] = hash_codes(self.letters.codes, self.letters.size)
            row[SHAPE] = hash_shape(self.letters)
            self.letters.lower()
            row[LOWER] = hash_prefixes(self.letters, row + PREFIX, PREFIXES)
            hash_suffixes(self.letters, row + SUFFIX, SUFFIXES)
            entry = self.entries[i] = lexicon.find(row[FORM])
            if entry < 0:
                entry = lexicon.find(row[LOWER])
            if entry < 0:
                row[LOWER] = RARE
                row[KIND] = mix(row[SHAPE], row[SUFFIX + 1])
            else:
                row[KIND] = tagset.names[lexicon.usual[entry]]
        return 0

    cdef int make_room(self, int n) except -1 nogil:
        cdef uint64_t* values = <uint64_t*> malloc(<size_t> WIDTH * (n + 2 * BORDER) * sizeof(uint64_t))
        cdef int32_t* entries = <int32_t*> malloc((<size_t> n + 1) * sizeof(int32_t))
        if values == NULL or entries == NULL:
            free(values)
            free(entries)
            raise MemoryError
        free(self.values)
        free(self.entries)
        self.values, self.entries, self.room = values, entries, n
        return 0


cdef inline int add(uint64_t* keys, int count, int template, uint64_t one, uint64_t other) noexcept nogil:
    keys[count] = mix(mix(mix(0, template), one), other)
    return count + 1


cdef int extract(
    const uint64_t* row, bint first, uint64_t tag1, uint64_t class1, uint64_t class2, uint64_t* keys
) noexcept nogil:
    """Write the features of the word with this row, after tags like these, into `keys`; return how many there are."""
    cdef const uint64_t* before1 = row - WIDTH
    cdef const uint64_t* before2 = row - 2 * WIDTH
    cdef const uint64_t* after1 = row + WIDTH
    cdef const uint64_t* after2 = row + 2 * WIDTH
    cdef int i, count = 0
    for i in range(PREFIXES):
        if row[PREFIX + i] != 0:
            count = add(keys, count, 1 + i, row[PREFIX + i], 0)
    for i in range(SUFFIXES):
        if row[SUFFIX + i] != 0:
            count = add(keys, count, 5 + i, row[SUFFIX + i], 0)
    count = add(keys, count, 12, row[FORM], 0)
    count = add(keys, count, 13, row[LOWER], 0)
    count = add(keys, count, 14, row[KIND], 0)
    count = add(keys, count, 15, row[SHAPE], first)
    count = add(keys, count, 16, row[SHAPE], row[SUFFIX + 2])
    count = add(keys, count, 17, row[SHAPE], row[KIND])
    count = add(keys, count, 18, before1[LOWER], 0)
    count = add(keys, count, 19, before1[LOWER], row[LOWER])
    count = add(keys, count, 20, before1[SHAPE], row[SHAPE])
    count = add(keys, count, 21, before1[SUFFIX + 2], 0)
    count = add(keys, count, 22, before2[LOWER], 0)
    count = add(keys, count, 23, after1[LOWER], 0)
    count = add(keys, count, 24, after1[LOWER], row[LOWER])
    count = add(keys, count, 25, after1[SHAPE], row[SHAPE])
    count = add(keys, count, 26, after1[SUFFIX + 2], 0)
    count = add(keys, count, 27, after1[KIND], 0)
    count = add(keys, count, 28, after1[KIND], row[LOWER])
    count = add(keys, count, 29, after1[KIND], row[KIND])
    count = add(keys, count, 30, after1[KIND], after2[KIND])
    count = add(keys, count, 31, after2[LOWER], 0)
    count = add(keys, count, 32, before1[KIND], after1[KIND])
    count = add(keys, count, 33, tag1, 0)
    count = add(keys, count, 34, tag1, class2)
    count = add(keys, count, 35, tag1, row[KIND])
    count = add(keys, count, 36, tag1, row[SUFFIX + 2])
    count = add(keys, count, 37, tag1, after1[KIND])
    count = add(keys, count, 38, class1, class2)
    count = add(keys, count, 39, class1, row[LOWER])
    count = add(keys, count, 40, class1, row[SHAPE])
    return count
