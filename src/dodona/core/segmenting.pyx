"""Cutting text into tokens and sentences, from left to right.

Text is first cut into runs, stretches of characters between which no token ever ends (by the kinds of the characters, as
the training text has them): in English words, numbers and single signs, in Japanese often single characters. After each
run there are up to two questions for a linear model: does the token end here, and does the sentence? Most are never
asked, because of the kinds of the characters here the training text only knows one answer. A third question is asked
about finished tokens that may or may not be several words.

What is before the beginning of a sentence or after the end of a paragraph is not looked at, and nothing further ahead
than LOOKAHEAD runs. So a text can be cut at the beginning of any sentence and go on from there with the same results.
"""

from libc.math cimport exp
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memset

from dodona.core import characters as _characters

cdef extern from "Python.h":
    uint32_t* PyUnicode_AsUCS4Copy(object text) except NULL
    void PyMem_Free(void* memory)
    uint32_t Py_UNICODE_TOLOWER(uint32_t code) nogil

cpdef enum:  # the questions; actions of the weights
    TOKEN = 0
    SENTENCE = 1
    MULTIWORD = 2

cpdef enum:  # the answers by kind
    NEVER = 0
    ASK = 1
    ALWAYS = 2

cpdef enum:
    QUESTIONS = 2 * 2 * 64 * 64  # for TOKEN and SENTENCE, without and with blanks, the kinds before and after
    WORDS = 65536                # bytes of the memory for words: two bits for each of four times as many hashes

cdef enum:  # what stands before a run
    NO_GAP = 0
    BLANKS = 1
    PARAGRAPH = 2

cdef enum:
    LOOKAHEAD = 5          # runs
    LONGEST_RUN = 65536    # characters
    LONGEST = 1 << 20      # characters of a token, and of a sentence up to the end of a token
    MOST_TOKENS = 10000    # in a sentence
    MOST_KEYS = 48
    GENERAL = 7            # keys of a multiword token that do not need all of it

cdef int KINDS = _characters.KINDS, BLANK = _characters.BLANK, UPPER = _characters.UPPER
cdef int OPEN = _characters.OPEN, CLOSE = _characters.CLOSE, INITIAL = _characters.INITIAL, FINAL = _characters.FINAL
cdef uint64_t GOLDEN = 0x9E3779B97F4A7C15ULL
cdef uint8_t* KIND = <uint8_t*> calloc(0x110000, 1)  # of every character that was met so far; 0: not yet


cdef inline uint64_t mix(uint64_t h, uint64_t value) noexcept nogil:
    h = (h ^ value) * GOLDEN
    return h ^ (h >> 32)


cdef inline int kind_of(uint32_t code) except 0:
    if KIND[code] == 0:
        KIND[code] = _characters.kind(code)
    return KIND[code]


cdef inline uint32_t lowered(uint32_t code) noexcept nogil:
    if code < 128:
        return code + 32 * (65 <= code <= 90)
    return Py_UNICODE_TOLOWER(code)


cdef inline int bracket(int kind) noexcept nogil:
    """1 for what opens, -1 for what closes."""
    if kind == OPEN or kind == INITIAL or kind == OPENING[0] or kind == OPENING[1] or kind == OPENING[2]:
        return 1
    if kind == CLOSE or kind == FINAL or kind == CLOSING[0] or kind == CLOSING[1] or kind == CLOSING[2]:
        return -1
    return 0


cdef int[3] OPENING
cdef int[3] CLOSING
OPENING[0], OPENING[1], OPENING[2] = (_characters.kind(ord(c)) for c in "([{")
CLOSING[0], CLOSING[1], CLOSING[2] = (_characters.kind(ord(c)) for c in ")]}")
cdef int QUOTE = _characters.kind(ord('"'))


cdef uint64_t form_of(str text):
    """What a run with these characters is called."""
    cdef uint64_t h = 0
    for char in text[:64]:
        h = mix(h, <uint64_t> ord(char) + 1)
    return h


cdef inline uint64_t place_of(uint64_t lower) noexcept nogil:
    return lower >> 20 & (4 * WORDS - 1)


def word_place(str lower):
    """The number of a word in the memory for words, a quarter of a byte for each."""
    return place_of(form_of(lower))


