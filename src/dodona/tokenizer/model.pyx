"""From text to the tokens and sentences of CoNLL-U, from left to right.

A text is cut into runs, which are sequences of characters without a token boundary inside. They depend on the kinds of
the characters, and are learned from the training text: in English words, numbers and single punctuation marks, in
Japanese often single characters. After each run a linear model makes up to two decisions: whether the token ends, and
whether the sentence ends. Most need no model, because between characters of these kinds the training text has only one
answer. A third decision is whether a finished token is a multiword token.

The features use nothing before the beginning of a sentence, after the end of a paragraph, or more than LOOKAHEAD runs
ahead. So segmentation can start at the beginning of any sentence with the same results.

From the tokens come the columns of a sentence: forms, MISC with the whitespace, and `# text`. How whitespace is written
in MISC is explained in dodona.data.spacing, whose functions read it.
"""

from array import array as new_array

cimport cython
from cpython cimport array
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.math cimport exp
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memcpy

from dodona.data.hashing cimport BACKWARDS, FORWARDS, HashTable, Letters, hash_codes, hash_string, mix, to_lower
from dodona.data.values cimport Values, encode, own_values
from dodona.linear.frozen cimport FrozenWeights
from dodona.linear.weights cimport Weights

from dodona.data import characters as _characters

cdef extern from "Python.h":
    uint32_t* PyUnicode_AsUCS4Copy(object text) except NULL
    void PyMem_Free(void* memory)

cdef enum:  # the decisions; actions of the weights
    TOKEN = 0
    SENTENCE = 1
    MULTIWORD = 2

cpdef enum:  # the answers by kind
    NEVER = 0
    ASK = 1
    ALWAYS = 2

cpdef enum:
    QUESTION_BYTES = 2 * 2 * 64 * 64  # for TOKEN and SENTENCE, without and with blanks, the kinds before and after
    WORD_BYTES = 65536                # two bits for each of four times as many hashes

cdef enum:  # the whitespace before a run
    NO_GAP = 0
    BLANKS = 1
    PARAGRAPH = 2

cdef enum:
    LOOKAHEAD = 5               # runs
    MAX_RUN = 65536             # characters
    MAX_FORM = 64               # characters of a run that make a form
    MAX_SENTENCE = 1 << 20      # characters of a token, and of a sentence up to the end of a token
    MAX_TOKENS = 10000          # in a sentence
    MAX_KEYS = 48
    GENERAL_KEYS = 7            # of a multiword token that do not need all of it
    KIND_COUNT = 64             # and BLANK: as in dodona.data.characters
    BLANK = 1
    CAPITAL_I_WITH_DOT = 0x130
    CAPITAL_SIGMA = 0x3A3

cdef int OPEN = _characters.OPEN, CLOSE = _characters.CLOSE, INITIAL = _characters.INITIAL, FINAL = _characters.FINAL
cdef int QUOTE = _characters.kind_of(ord('"'))
cdef int[3] OPENING = [_characters.kind_of(ord(character)) for character in "([{"]
cdef int[3] CLOSING = [_characters.kind_of(ord(character)) for character in ")]}"]
cdef char* HEXADECIMAL = b"0123456789ABCDEF"
cdef array.array NUMBERS = new_array("i")
cdef uint8_t* KIND = <uint8_t*> calloc(0x110000, 1)  # of every character that was met so far; 0: not yet
if KIND == NULL:
    raise MemoryError


cdef struct CharacterRun:
    Py_ssize_t start, end
    uint64_t form       # a hash of its characters
    uint64_t lower      # of its lowercased characters
    uint64_t shape      # kinds and number of its characters
    uint8_t gap         # the whitespace before it: NO_GAP, BLANKS or PARAGRAPH
    uint8_t is_part     # whether it begins inside a word that is known to split there
    uint8_t first, last  # kinds of its first and last character
    uint8_t seen        # in the training text: 1 lowercased, 2 capitalized in mid-sentence, 3 both


cdef struct Position:
    int sentence        # the first run of this sentence
    int token           # the first run of this token
    uint64_t form       # a hash of the token so far
    uint64_t signs      # bit i: it has a run that begins with a character of kind i
    int tokens          # before this one, in this sentence
    int quotes          # whether a straight quotation mark is open
    int depth           # of brackets and other quotation marks


cdef struct TokenSpan:
    Py_ssize_t start, end   # in the text
    Py_ssize_t next         # where the next token starts; the end of the text after the last
    int last                # run
    bint is_spaced          # whether it has blanks inside


cdef inline int kind_of(uint32_t code) except 0 nogil:
    if KIND[code] == 0:
        with gil:
            KIND[code] = _characters.kind_of(code)
    return KIND[code]


cdef bint is_blank(uint32_t code) noexcept nogil:
    """Whether a character of a passage separates words."""
    return KIND[code] == BLANK


cdef inline uint64_t place_of(uint64_t lower) noexcept nogil:
    return lower >> 20 & (4 * WORD_BYTES - 1)


