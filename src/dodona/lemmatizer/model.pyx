"""Which edit script turns a word into its lemma: a perceptron over the affixes of the word and its tags."""

from array import array as new_array
from cpython cimport array
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memcpy
from dodona.data.values cimport Values, begin_of, end_of, own_values
from dodona.data.hashing cimport HashTable, Slot, mix
from dodona.data.values import values_of
from array import array
from libc.stdint cimport int32_t, uint64_t
from dodona.data.hashing cimport mix
from dodona.data.hashing cimport hash_prefixes, hash_shape, hash_string, hash_suffixes
from dodona.data.hashing cimport Letters

cdef enum:
    MOST = 1 << 15        # words kept before the cache is cleared
    MOST_BYTES = 1 << 20  # and the bytes of their forms and lemmas
    MAX_CACHED_BYTES = 1 << 10     # bytes of a form and its lemma that are kept

cdef array.array NUMBERS = new_array("i")
cdef array.array POINTERS = new_array("Q")


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

    def lemmas(self, list forms not None, list upos not None, list feats not None):
        """Return the lemmas of sentences by their forms, UPOS and FEATS; None for those whose tags are not chosen from
        inventories. Sentences of known words are found without the interpreter's lock."""
        cdef Py_ssize_t i, count = len(forms), words = 0
        cdef array.array jobs = array.clone(POINTERS, 3 * count, True)
        cdef void** job = <void**> jobs.data.as_voidptr
        cdef list found = [None] * count
        for i in range(count):
            if self.takes(forms[i], upos[i], feats[i]):
                job[3 * i], job[3 * i + 1], job[3 * i + 2] = <void*> forms[i], <void*> upos[i], <void*> feats[i]
                words += (<Values> forms[i]).n
        cdef array.array places = array.clone(NUMBERS, words, False)
        cdef int* place = places.data.as_ints
        with nogil:
            for i in range(count):
                if job[3 * i] != NULL:
                    if not self.find_all(<Values> job[3 * i], <Values> job[3 * i + 1], <Values> job[3 * i + 2], place):
                        place[0] = -1
                    place += (<Values> job[3 * i]).n
        place = places.data.as_ints
        for i in range(count):  # before anything is learnt, which may clear the cache
            if job[3 * i] != NULL:
                if place[0] >= 0:
                    found[i] = self.collected(place, (<Values> forms[i]).n)
                place += (<Values> forms[i]).n
        for i in range(count):
            if job[3 * i] != NULL and found[i] is None:
                found[i] = values_of(self.learn_all(forms[i], upos[i], feats[i]))
        return found

    cdef bint takes(self, Values forms, upos, feats) except -1:
        """Return whether the tags are those of the inventories of the cache; they become its own if it has none."""
        if not isinstance(upos, Values) or not isinstance(feats, Values):
            return False
        if (<Values> upos).n != forms.n or (<Values> feats).n != forms.n:
            raise ValueError("expected tags for each word")
        if (<Values> upos).inventory is None or (<Values> feats).inventory is None:
            return False
        if self.upos is None:
            self.upos, self.feats = (<Values> upos).inventory, (<Values> feats).inventory
        return (<Values> upos).inventory is self.upos and (<Values> feats).inventory is self.feats

    cdef Values collected(self, const int* place, int n):
        """Return the lemmas of these entries."""
        cdef Py_ssize_t size = 0
        cdef int i
        cdef array.array ends = array.clone(NUMBERS, n + 1, False)
        cdef int* end = ends.data.as_ints
        end[0] = 0
        for i in range(n):
            size += self.entries[place[i]].end - self.entries[place[i]].middle
            end[i + 1] = <int> size
        cdef bytes text = PyBytes_FromStringAndSize(NULL, size)
        cdef char* to = text
        for i in range(n):
            memcpy(to + end[i], self.text + self.entries[place[i]].middle, end[i + 1] - end[i])
        return own_values(text, ends)

    cdef bint find_all(self, Values forms, Values upos, Values feats, int* place) noexcept nogil:
        """Find the entries of all words; return whether all have one."""
        cdef int i
        cdef Entry* entry
        cdef uint64_t key
        for i in range(forms.n):
            entry = self.find(forms, upos, feats, i, &key)
            if entry == NULL:
                return False
            place[i] = <int> (entry - self.entries)
        return True

    cdef list learn_all(self, Values forms, Values upos, Values feats):
        """Return the lemmas of all words, and put those that are new into the cache."""
        cdef int i
        cdef Entry* entry
        cdef uint64_t key
        cdef list found = []
        for i in range(forms.n):
            entry = self.find(forms, upos, feats, i, &key)
            if entry == NULL:
                found.append(self.learn(forms, upos.chosen[i], feats.chosen[i], i, key))
            else:
                found.append(self.text[entry.middle : entry.end].decode("utf-8"))
        return found

    cdef Entry* find(self, Values forms, Values upos, Values feats, int i, uint64_t* key) noexcept nogil:
        """Return the entry of word i, NULL if it has none, and its hash. Another word may have the same hash."""
        cdef int begin = begin_of(forms, i)
        cdef int size = end_of(forms, i) - begin
        key[0] = key_of(forms.text + begin, size, upos.chosen[i], feats.chosen[i])
        cdef Slot* slot = self.table.find(key[0])
        if slot.key == 0:
            return NULL
        cdef Entry* entry = &self.entries[slot.value]
        if entry.upos != upos.chosen[i] or entry.feats != feats.chosen[i] or entry.middle - entry.begin != size:
            return NULL
        return entry if memcmp(self.text + entry.begin, forms.text + begin, size) == 0 else NULL

    cdef str learn(self, Values forms, int upos, int feats, int i, uint64_t key):
        """Return the lemma of word i, which is not in the cache, and put it there if there is room."""
        cdef Entry* entry
        cdef int size = end_of(forms, i) - begin_of(forms, i)
        cdef bytes form = forms.text[begin_of(forms, i) : end_of(forms, i)]
        cdef str lemma = self.work_out(form.decode(), self.upos.values[upos], self.feats.values[feats])
        cdef bytes text = lemma.encode()
        if size + len(text) > MAX_CACHED_BYTES or self.table.find(key).key != 0:
            return lemma
        if self.count >= MOST or self.used + size + len(text) > MOST_BYTES:
            self.clear()
        entry = &self.entries[self.count]
        entry.upos, entry.feats, entry.begin = upos, feats, self.used
        entry.middle = self.used + size
        entry.end = entry.middle + <int> len(text)
        memcpy(self.text + entry.begin, <const char*> form, size)
        memcpy(self.text + entry.middle, <const char*> text, len(text))
        self.table.add(key).value = self.count
        self.count += 1
        self.used = entry.end
        return lemma

    def clear(self):
        """Forget all words."""
        self.table.clear()
        self.count = self.used = 0