cdef class Rules:
    """What is known before any question is asked.

    `questions` has NEVER, ASK or ALWAYS for TOKEN and SENTENCE by the kinds of the characters on both sides; `words` two
    bits for each hash of a word: seen in lower case, seen capitalized in mid-sentence; `splits` the few words that end
    where otherwise no token ends, as lists of their pieces.
    """

    def __init__(self, questions, words, splits):
        self.questions = questions
        self.words = words
        cdef Py_ssize_t size = 16
        cdef uint64_t at, form, places
        while size < 4 * len(splits):
            size *= 2
        self.mask = size - 1
        self.splits = <Split*> calloc(size, sizeof(Split))
        if self.splits == NULL:
            raise MemoryError
        for pieces in splits:
            form = form_of("".join(pieces)) | 1
            places, length = 0, 0
            for piece in pieces[:-1]:
                length += len(piece)
                if length < 64:
                    places |= <uint64_t> 1 << <int> length
            at = form & self.mask
            while self.splits[at].form != 0 and self.splits[at].form != form:
                at = (at + 1) & self.mask
            self.splits[at].form = form
            self.splits[at].places = places

    def __dealloc__(self):
        free(self.splits)


cdef class Passage:
    """A text and its runs."""

    def __init__(self, str text, Rules rules):
        self.text = text
        self.rules = rules
        self.length = len(text)
        self.codes = PyUnicode_AsUCS4Copy(text)
        self.find_runs()

    def __dealloc__(self):
        PyMem_Free(self.codes)
        free(self.runs)

    cdef int find_runs(self) except -1:
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

    cdef int add_run(self, Py_ssize_t start, Py_ssize_t end, int gap, bint is_piece) except -1:
        """One run; or several, where a known word has a token end inside."""
        cdef uint64_t form = 0, lower = 0, at, places
        cdef Py_ssize_t i, length = end - start
        cdef uint32_t code
        cdef Run* run
        cdef Rules rules = self.rules
        for i in range(start, min(end, start + 64)):
            code = self.codes[i]
            form = mix(form, <uint64_t> code + 1)
            lower = mix(lower, <uint64_t> lowered(code) + 1)
        if 1 < length < 64 and not is_piece:
            at = (form | 1) & rules.mask
            while rules.splits[at].form != 0 and rules.splits[at].form != form | 1:
                at = (at + 1) & rules.mask
            places = rules.splits[at].places if rules.splits[at].form != 0 else 0
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
        run.seen = rules.words[at >> 2] >> 2 * (at & 3) & 3
        return 0

    def spans(self):
        """Where the runs begin and end, in characters."""
        cdef Py_ssize_t k
        return [(self.runs[k].start, self.runs[k].end) for k in range(self.count)]

    cdef int question(self, int which, int k) noexcept nogil:
        """NEVER, ASK or ALWAYS, between run k and the next."""
        cdef int gap = self.runs[k + 1].gap != NO_GAP
        if which == TOKEN and self.runs[k + 1].is_piece:
            return ASK
        return self.rules.questions[((which * 2 + gap) * KINDS + self.runs[k].last) * KINDS + self.runs[k + 1].first]

    cdef uint64_t before(self, Progress* at, int k, int back) noexcept nogil:
        """The character so many before the end of run k, back to the beginning of the sentence; blanks are alike."""
        cdef Py_ssize_t i = self.runs[k].end - back
        if i < self.runs[at.sentence].start:
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

    cdef void begin_sentence(self, Progress* at, int k) noexcept nogil:
        at.sentence = k
        at.tokens = at.quotes = at.depth = 0
        self.begin_token(at, k)
        at.tokens = 0

    cdef void begin_token(self, Progress* at, int k) noexcept nogil:
        at.token = k
        at.tokens += 1
        at.form = at.signs = 0
        self.go_on(at, k)

    cdef void go_on(self, Progress* at, int k) noexcept nogil:
        """Run k is a part of the token."""
        cdef Run* run = &self.runs[k]
        at.form = mix(at.form, run.form + (run.gap if k > at.token else 0))
        at.signs |= <uint64_t> 1 << run.first
        if run.first == QUOTE:
            at.quotes ^= 1
        at.depth = max(0, at.depth + bracket(run.first))

    cdef int token_keys(self, Progress* at, int k, uint64_t* keys) noexcept nogil:
        """Whether the token ends after run k: characters and runs around."""
        cdef Run* a = &self.runs[k]
        cdef Run* b = &self.runs[k + 1]
        cdef int gap = b.gap, last = self.last_in_reach(k + 1), i
        cdef uint64_t g = mix(1, gap)
        cdef uint64_t c1 = self.before(at, k, 1), c2 = self.before(at, k, 2), c3 = self.before(at, k, 3)
        cdef uint64_t n1 = self.after(k + 1, 0), n2 = self.after(k + 1, 1), n3 = self.after(k + 1, 2)
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
        keys[24] = mix(h + 5, <uint64_t> min(k - at.token, 4) << 8 | self.runs[at.token].first)
        keys[25] = mix(mix(g + 8, self.runs[at.token].form), b.shape)
        keys[26] = mix(mix(g + 9, a.lower), b.lower)
        keys[27] = mix(mix(mix(g + 10, at.signs), b.shape), r2_shape & 3)
        keys[28] = mix(mix(mix(g + 11, self.runs[at.token].form), b.first), r2_shape & 3)
        return 29

    cdef int sentence_keys(self, Progress* at, int k, uint64_t* keys) noexcept nogil:
        """Whether the sentence ends after run k, the last of a token: runs around, and what the sentence was so far."""
        cdef Run* a = &self.runs[k]
        cdef Run* b = &self.runs[k + 1]
        cdef Run* first = &self.runs[at.sentence]
        cdef int last = self.last_in_reach(k + 1)
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
        h = mix(mix(g + 6, self.before(at, k, 1)), self.before(at, k, 2))
        keys[30] = h
        keys[31] = mix(h + 1, self.after(k + 1, 0))
        h = mix(h + 2, self.before(at, k, 3))
        keys[32] = h
        keys[33] = mix(h + 1, b.shape)
        return 34

    cdef (uint64_t, uint64_t, uint64_t) neighbour(self, int k) noexcept nogil:
        """Of a run: its form, its shape, its last characters."""
        cdef uint64_t end = 0
        cdef Py_ssize_t i
        for i in range(max(self.runs[k].start, self.runs[k].end - 3), self.runs[k].end):
            end = mix(end, lowered(self.codes[i]) + 1)
        return self.runs[k].lower, self.runs[k].shape, end

    cdef int multiword_keys(self, int sentence, int first, int last, uint64_t* keys) noexcept nogil:
        """Whether the token from run `first` to `last` is several words: its end (the first GENERAL keys), then all of
        it with what stands around."""
        cdef uint64_t form = 3, suffix = 4, left = 0, right = 0, left_shape = 0, right_shape = 0, left_end = 0, right_end = 0
        cdef int k
        cdef Py_ssize_t i
        for i in range(self.runs[first].start, min(self.runs[last].end, self.runs[first].start + 64)):
            form = mix(form, lowered(self.codes[i]))
        if first > sentence:
            left, left_shape, left_end = self.neighbour(first - 1)
        if last + 1 < self.count and self.runs[last + 1].gap != PARAGRAPH:
            right, right_shape, right_end = self.neighbour(last + 1)
        for k in range(6):
            i = self.runs[last].end - k - 1
            suffix = mix(suffix, lowered(self.codes[i]) if i >= self.runs[first].start else 0)
            keys[k] = suffix
        keys[6] = mix(mix(keys[2] + 1, self.runs[first].shape), right_shape)
        keys[7] = form
        keys[8] = mix(form + 1, left)
        keys[9] = mix(form + 2, right)
        keys[10] = mix(form + 3, left_shape)
        keys[11] = mix(form + 4, right_shape)
        keys[12] = mix(form + 5, self.runs[first].shape)
        keys[13] = mix(form + 6, left_end)
        keys[14] = mix(form + 7, right_end)
        keys[15] = mix(mix(form + 8, left_end), right_end)
        return 16