def word_place(str lower):
    """Return the index of a word in the table of words, with two bits for each."""
    return place_of(hash_string(lower[:MAX_FORM]))


@cython.final
cdef class Rules:
    """Statistics of the training text that are used before the model decides.

    `questions` has NEVER, ASK or ALWAYS for TOKEN and SENTENCE by the kinds of the characters on both sides; `words`
    two bits for each hash of a word: seen lowercased, seen capitalized in mid-sentence; `splits` the few words with a
    token boundary where otherwise there is none, as lists of their parts.
    """

    cdef const uint8_t[::1] questions
    cdef const uint8_t[::1] words
    cdef HashTable splits           # of known words: bit i is set if a new run begins after i characters

    def __init__(self, questions, words, splits):
        self.questions = questions
        self.words = words
        self.splits = HashTable(len(splits))
        for parts in splits:
            self.splits.add(hash_string("".join(parts)[:MAX_FORM]) | 1).value = self.find_places(parts)

    cdef uint64_t find_places(self, list parts):
        """Return the starts of the runs of a known word, as bits."""
        cdef uint64_t places = 0
        cdef int length = 0
        for part in parts[: len(parts) - 1]:
            length += len(part)
            if length < 64:
                places |= <uint64_t> 1 << length
        return places


@cython.final
cdef class Passage:
    """A text and its runs."""

    cdef readonly str text
    cdef Rules rules
    cdef uint32_t* codes
    cdef Py_ssize_t length
    cdef CharacterRun* runs
    cdef readonly Py_ssize_t count
    cdef Py_ssize_t room

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
            while i < n and i - start < MAX_RUN:
                kind = kind_of(self.codes[i])
                if kind == BLANK or inside[previous * KIND_COUNT + kind] != NEVER:
                    break
                previous = kind
                i += 1
            self.add_run(start, i, gap, False)

    cdef int add_run(self, Py_ssize_t start, Py_ssize_t end, int gap, bint is_part) except -1 nogil:
        """Add one run; or several, where a known word has a token boundary inside."""
        cdef uint64_t form, lower = FORWARDS, at, places
        cdef Py_ssize_t i, length = end - start
        cdef CharacterRun* run
        form = hash_codes(&self.codes[start], min(length, MAX_FORM))
        for i in range(start, min(end, start + MAX_FORM)):
            lower = mix(lower, to_lower(self.codes[i]))
        if 1 < length < 64 and not is_part:
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
            run = <CharacterRun*> realloc(self.runs, self.room * sizeof(CharacterRun))
            if run == NULL:
                raise MemoryError
            self.runs = run
        run = &self.runs[self.count]
        self.count += 1
        run.start, run.end, run.form, run.lower, run.gap, run.is_part = start, end, form, lower, gap, is_part
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
        cdef CharacterRun* after = &self.runs[k + 1]
        cdef int row = (which * 2 + (after.gap != NO_GAP)) * KIND_COUNT + self.runs[k].last
        if which == TOKEN and after.is_part:
            return ASK
        return self.rules.questions[row * KIND_COUNT + after.first]

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


cdef inline int bracket(int kind) noexcept nogil:
    """Return 1 for opening characters, -1 for closing ones."""
    if kind == OPEN or kind == INITIAL or kind == OPENING[0] or kind == OPENING[1] or kind == OPENING[2]:
        return 1
    if kind == CLOSE or kind == FINAL or kind == CLOSING[0] or kind == CLOSING[1] or kind == CLOSING[2]:
        return -1
    return 0


cdef void begin_sentence(Passage p, Position* at, int k) noexcept nogil:
    at.sentence = k
    at.tokens = -1
    at.quotes = at.depth = 0
    begin_token(p, at, k)


cdef void begin_token(Passage p, Position* at, int k) noexcept nogil:
    at.token = k
    at.tokens += 1
    at.form = at.signs = 0
    go_on(p, at, k)


cdef void go_on(Passage p, Position* at, int k) noexcept nogil:
    """Add run k to the token."""
    cdef CharacterRun* run = &p.runs[k]
    at.form = mix(at.form, run.form + (run.gap if k > at.token else 0))
    at.signs |= <uint64_t> 1 << run.first
    if run.first == QUOTE:
        at.quotes ^= 1
    at.depth = max(0, at.depth + bracket(run.first))


