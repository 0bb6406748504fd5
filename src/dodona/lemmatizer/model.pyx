"""Lemmas: which edit script turns a word into its lemma, and a cache of the lemmas of words with their tags.

The script is chosen by a perceptron over the affixes of the word and its tags. The cache is for tags that were chosen
from an inventory: no string is made for a known word.
"""

from array import array as new_array

cimport cython
from cpython cimport array
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memcpy

from dodona.data.hashing cimport (
    HashTable, Letters, Slot, hash_prefixes, hash_shape, hash_string, hash_suffixes, mix,
)
from dodona.data.values cimport Inventory, Values, begin_of, end_of, item, own_values
from dodona.linear.frozen cimport FrozenWeights
from dodona.linear.weights cimport Weights

from dodona.data.values import values_of

ctypedef fused Score:
    float
    int32_t

cdef enum:
    MAX_WORDS = 1 << 15          # kept before the cache is cleared
    MAX_BYTES = 1 << 20          # of their forms and lemmas
    MAX_CACHED_BYTES = 1 << 10   # of a form and its lemma that are kept
    MAX_AFFIX = 16               # characters that a script can take away on each side
    PREFIXES = 4                 # affixes that are features
    SUFFIXES = 7
    MAX_FEATURES = 32

LONGEST_AFFIX = MAX_AFFIX

cdef array.array NUMBERS = new_array("i")


cdef struct CachedLemma:
    int upos, feats         # numbers in their inventories
    int begin, middle, end  # of the form and the lemma in the text of the cache


cdef struct HashedWord:
    Py_ssize_t size
    uint64_t prefixes[MAX_AFFIX]
    uint64_t suffixes[MAX_AFFIX]
    uint64_t keys[MAX_FEATURES]
    int count


cdef uint64_t key_of(const char* form, int size, int upos, int feats) noexcept nogil:
    cdef uint64_t h = mix(mix(size, upos + 1), feats + 1), piece
    cdef int i
    for i in range(0, size, 8):
        piece = 0
        memcpy(&piece, form + i, min(8, size - i))
        h = mix(h, piece)
    return h | 1


@cython.final
cdef class LemmaCache:
    """The cache of one thread. Whatever it has or has not kept, the lemmas are the same."""

    cdef HashTable table            # from a hash of form and tags to the number of the entry
    cdef CachedLemma* entries
    cdef readonly int count         # words
    cdef char* text
    cdef readonly int used          # bytes of the text
    cdef Inventory upos, feats      # to which the numbers belong
    cdef object work_out            # returns the lemma of a form, UPOS and FEATS

    def __cinit__(self):
        self.entries = <CachedLemma*> malloc(MAX_WORDS * sizeof(CachedLemma))
        self.text = <char*> malloc(MAX_BYTES)
        if self.entries == NULL or self.text == NULL:
            raise MemoryError

    def __init__(self, work_out):
        self.work_out = work_out
        self.table = HashTable(0)

    def __dealloc__(self):
        free(self.entries)
        free(self.text)

    def lemmas(self, list forms not None, list upos not None, list feats not None):
        """Return the lemmas of sentences by their forms, UPOS and FEATS; None for those whose tags are not chosen from
        inventories. Sentences of known words are looked up without the interpreter's lock."""
        cdef list lemmas = [None] * len(forms)
        cdef list numbers = [k for k in range(len(forms)) if self.takes(forms[k], upos[k], feats[k])]
        cdef tuple words = tuple([forms[k] for k in numbers])
        cdef tuple first = tuple([upos[k] for k in numbers]), second = tuple([feats[k] for k in numbers])
        cdef Py_ssize_t i, count = len(numbers)
        cdef Py_ssize_t room = sum([one.n for one in words]) + 1  # the last sentence may have no word
        cdef array.array places = array.clone(NUMBERS, room, False)
        cdef int* place = places.data.as_ints
        with nogil:
            for i in range(count):
                if not self.find_all(<Values> item(words, i), <Values> item(first, i), <Values> item(second, i), place):
                    place[0] = -1
                place += (<Values> item(words, i)).n
        place = places.data.as_ints
        for i in range(count):  # before anything is learnt, which may clear the cache
            if place[0] >= 0:
                lemmas[numbers[i]] = self.collect(place, (<Values> words[i]).n)
            place += (<Values> words[i]).n
        for i in range(count):
            if lemmas[numbers[i]] is None:
                lemmas[numbers[i]] = values_of(self.learn_all(words[i], first[i], second[i]))
        return lemmas

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

    cdef Values collect(self, const int* place, int n):
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
        cdef CachedLemma* entry
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
        cdef CachedLemma* entry
        cdef uint64_t key
        cdef list lemmas = []
        for i in range(forms.n):
            entry = self.find(forms, upos, feats, i, &key)
            if entry == NULL:
                lemmas.append(self.learn(forms, upos.chosen[i], feats.chosen[i], i, key))
            else:
                lemmas.append(self.text[entry.middle : entry.end].decode("utf-8"))
        return lemmas

    cdef CachedLemma* find(self, Values forms, Values upos, Values feats, int i, uint64_t* key) noexcept nogil:
        """Return the entry of word i, NULL if it has none, and its hash. Another word may have the same hash."""
        cdef int begin = begin_of(forms, i)
        cdef int size = end_of(forms, i) - begin
        key[0] = key_of(forms.text + begin, size, upos.chosen[i], feats.chosen[i])
        cdef Slot* slot = self.table.find(key[0])
        if slot.key == 0:
            return NULL
        cdef CachedLemma* entry = &self.entries[slot.value]
        if entry.upos != upos.chosen[i] or entry.feats != feats.chosen[i] or entry.middle - entry.begin != size:
            return NULL
        return entry if memcmp(self.text + entry.begin, forms.text + begin, size) == 0 else NULL

    cdef str learn(self, Values forms, int upos, int feats, int i, uint64_t key):
        """Return the lemma of word i, which is not in the cache, and put it there if there is room."""
        cdef CachedLemma* entry
        cdef int size = end_of(forms, i) - begin_of(forms, i)
        cdef bytes form = forms.text[begin_of(forms, i) : end_of(forms, i)]
        cdef str lemma = self.work_out(form.decode(), self.upos.values[upos], self.feats.values[feats])
        cdef bytes text = lemma.encode()
        if size + len(text) > MAX_CACHED_BYTES or self.table.find(key).key != 0:
            return lemma
        if self.count >= MAX_WORDS or self.used + size + len(text) > MAX_BYTES:
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


