"""Numbers of strings, remembered: looking them up is most of what encoding does, so it is compiled."""

from array import array

from libc.stdint cimport uint64_t

cdef int MOST = 1 << 20  # strings remembered before the memory is cleared


cdef class Memory:
    """Each string has one number for each of some columns. `learn` gives them for a new string, as bytes."""

    def __init__(self, columns, learn):
        self.count = len(columns)
        self.columns = array("i", columns)
        self.last = max(columns)
        self.learn = learn
        self.known = {}

    cdef bytes numbers(self, value):
        found = self.known.get(value)
        if found is None:
            if len(self.known) >= MOST:
                self.known.clear()
            found = self.learn(value)
            if len(found) != 8 * self.count:
                raise ValueError("expected eight bytes for each column")
            self.known[value] = found
        return found

    def write(self, list values, uint64_t[::1] atoms, int width, int start):
        """Put the numbers of the values into the columns of `atoms`, which are `width` apart, from `start` on."""
        cdef int i, j, n = len(values)
        cdef const uint64_t* found
        cdef bytes packed
        if n + start > width or width * (self.last + 1) > atoms.shape[0]:
            raise ValueError("expected room for every value")
        for i in range(n):
            packed = self.numbers(values[i])
            found = <const uint64_t*> <const char*> packed
            for j in range(self.count):
                atoms[width * self.columns[j] + start + i] = found[j]