cdef int token_keys(Passage p, Position* at, int k, uint64_t* keys) noexcept nogil:
    """Features for whether the token ends after run k: characters and runs around it."""
    cdef CharacterRun* a = &p.runs[k]
    cdef CharacterRun* b = &p.runs[k + 1]
    cdef int gap = b.gap, last = p.last_in_reach(k + 1)
    cdef uint64_t g = mix(1, gap)
    cdef uint64_t c1 = p.before(at.sentence, k, 1), c2 = p.before(at.sentence, k, 2), c3 = p.before(at.sentence, k, 3)
    cdef uint64_t n1 = p.after(k + 1, 0), n2 = p.after(k + 1, 1), n3 = p.after(k + 1, 2)
    cdef uint64_t l2 = 0, l2_shape = 0, r2 = 0, r2_shape = 0, r3_shape = 0
    cdef uint64_t h
    if k > at.sentence:
        l2 = (a - 1).form + a.gap
        l2_shape = (a - 1).shape * 4 + a.gap + 1
    if last > k + 1:
        r2 = b[1].form + b[1].gap
        r2_shape = b[1].shape * 4 + b[1].gap + 1
    if last > k + 2:
        r3_shape = b[2].shape * 4 + b[2].gap + 1
    keys[0] = mix(mix(g + 1, c1), n1)
    h = mix(mix(g + 2, c1), c2)
    keys[1] = h
    keys[2] = mix(h + 1, n1)
    keys[3] = mix(h + 2, c3)
    keys[4] = mix(mix(h + 3, n1), n2)
    h = mix(mix(g + 3, n1), n2)
    keys[5] = h
    keys[6] = mix(h + 1, c1)
    keys[7] = mix(h + 2, n3)
    h = mix(g + 4, a.form)
    keys[8] = h
    keys[9] = mix(h + 1, b.form)
    keys[10] = mix(h + 2, b.shape)
    keys[11] = mix(mix(h + 3, b.form), l2)
    keys[12] = mix(mix(h + 4, b.form), r2)
    h = mix(g + 5, b.form)
    keys[13] = h
    keys[14] = mix(h + 1, r2_shape)
    keys[15] = mix(h + 2, r2)
    h = mix(g + 6, at.form)
    keys[16] = h
    keys[17] = mix(h + 1, b.form)
    keys[18] = mix(h + 2, b.shape)
    h = mix(mix(g + 7, a.shape), b.shape)
    keys[19] = h
    keys[20] = mix(h + 1, r2_shape)
    keys[21] = mix(h + 2, l2_shape)
    keys[22] = mix(mix(h + 3, l2_shape), r2_shape)
    keys[23] = mix(mix(h + 4, r2_shape), r3_shape)
    keys[24] = mix(h + 5, <uint64_t> min(k - at.token, 4) << 8 | p.runs[at.token].first)
    keys[25] = mix(mix(g + 8, p.runs[at.token].form), b.shape)
    keys[26] = mix(mix(g + 9, a.lower), b.lower)
    keys[27] = mix(mix(mix(g + 10, at.signs), b.shape), r2_shape & 3)
    keys[28] = mix(mix(mix(g + 11, p.runs[at.token].form), b.first), r2_shape & 3)
    return 29


cdef int sentence_keys(Passage p, Position* at, int k, uint64_t* keys) noexcept nogil:
    """Features for whether the sentence ends after run k, the last of a token: runs around it, the sentence so far."""
    cdef CharacterRun* a = &p.runs[k]
    cdef CharacterRun* b = &p.runs[k + 1]
    cdef CharacterRun* first = &p.runs[at.sentence]
    cdef int last = p.last_in_reach(k + 1)
    cdef int length = at.tokens + 1
    cdef uint64_t size = length if length < 5 else 5 if length < 8 else 6 if length < 16 else 7 if length < 32 else 8
    cdef uint64_t g = mix(2, b.gap)
    cdef uint64_t l2 = 0, l2_shape = 0, r2 = 0, r2_shape = 0, r3_shape = 0, l3_shape = 0
    cdef uint64_t h, known = b.seen | b.shape << 8
    if k > at.sentence:
        l2 = (a - 1).form + a.gap
        l2_shape = (a - 1).shape * 4 + a.gap + 1
    if k > at.sentence + 1:
        l3_shape = (a - 2).shape * 4 + (a - 1).gap + 1
    if last > k + 1:
        r2 = b[1].form + b[1].gap
        r2_shape = (b[1].shape * 4 + b[1].gap + 1) * 4
    if last > k + 2:
        r3_shape = (b[2].shape * 4 + b[2].gap + 1) * 4
    h = mix(g + 1, a.form)
    keys[0] = h
    keys[1] = mix(h + 1, b.form)
    keys[2] = mix(h + 2, b.shape)
    keys[3] = mix(h + 3, known)
    keys[4] = mix(mix(h + 4, b.shape), r2_shape)
    keys[5] = mix(mix(h + 5, b.form), r2)
    keys[6] = mix(mix(h + 6, known), size)
    keys[7] = mix(mix(h + 7, b.shape), first.first)
    keys[8] = mix(mix(h + 8, known), at.quotes | min(at.depth, 2) << 1)
    keys[9] = mix(h + 9, b.lower)
    keys[10] = mix(mix(h + 10, l2_shape), known)
    keys[11] = mix(h + 11, first.lower)
    h = mix(mix(g + 2, a.form), l2)
    keys[12] = h
    keys[13] = mix(h + 1, b.shape)
    keys[14] = mix(h + 2, b.form)
    h = mix(g + 3, at.form)
    keys[15] = mix(h + 1, b.shape)
    keys[16] = mix(h + 2, b.form)
    keys[17] = mix(mix(h + 3, b.shape), r2_shape)
    h = mix(g + 4, b.form)
    keys[18] = h
    keys[19] = mix(h + 1, r2)
    keys[20] = mix(h + 2, a.shape)
    keys[21] = mix(mix(h + 3, a.shape), l2_shape)
    h = mix(mix(g + 5, a.shape), known)
    keys[22] = h
    keys[23] = mix(h + 1, r2_shape)
    keys[24] = mix(h + 2, l2_shape)
    keys[25] = mix(mix(h + 3, l2_shape), r2_shape)
    keys[26] = mix(mix(h + 4, r2_shape), r3_shape)
    keys[27] = mix(mix(h + 5, l2_shape), l3_shape)
    keys[28] = mix(mix(h + 6, size), first.first)
    keys[29] = mix(mix(h + 7, first.first), at.quotes | min(at.depth, 2) << 1)
    h = mix(mix(g + 6, p.before(at.sentence, k, 1)), p.before(at.sentence, k, 2))
    keys[30] = h
    keys[31] = mix(h + 1, p.after(k + 1, 0))
    h = mix(h + 2, p.before(at.sentence, k, 3))
    keys[32] = h
    keys[33] = mix(h + 1, b.shape)
    return 34


