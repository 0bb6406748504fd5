"""Tagging from left to right: each word gets the best tag, given its form, its neighbours and the tags before it.

A tag is UPOS, XPOS and FEATS together, so that only tags of the training data are predicted. But weights belong to the
parts of tags (NOUN, NNS, Number=Plur, ...), and the score of a tag is the sum of the scores of its parts. So rare tags
share weights with frequent ones, and the number of weights depends on the number of parts, not of tags.
"""

from array import array as new_array

from cpython cimport array
from libc.stdint cimport int32_t, uint64_t

from dodona.data.values cimport Values

from dodona.scoring.linear.hash_table cimport mix
from dodona.text.tag_features cimport BORDER, MOST_FEATURES, NOBODY, WIDTH, Lexicon, TagSet, Traits, extract

ctypedef fused Score:
    float
    int32_t

cdef array.array NUMBERS = new_array("i")
cdef array.array POINTERS = new_array("Q")
cdef float MARGIN = 3   # the margin for each part of a tag: with a smaller one there is an update
cdef uint64_t HIDDEN = <uint64_t> (0.3 * 65536)  # feature dropout: this many of 65536 features are dropped in training


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


cdef class TagLearner:
    """A model during training: an averaged perceptron with a margin. The history features are its own predicted tags.

    Feature dropout: a random part of the features is dropped in each step, so that the model does not rely on a few.
    """

    def __init__(self, TagSet tagset, uint64_t seed):
        self.tagset = tagset
        self.seed = seed
        self.weights = Weights(tagset.parts)
        self.scores = new_array("f", bytes(4 * tagset.parts))
        self.sums = new_array("f", bytes(4 * tagset.nodes))
        self.keys = new_array("Q", bytes(8 * MOST_FEATURES))

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


cdef class GreedyTagger:
    """A frozen model with its workspace. One for each thread."""

    def __init__(self, TagSet tagset, FrozenWeights weights):
        self.tagset, self.weights = tagset, weights
        self.watch = Watch()
        self.scores = new_array("i", bytes(4 * tagset.parts))
        self.sums = new_array("i", bytes(4 * tagset.nodes))
        self.keys = new_array("Q", bytes(8 * MOST_FEATURES))

    def tag(self, Traits traits):
        """Return the tags of the words, as numbers."""
        cdef TagSet tagset = self.tagset
        cdef Lexicon lexicon = traits.lexicon
        cdef array.array tags = array.clone(NUMBERS, traits.n, False)
        with nogil:
            self.tag_words(tagset, lexicon, traits, <int32_t*> tags.data.as_ints)
        return tags

    def tag_all(self, list sentences not None, Lexicon lexicon not None):
        """Return the tags of several sentences, whose words are given as `Values`, without the interpreter's lock."""
        cdef TagSet tagset = self.tagset
        cdef Py_ssize_t i, count = len(sentences)
        cdef list found = []
        cdef Values words
        cdef Traits traits = Traits([], tagset, lexicon) if self.traits is None else self.traits
        self.traits = traits
        cdef array.array jobs = array.clone(POINTERS, 2 * count, False)
        cdef void** job = <void**> jobs.data.as_voidptr
        for i in range(count):
            words = sentences[i]
            found.append(array.clone(NUMBERS, words.n, False))
            job[2 * i], job[2 * i + 1] = <void*> words, (<array.array> found[i]).data.as_voidptr
        with nogil:
            for i in range(count):
                traits.fill(<Values> job[2 * i], tagset, lexicon)
                self.tag_words(tagset, lexicon, traits, <int32_t*> job[2 * i + 1])
        return found

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
