"""A random generator for the compiled loops: the same numbers on every machine."""

from libc.stdint cimport uint64_t


cdef class Chance:
    """Xorshift (Marsaglia 2003), begun with a seed."""

    def __init__(self, seed):
        self.state = (seed * 2654435761 + 88172645463325252) % (1 << 64)

    def draw(self):
        """`random` for people."""
        return self.random()

    cdef double random(self) noexcept nogil:
        """A number from 0 up to 1."""
        self.state ^= self.state << 13
        self.state ^= self.state >> 7
        self.state ^= self.state << 17
        return (self.state >> 11) / <double> (1ULL << 53)