cdef (uint64_t, uint64_t, uint64_t) neighbour(Passage p, int k) noexcept nogil:
    """Features of a run: its form, its shape, its last characters."""
    cdef uint64_t end = 0
    cdef Py_ssize_t i
    for i in range(max(p.runs[k].start, p.runs[k].end - 3), p.runs[k].end):
        end = mix(end, to_lower(p.codes[i]) + 1)
    return p.runs[k].lower, p.runs[k].shape, end


cdef int multiword_keys(Passage p, int sentence, int first, int last, uint64_t* keys) noexcept nogil:
    """Features for whether the token from run `first` to `last` is a multiword token: its end (the first GENERAL_KEYS
    keys), then the whole token with its context."""
    cdef uint64_t form = 3, suffix = 4, left = 0, left_shape = 0, left_end = 0
    cdef uint64_t right = 0, right_shape = 0, right_end = 0
    cdef int k
    cdef Py_ssize_t i
    for i in range(p.runs[first].start, min(p.runs[last].end, p.runs[first].start + 64)):
        form = mix(form, to_lower(p.codes[i]))
    if first > sentence:
        left, left_shape, left_end = neighbour(p, first - 1)
    if last + 1 < p.count and p.runs[last + 1].gap != PARAGRAPH:
        right, right_shape, right_end = neighbour(p, last + 1)
    for k in range(6):
        i = p.runs[last].end - k - 1
        suffix = mix(suffix, to_lower(p.codes[i]) if i >= p.runs[first].start else 0)
        keys[k] = suffix
    keys[6] = mix(mix(keys[2] + 1, p.runs[first].shape), right_shape)
    keys[7] = form
    keys[8] = mix(form + 1, left)
    keys[9] = mix(form + 2, right)
    keys[10] = mix(form + 3, left_shape)
    keys[11] = mix(form + 4, right_shape)
    keys[12] = mix(form + 5, p.runs[first].shape)
    keys[13] = mix(form + 6, left_end)
    keys[14] = mix(form + 7, right_end)
    keys[15] = mix(mix(form + 8, left_end), right_end)
    return 16


@cython.final
cdef class Segments:
    """The sentences of a passage."""

    cdef Passage passage
    cdef TokenSpan* tokens
    cdef int size, room         # of the tokens
    cdef int* firsts            # token of each sentence, and one more
    cdef int count              # sentences
    cdef int first_room

    def __cinit__(self):
        self.firsts = <int*> calloc(64, sizeof(int))
        if self.firsts == NULL:
            raise MemoryError
        self.first_room = 64

    def __dealloc__(self):
        free(self.tokens)
        free(self.firsts)

    def __len__(self):
        return self.count

    def spans(self, int i):
        """Return the start and end of each token of sentence i, and where the next token starts; in characters."""
        if not 0 <= i < self.count:
            raise IndexError(f"sentence {i} of {self.count}")
        cdef TokenSpan* tokens = self.tokens
        cdef int k
        return [(tokens[k].start, tokens[k].end, tokens[k].next) for k in range(self.firsts[i], self.firsts[i + 1])]

    cdef int add(self, CharacterRun* first, CharacterRun* last, int k, Py_ssize_t next, bint is_spaced) except -1 nogil:
        """Add a token from one run to another, which is run k."""
        cdef TokenSpan* tokens
        if self.size == self.room:
            self.room = 2 * self.room + 64
            tokens = <TokenSpan*> realloc(self.tokens, self.room * sizeof(TokenSpan))
            if tokens == NULL:
                raise MemoryError
            self.tokens = tokens
        tokens = &self.tokens[self.size]
        tokens.start, tokens.end, tokens.next = first.start, last.end, next
        tokens.last, tokens.is_spaced = k, is_spaced
        self.size += 1
        return 0

    cdef int end_sentence(self) except -1 nogil:
        cdef int* firsts
        if self.count + 2 > self.first_room:
            firsts = <int*> realloc(self.firsts, 2 * self.first_room * sizeof(int))
            if firsts == NULL:
                raise MemoryError
            self.firsts, self.first_room = firsts, 2 * self.first_room
        self.count += 1
        self.firsts[self.count] = self.size
        return 0


