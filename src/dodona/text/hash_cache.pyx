"""A cache of the hashes of strings. Encoding consists mostly of look-ups in it, so it is compiled."""

from array import array

from libc.stdint cimport uint64_t

from dodona.scoring.linear.features cimport Words

from dodona.scoring.linear.templates import COLUMNS

cdef int MOST = 1 << 20  # strings kept before the cache is cleared
cdef int MOST_CHARACTERS = 1 << 24  # and the number of characters in them
cdef int LONGEST = 1 << 10  # characters of a string that is kept


cdef class HashCache:
    """Each string has one number for each of some columns. `work_out` computes them for a new string."""

    def __init__(self, columns, work_out, root):
        if not all(0 <= column < len(COLUMNS) for column in columns):
            raise ValueError("expected columns that words have")
        self.count = len(columns)
        self.columns = array("i", columns)
        self.work_out = work_out
        self.known = {}
        self.root = self.numbers(root)

    cdef bytes numbers(self, value):
        found = self.known.get(value)
        if found is None:
            if not isinstance(value, str):
                raise TypeError(f"a value of type {type(value).__name__}; expected a string")
            found = array("Q", self.work_out(value)).tobytes()
            if len(found) != 8 * self.count:
                raise ValueError("expected a number for each column")
            if len(value) <= LONGEST:
                if len(self.known) >= MOST or self.characters >= MOST_CHARACTERS:
                    self.known.clear()
                    self.characters = 0
                self.known[value] = found
                self.characters += len(value)
        return found

    def kept(self):
        """Return (number of strings, number of their characters) that are kept."""
        return len(self.known), self.characters

    def write(self, list values, Words words):
        """Write the numbers of the values, one for each word, and those of ROOT into their columns of `words`."""
        cdef int i
        if len(values) != words.n:
            raise ValueError("expected a value for each word")
        self.put(self.root, words, 0)
        for i in range(words.n):
            self.put(self.numbers(values[i]), words, i + 1)

    cdef int put(self, bytes numbers, Words words, int k) except -1:
        """ROOT is first in a column, nobody last."""
        cdef const uint64_t* found = <const uint64_t*> <const char*> numbers
        cdef int j
        for j in range(self.count):
            words.atoms[(words.n + 2) * self.columns[j] + k] = found[j]
        return 0
