"""Addresses: how feature templates and networks name the nodes of a configuration.

An address is a place (`S0`, the top of the stack), followed by at most one step along the arcs built so far (`S0.lc`,
its leftmost dependent). It leads to a node, or to nobody.
"""

from array import array

PLACES = ("S0", "S1", "S2", "S3", "N0", "N1", "N2", "N3", "P0", "L1", "L2", "L3", "R1", "R2", "R3", "CL", "CR")
"""S: stack, N: buffer; P0, L, R: easy-first's site and its neighbours; CL, CR: covington's words in between."""

REACH = 3
"""How many neighbours to either side of a site the places L and R know."""

STEPS = ("", "h", "h2", "lc", "lc2", "rc", "rc2", "ln", "rn")
"""Head, head's head, outermost and second outermost dependent on each side, nearest dependent on each side."""


cdef class Addresses:
    """Some addresses, and the nodes that they lead to. One for each thread."""

    def __cinit__(self, addresses):
        """`addresses` are pairs of numbers: a place and a step."""
        cdef int i
        self.count = len(addresses)
        self.memory = array("i", bytes(4 * (3 * self.count + 1)))
        self.pairs = &self.memory[0]
        self.nodes = self.pairs + 2 * self.count
        for i, (place, step) in enumerate(addresses):
            if not (0 <= place < len(PLACES) and 0 <= step < len(STEPS)):
                raise ValueError(f"an address of place {place} and step {step}; expected numbers of PLACES and STEPS")
            self.pairs[2 * i], self.pairs[2 * i + 1] = place, step

    cdef void find(self, State s, int site) noexcept nogil:
        """Write the node of each address into `nodes`."""
        cdef int i, k, step, n = s.n
        cdef int* pairs = self.pairs  # local pointers: the compiler cannot assume that the arrays do not move
        cdef int* nodes = self.nodes
        for i in range(self.count):
            k = self.place(s, pairs[2 * i], site)
            step = pairs[2 * i + 1]
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
            nodes[i] = k

    cdef int place(self, State s, int place, int site) noexcept nogil:
        """Return the node at a place, or nobody."""
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
        cdef int left = s.s0(), right = s.b0(), k, h, word = s.n + 1
        if left > s.n or right > s.n:
            return word
        for k in range(left + 1, right):
            h = s.head[k]
            if h < left or h > right:
                word = k
                if not last:
                    break
        return word