ctypedef fused Score:
    float
    int32_t

cdef enum:
    MAX_AFFIX = 16        # affixes that a script can take away
    PREFIXES = 4        # affixes that are features
    SUFFIXES = 7
    MOST_FEATURES = 32

LONGEST_AFFIX = MAX_AFFIX


cdef struct Word:
    Py_ssize_t size
    uint64_t prefixes[MAX_AFFIX]
    uint64_t suffixes[MAX_AFFIX]
    uint64_t keys[MOST_FEATURES]
    int count


cdef class Scripts:
    """The affixes that each script removes; it is applicable only to words that have them, in any case."""

    def __init__(self, list taken):
        """`taken` has the removed prefix and suffix of each script."""
        cdef uint64_t hashes[MAX_AFFIX]
        cdef Letters letters = Letters()
        self.count = len(taken)
        prefixes, suffixes = array("Q"), array("Q")
        for prefix, suffix in taken:
            if max(len(prefix), len(suffix)) > MAX_AFFIX:
                raise ValueError(f"a script that takes away more than {MAX_AFFIX} characters")
            letters.read_string(prefix)
            hash_prefixes(letters, hashes, MAX_AFFIX)
            prefixes.append(hashes[len(prefix) - 1] if prefix else 0)
            letters.read_string(suffix)
            hash_suffixes(letters, hashes, MAX_AFFIX)
            suffixes.append(hashes[len(suffix) - 1] if suffix else 0)
        self.prefixes, self.suffixes = prefixes, suffixes
        self.prefix_sizes = array("i", [len(prefix) for prefix, _ in taken])
        self.suffix_sizes = array("i", [len(suffix) for _, suffix in taken])


