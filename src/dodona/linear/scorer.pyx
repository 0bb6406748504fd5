"""The linear model as a scorer: from a configuration to its features, and to the sum of their weights.

A feature is a template and the values of its atoms, hashed together to 64 bits; there is no dictionary of features.
"""

from array import array

from libc.stdint cimport int32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from dodona.data.hashing cimport mix
from dodona.search.scorer cimport NONE

from dodona.linear.templates import ATTRIBUTES, COLUMNS
from dodona.search.addresses import REACH

cdef enum:
    BITS = 64   # of a word of a set
    ROWS = 256  # of each cache; a power of two

cdef int COLUMN_COUNT = len(COLUMNS)
cdef int LABEL = ATTRIBUTES.index("l")
cdef int LEFT_ARITY = ATTRIBUTES.index("vl")
cdef int RIGHT_ARITY = ATTRIBUTES.index("vr")
cdef int LEFT_SET = ATTRIBUTES.index("sl")
cdef int RIGHT_SET = ATTRIBUTES.index("sr")
cdef int DISTANCE = ATTRIBUTES.index("dist")

cdef uint64_t sentences = 0  # so far


cdef class Words(EncodedSentence):
    """A sentence as input of the templates: a number for each column of each word; all are 0 at first."""

    def __cinit__(self, int n):
        global sentences
        sentences += 1
        self.number = mix(0, sentences)
        self.atoms = <uint64_t*> calloc(<size_t> COLUMN_COUNT * (n + 2), sizeof(uint64_t))
        if self.atoms == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.atoms)

    def column(self, int number):
        """Return the numbers of a column: of ROOT, of the words, and of nobody."""
        if not 0 <= number < COLUMN_COUNT:
            raise IndexError(f"column {number} of {COLUMN_COUNT}")
        return [self.atoms[number * (self.n + 2) + k] for k in range(self.n + 2)]


