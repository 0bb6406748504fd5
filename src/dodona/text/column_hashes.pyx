"""From the values of a column to the numbers that feature templates combine: hashes, so that no vocabulary is needed."""

from array import array

from libc.stdint cimport uint64_t

from dodona.data.values cimport Inventory, Values, begin_of, end_of
from dodona.scoring.linear.features cimport Words
from dodona.scoring.linear.hash_table cimport mix
from dodona.text.hashing cimport hash_codes
from dodona.text.letters cimport Letters

from dodona.data.values import Values as _Values, values_of
from dodona.scoring.linear.templates import COLUMNS

cdef int MOST = 64  # inventories whose numbers are kept


cdef class ColumnHashes:
    """Each value has a number for each of some columns: the hash of the value, or of an affix of it."""

    def __init__(self, columns, parts, str root not None):
        """`root` is the value of ROOT, which has no affixes."""
        if not all(0 <= column < len(COLUMNS) for column in columns) or len(parts) != len(columns):
            raise ValueError("expected columns that words have, and a part for each")
        self.count = len(columns)
        self.columns, self.parts = array("i", columns), array("i", bytes(4 * len(columns)))
        self.root = array("Q", bytes(8 * len(columns)))
        cdef bytes text = root.encode()
        self.hash(text, len(text), Letters(), &self.root[0])
        self.parts = array("i", parts)
        self.known = {}

    def write(self, values, Words words not None):
        """Write the numbers of the values, one for each word, and those of ROOT into their columns of `words`.

        The values are `Values`, or a list of strings. ROOT is first in a column, nobody last.
        """
        cdef Values given = values if isinstance(values, _Values) else values_of(values)
        cdef uint64_t numbers[64]
        cdef const uint64_t[::1] kept
        cdef const uint64_t* found = &self.root[0]
        cdef Letters letters = Letters()
        cdef int i, j, begin
        if given.n != words.n:
            raise ValueError("expected a value for each word")
        if given.inventory is not None:
            kept = self.of_inventory(given.inventory)
        for i in range(given.n + 1):
            if i > 0 and given.inventory is not None:
                found = &kept[self.count * given.chosen[i - 1]]
            elif i > 0:
                begin = begin_of(given, i - 1)
                self.hash(given.text + begin, end_of(given, i - 1) - begin, letters, numbers)
                found = numbers
            for j in range(self.count):
                words.atoms[(words.n + 2) * self.columns[j] + i] = found[j]

    cdef const uint64_t[::1] of_inventory(self, Inventory inventory):
        """Return the numbers of each value of an inventory; they are computed once."""
        found = self.known.get(inventory)
        cdef uint64_t[::1] numbers
        cdef Letters letters
        cdef int i
        cdef bytes text
        if found is None:
            found = array("Q", bytes(8 * self.count * len(inventory.values)))
            numbers, letters = found, Letters()
            for i in range(len(inventory.values)):
                text = inventory.values[i].encode()
                self.hash(text, len(text), letters, &numbers[self.count * i])
            if len(self.known) >= MOST:
                self.known.clear()
            self.known[inventory] = found
        return found

    cdef int hash(self, const char* text, int size, Letters letters, uint64_t* numbers) except -1:
        """Compute the numbers of a value in UTF-8. They are different in each column, and never 0."""
        cdef int j, begin, length
        letters.read(text, size)
        for j in range(self.count):
            begin, length = 0, letters.size
            if self.parts[j] > 0:
                length = min(length, self.parts[j])
            elif self.parts[j] < 0:
                length = min(length, -self.parts[j])
                begin = letters.size - length
            numbers[j] = mix(hash_codes(letters.codes + begin, length), self.columns[j] + 1) or 1
        return 0
