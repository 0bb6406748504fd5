"""From a configuration to the 64-bit hashes of its features.

A feature is a template and the values of its atoms, hashed together; there is no dictionary of features. The file is
Cython and not Python because it uses pointers and 64-bit arithmetic.
"""

from array import array

from libc.stdint cimport uint64_t
from libc.stdlib cimport calloc, free

from dodona.scoring.addresses import PLACES
from dodona.scoring.linear.hash_table cimport mix
from dodona.scoring.linear.templates import ATTRIBUTES, COLUMNS, DISTANCES

cdef int COLUMN_COUNT = len(COLUMNS)
cdef int LABEL = ATTRIBUTES.index("l")
cdef int LEFT_ARITY = ATTRIBUTES.index("vl")
cdef int RIGHT_ARITY = ATTRIBUTES.index("vr")
cdef int LEFT_SET = ATTRIBUTES.index("sl")
cdef int DISTANCE = ATTRIBUTES.index("dist")
cdef int RIGHT_SET = ATTRIBUTES.index("sr")
cdef int BITS = 64  # of a word of a set


cdef class Words(EncodedSentence):
    """A sentence as input of the templates: a number for each column of each word; all are 0 at first."""

    def __cinit__(self, int n):
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


def _ends_of(atoms, nodes):
    """Return for each atom the two nodes that it needs, as indices into `nodes`; a distance may add one there."""
    ends = []
    for node, attribute in atoms:
        distance = DISTANCES.get(ATTRIBUTES[attribute])
        both = [(PLACES.index(place), 0) for place in distance] if distance else [nodes[node], nodes[node]]
        nodes += [end for end in both if end not in nodes]
        ends.append(tuple(map(nodes.index, both)))
    return ends


cdef class Extractor:
    """Computes the features of a configuration from a set of templates. One for each thread."""

    def __init__(self, templates) -> None:
        nodes, atoms, combinations = list(templates.nodes), templates.atoms, templates.combinations
        self.most, self.atom_count = len(combinations), len(atoms)
        ends = _ends_of(atoms, nodes)
        self.node_count = len(nodes)
        self.addresses = Addresses(nodes)
        order = sorted(range(len(atoms)), key=lambda atom: atoms[atom][1] >= COLUMN_COUNT)
        self.from_input = sum(attribute < COLUMN_COUNT for _, attribute in atoms)
        self.atoms = array("i", [number for atom in order for number in (ends[atom][0], atoms[atom][1], ends[atom][1])])
        
        by_length = sorted(range(self.most), key=lambda i: len(combinations[i]))
        longest = max(map(len, combinations))
        self.lengths = array("i", [sum(len(one) == n + 1 for one in combinations) for n in range(longest)])
        self.combinations = array("i", [order.index(atom) for i in by_length for atom in combinations[i]])
        self.begins = array("Q", [mix(0, i + 1) for i in by_length])
        self.places = array("i", [by_length.index(i) for i in range(self.most)])
        self.hashes = array("Q", bytes(8 * self.most))
        self.templates.longest, self.templates.lengths = longest, &self.lengths[0]
        self.templates.atoms, self.templates.begins = &self.combinations[0], &self.begins[0]

        self.words = (self.most + BITS - 1) // BITS
        self.users = array("Q", bytes(8 * self.words * len(nodes)))
        self.everything = array("Q", bytes(8 * self.words))
        self.values = array("Q", bytes(8 * (self.atom_count + self.words + LANES)))  # the rest stays 0
        for i, combination in enumerate(combinations):
            self.everything[i // BITS] |= 1ULL << i % BITS
            for node in {node for atom in combination for node in ends[atom]}:
                self.users[node * self.words + i // BITS] |= 1ULL << i % BITS

    cdef void look(self, State s, Words words, int site) noexcept nogil:
        """Compute the value of every atom, and which templates are not silent."""
        cdef int i, k, attribute, n = s.n
        cdef int width = n + 2
        cdef uint64_t value, silent
        cdef int* atom = &self.atoms[0]  # local pointers: the compiler cannot assume that the arrays do not move
        cdef int* found = &self.addresses.found[0]
        cdef uint64_t* values = &self.values[0]
        cdef const uint64_t* columns = words.atoms
        cdef const uint64_t* users
        self.addresses.find(s, site)
        for i in range(self.from_input):
            values[i] = columns[atom[1] * width + found[atom[0]]]
            atom += 3
        for i in range(self.from_input, self.atom_count):
            k = found[atom[0]]
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
                value = self.distance(atom, found, n)
            values[i] = value
            atom += 3
        for k in range(self.words):
            users = &self.users[k]
            silent = 0
            for i in range(self.node_count):
                silent |= users[i * self.words] & (0 - <uint64_t> (found[i] > n))
            values[self.atom_count + k] = self.everything[k] & ~silent

    cdef uint64_t distance(self, const int* atom, const int* found, int n) noexcept nogil:
        """Return the distance between the two nodes of an atom: exact if it is short, else roughly."""
        cdef int position = found[atom[2]]
        if position == 0 and atom[1] == DISTANCE:
            position = n + 1  # ROOT is last in the buffer
        position = abs(position - found[atom[0]])
        return 6 if position > 10 else 5 if position > 4 else position

    cdef uint64_t signature(self) noexcept nogil:
        """Return a hash of all values: configurations with the same features have the same signature."""
        return dodona_signature(&self.values[0], self.atom_count + self.words)

    cdef int name(self, uint64_t* keys, FrozenWeights weights) noexcept nogil:
        """Combine the atoms computed last into features, which these weights, if there are any, are to expect."""
        cdef uint64_t* hashes = &self.hashes[0]
        dodona_hash(&self.templates, &self.values[0], hashes)
        return dodona_collect(
            &self.values[self.atom_count], self.words, &self.places[0], hashes, keys, NULL if weights is None else &weights.table
        )
