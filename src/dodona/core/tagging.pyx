"""Tagging from left to right: each word gets the best tag, given its form, its neighbours and the tags before it.

A tag is UPOS, XPOS and FEATS together, so that no tag comes out that the data never showed; but weights belong to the
parts of tags (NOUN, NNS, Number=Plur, ...), and the score of a tag is the sum of its parts'. So rare tags learn from
frequent ones, and a thousand tags need no more weights than a hundred parts.
"""

from array import array

from libc.stdint cimport int32_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free

from dodona.core.hashing cimport hash_prefixes, hash_shape, hash_suffixes, mix

ctypedef fused Score:
    float
    int32_t

cdef enum:  # the traits of a word
    FORM = 0
    LOWER = 1
    SHAPE = 2
    KIND = 3
    PREFIX = 4
    SUFFIX = 8
    WIDTH = 15

cdef enum:
    PREFIXES = 4
    SUFFIXES = 7
    BORDER = 2          # rows before the first and after the last word
    MOST_FEATURES = 48
    NOBODY = 5          # the tag and the form of what is not there
    RARE = 7            # the form of all words that the lexicon does not have

cdef float MARGIN = 3   # by which, for every part, a tag must win to be left in peace
cdef uint64_t HIDDEN = <uint64_t> (0.3 * 65536)  # so many features of 65536 are not seen while learning


cdef class TagSet:
    """All tags, as a tree: tags that begin with the same parts share their nodes, so that all are scored in one sweep."""

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
    """What the training data says about words: their usual tag, and for frequent ones all they can have."""

    def __init__(self, const uint32_t[::1] words, const int32_t[::1] entries, usual, begins, tags):
        cdef uint32_t at
        cdef Py_ssize_t i
        self.mask = 7
        while self.mask < <uint64_t> words.shape[0] * 2:
            self.mask = 2 * self.mask + 1
        self.words = <uint32_t*> calloc(<size_t> self.mask + 1, sizeof(uint32_t))
        self.entries = <int32_t*> calloc(<size_t> self.mask + 1, sizeof(int32_t))
        if self.words == NULL or self.entries == NULL:
            raise MemoryError
        for i in range(words.shape[0]):
            at = words[i] & self.mask
            while self.words[at] != 0:
                at = (at + 1) & self.mask
            self.words[at] = words[i]
            self.entries[at] = entries[i]
        self.usual, self.begins, self.tags = usual, begins, tags

    def __dealloc__(self):
        free(self.words)
        free(self.entries)

    cdef int find(self, uint64_t word) noexcept nogil:
        """The entry of a word, -1 if it has none. Half of the hash is enough to tell words apart."""
        cdef uint32_t mark = <uint32_t> word | 1
        cdef uint32_t at = mark & self.mask
        while self.words[at] != mark:
            if self.words[at] == 0:
                return -1
            at = (at + 1) & self.mask
        return self.entries[at]


cdef class Traits:
    """A sentence as the tagger sees it: of each word the form, how it looks, its affixes and its usual tag."""

    def __cinit__(self, list words, TagSet tagset, Lexicon lexicon):
        cdef int i, entry, n = len(words)
        cdef uint64_t* row
        cdef str word, lower
        self.n = n
        self.lexicon = lexicon
        self.values = <uint64_t*> calloc(<size_t> WIDTH * (n + 2 * BORDER), sizeof(uint64_t))
        self.entries = <int32_t*> calloc(<size_t> n + 1, sizeof(int32_t))
        if self.values == NULL or self.entries == NULL:
            raise MemoryError
        for i in range(2 * BORDER):
            row = &self.values[WIDTH * (i if i < BORDER else n + i)]
            row[LOWER] = row[KIND] = NOBODY
        for i in range(n):
            word = <str> words[i]
            lower = word.lower()
            row = &self.values[WIDTH * (i + BORDER)]
            row[FORM] = hash_prefixes(word, row, 0)
            row[LOWER] = hash_prefixes(lower, row + PREFIX, PREFIXES)
            row[SHAPE] = hash_shape(word)
            hash_suffixes(lower, row + SUFFIX, SUFFIXES)
            entry = self.entries[i] = lexicon.find(row[FORM])
            if entry < 0:
                entry = lexicon.find(row[LOWER])
            if entry < 0:
                row[LOWER] = RARE
                row[KIND] = mix(row[SHAPE], row[SUFFIX + 1])
            else:
                row[KIND] = tagset.names[lexicon.usual[entry]]

    def __dealloc__(self):
        free(self.values)
        free(self.entries)


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


cdef int best(TagSet tagset, Lexicon lexicon, int entry, const Score* scores, Score* sums) noexcept nogil:
    """The tag with the highest score, of all or of those that the lexicon allows; `sums` has room for all nodes."""
    cdef int i, node, tag, chosen = -1
    cdef Score score, highest = 0
    if entry >= 0 and lexicon.begins[entry] < lexicon.begins[entry + 1]:
        for i in range(lexicon.begins[entry], lexicon.begins[entry + 1]):
            tag = lexicon.tags[i]
            node = tagset.ends[tag]
            score = 0
            while node >= 0:
                score += scores[tagset.part[node]]
                node = tagset.parents[node]
            if chosen < 0 or score > highest:
                chosen, highest = tag, score
        return chosen
    for node in range(tagset.nodes):
        sums[node] = scores[tagset.part[node]]
        if tagset.parents[node] >= 0:
            sums[node] += sums[tagset.parents[node]]
    for tag in range(tagset.count):
        score = sums[tagset.ends[tag]]
        if chosen < 0 or score > highest:
            chosen, highest = tag, score
    return chosen


