"""Sentences as the numbers that feature templates combine: hashes of words and tags, which need no vocabulary."""

from array import array as new_array

cimport cython
from cpython cimport array
from libc.stdint cimport uint64_t

from dodona.data.hashing cimport Letters, hash_codes, mix
from dodona.data.values cimport Inventory, Values, begin_of, end_of
from dodona.linear.scorer cimport Words

from dodona.data.storage import columns_of, forms_of
from dodona.data.values import Values as _Values, values_of
from dodona.linear.templates import COLUMNS

ROOT = "\N{NULL}root"  # no word of a sentence is called that
PARTS = {"pre2": 2, "pre3": 3, "suf2": -2, "suf3": -3, "suf4": -4}
"""Columns that are affixes of the form: its first or, if negative, its last characters."""
SOURCES = {"w": "words", "p": "upos", "x": "xpos", "f": "feats"}

cdef enum:
    MAX_COLUMNS = 16      # that are made of one
    MAX_INVENTORIES = 64  # whose numbers are kept

cdef array.array POINTERS = new_array("Q")


class SentenceEncoder:
    """Encodes the columns that the templates use. The number of a string is a 64-bit hash of it."""

    def __init__(self, templates):
        used = {attribute for _, attribute in templates.atoms}
        self._hashes = {}
        for source in ("words", "upos", "xpos", "feats"):
            columns = [i for i, name in enumerate(COLUMNS) if i in used and SOURCES.get(name, "words") == source]
            if columns:
                self._hashes[source] = ColumnHashes(columns, [PARTS.get(COLUMNS[i], 0) for i in columns], ROOT)

    def __call__(self, sentence):
        """Return a sentence as numbers."""
        return self.encode([sentence])[0]

    def encode(self, sentences):
        """Return several sentences as numbers, which is faster than one after the other."""
        sentences = list(sentences)
        forms = forms_of(sentences)
        columns = [forms if name == "words" else columns_of(sentences, name) for name in self._hashes]
        words = [Words(len(each)) for each in forms]
        write_columns(list(self._hashes.values()), columns, words)
        return words


@cython.final
cdef class ColumnHashes:
    """Each value has a number for each of some columns: the hash of the value, or of an affix of it."""

    cdef int count          # of numbers for each value
    cdef int[::1] columns   # where each of them goes
    cdef int[::1] parts     # of the value that is hashed: 0 all of it, k > 0 its first k characters, -k its last k
    cdef uint64_t[::1] root
    cdef dict known         # from an inventory to the numbers of its values

    def __init__(self, columns, parts, str root not None):
        """`root` is the value of ROOT, which has no affixes."""
        in_range = all(0 <= column < len(COLUMNS) for column in columns)
        if not in_range or not 0 < len(columns) == len(parts) <= MAX_COLUMNS:
            raise ValueError("expected columns that words have, and a part for each")
        self.count = len(columns)
        self.columns, self.parts = new_array("i", columns), new_array("i", bytes(4 * len(columns)))
        self.root = new_array("Q", bytes(8 * len(columns)))
        cdef bytes text = root.encode()
        self.hash(text, len(text), Letters(), &self.root[0])
        self.parts = new_array("i", parts)
        self.known = {}

    cdef int put(self, Values values, Words words, const uint64_t* known, Letters letters) except -1 nogil:
        """ROOT is first in a column, nobody last."""
        cdef uint64_t numbers[MAX_COLUMNS]
        cdef const uint64_t* own = &self.root[0]
        cdef int i, j, begin
        for i in range(values.n + 1):
            if i > 0 and known != NULL:
                own = known + self.count * values.chosen[i - 1]
            elif i > 0:
                begin = begin_of(values, i - 1)
                self.hash(values.text + begin, end_of(values, i - 1) - begin, letters, numbers)
                own = numbers
            for j in range(self.count):
                words.atoms[(words.n + 2) * self.columns[j] + i] = own[j]
        return 0

    cdef const uint64_t[::1] of_inventory(self, Inventory inventory):
        """Return the numbers of each value of an inventory; they are computed once."""
        hashes = self.known.get(inventory)
        cdef uint64_t[::1] numbers
        cdef Letters letters
        cdef int i
        cdef bytes text
        if hashes is None:
            hashes = new_array("Q", bytes(8 * self.count * len(inventory.values)))
            numbers, letters = hashes, Letters()
            for i in range(len(inventory.values)):
                text = inventory.values[i].encode()
                self.hash(text, len(text), letters, &numbers[self.count * i])
            if len(self.known) >= MAX_INVENTORIES:
                self.known.clear()
            self.known[inventory] = hashes
        return hashes

    cdef int hash(self, const char* text, int size, Letters letters, uint64_t* numbers) except -1 nogil:
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


def write_columns(list hashes not None, list columns not None, list sentences not None):
    """Write the numbers of the words, and those of ROOT, into the sentences, which are `Words`.

    For each of the `hashes` there is a list with a column for each sentence: `Values`, or a list of strings. Everything
    but the first look at an inventory is done without the interpreter's lock.
    """
    cdef Py_ssize_t i, k, count = len(sentences), kinds = len(hashes)
    cdef Values values
    cdef Letters letters = Letters()
    cdef const uint64_t[::1] known
    cdef array.array jobs = array.clone(POINTERS, 3 * count * kinds, False)
    cdef void** job = <void**> jobs.data.as_voidptr
    cdef void** makers
    cdef ColumnHashes maker
    cdef list kept = []  # what the jobs point to
    cdef array.array pointers = array.clone(POINTERS, kinds, False)
    makers = <void**> pointers.data.as_voidptr
    for k in range(kinds):
        maker = hashes[k]
        makers[k] = <void*> maker
        if len(columns[k]) != count:
            raise ValueError("expected a column for each sentence")
        for i in range(count):
            column = columns[k][i]
            values = column if isinstance(column, _Values) else values_of(column)
            if values.n != (<Words?> sentences[i]).n:
                raise ValueError("expected a value for each word")
            kept.append(values)
            job[0], job[1], job[2] = <void*> values, <void*> sentences[i], NULL
            if values.inventory is not None:
                known = maker.of_inventory(values.inventory)
                kept.append(known)
                job[2] = <void*> &known[0]
            job += 3
    job = <void**> jobs.data.as_voidptr
    with nogil:
        for k in range(kinds):
            for _ in range(count):
                (<ColumnHashes> makers[k]).put(<Values> job[0], <Words> job[1], <const uint64_t*> job[2], letters)
                job += 3