cdef class Segment:
    """A sentence of a passage."""


cdef Segment new_segment(int first):
    cdef Segment segment = Segment.__new__(Segment)
    segment.forms, segment.gaps, segment.spaced, segment.lasts = [], [], [], []
    segment.first = first
    return segment


cdef class Segmenter:
    """A finished model at work."""

    def __init__(self, FrozenWeights weights):
        self.weights = weights

    cdef int score(self, uint64_t* keys, int count, int question) noexcept nogil:
        cdef uint32_t[MOST_KEYS] found
        cdef int32_t[3] scores
        self.weights.score(keys, count, found, scores)
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
            or answer == ASK and self.score(keys, passage.token_keys(at, k, keys), TOKEN) <= 0
        ):
            return 0
        if at.tokens + 1 >= MOST_TOKENS or run.end - passage.runs[at.sentence].start >= LONGEST:
            return 2
        if passage.question(SENTENCE, k) != NEVER:
            return 1 + (self.score(keys, passage.sentence_keys(at, k, keys), SENTENCE) > 0)
        return 1

    def segment(self, Passage passage, bint final):
        """(sentences, where the first one that is not complete begins). Unless the text is `final`, nothing is decided
        too near to its end."""
        cdef Progress at
        cdef Run* runs = passage.runs
        cdef int k = 0, n = passage.count, limit = n if final else n - LOOKAHEAD, decision
        cdef Py_ssize_t done = 0, end
        cdef bint has_blanks = False, is_plain = True
        cdef str text = passage.text
        cdef Segment segment = new_segment(0)
        sentences = []
        if n:
            passage.begin_sentence(&at, 0)
        while k < limit:
            decision = self.decide(passage, &at, k) if k + 1 < n else 2
            if decision == 0:
                k += 1
                has_blanks |= runs[k].gap != NO_GAP
                passage.go_on(&at, k)
                continue
            if has_blanks:
                segment.spaced.append(len(segment.forms))
                has_blanks = is_plain = False
            segment.forms.append(text[runs[at.token].start : runs[k].end])
            segment.lasts.append(k)
            end = runs[k + 1].start if k + 1 < n else passage.length
            if end == runs[k].end:
                segment.gaps.append("")
            elif end == runs[k].end + 1 and passage.codes[end - 1] == 32:
                segment.gaps.append(" ")
            else:
                segment.gaps.append(text[runs[k].end : end])
                is_plain &= decision == 2
            k += 1
            if decision == 1:
                passage.begin_token(&at, k)
                continue
            segment.ends_paragraph = k < n and runs[k].gap == PARAGRAPH
            if is_plain:
                segment.text = text[runs[segment.first].start : runs[k - 1].end]
            sentences.append(segment)
            done = end
            segment = new_segment(k)
            is_plain = True
            if k < n:
                passage.begin_sentence(&at, k)
        return sentences, done

    def is_multiword(self, Passage passage, int sentence, int first, int last):
        """Whether the token from run `first` to `last` is several words; `sentence` is where its sentence begins."""
        cdef uint64_t[MOST_KEYS] keys
        return self.score(keys, passage.multiword_keys(sentence, first, last, keys), MULTIWORD) > 0


