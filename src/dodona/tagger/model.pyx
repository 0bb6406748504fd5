"""Tagging from left to right: each word gets the best tag, given its form, its neighbours and the tags before it.

A tag is UPOS, XPOS and FEATS together, so that only tags of the training data are predicted. But weights belong to the
parts of tags (NOUN, NNS, Number=Plur, ...), and the score of a tag is the sum of the scores of its parts. So rare tags
share weights with frequent ones, and the number of weights depends on the number of parts, not of tags.
"""

from array import array as new_array

cimport cython
from cpython cimport array
from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset

from dodona.data.hashing cimport (
    HashTable, Letters, Slot, hash_codes, hash_prefixes, hash_shape, hash_suffixes, mix,
)
from dodona.data.values cimport Values, begin_of, end_of, item
from dodona.linear.frozen cimport FrozenWeights
from dodona.linear.weights cimport Weights
from dodona.transitions.watch cimport Watch

from dodona.data.values import values_of

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
    MAX_FEATURES = 48
    NOBODY = 5          # the tag and the form of a missing word
    RARE = 7            # the form of all words that the lexicon does not have

cdef array.array NUMBERS = new_array("i")
cdef float MARGIN = 3   # the margin for each part of a tag: with a smaller one there is an update
cdef uint64_t HIDDEN = <uint64_t> (0.3 * 65536)  # feature dropout: this many of 65536 features are dropped in training


@cython.final
cdef class TagSet:
    """All tags as a prefix tree: tags share the nodes of common parts, so that all are scored in one pass."""

    cdef readonly int parts             # how many parts of tags there are
    cdef readonly int count             # tags
    cdef readonly int nodes             # of the tree of tags
    cdef const int32_t[::1] parents     # of each node, earlier than itself; -1 for none
    cdef const uint16_t[::1] part       # of each node
    cdef const int32_t[::1] ends        # the node where each tag ends
    cdef const uint64_t[::1] names      # of each tag, as a feature of its neighbours
    cdef const uint64_t[::1] classes    # of each tag, its UPOS as a feature of its neighbours

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


@cython.final
cdef class Lexicon:
    """The lexicon of the training data: the most frequent tag of each word, and all possible tags of frequent words."""

    cdef HashTable words                # from half of a word's hash to its entry
    cdef const int32_t[::1] usual       # of each entry, the tag that is most frequent
    cdef const int32_t[::1] begins      # of each entry, where its possible tags begin in `tags`; no tags: all
    cdef const int32_t[::1] tags

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


@cython.final
cdef class Traits:
    """A sentence as input of the tagger: the form, shape, affixes and most frequent tag of each word.

    The memory can be filled with one sentence after the other.
    """

    cdef readonly int n
    cdef int room                   # words for which there is memory
    cdef Lexicon lexicon
    cdef uint64_t[::1] values       # a row for each word, with empty ones before and after
    cdef int32_t[::1] entries       # of each word in the lexicon; -1: none
    cdef Letters letters            # of one word

    def __init__(self, words, TagSet tagset not None, Lexicon lexicon not None):
        """The words are `Values`, or a list of strings."""
        cdef Values forms = words if isinstance(words, Values) else values_of(words)
        self.lexicon = lexicon
        self.letters = Letters()
        self.room = -1
        self.fill(forms, tagset, lexicon)

    cdef int fill(self, Values words, TagSet tagset, Lexicon lexicon) except -1 nogil:
        cdef int i, begin, entry, n = words.n
        cdef uint64_t* row
        if n > self.room:
            with gil:
                self.values = new_array("Q", bytes(8 * WIDTH * (n + 2 * BORDER)))
                self.entries = new_array("i", bytes(4 * (n + 1)))
            self.room = n
        self.n = n
        memset(&self.values[0], 0, <size_t> WIDTH * (n + 2 * BORDER) * sizeof(uint64_t))
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
    """Return the tag with the highest score, of all or of those that the lexicon allows; `sums` has a cell per node."""
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
    """Return the tag of a word with only one possible tag, else -1."""
    if tagset.count == 1:
        return 0
    if entry >= 0 and lexicon.begins[entry + 1] - lexicon.begins[entry] == 1:
        return lexicon.tags[lexicon.begins[entry]]
    return -1


