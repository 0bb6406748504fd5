"""A cache of lemmas by form and tags, for tags that were chosen from an inventory: no string is made for a known word."""

from array import array as new_array

from cpython cimport array
from libc.stdint cimport uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memcpy

from dodona.data.values cimport Values, begin_of, end_of, own_values
from dodona.scoring.linear.hash_table cimport HashTable, Slot, mix

cdef enum:
    MOST = 1 << 15        # words kept before the cache is cleared
    MOST_BYTES = 1 << 20  # and the bytes of their forms and lemmas
    LONGEST = 1 << 10     # bytes of a form and its lemma that are kept

cdef array.array NUMBERS = new_array("i")


cdef uint64_t key_of(const char* form, int size, int upos, int feats) noexcept nogil:
    cdef uint64_t h = mix(mix(size, upos + 1), feats + 1), piece
    cdef int i
    for i in range(0, size, 8):
        piece = 0
        memcpy(&piece, form + i, min(8, size - i))
        h = mix(h, piece)
    return h | 1


cdef class LemmaCache:
    """The cache of one thread. Whatever it has or has not kept, the lemmas are the same."""

    def __cinit__(self):
        self.entries = <Entry*> malloc(MOST * sizeof(Entry))
        self.text = <char*> malloc(MOST_BYTES)
        if self.entries == NULL or self.text == NULL:
            raise MemoryError

    def __init__(self, work_out):
        self.work_out = work_out
        self.table = HashTable(0)

    def __dealloc__(self):
        free(self.entries)
        free(self.text)

    def kept(self):
        """Return (number of words, number of bytes) that are kept."""
        return self.count, self.used

    def lemmas(self, Values forms not None, Values upos not None, Values feats not None):
        """Return the lemmas of words with these tags, which are chosen from inventories."""
        cdef int i, begin, size, n = forms.n, done = 0
        cdef uint64_t key
        cdef Entry* entry
        cdef bytes lemma
        cdef array.array ends = array.clone(NUMBERS, n + 1, False)
        cdef bytearray text = bytearray(2 * len(forms.own) + 16 * n)  # grows below, if it has to
        if upos.inventory is None or feats.inventory is None or upos.n != n or feats.n != n:
            raise ValueError("expected tags for each word, chosen from inventories")
        if upos.inventory is not self.upos or feats.inventory is not self.feats:
            self.clear()
            self.upos, self.feats = upos.inventory, feats.inventory
        ends.data.as_ints[0] = 0
        for i in range(n):
            begin = begin_of(forms, i)
            size = end_of(forms, i) - begin
            key = key_of(forms.text + begin, size, upos.chosen[i], feats.chosen[i])
            entry = self.find(key, forms.text + begin, size, upos.chosen[i], feats.chosen[i])
            if entry != NULL:
                size = entry.end - entry.middle
                if done + size > len(text):
                    text.extend(bytes(done + size))
                memcpy((<char*> text) + done, self.text + entry.middle, size)
            else:
                lemma = self.learn(key, forms.text + begin, size, upos.chosen[i], feats.chosen[i])
                size = len(lemma)
                if done + size > len(text):
                    text.extend(bytes(done + size))
                memcpy((<char*> text) + done, <const char*> lemma, size)
            done += size
            ends.data.as_ints[i + 1] = done
        return own_values(bytes(text[:done]), ends)

    cdef Entry* find(self, uint64_t key, const char* form, int size, int upos, int feats) noexcept nogil:
        """Return the entry of a word, NULL if it has none. Another word may have the same hash."""
        cdef Slot* slot = self.table.find(key)
        if slot.key == 0:
            return NULL
        cdef Entry* entry = &self.entries[slot.value]
        if entry.upos != upos or entry.feats != feats or entry.middle - entry.begin != size:
            return NULL
        return entry if memcmp(self.text + entry.begin, form, size) == 0 else NULL

    cdef bytes learn(self, uint64_t key, const char* form, int size, int upos, int feats):
        """Return the lemma of a word that is not in the cache, and put it there if there is room."""
        cdef Entry* entry
        cdef bytes lemma = self.work_out(
            form[:size].decode("utf-8"), self.upos.values[upos], self.feats.values[feats]
        ).encode()
        if size + len(lemma) > LONGEST or self.table.find(key).key != 0:
            return lemma
        if self.count >= MOST or self.used + size + len(lemma) > MOST_BYTES:
            self.clear()
        entry = &self.entries[self.count]
        entry.upos, entry.feats, entry.begin = upos, feats, self.used
        entry.middle = self.used + size
        entry.end = entry.middle + <int> len(lemma)
        memcpy(self.text + entry.begin, form, size)
        memcpy(self.text + entry.middle, <const char*> lemma, len(lemma))
        self.table.add(key).value = self.count
        self.count += 1
        self.used = entry.end
        return lemma

    def clear(self):
        """Forget all words."""
        self.table.clear()
        self.count = self.used = 0