cdef class SegmentLearner:
    """A model in the making."""

    def __init__(self, double rate):
        self.weights = Weights(3)
        self.rate = rate

    def sentence(self, Passage passage, const int[::1] gold, int first):
        """Learn from the sentence that begins with run `first`; `gold` has the decision after each run."""
        cdef uint64_t[MOST_KEYS] keys
        cdef Progress at
        cdef int k = first
        passage.begin_sentence(&at, first)
        while k + 1 < passage.count and passage.runs[k + 1].gap != PARAGRAPH:
            if passage.question(TOKEN, k) == ASK:
                self.learn(keys, passage.token_keys(&at, k, keys), TOKEN, gold[k] > 0)
            if gold[k] > 0 and passage.question(SENTENCE, k) != NEVER:
                self.learn(keys, passage.sentence_keys(&at, k, keys), SENTENCE, gold[k] > 1)
            if gold[k] == 2:
                return
            k += 1
            if gold[k - 1] == 1:
                passage.begin_token(&at, k)
            else:
                passage.go_on(&at, k)

    def multiword(self, Passage passage, int sentence, int first, int last, bint gold, bint is_rare):
        """Learn whether the token from run `first` to `last` is several words; if it is rare, as if it were new."""
        cdef uint64_t[MOST_KEYS] keys
        cdef int count = passage.multiword_keys(sentence, first, last, keys)
        self.learn(keys, GENERAL if is_rare else count, MULTIWORD, gold)

    cdef int learn(self, uint64_t* keys, int count, int question, bint gold) except -1:
        """Logistic regression, one step."""
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