cdef int count_certain(Passage passage) noexcept nogil:
    """The number of runs after which nothing that may follow the passage changes a decision."""
    cdef int k = passage.count - 1
    while k > 0 and k > passage.count - LOOKAHEAD and passage.runs[k].gap != PARAGRAPH:
        k -= 1
    return k


@cython.final
cdef class Segmenter:
    """A frozen model with its workspace."""

    cdef FrozenWeights weights

    def __init__(self, FrozenWeights weights):
        self.weights = weights

    cdef int score(self, uint64_t* keys, int count, int question) noexcept nogil:
        cdef int32_t[3] scores
        self.weights.score(keys, count, scores)
        return scores[question]

    cdef int decide(self, Passage passage, Position* at, int k) noexcept nogil:
        """After run k, which is not the last: 0 the token goes on, 1 it ends, 2 the sentence ends too."""
        cdef uint64_t[MAX_KEYS] keys
        cdef CharacterRun* run = &passage.runs[k]
        cdef int answer = passage.question(TOKEN, k)
        if run[1].gap == PARAGRAPH:
            return 2
        if run.end - passage.runs[at.token].start < MAX_SENTENCE and (
            answer == NEVER
            or answer == ASK and self.score(keys, token_keys(passage, at, k, keys), TOKEN) <= 0
        ):
            return 0
        if at.tokens + 1 >= MAX_TOKENS or run.end - passage.runs[at.sentence].start >= MAX_SENTENCE:
            return 2
        if passage.question(SENTENCE, k) != NEVER:
            return 1 + (self.score(keys, sentence_keys(passage, at, k, keys), SENTENCE) > 0)
        return 1

    def segment(self, Passage passage not None, bint final):
        """Return (sentences, start of the first incomplete one). Unless the text is `final`, the last runs are not
        decided, except those before the end of a paragraph."""
        cdef Segments segments = Segments.__new__(Segments)
        cdef Py_ssize_t done
        segments.passage = passage
        with nogil:
            done = self.find(passage, segments, passage.count if final else count_certain(passage))
        return segments, done

    cdef Py_ssize_t find(self, Passage passage, Segments segments, int limit) except -1 nogil:
        """Find the sentences among the first runs, up to a limit; return where the last of them ends."""
        cdef Position at
        cdef CharacterRun* runs = passage.runs
        cdef int k = 0, n = passage.count, decision
        cdef Py_ssize_t done = 0, next
        cdef bint is_spaced = False
        if n:
            begin_sentence(passage, &at, 0)
        while k < limit:
            decision = self.decide(passage, &at, k) if k + 1 < n else 2
            if decision == 0:
                k += 1
                is_spaced |= runs[k].gap != NO_GAP
                go_on(passage, &at, k)
                continue
            next = runs[k + 1].start if k + 1 < n else passage.length
            segments.add(&runs[at.token], &runs[k], k, next, is_spaced)
            is_spaced = False
            k += 1
            if decision == 1:
                begin_token(passage, &at, k)
                continue
            segments.end_sentence()
            done = next
            if k < n:
                begin_sentence(passage, &at, k)
        return done

    cpdef bint is_multiword(self, Passage passage, int sentence, int first, int last) noexcept nogil:
        """Return whether the token from run `first` to `last` is a multiword token; `sentence` starts its sentence."""
        cdef uint64_t[MAX_KEYS] keys
        return self.score(keys, multiword_keys(passage, sentence, first, last, keys), MULTIWORD) > 0


