"""Text as input of the tokenizer: runs, which are sequences of characters without a token boundary inside.

They depend on the kinds of the characters, and are learned from the training text: in English words, numbers and single
punctuation marks, in Japanese often single characters.
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, realloc

from dodona.data import characters as _characters
from dodona.scoring.linear.hash_table cimport HashTable, mix
from dodona.text.hashing cimport FORWARDS, hash_codes, hash_string
from dodona.text.letters cimport lowered

cdef extern from "Python.h":
    uint32_t* PyUnicode_AsUCS4Copy(object text) except NULL
    void PyMem_Free(void* memory)

cdef enum:
    LONGEST_RUN = 65536  # characters
    LONGEST_FORM = 64    # of them that make a form

cdef int KINDS = _characters.KINDS, BLANK = _characters.BLANK
cdef uint8_t* KIND = <uint8_t*> calloc(0x110000, 1)  # of every character that was met so far; 0: not yet
if KIND == NULL:
    raise MemoryError


cdef inline int kind_of(uint32_t code) except 0 nogil:
    if KIND[code] == 0:
        with gil:
            KIND[code] = _characters.kind(code)
    return KIND[code]


cdef bint is_blank(uint32_t code) noexcept nogil:
    """Whether a character of a passage separates words."""
    return KIND[code] == BLANK


cdef inline uint64_t place_of(uint64_t lower) noexcept nogil:
    return lower >> 20 & (4 * WORDS - 1)


def word_place(str lower):
    """Return the index of a word in the table of words, with two bits for each."""
    return place_of(hash_string(lower[:LONGEST_FORM]))


cdef class Rules:
    """Statistics of the training text that are used before the model decides.

    `questions` has NEVER, ASK or ALWAYS for TOKEN and SENTENCE by the kinds of the characters on both sides; `words` two
    bits for each hash of a word: seen lowercased, seen capitalized in mid-sentence; `splits` the few words with a token
    boundary where otherwise there is none, as lists of their parts.
    """

    def __init__(self, questions, words, splits):
        self.questions = questions
        self.words = words
        self.splits = HashTable(len(splits))
        for pieces in splits:
            self.splits.add(hash_string("".join(pieces)[:LONGEST_FORM]) | 1).value = self.places(pieces)

    cdef uint64_t places(self, list pieces):
        """Return the starts of the runs of a known word, as bits."""
        cdef uint64_t places = 0
        cdef int length = 0
        for piece in pieces[:-1]:
            length += len(piece)
            if length < 64:
                places |= <uint64_t> 1 << length
        return places


cdef class Passage:
    """A text and its runs."""

    def __init__(self, str text, Rules rules):
        self.text = text
        self.rules = rules
        self.length = len(text)
        self.codes = PyUnicode_AsUCS4Copy(text)
        with nogil:
            self.find_runs()

    def __dealloc__(self):
        PyMem_Free(self.codes)
        free(self.runs)

    cdef int find_runs(self) except -1 nogil:
        cdef Py_ssize_t i = 0, start, n = self.length
        cdef int gap = NO_GAP, lines, kind, previous
        cdef uint32_t code
        cdef const uint8_t* inside = &self.rules.questions[0]
        while True:
            start = i
            lines = 0
            while i < n and kind_of(self.codes[i]) == BLANK:
                code = self.codes[i]
                if code == 0x0A or code == 0x85 or code == 0x2028:
                    lines += 1
                elif code == 0x0D and not (i + 1 < n and self.codes[i + 1] == 0x0A):
                    lines += 1
                elif code == 0x2029:
                    lines += 2
                i += 1
            gap = PARAGRAPH if lines > 1 else BLANKS if i > start else NO_GAP
            if i == n:
                return 0
            start = i
            previous = KIND[self.codes[i]]
            i += 1
            while i < n and i - start < LONGEST_RUN:
                kind = kind_of(self.codes[i])
                if kind == BLANK or inside[previous * KINDS + kind] != NEVER:
                    break
                previous = kind
                i += 1
            self.add_run(start, i, gap, False)

    cdef int add_run(self, Py_ssize_t start, Py_ssize_t end, int gap, bint is_piece) except -1 nogil:
        """Add one run; or several, where a known word has a token boundary inside."""
        cdef uint64_t form, lower = FORWARDS, at, places
        cdef Py_ssize_t i, length = end - start
        cdef Run* run
        form = hash_codes(&self.codes[start], min(length, LONGEST_FORM))
        for i in range(start, min(end, start + LONGEST_FORM)):
            lower = mix(lower, lowered(self.codes[i]))
        if 1 < length < 64 and not is_piece:
            places = self.rules.splits.find(form | 1).value
            i = start
            for at in range(1, length):
                if places >> at & 1:
                    self.add_run(i, start + at, gap, i > start)
                    i = start + at
                    gap = NO_GAP
            if i > start:
                return self.add_run(i, end, gap, True)
        if self.count == self.room:
            self.room = 2 * self.room + 256
            run = <Run*> realloc(self.runs, self.room * sizeof(Run))
            if run == NULL:
                raise MemoryError
            self.runs = run
        run = &self.runs[self.count]
        self.count += 1
        run.start, run.end, run.form, run.lower, run.gap, run.is_piece = start, end, form, lower, gap, is_piece
        run.first, run.last = KIND[self.codes[start]], KIND[self.codes[end - 1]]
        run.shape = (
            (<uint64_t> run.first << 24 | <uint64_t> run.last << 16 | KIND[self.codes[min(start + 1, end - 1)]] << 8)
            | min(length, 4)
        )
        at = place_of(lower)
        run.seen = self.rules.words[at >> 2] >> 2 * (at & 3) & 3
        return 0

    def spans(self):
        """Return the starts and ends of the runs, in characters."""
        cdef Py_ssize_t k
        return [(self.runs[k].start, self.runs[k].end) for k in range(self.count)]

    cdef int question(self, int which, int k) noexcept nogil:
        """NEVER, ASK or ALWAYS, between run k and the next."""
        cdef int gap = self.runs[k + 1].gap != NO_GAP
        if which == TOKEN and self.runs[k + 1].is_piece:
            return ASK
        return self.rules.questions[((which * 2 + gap) * KINDS + self.runs[k].last) * KINDS + self.runs[k + 1].first]

    cdef uint64_t before(self, int sentence, int k, int back) noexcept nogil:
        """The character so many before the end of run k, back to the beginning of the sentence; blanks are alike."""
        cdef Py_ssize_t i = self.runs[k].end - back
        if i < self.runs[sentence].start:
            return 1
        return 2 if KIND[self.codes[i]] == BLANK else self.codes[i] + 3

    cdef uint64_t after(self, int k, int ahead) noexcept nogil:
        """The character so many after the beginning of run k, as far as the paragraph goes; blanks are alike."""
        cdef Py_ssize_t i = self.runs[k].start + ahead
        cdef int last
        if i >= self.runs[k].end:
            last = self.last_in_reach(k)
            if i >= self.runs[last].end:
                return 1
            if KIND[self.codes[i]] == BLANK:
                return 2
        return self.codes[i] + 3

    cdef int last_in_reach(self, int k) noexcept nogil:
        """The last run of this paragraph, or the second after this one."""
        cdef int last = k
        while last < k + 2 and last + 1 < self.count and self.runs[last + 1].gap != PARAGRAPH:
            last += 1
        return last
