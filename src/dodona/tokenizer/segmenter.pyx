"""Segmentation of text into tokens and sentences, from left to right.

After each run a linear model makes up to two decisions: whether the token ends, and whether the sentence ends. Most
need no model, because between characters of these kinds the training text has only one answer. A third decision is
whether a finished token is a multiword token.

The features use nothing before the beginning of a sentence, after the end of a paragraph, or more than LOOKAHEAD runs
ahead. So segmentation can start at the beginning of any sentence with the same results.
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, realloc
from dodona.data import characters as _characters
from dodona.data.hashing cimport HashTable, mix
from dodona.data.hashing cimport FORWARDS, hash_codes, hash_string
from dodona.data.hashing cimport to_lower
from libc.stdint cimport uint64_t
from dodona.data.hashing cimport mix
from libc.math cimport exp
from libc.stdint cimport int32_t, uint64_t

cdef extern from "Python.h":
    uint32_t* PyUnicode_AsUCS4Copy(object text) except NULL
    void PyMem_Free(void* memory)

cdef enum:
    LONGEST_RUN = 65536  # characters
    LONGEST_FORM = 64    # of them that make a form

cdef int KIND_COUNT = _characters.KIND_COUNT, BLANK = _characters.BLANK
cdef uint8_t* KIND = <uint8_t*> calloc(0x110000, 1)  # of every character that was met so far; 0: not yet
if KIND == NULL:
    raise MemoryError


cdef inline int kind_of(uint32_t code) except 0 nogil:
    if KIND[code] == 0:
        with gil:
            KIND[code] = _characters.kind_of(code)
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
                if kind == BLANK or inside[previous * KIND_COUNT + kind] != NEVER:
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
            lower = mix(lower, to_lower(self.codes[i]))
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
        return self.rules.questions[((which * 2 + gap) * KIND_COUNT + self.runs[k].last) * KIND_COUNT + self.runs[k + 1].first]

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


cdef int OPEN = _characters.OPEN, CLOSE = _characters.CLOSE, INITIAL = _characters.INITIAL, FINAL = _characters.FINAL
cdef int[3] OPENING
cdef int[3] CLOSING
OPENING[0], OPENING[1], OPENING[2] = (_characters.kind_of(ord(c)) for c in "([{")
CLOSING[0], CLOSING[1], CLOSING[2] = (_characters.kind_of(ord(c)) for c in ")]}")
cdef int QUOTE = _characters.kind_of(ord('"'))


cdef inline int bracket(int kind) noexcept nogil:
    """Return 1 for opening characters, -1 for closing ones."""
    if kind == OPEN or kind == INITIAL or kind == OPENING[0] or kind == OPENING[1] or kind == OPENING[2]:
        return 1
    if kind == CLOSE or kind == FINAL or kind == CLOSING[0] or kind == CLOSING[1] or kind == CLOSING[2]:
        return -1
    return 0


cdef void begin_sentence(Passage p, Progress* at, int k) noexcept nogil:
    at.sentence = k
    at.tokens = -1
    at.quotes = at.depth = 0
    begin_token(p, at, k)


cdef void begin_token(Passage p, Progress* at, int k) noexcept nogil:
    at.token = k
    at.tokens += 1
    at.form = at.signs = 0
    go_on(p, at, k)


cdef void go_on(Passage p, Progress* at, int k) noexcept nogil:
    """Add run k to the token."""
    cdef Run* run = &p.runs[k]
    at.form = mix(at.form, run.form + (run.gap if k > at.token else 0))
    at.signs |= <uint64_t> 1 << run.first
    if run.first == QUOTE:
        at.quotes ^= 1
    at.depth = max(0, at.depth + bracket(run.first))


cdef int token_keys(Passage p, Progress* at, int k, uint64_t* keys) noexcept nogil:
    """Features for whether the token ends after run k: characters and runs around it."""
    cdef Run* a = &p.runs[k]
    cdef Run* b = &p.runs[k + 1]
    cdef int gap = b.gap, last = p.last_in_reach(k + 1), i
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


cdef int sentence_keys(Passage p, Progress* at, int k, uint64_t* keys) noexcept nogil:
    """Features for whether the sentence ends after run k, the last of a token: runs around it, the sentence so far."""
    cdef Run* a = &p.runs[k]
    cdef Run* b = &p.runs[k + 1]
    cdef Run* first = &p.runs[at.sentence]
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
    """Features for whether the token from run `first` to `last` is a multiword token: its end (the first GENERAL
    keys), then the whole token with its context."""
    cdef uint64_t form = 3, suffix = 4, left = 0, right = 0, left_shape = 0, right_shape = 0, left_end = 0, right_end = 0
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


cdef enum:
    LOOKAHEAD = 5          # runs
    LONGEST = 1 << 20      # characters of a token, and of a sentence up to the end of a token
    MOST_TOKENS = 10000    # in a sentence


cdef class Segments:
    """The sentences of a passage."""

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
        cdef int k
        cdef list found = []
        for k in range(self.firsts[i], self.firsts[i + 1]):
            found.append((self.tokens[k].start, self.tokens[k].end, self.tokens[k].next))
        return found

    cdef int add(self, Run* first, Run* last, int k, Py_ssize_t next, bint is_spaced) except -1 nogil:
        """Add a token from one run to another, which is run k."""
        cdef Token* tokens
        if self.size == self.room:
            self.room = 2 * self.room + 64
            tokens = <Token*> realloc(self.tokens, self.room * sizeof(Token))
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


cdef int certain(Passage passage) noexcept nogil:
    """The number of runs after which nothing that may follow the passage changes a decision."""
    cdef int k = passage.count - 1
    while k > 0 and k > passage.count - LOOKAHEAD and passage.runs[k].gap != PARAGRAPH:
        k -= 1
    return k


cdef class Segmenter:
    """A frozen model with its workspace."""

    def __init__(self, FrozenWeights weights):
        self.weights = weights

    cdef int score(self, uint64_t* keys, int count, int question) noexcept nogil:
        cdef int32_t[3] scores
        self.weights.score(keys, count, scores)
        return scores[question]

    cdef int decide(self, Passage passage, Progress* at, int k) noexcept nogil:
        """After run k, which is not the last: 0 the token goes on, 1 it ends, 2 the sentence ends too."""
        cdef uint64_t[MOST_KEYS] keys
        cdef Run* run = &passage.runs[k]
        cdef int answer = passage.question(TOKEN, k)
        if run[1].gap == PARAGRAPH:
            return 2
        if run.end - passage.runs[at.token].start < LONGEST and (
            answer == NEVER
            or answer == ASK and self.score(keys, token_keys(passage, at, k, keys), TOKEN) <= 0
        ):
            return 0
        if at.tokens + 1 >= MOST_TOKENS or run.end - passage.runs[at.sentence].start >= LONGEST:
            return 2
        if passage.question(SENTENCE, k) != NEVER:
            return 1 + (self.score(keys, sentence_keys(passage, at, k, keys), SENTENCE) > 0)
        return 1

    def segment(self, Passage passage not None, bint final):
        """Return (sentences, start of the first incomplete one). Unless the text is `final`, the last runs are not
        decided, except those before the end of a paragraph."""
        cdef Segments found = Segments.__new__(Segments)
        cdef Py_ssize_t done
        found.passage = passage
        with nogil:
            done = self.find(passage, found, passage.count if final else certain(passage))
        return found, done

    cdef Py_ssize_t find(self, Passage passage, Segments found, int limit) except -1 nogil:
        """Find the sentences among the first runs, up to a limit; return where the last of them ends."""
        cdef Progress at
        cdef Run* runs = passage.runs
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
            found.add(&runs[at.token], &runs[k], k, next, is_spaced)
            is_spaced = False
            k += 1
            if decision == 1:
                begin_token(passage, &at, k)
                continue
            found.end_sentence()
            done = next
            if k < n:
                begin_sentence(passage, &at, k)
        return done

    def is_multiword(self, Passage passage, int sentence, int first, int last):
        """Return whether the token from run `first` to `last` is a multiword token; `sentence` starts its sentence."""
        return self.is_several(passage, sentence, first, last)

    cdef bint is_several(self, Passage passage, int sentence, int first, int last) noexcept nogil:
        cdef uint64_t[MOST_KEYS] keys
        return self.score(keys, multiword_keys(passage, sentence, first, last, keys), MULTIWORD) > 0


cdef class SegmentLearner:
    """A model during training."""

    def __init__(self, double rate):
        self.weights = Weights(3)
        self.rate = rate

    def sentence(self, Passage passage, const int[::1] gold, int first):
        """Train on the sentence that begins with run `first`; `gold` has the decision after each run."""
        cdef uint64_t[MOST_KEYS] keys
        cdef Progress at
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
        cdef uint64_t[MOST_KEYS] keys
        cdef int count = multiword_keys(passage, sentence, first, last, keys)
        self.learn(keys, GENERAL if is_rare else count, MULTIWORD, gold)

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