@cython.final
cdef class SegmentLearner:
    """A model during training."""

    cdef readonly Weights weights
    cdef readonly long long asked, mistakes
    cdef float rate

    def __init__(self, double rate):
        self.weights = Weights(3)
        self.rate = rate

    def sentence(self, Passage passage, const int[::1] gold, int first):
        """Train on the sentence that begins with run `first`; `gold` has the decision after each run."""
        cdef uint64_t[MAX_KEYS] keys
        cdef Position at
        cdef int k = first
        begin_sentence(passage, &at, first)
        while k + 1 < passage.count and passage.runs[k + 1].gap != PARAGRAPH:
            if passage.question(TOKEN, k) == ASK:
                self.learn(keys, token_keys(passage, &at, k, keys), TOKEN, gold[k] > 0)
            if gold[k] > 0 and passage.question(SENTENCE, k) != NEVER:
                self.learn(keys, sentence_keys(passage, &at, k, keys), SENTENCE, gold[k] > 1)
            if gold[k] == 2:
                return
            k += 1
            if gold[k - 1] == 1:
                begin_token(passage, &at, k)
            else:
                go_on(passage, &at, k)

    def multiword(self, Passage passage, int sentence, int first, int last, bint gold, bint is_rare):
        """Learn whether the token from run `first` to `last` is a multiword token; rare ones are treated as unknown."""
        cdef uint64_t[MAX_KEYS] keys
        cdef int count = multiword_keys(passage, sentence, first, last, keys)
        self.learn(keys, GENERAL_KEYS if is_rare else count, MULTIWORD, gold)

    cdef int learn(self, uint64_t* keys, int count, int question, bint gold) except -1:
        """Take one step of logistic regression."""
        cdef float[3] scores
        cdef float wrong
        self.weights.score(keys, count, scores)
        wrong = gold - 1 / (1 + exp(-scores[question]))
        self.asked += 1
        self.mistakes += (scores[question] > 0) != gold
        self.weights.now += 1
        if wrong > 0.02 or wrong < -0.02:
            self.weights.update(keys, count, question, self.rate * wrong)
        return 0


@cython.final
cdef class MultiwordFilter:
    """Passes every token that a lexicon of tokens, in any case, or one of the suffixes may apply to: few are multiword
    tokens, and only for these the lexicon and the rules are asked."""

    cdef HashTable forms        # hashes of lowercased tokens that are in the lexicon
    cdef HashTable suffixes     # hashes of the suffixes of rules, read backwards
    cdef int longest            # of them

    def __init__(self, forms, suffixes):
        cdef Letters word = Letters()
        cdef uint64_t h
        cdef int i
        self.forms, self.suffixes = HashTable(len(forms)), HashTable(len(suffixes))
        for form in forms:
            word.read_string(form)
            h = FORWARDS
            for i in range(word.size):
                h = mix(h, to_lower(word.codes[i]))
            self.forms.add(h | 1)
        for suffix in suffixes:
            word.read_string(suffix)
            h = BACKWARDS
            for i in range(word.size - 1, -1, -1):
                h = mix(h, word.codes[i])
            self.suffixes.add(h | 1)
            self.longest = max(self.longest, word.size)

    def __contains__(self, str token not None):
        cdef Letters word = Letters()
        word.read_string(token)
        return self.passes(word.codes, word.size)

    cdef bint passes(self, const uint32_t* codes, Py_ssize_t size) noexcept nogil:
        """Whether a token with these characters may be a multiword token.

        Two capitals are lowercased by `str.lower` in a way that depends on their neighbours or changes the length.
        """
        cdef uint64_t h = FORWARDS
        cdef Py_ssize_t i
        if self.forms.count == 0 and self.suffixes.count == 0:
            return False
        for i in range(size):
            if codes[i] == CAPITAL_SIGMA or codes[i] == CAPITAL_I_WITH_DOT:
                return True
            h = mix(h, to_lower(codes[i]))
        if self.forms.find(h | 1).key != 0:
            return True
        h = BACKWARDS
        for i in range(size - 1, max(0, size - 1 - self.longest), -1):  # not the whole token
            h = mix(h, to_lower(codes[i]))
            if self.suffixes.find(h | 1).key != 0:
                return True
        return False