cdef inline int only_tag(TagSet tagset, Lexicon lexicon, int entry) noexcept nogil:
    """The tag of a word that has but one, or -1."""
    if tagset.count == 1:
        return 0
    if entry >= 0 and lexicon.begins[entry + 1] - lexicon.begins[entry] == 1:
        return lexicon.tags[lexicon.begins[entry]]
    return -1


cdef class TagLearner:
    """A model in the making: an averaged perceptron with a margin, which goes on from its own tags, right or wrong.

    Each time some features, others every time, are hidden from it, so that it does not rely on a few of them alone.
    """

    def __init__(self, TagSet tagset, uint64_t seed):
        self.tagset = tagset
        self.seed = seed
        self.weights = Weights(tagset.parts)
        self.scores = array("f", bytes(4 * tagset.parts))
        self.sums = array("f", bytes(4 * tagset.nodes))
        self.keys = array("Q", bytes(8 * MOST_FEATURES))

    def train(self, Traits traits, const int32_t[::1] gold):
        """Go through one sentence with these tags."""
        cdef TagSet tagset = self.tagset
        cdef Lexicon lexicon = traits.lexicon
        with nogil:
            self.train_on(tagset, lexicon, traits, gold)

    def count(self):
        """(steps, mistakes) since the last call; words that can have but one tag are none."""
        counted = self.steps, self.mistakes
        self.steps = self.mistakes = 0
        return counted

    cdef int train_on(self, TagSet tagset, Lexicon lexicon, Traits traits, const int32_t[::1] gold) except -1 nogil:
        cdef int i, count, entry, tag, rival, node
        cdef uint64_t tag1 = NOBODY, class1 = NOBODY, class2 = NOBODY
        cdef uint64_t* keys = &self.keys[0]
        cdef float* scores = &self.scores[0]
        for i in range(traits.n):
            entry = traits.entries[i]
            tag = only_tag(tagset, lexicon, entry)
            if tag < 0:
                count = extract(&traits.values[WIDTH * (i + BORDER)], i == 0, tag1, class1, class2, keys)
                count = self.hide(keys, count)
                self.weights.score(keys, count, scores)
                tag = rival = best(tagset, lexicon, entry, scores, &self.sums[0])
                if tag == gold[i]:
                    node = tagset.ends[tag]
                    while node >= 0:
                        scores[tagset.part[node]] -= MARGIN
                        node = tagset.parents[node]
                    rival = best(tagset, lexicon, entry, scores, &self.sums[0])
                self.steps += 1
                self.mistakes += tag != gold[i]
                self.weights.now += 1
                if rival != gold[i]:
                    node = tagset.ends[gold[i]]
                    while node >= 0:
                        if not tagset.has(rival, tagset.part[node]):
                            self.weights.update(keys, count, tagset.part[node], 1)
                        node = tagset.parents[node]
                    node = tagset.ends[rival]
                    while node >= 0:
                        if not tagset.has(gold[i], tagset.part[node]):
                            self.weights.update(keys, count, tagset.part[node], -1)
                        node = tagset.parents[node]
            tag1, class2, class1 = tagset.names[tag], class1, tagset.classes[tag]
        return 0

    cdef int hide(self, uint64_t* keys, int count) noexcept nogil:
        """Keep some of the features, by chance, but the same ones in each training with this seed."""
        cdef uint64_t chance = mix(mix(0, self.seed), self.weights.now)
        cdef int i, kept = 0
        for i in range(count):
            if mix(chance, keys[i]) >> 48 >= HIDDEN:
                keys[kept] = keys[i]
                kept += 1
        return kept


cdef class GreedyTagger:
    """A frozen model with the room it needs to tag. One for each thread."""

    def __init__(self, TagSet tagset, FrozenWeights weights):
        self.tagset, self.weights = tagset, weights
        self.scores = array("i", bytes(4 * tagset.parts))
        self.sums = array("i", bytes(4 * tagset.nodes))
        self.keys = array("Q", bytes(8 * MOST_FEATURES))
        self.found = array("I", bytes(4 * MOST_FEATURES))

    def tag(self, Traits traits):
        """The tags of the words, as numbers."""
        cdef TagSet tagset = self.tagset
        cdef Lexicon lexicon = traits.lexicon
        tags = array("i", bytes(4 * traits.n))
        cdef int32_t[::1] view = tags
        with nogil:
            self.tag_words(tagset, lexicon, traits, view)
        return tags

    cdef void tag_words(self, TagSet tagset, Lexicon lexicon, Traits traits, int32_t[::1] tags) noexcept nogil:
        cdef int i, count, entry, tag
        cdef uint64_t tag1 = NOBODY, class1 = NOBODY, class2 = NOBODY
        for i in range(traits.n):
            entry = traits.entries[i]
            tag = only_tag(tagset, lexicon, entry)
            if tag < 0:
                count = extract(&traits.values[WIDTH * (i + BORDER)], i == 0, tag1, class1, class2, &self.keys[0])
                self.weights.score(&self.keys[0], count, &self.found[0], &self.scores[0])
                tag = best(tagset, lexicon, entry, &self.scores[0], &self.sums[0])
            tags[i] = tag
            tag1, class2, class1 = tagset.names[tag], class1, tagset.classes[tag]