cdef class Extractor:
    """Computes the features of a configuration from a set of templates. One for each thread."""

    def __init__(self, templates, chosen=None):
        """`chosen` are the numbers of the templates to use; None: all."""
        plan = templates.arrange(chosen)
        self.most, self.atom_count, self.node_count = len(plan.places), len(plan.atoms), len(plan.nodes)
        self.addresses = Addresses(plan.nodes)
        self.from_input = plan.from_input
        self.atoms = array("i", [number for atom in plan.atoms for number in atom])

        lengths = [len(one) for one in plan.combinations]
        longest = lengths[self.most - 1] if lengths else 0
        self.lengths = array("i", [lengths.count(n + 1) for n in range(longest)] + [0])
        self.combinations = array("i", [atom for one in plan.combinations for atom in one] + [0])
        self.begins = array("Q", [mix(0, number + 1) for number in plan.numbers] + [0])
        self.places = array("i", plan.places + [0])
        self.hashes = array("Q", bytes(8 * (self.most + 1)))
        self.templates.longest, self.templates.lengths = longest, &self.lengths[0]
        self.templates.atoms, self.templates.begins = &self.combinations[0], &self.begins[0]

        self.words = (self.most + BITS - 1) // BITS
        self.users = array("Q", bytes(8 * (self.words * self.node_count + 1)))
        self.everything = array("Q", bytes(8 * (self.words + 1)))
        self.named = array("Q", bytes(8 * (self.words + 1)))
        self.values = array("Q", bytes(8 * (self.atom_count + LANES)))  # what follows the atoms stays 0
        cdef int i, node
        for i in range(self.most):
            self.everything[i // BITS] |= 1ULL << i % BITS
            for node in plan.users[i]:
                self.users[node * self.words + i // BITS] |= 1ULL << i % BITS

    cdef void look(self, State s, int site) noexcept nogil:
        """Find the nodes, and compute the atoms that are not columns of the input."""
        cdef int i, k, attribute
        cdef uint64_t value
        cdef int* atom = &self.atoms[3 * self.from_input]
        cdef const int* nodes = self.addresses.nodes
        cdef uint64_t* values = &self.values[0]
        self.addresses.find(s, site)
        for i in range(self.from_input, self.atom_count):
            k = nodes[atom[0]]
            attribute = atom[1]
            if attribute == LABEL:
                value = s.label[k] + 2
            elif attribute == LEFT_ARITY:
                value = s.left_arity[k]
            elif attribute == RIGHT_ARITY:
                value = s.right_arity[k]
            elif attribute == LEFT_SET:
                value = s.left_set[k]
            elif attribute == RIGHT_SET:
                value = s.right_set[k]
            else:
                value = self.distance(atom, nodes, s.n)
            values[i] = value
            atom += 3

    cdef void read(self, Words words) noexcept nogil:
        """Compute the other atoms, of the nodes found last, and which templates are not silent."""
        cdef int i, k, n = words.n
        cdef uint64_t silent
        cdef int* atom = &self.atoms[0]  # local pointers: the compiler cannot assume that the arrays do not move
        cdef const int* nodes = self.addresses.nodes
        cdef uint64_t* values = &self.values[0]
        cdef const uint64_t* users
        for i in range(self.from_input):
            values[i] = words.atoms[atom[1] * (n + 2) + nodes[atom[0]]]
            atom += 3
        for k in range(self.words):
            users = &self.users[k]
            silent = 0
            for i in range(self.node_count):
                silent |= users[i * self.words] & (0 - <uint64_t> (nodes[i] > n))
            self.named[k] = self.everything[k] & ~silent

    cdef uint64_t distance(self, const int* atom, const int* nodes, int n) noexcept nogil:
        """Return the distance between the two nodes of an atom: exact if it is short, else roughly."""
        cdef int position = nodes[atom[2]]
        if position == 0 and atom[1] == DISTANCE:
            position = n + 1  # ROOT is last in the buffer
        position = abs(position - nodes[atom[0]])
        return 6 if position > 10 else 5 if position > 4 else position

    cdef uint64_t signature(self, uint64_t begin) noexcept nogil:
        """Return a hash of what `look` has read: where it is the same in a sentence, features are the same."""
        cdef int count = self.atom_count - self.from_input
        begin = dodona_signature_of_nodes(self.addresses.nodes, self.node_count, begin)
        return dodona_signature(&self.values[self.from_input], count, begin)

    cdef int name(self, uint64_t* keys, FrozenWeights weights) noexcept nogil:
        """Combine the atoms read last into features, which these weights, if there are any, are to expect."""
        cdef uint64_t* hashes = &self.hashes[0]
        dodona_hash(&self.templates, &self.values[0], hashes)
        return dodona_collect(
            &self.named[0], self.words, &self.places[0], hashes, keys, NULL if weights is None else &weights.table
        )


cdef class LinearScorer(Scorer):
    """Templates and weights, during training or frozen.

    With `cached`, configurations with the same features are scored once. The hypotheses of a beam often differ only in
    earlier actions that no template uses, so many of them have the same features. Others differ only in the arcs built
    so far: of frozen weights, the sum of the steady features, those of words on stack and buffer, is remembered, too.
    """

    def __init__(self, templates, weights, *, bint cached=False):
        self.sentences = Words
        self.reach = REACH
        self.extractor = Extractor(templates)
        self.is_learning = isinstance(weights, Weights)
        if self.is_learning:
            self.weights = weights
        else:
            self.frozen = weights
        self.actions = weights.actions
        self.cached = cached
        self.keys = array("Q", bytes(8 * (self.extractor.most + 1)))
        self.numbers = array("i", bytes(4 * self.actions))
        self.signatures = array("Q", bytes(8 * (ROWS if cached else 1)))
        self.rows = array("f", bytes(4 * (ROWS if cached else 1) * self.actions))
        self.in_parts = cached and not self.is_learning
        if self.in_parts:
            steady = templates.find_steady()
            self.steady = Extractor(templates, steady)
            self.changing = Extractor(templates, [i for i in range(len(templates)) if i not in steady])
            self.steady_signatures = array("Q", bytes(8 * ROWS))
            self.steady_rows = array("i", bytes(4 * ROWS * self.actions))

    def hash_features(self, State s, EncodedSentence sentence, int site=0):
        """Return the hashes of the features of a configuration, in the order of the templates, without silent ones."""
        self.check(sentence)
        if sentence.n != s.n or not 0 <= site <= s.n:
            raise ValueError(f"a sentence of {sentence.n} words and site {site} for a configuration of {s.n} words")
        self.extractor.look(s, site)
        self.extractor.read(<Words> sentence)
        self.count = NONE
        return [self.keys[i] for i in range(self.name_features())]

    cdef void forget(self) noexcept nogil:
        """Clear the cache, because the weights have changed."""
        memset(&self.signatures[0], 0, self.signatures.shape[0] * sizeof(uint64_t))

    cdef float* scores(self, State s, EncodedSentence sentence, int site) except NULL nogil:
        cdef int a, slot
        cdef float* row = &self.rows[0]
        cdef uint64_t signature
        if self.in_parts:
            return self.add_parts(s, <Words> sentence, site)
        self.extractor.look(s, site)
        self.extractor.read(<Words> sentence)
        self.count = NONE
        if self.cached:
            signature = self.extractor.signature((<Words> sentence).number) | 1
            slot = (signature >> 32) & (ROWS - 1)
            row = &self.rows[<Py_ssize_t> slot * self.actions]
            if self.signatures[slot] == signature:
                return row
            self.signatures[slot] = signature
        self.name_features()
        if self.is_learning:
            self.weights.score(&self.keys[0], self.count, row)
        else:
            self.frozen.sum(&self.keys[0], self.count, &self.numbers[0])
            for a in range(self.actions):
                row[a] = self.numbers[a]
        return row

    cdef void begin(self, State s, Words words, int site) noexcept nogil:
        """Prepare scores of weights that are learned: they come from memory while the caller does something else."""
        self.extractor.look(s, site)
        self.extractor.read(words)
        self.count = NONE
        self.weights.expect(&self.keys[0], self.name_features())

    cdef float* finish(self) noexcept nogil:
        """Return the scores that were prepared."""
        self.weights.sum(&self.keys[0], self.count, &self.rows[0])
        return &self.rows[0]

    cdef float* add_parts(self, State s, Words words, int site) noexcept nogil:
        """Return the scores, with frozen weights, from those of the steady features and of the changing ones."""
        cdef int a, count, slot
        cdef int32_t* part
        cdef float* row
        cdef uint64_t steady, signature
        self.steady.look(s, site)
        self.changing.look(s, site)
        steady = self.steady.signature(words.number) | 1
        signature = self.changing.signature(steady) | 1
        slot = (signature >> 32) & (ROWS - 1)
        row = &self.rows[<Py_ssize_t> slot * self.actions]
        if self.signatures[slot] == signature:
            return row
        self.signatures[slot] = signature
        self.changing.read(words)
        count = self.changing.name(&self.keys[0], self.frozen)
        slot = (steady >> 32) & (ROWS - 1)
        part = &self.steady_rows[<Py_ssize_t> slot * self.actions]
        if self.steady_signatures[slot] != steady:
            self.steady_signatures[slot] = steady
            self.steady.read(words)
            self.frozen.sum(&self.keys[count], self.steady.name(&self.keys[count], self.frozen), part)
        self.frozen.sum(&self.keys[0], count, &self.numbers[0])
        for a in range(self.actions):
            row[a] = self.numbers[a] + part[a]
        return row

    cdef int name_features(self) noexcept nogil:
        """Write the features of the configuration scored last into `keys`; returns their number."""
        if self.count == NONE:
            self.count = self.extractor.name(&self.keys[0], self.frozen)
        return self.count