@cython.final
cdef class TagLearner:
    """A model during training: an averaged perceptron with a margin. The history features are its own predicted tags.

    Feature dropout: a random part of the features is dropped in each step, so that the model does not rely on a few.
    """

    cdef TagSet tagset
    cdef readonly Weights weights
    cdef float[::1] scores, sums
    cdef uint64_t[::1] keys
    cdef uint64_t seed
    cdef long long steps, mistakes

    def __init__(self, TagSet tagset, uint64_t seed):
        self.tagset = tagset
        self.seed = seed
        self.weights = Weights(tagset.parts)
        self.scores = new_array("f", bytes(4 * tagset.parts))
        self.sums = new_array("f", bytes(4 * tagset.nodes))
        self.keys = new_array("Q", bytes(8 * MAX_FEATURES))

    def train(self, Traits traits, const int32_t[::1] gold):
        """Train on one sentence with these tags."""
        cdef TagSet tagset = self.tagset
        cdef Lexicon lexicon = traits.lexicon
        with nogil:
            self.train_on(tagset, lexicon, traits, gold)

    def count(self):
        """Return (steps, mistakes) since the last call; words with only one possible tag are not counted."""
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
        """Drop some of the features at random; the same seed drops the same ones."""
        cdef uint64_t chance = mix(mix(0, self.seed), self.weights.now)
        cdef int i, kept = 0
        for i in range(count):
            if mix(chance, keys[i]) >> 48 >= HIDDEN:
                keys[kept] = keys[i]
                kept += 1
        return kept


@cython.final
cdef class GreedyTagger:
    """A frozen model with its workspace. One for each thread."""

    cdef TagSet tagset
    cdef FrozenWeights weights
    cdef int32_t[::1] scores, sums
    cdef uint64_t[::1] keys
    cdef Watch watch
    cdef Traits traits              # of one sentence

    def __init__(self, TagSet tagset, FrozenWeights weights):
        self.tagset, self.weights = tagset, weights
        self.watch = Watch()
        self.scores = new_array("i", bytes(4 * tagset.parts))
        self.sums = new_array("i", bytes(4 * tagset.nodes))
        self.keys = new_array("Q", bytes(8 * MAX_FEATURES))

    def tag_all(self, list sentences not None, Lexicon lexicon not None):
        """Return the tags of several sentences, whose words are given as `Values`, without the interpreter's lock."""
        cdef TagSet tagset = self.tagset
        cdef tuple batch = tuple(sentences)
        cdef tuple tags = tuple([array.clone(NUMBERS, (<Values?> words).n, False) for words in batch])
        cdef Py_ssize_t i, count = len(batch)
        cdef Traits traits = Traits([], tagset, lexicon) if self.traits is None else self.traits
        self.traits = traits
        with nogil:
            for i in range(count):
                traits.fill(<Values> item(batch, i), tagset, lexicon)
                self.tag_words(tagset, lexicon, traits, <int32_t*> (<array.array> item(tags, i)).data.as_ints)
        return list(tags)

    cdef int tag_words(self, TagSet tagset, Lexicon lexicon, Traits traits, int32_t* tags) except -1 nogil:
        cdef int i, count, entry, tag
        cdef uint64_t tag1 = NOBODY, class1 = NOBODY, class2 = NOBODY
        for i in range(traits.n):
            entry = traits.entries[i]
            tag = only_tag(tagset, lexicon, entry)
            if tag < 0:
                count = extract(&traits.values[WIDTH * (i + BORDER)], i == 0, tag1, class1, class2, &self.keys[0])
                self.weights.score(&self.keys[0], count, &self.scores[0])
                tag = best(tagset, lexicon, entry, &self.scores[0], &self.sums[0])
            tags[i] = tag
            tag1, class2, class1 = tagset.names[tag], class1, tagset.classes[tag]
            self.watch.step()
        return 0


def choose_tags(
    const float[:, ::1] scores not None, const int32_t[::1] starts not None, const int64_t[::1] codes not None,
    const int32_t[::1] order not None, const int32_t[:, ::1] places not None, const int32_t[:, ::1] own not None,
    float bonus, int32_t[::1] chosen not None
):
    """Write the number of the best tag of each word, by the scores [words, values of all kinds] of a tag's three parts.

    The values of kind k have the places from starts[k] to starts[k + 1]; `places` [3, tags] are those of each tag, and
    `own` [3, words] those that get the bonus, -1 for none. `codes` tell tags by their parts, in ascending order, and
    `order` says which tags they are. Where the best parts make up a tag, it is that one; all tags are compared only for
    the other words.
    """
    cdef Py_ssize_t word, low, high, middle, tag, tags = codes.shape[0]
    cdef int32_t kind, place, best[3]
    cdef float score, most
    cdef int64_t code
    with nogil:
        for word in range(scores.shape[0]):
            code = 0
            for kind in range(3):
                best[kind], most = starts[kind], 0
                for place in range(starts[kind], starts[kind + 1]):
                    score = scores[word, place] + (bonus if own[kind, word] == place else 0)
                    if place == starts[kind] or score > most:
                        best[kind], most = place, score
                code = code * (starts[kind + 1] - starts[kind]) + best[kind] - starts[kind]
            low, high = 0, tags
            while low < high:
                middle = (low + high) // 2
                if codes[middle] < code:
                    low = middle + 1
                else:
                    high = middle
            if low < tags and codes[low] == code:
                chosen[word] = order[low]
                continue
            most = 0
            for tag in range(tags):
                score = 0
                for kind in range(3):
                    place = places[kind, tag]
                    score += scores[word, place] + (bonus if own[kind, word] == place else 0)
                if tag == 0 or score > most:
                    chosen[word], most = tag, score
