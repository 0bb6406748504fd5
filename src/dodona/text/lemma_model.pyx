"""Which edit script turns a word into its lemma: a perceptron over the affixes of the word and its tags."""

from array import array

from libc.stdint cimport int32_t, uint64_t

from dodona.scoring.linear.hash_table cimport mix
from dodona.text.hashing cimport hash_prefixes, hash_shape, hash_string, hash_suffixes
from dodona.text.letters cimport Letters

ctypedef fused Score:
    float
    int32_t

cdef enum:
    LONGEST = 16        # affixes that a script can take away
    PREFIXES = 4        # affixes that are features
    SUFFIXES = 7
    MOST_FEATURES = 32

LONGEST_AFFIX = LONGEST


cdef struct Word:
    Py_ssize_t size
    uint64_t prefixes[LONGEST]
    uint64_t suffixes[LONGEST]
    uint64_t keys[MOST_FEATURES]
    int count


cdef class Scripts:
    """The affixes that each script removes; it is applicable only to words that have them, in any case."""

    def __init__(self, list taken):
        """`taken` has the removed prefix and suffix of each script."""
        cdef uint64_t hashes[LONGEST]
        cdef Letters letters = Letters()
        self.count = len(taken)
        prefixes, suffixes = array("Q"), array("Q")
        for prefix, suffix in taken:
            if max(len(prefix), len(suffix)) > LONGEST:
                raise ValueError(f"a script that takes away more than {LONGEST} characters")
            letters.read_string(prefix)
            hash_prefixes(letters, hashes, LONGEST)
            prefixes.append(hashes[len(prefix) - 1] if prefix else 0)
            letters.read_string(suffix)
            hash_suffixes(letters, hashes, LONGEST)
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
    hash_prefixes(letters, word.prefixes, LONGEST)
    hash_suffixes(letters, word.suffixes, LONGEST)
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