cdef inline void add(Word* word, int template, uint64_t one, uint64_t other) noexcept nogil:
    word.keys[word.count] = mix(mix(mix(0, template), one), other)
    word.count += 1


cdef int look(Word* word, str form, str lower, str upos, str feats) except -1:
    """Compute the affixes and the features of a word with its tags."""
    cdef int i
    cdef Letters letters = Letters()
    cdef uint64_t tag = hash_string(upos), shape
    cdef uint64_t whole = mix(tag, hash_string(feats))
    letters.read_string(form)
    shape = hash_shape(letters)
    word.size = len(form)
    letters.read_string(lower)
    hash_prefixes(letters, word.prefixes, MAX_AFFIX)
    hash_suffixes(letters, word.suffixes, MAX_AFFIX)
    word.count = 0
    for i in range(PREFIXES):
        if i < word.size:
            add(word, 1 + i, word.prefixes[i], tag)
    for i in range(SUFFIXES):
        if i < word.size:
            add(word, 5 + i, word.suffixes[i], tag)
            if i < 4:
                add(word, 12 + i, word.suffixes[i], whole)
    if 0 < word.size <= SUFFIXES:  # the whole word: its longest suffix may also be that of a longer word
        add(word, 16, word.suffixes[word.size - 1], tag)
    add(word, 17, word.suffixes[2], 0)
    add(word, 18, shape, tag)
    add(word, 19, tag, 0)
    add(word, 20, whole, 0)
    return 0


cdef int best(Scripts scripts, Word* word, const Score* scores) noexcept nogil:
    """Return the applicable script with the highest score, -1 if there is none."""
    cdef int script, prefix, suffix, chosen = -1
    for script in range(scripts.count):
        if chosen >= 0 and scores[script] <= scores[chosen]:
            continue
        prefix, suffix = scripts.prefix_sizes[script], scripts.suffix_sizes[script]
        if prefix + suffix >= word.size:  # something must be left
            continue
        if prefix > 0 and word.prefixes[prefix - 1] != scripts.prefixes[script]:
            continue
        if suffix > 0 and word.suffixes[suffix - 1] != scripts.suffixes[script]:
            continue
        chosen = script
    return chosen


cdef class ScriptLearner:
    """A model during training."""

    def __init__(self, Scripts scripts):
        self.scripts = scripts
        self.weights = Weights(scripts.count)
        self.scores = array("f", bytes(4 * scripts.count))

    def train(self, str form not None, str lower not None, str upos not None, str feats not None, int gold):
        """Train on one word: update if the prediction is wrong, and return whether it was."""
        cdef Word word
        cdef int script
        look(&word, form, lower, upos, feats)
        self.weights.score(word.keys, word.count, &self.scores[0])
        script = best(self.scripts, &word, &self.scores[0])
        self.weights.now += 1
        if script == gold:
            return False
        self.weights.update(word.keys, word.count, gold, 1)
        if script >= 0:
            self.weights.update(word.keys, word.count, script, -1)
        return True


cdef class ScriptChooser:
    """A frozen model; threads may share it."""

    def __init__(self, Scripts scripts, FrozenWeights weights):
        self.scripts, self.weights = scripts, weights

    def choose(self, str form not None, str lower not None, str upos not None, str feats not None):
        """Return the number of the best applicable script, -1 if there is none."""
        cdef Word word
        cdef int32_t[::1] scores = array("i", bytes(4 * self.scripts.count))
        look(&word, form, lower, upos, feats)
        self.weights.score(word.keys, word.count, &scores[0])
        return best(self.scripts, &word, &scores[0])