@cython.final
cdef class Utf8Buffer:
    """A text in UTF-8 that grows, and where its values end."""

    cdef char* text
    cdef Py_ssize_t size, room
    cdef int* ends
    cdef int count, end_room

    def __cinit__(self):
        self.make_room(1 << 12)
        self.end_room = 0

    def __dealloc__(self):
        free(self.text)
        free(self.ends)

    cdef int make_room(self, Py_ssize_t more) except -1 nogil:
        cdef char* text
        if self.size + more > self.room:
            if self.size + more > 0x3FFFFFFF:
                raise MemoryError("a sentence of more than a gigabyte")
            self.room = 2 * (self.size + more)
            text = <char*> realloc(self.text, self.room)
            if text == NULL:
                raise MemoryError
            self.text = text
        return 0

    cdef int put(self, const char* text, Py_ssize_t size) except -1 nogil:
        self.make_room(size)
        memcpy(self.text + self.size, text, size)
        self.size += size
        return 0

    cdef int put_string(self, str text) except -1:
        cdef bytes data = text.encode()
        return self.put(data, len(data))

    cdef int put_code(self, uint32_t code) except -1 nogil:
        self.make_room(4)
        self.size += encode(code, self.text + self.size)
        return 0

    cdef int put_codes(self, const uint32_t* codes, Py_ssize_t size) except -1 nogil:
        cdef Py_ssize_t i
        self.make_room(4 * size)
        for i in range(size):
            self.size += encode(codes[i], self.text + self.size)
        return 0

    cdef int put_escaped(self, const uint32_t* codes, Py_ssize_t size) except -1 nogil:
        """Write blanks, | and \\ as escapes, and other characters as they are."""
        cdef Py_ssize_t i
        cdef uint32_t code
        cdef int shift
        for i in range(size):
            code = codes[i]
            if code == c" ":
                self.put(b"\\s", 2)
            elif code == c"\t":
                self.put(b"\\t", 2)
            elif code == c"\n":
                self.put(b"\\n", 2)
            elif code == c"\r":
                self.put(b"\\r", 2)
            elif code == c"|":
                self.put(b"\\p", 2)
            elif code == c"\\":
                self.put(b"\\\\", 2)
            elif is_blank(code):  # all are below 0x10000
                self.put(b"\\u", 2)
                for shift in range(12, -1, -4):
                    self.put(HEXADECIMAL + (code >> shift & 15), 1)
            else:
                self.put_code(code)
        return 0

    cdef int end(self) except -1 nogil:
        """End a value."""
        cdef int* ends
        if self.count >= self.end_room:
            self.end_room = 2 * self.end_room + 64
            ends = <int*> realloc(self.ends, self.end_room * sizeof(int))
            if ends == NULL:
                raise MemoryError
            self.ends = ends
        self.ends[self.count] = <int> self.size
        self.count += 1
        return 0

    cdef void clear(self) noexcept nogil:
        self.size = self.count = 0

    cdef Py_ssize_t begin_of(self, int i) noexcept nogil:
        return self.ends[i - 1] if i > 0 else 0

    cdef bytes value(self, int i):
        cdef Py_ssize_t begin = self.begin_of(i)
        return PyBytes_FromStringAndSize(self.text + begin, self.ends[i] - begin)

    cdef Values values(self, int first, int count):
        """Return some of them."""
        cdef array.array ends = array.clone(NUMBERS, count + 1, False)
        cdef int begin = <int> self.begin_of(first), i
        ends.data.as_ints[0] = 0
        for i in range(count):
            ends.data.as_ints[i + 1] = self.ends[first + i] - begin
        return own_values(PyBytes_FromStringAndSize(self.text + begin, ends.data.as_ints[count]), ends)


