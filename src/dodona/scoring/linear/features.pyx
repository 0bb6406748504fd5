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


cdef class Extractor:
    """Computes the features of a configuration from a set of templates. One for each thread."""

    def __init__(self, templates) -> None:
        self.nodes, self.atoms, self.combinations = templates.numbers()
        self.node_count = len(templates.nodes)
        self.atom_count = len(templates.atoms)
        self.most = len(templates)
        self.found = array("i", bytes(4 * self.node_count))
        self.silent = array("i", bytes(4 * self.atom_count))
        self.values = array("Q", bytes(8 * self.atom_count))

    cdef void look(self, State s, Words words, int site) noexcept nogil:
        """Compute the value of every atom."""
        cdef int i, k, step, attribute, position, n = s.n
        cdef int width = n + 2
        cdef uint64_t value
        cdef int* nodes = &self.nodes[0]  # local pointers: the compiler cannot assume that the arrays do not move
        cdef int* atoms = &self.atoms[0]
        cdef int* found = &self.found[0]
        cdef int* silent = &self.silent[0]
        cdef uint64_t* values = &self.values[0]
        for i in range(self.node_count):
            k = self.place(s, nodes[2 * i], site)
            step = nodes[2 * i + 1]
            if step != 0 and k <= n:
                if step == 1 or step == 2:
                    k = s.head[k]
                    if step == 2 and k >= 0:
                        k = s.head[k]
                    if k < 0:
                        k = n + 1
                elif step == 3 or step == 4:
                    k = s.leftmost[k]
                    if step == 4 and k <= n:
                        k = s.inner[k]
                elif step == 5 or step == 6:
                    k = s.rightmost[k]
                    if step == 6 and k <= n:
                        k = s.inner[k]
                else:
                    k = s.leftmost[k] if step == 7 else s.rightmost[k]
                    while k <= n and s.inner[k] <= n:
                        k = s.inner[k]
            found[i] = k
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

    cdef int name(self, uint64_t* keys) noexcept nogil:
        """Combine the atoms computed last into features.

        The hash of a silent feature is computed, too, and then overwritten, to avoid a branch that is hard to predict.
        """
        cdef int i, k, length, count = 0, is_silent
        cdef uint64_t h
        cdef const int* combination = &self.combinations[0]
        cdef const int* silent = &self.silent[0]
        cdef const uint64_t* values = &self.values[0]
        for i in range(self.most):
            length = combination[0]
            is_silent = 0
            h = mix(0, i + 1)  # templates must not share keys, whatever small numbers their atoms are
            for k in range(1, length + 1):
                is_silent |= silent[combination[k]]
                h = mix(h, values[combination[k]])
            combination += length + 1
            keys[count] = h
            count += not is_silent
        return count

    cdef int place(self, State s, int place, int site) noexcept nogil:
        """Return the node at a position, or nobody."""
        cdef int k
        if place < 4:
            return s.stack[s.depth - 1 - place] if s.depth > place else s.n + 1
        if place < 8:
            k = s.front + place - 4
            return s.queue[k] if k < s.end else s.n + 1
        if place == 8:
            return site
        if place < 12:
            k = site
            for _ in range(place - 8):
                k = s.before[k] if k >= 0 else k
            return k if k >= 0 else s.n + 1
        if place < 15:
            k = site
            for _ in range(place - 11):
                k = s.after[k] if k <= s.n else k
            return k
        return self.between(s, place == 16)

    cdef int between(self, State s, bint last) noexcept nogil:
        """Return Covington's first or last word between the focus words whose head is not between them, or nobody."""
        cdef int left = s.s0(), right = s.b0(), k, h, found = s.n + 1
        if left > s.n or right > s.n:
            return found
        for k in range(left + 1, right):
            h = s.head[k]
            if h < left or h > right:
                found = k
                if not last:
                    break
        return found
