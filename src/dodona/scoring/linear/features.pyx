"""From a configuration to the 64-bit hashes of its features.

A feature is a template and the values of its atoms, hashed together; there is no dictionary of features. The file is
Cython and not Python because it uses pointers and 64-bit arithmetic.
"""

from array import array

from libc.stdint cimport uint64_t
from libc.stdlib cimport calloc, free

from dodona.scoring.linear.hash_table cimport mix
from dodona.scoring.linear.templates import ATTRIBUTES, COLUMNS

cdef int COLUMN_COUNT = len(COLUMNS)
cdef int LABEL = ATTRIBUTES.index("l")
cdef int LEFT_ARITY = ATTRIBUTES.index("vl")
cdef int RIGHT_ARITY = ATTRIBUTES.index("vr")
cdef int LEFT_SET = ATTRIBUTES.index("sl")
cdef int DISTANCE = ATTRIBUTES.index("dist")
cdef int RIGHT_SET = ATTRIBUTES.index("sr")


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


cdef class Extractor:
    """Computes the features of a configuration from a set of templates. One for each thread."""

    def __init__(self, templates) -> None:
        self.addresses = Addresses(templates.nodes)
        self.atoms, self.combinations = templates.numbers()
        self.atom_count = len(templates.atoms)
        self.most = len(templates)
        self.begins = array("Q", [mix(0, i + 1) for i in range(self.most)])
        self.silent = array("i", bytes(4 * self.atom_count))
        self.values = array("Q", bytes(8 * self.atom_count))

    cdef void look(self, State s, Words words, int site) noexcept nogil:
        """Compute the value of every atom."""
        cdef int i, k, attribute, position, n = s.n
        cdef int width = n + 2
        cdef uint64_t value
        cdef int* atoms = &self.atoms[0]  # local pointers: the compiler cannot assume that the arrays do not move
        cdef int* found = &self.addresses.found[0]
        cdef int* silent = &self.silent[0]
        cdef uint64_t* values = &self.values[0]
        self.addresses.find(s, site)
        for i in range(self.atom_count):
            k = found[atoms[2 * i]]
            attribute = atoms[2 * i + 1]
            silent[i] = k > n
            if attribute < COLUMN_COUNT:
                value = words.atoms[attribute * width + k]
            elif attribute == LABEL:
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
                position = s.b0() if attribute == DISTANCE else s.s1()
                silent[i] = k > n or position > n
                if position == 0 and attribute == DISTANCE:
                    position = n + 1  # ROOT is last in the buffer
                position = abs(position - k)
                value = 6 if position > 10 else 5 if position > 4 else position
            values[i] = value

    cdef uint64_t signature(self) noexcept nogil:
        """Return a hash of all atoms: configurations with the same features have the same signature."""
        cdef uint64_t h = 1
        cdef int i
        for i in range(self.atom_count):
            h = mix(h, ~0ULL if self.silent[i] else self.values[i])
        return h

    cdef int name(self, uint64_t* keys, FrozenWeights weights) noexcept nogil:
        """Combine the atoms computed last into features, which these weights, if there are any, are to expect.

        The hash of a silent feature is computed, too, and then overwritten, to avoid a branch that is hard to predict.
        """
        cdef int i, k, length, count = 0, is_silent
        cdef uint64_t h
        cdef bint frozen = weights is not None
        cdef const int* combination = &self.combinations[0]
        cdef const int* silent = &self.silent[0]
        cdef const uint64_t* values = &self.values[0]
        cdef const uint64_t* begins = &self.begins[0]
        for i in range(self.most):
            length = combination[0]
            is_silent = 0
            h = begins[i]
            for k in range(1, length + 1):
                is_silent |= silent[combination[k]]
                h = mix(h, values[combination[k]])
            combination += length + 1
            keys[count] = h
            count += not is_silent
            if frozen:
                weights.expect(keys[count - (count > 0)])  # of a silent feature the one before, once more
        return count