@cython.final
cdef class SentenceMaker:
    """Makes the columns of one sentence after the other."""

    cdef Segmenter segmenter
    cdef object expander            # from a form to its words, if it is a multiword token
    cdef MultiwordFilter filter
    cdef Utf8Buffer text, forms, misc   # of a passage
    cdef Utf8Buffer careful_text, careful_forms, careful_misc  # of a sentence
    cdef Utf8Buffer one                 # value

    def __init__(self, Segmenter segmenter not None, expander, MultiwordFilter filter not None):
        self.segmenter, self.expander, self.filter = segmenter, expander, filter
        self.text, self.forms, self.misc, self.one = Utf8Buffer(), Utf8Buffer(), Utf8Buffer(), Utf8Buffer()
        self.careful_text, self.careful_forms, self.careful_misc = Utf8Buffer(), Utf8Buffer(), Utf8Buffer()

    def ends_paragraph(self, Segments segments not None, int i):
        """Return whether a paragraph ends after sentence i."""
        cdef int next = segments.tokens[segments.firsts[i + 1] - 1].last + 1
        return next < segments.passage.count and segments.passage.runs[next].gap == PARAGRAPH

    def sentences(self, Segments segments not None, Py_ssize_t before):
        """Return (`# text`, forms, MISC or None, multiword tokens, their MISC) of each sentence.

        `before` is how many blanks before the first token belong to it. Sentences without multiword tokens are made
        without the interpreter's lock.
        """
        cdef array.array places = array.clone(NUMBERS, segments.count, False)
        cdef int* place = places.data.as_ints
        cdef int i, n, at = 0
        cdef list sentences = []
        self.text.clear()
        self.forms.clear()
        self.misc.clear()
        with nogil:
            for i in range(segments.count):
                place[i] = self.forms.count
                if not self.make(segments, i, before if i == 0 else 0):
                    place[i] = -1
        for i in range(segments.count):
            if place[i] < 0:
                sentences.append(self.make_carefully(segments, i, before if i == 0 else 0))
                continue
            n = segments.firsts[i + 1] - segments.firsts[i]
            misc = self.misc_values(self.misc, place[i], n)
            sentences.append((self.text.value(at), self.forms.values(place[i], n), misc, [], []))
            at += 1
        return sentences

    cdef bint make(self, Segments segments, int i, Py_ssize_t before) except -1 nogil:
        """Add the values of sentence i; or return False if it may have multiword tokens."""
        cdef int k, begin = segments.firsts[i], last = segments.firsts[i + 1] - 1
        cdef TokenSpan* token
        for k in range(begin, last + 1):
            token = &segments.tokens[k]
            if self.may_be_several(segments.passage, token):
                return False
        for k in range(begin, last + 1):
            token = &segments.tokens[k]
            self.add_text(self.text, segments.passage, token, k == last)
            self.add_form(self.forms, segments.passage, token)
            self.forms.end()
            self.add_misc(self.misc, segments.passage, token, before if k == begin else 0)
            self.misc.end()
        self.text.end()
        return True

    cdef tuple make_carefully(self, Segments segments, int i, Py_ssize_t before):
        """Return the columns of a sentence that may have multiword tokens."""
        cdef Passage passage = segments.passage
        cdef int k, first, begin = segments.firsts[i], last = segments.firsts[i + 1] - 1, sentence
        cdef TokenSpan* token
        cdef list words, ranges = [], notes = []
        cdef Utf8Buffer text = self.careful_text, forms = self.careful_forms, misc = self.careful_misc
        text.clear()
        forms.clear()
        misc.clear()
        sentence = first = segments.tokens[begin - 1].last + 1 if begin > 0 else 0
        for k in range(begin, last + 1):
            token = &segments.tokens[k]
            self.add_text(text, passage, token, k == last)
            words = self.words_of(passage, token, sentence, first)
            if words is None:
                self.add_form(forms, passage, token)
                forms.end()
                self.add_misc(misc, passage, token, before if k == begin else 0)
                misc.end()
            else:
                ranges.append((forms.count + 1, forms.count + len(words), self.form(passage, token)))
                self.one.clear()
                self.add_misc(self.one, passage, token, before if k == begin else 0)
                notes.append(self.one.text[: self.one.size].decode("utf-8"))
                for word in words:
                    forms.put_string(word)
                    forms.end()
                    misc.put(b"_", 1)
                    misc.end()
            first = token.last + 1
        text.end()
        return text.value(0), forms.values(0, forms.count), self.misc_values(misc, 0, misc.count), ranges, notes

    cdef Values misc_values(self, Utf8Buffer misc, int first, int count):
        """Return values, or None if all of them are `_`: every other value is longer than one byte."""
        if misc.ends[first + count - 1] - misc.begin_of(first) == count:
            return None
        return misc.values(first, count)

    cdef int add_text(self, Utf8Buffer to, Passage passage, TokenSpan* token, bint is_last) except -1 nogil:
        self.add_form(to, passage, token)
        if not is_last and token.next > token.end:
            to.put(b" ", 1)
        return 0

    cdef bint may_be_several(self, Passage passage, TokenSpan* token) noexcept nogil:
        return token.is_spaced or self.filter.passes(passage.codes + token.start, token.end - token.start)

    cdef int add_form(self, Utf8Buffer to, Passage passage, TokenSpan* token) except -1 nogil:
        """Write a form; blanks in it become single spaces."""
        cdef Py_ssize_t at
        cdef bint after_blank = False
        if not token.is_spaced:
            return to.put_codes(passage.codes + token.start, token.end - token.start)
        for at in range(token.start, token.end):
            if not is_blank(passage.codes[at]):
                to.put_code(passage.codes[at])
                after_blank = False
            elif not after_blank:
                to.put(b" ", 1)
                after_blank = True
        return 0

    cdef int add_misc(self, Utf8Buffer to, Passage passage, TokenSpan* token, Py_ssize_t before) except -1 nogil:
        """Write what MISC says about the whitespace of a token."""
        cdef Py_ssize_t at, size = token.next - token.end, note = to.size
        cdef const uint32_t* codes = passage.codes
        cdef bint is_usual = True
        if size == 0:
            to.put(b"SpaceAfter=No", 13)
        elif size > 1 or codes[token.end] != c" ":
            to.put(b"SpacesAfter=", 12)
            to.put_escaped(codes + token.end, size)
        if before > 0:
            if to.size > note:
                to.put(b"|", 1)
            to.put(b"SpacesBefore=", 13)
            to.put_escaped(codes + token.start - before, before)
        if token.is_spaced:
            for at in range(token.start, token.end):
                if is_blank(codes[at]) and (codes[at] != c" " or is_blank(codes[at + 1])):
                    is_usual = False
            if not is_usual:
                if to.size > note:
                    to.put(b"|", 1)
                to.put(b"SpacesInToken=", 14)
                to.put_escaped(codes + token.start, token.end - token.start)
        return to.put(b"_", 1) if to.size == note else 0

    cdef list words_of(self, Passage passage, TokenSpan* token, int sentence, int first):
        """Return the words of a multiword token that begins with run `first`, None for any other token."""
        if not self.may_be_several(passage, token):
            return None
        expansion = self.expander[self.form(passage, token)]
        if expansion is None:
            return None
        if expansion.is_certain or self.segmenter.is_multiword(passage, sentence, first, token.last):
            return expansion.words
        return None

    cdef str form(self, Passage passage, TokenSpan* token):
        self.one.clear()
        self.add_form(self.one, passage, token)
        return self.one.text[: self.one.size].decode("utf-8")