@cython.final
cdef class Scripts:
    """The affixes that each script removes; it is applicable only to words that have them, in any case."""

    cdef readonly int count
    cdef const int32_t[::1] prefix_sizes    # of each script, the length of the prefix that it removes
    cdef const int32_t[::1] suffix_sizes    # and of the suffix
    cdef const uint64_t[::1] prefixes       # the hashes of these affixes
    cdef const uint64_t[::1] suffixes

    def __init__(self, list taken):
        """`taken` has the removed prefix and suffix of each script."""
        cdef uint64_t hashes[MAX_AFFIX]
        cdef Letters letters = Letters()
        self.count = len(taken)
        prefixes, suffixes = new_array("Q"), new_array("Q")
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
        self.prefix_sizes = new_array("i", [len(prefix) for prefix, _ in taken])
        self.suffix_sizes = new_array("i", [len(suffix) for _, suffix in taken])


cdef inline void add(HashedWord* word, int template, uint64_t one, uint64_t other) noexcept nogil:
    word.keys[word.count] = mix(mix(mix(0, template), one), other)
    word.count += 1


cdef int look(HashedWord* word, str form, str lower, str upos, str feats) except -1:
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


cdef int best(Scripts scripts, HashedWord* word, const Score* scores) noexcept nogil:
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


@cython.final
cdef class ScriptLearner:
    """A model during training."""

    cdef Scripts scripts
    cdef readonly Weights weights
    cdef float[::1] scores

    def __init__(self, Scripts scripts):
        self.scripts = scripts
        self.weights = Weights(scripts.count)
        self.scores = new_array("f", bytes(4 * scripts.count))

    def train(self, str form not None, str lower not None, str upos not None, str feats not None, int gold):
        """Train on one word: update if the prediction is wrong, and return whether it was."""
        cdef HashedWord word
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


@cython.final
cdef class ScriptChooser:
    """A frozen model; threads may share it."""

    cdef Scripts scripts
    cdef FrozenWeights weights

    def __init__(self, Scripts scripts, FrozenWeights weights):
        self.scripts, self.weights = scripts, weights

    def choose(self, str form not None, str lower not None, str upos not None, str feats not None):
        """Return the number of the best applicable script, -1 if there is none."""
        cdef HashedWord word
        cdef int32_t[::1] scores = new_array("i", bytes(4 * self.scripts.count))
        look(&word, form, lower, upos, feats)
        self.weights.score(word.keys, word.count, &scores[0])
        return best(self.scripts, &word, &scores[0])
