"""A random generator for the compiled loops: the same numbers on every machine."""


cdef class RandomGenerator:
    """Xorshift (Marsaglia 2003), initialized with a seed."""

    def __init__(self, seed):
        self.state = (seed * 2654435761 + 88172645463325252) % (1 << 64)

    def draw(self):
        """Python access to `random`, for tests."""
        return self.random()

    cdef double random(self) noexcept nogil:
        """Return a random number in [0, 1)."""
        self.state ^= self.state << 13
        self.state ^= self.state >> 7
        self.state ^= self.state << 17
        return (self.state >> 11) / <double> (1ULL << 53)

    cdef int place_of(self, const int[::1] values, int value, int otherwise) noexcept nogil:
        """Return one of the places where `values` has this value, all equally likely; `otherwise` if it has none."""
        cdef int i, alike = 0, chosen = otherwise
        for i in range(values.shape[0]):
            if values[i] == value:
                alike += 1
                if self.random() * alike < 1:
                    chosen = i
        return chosen
