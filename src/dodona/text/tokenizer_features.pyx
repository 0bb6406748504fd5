"""The features of the tokenizer at a position in a text, as 64-bit hashes."""

from libc.stdint cimport uint64_t

from dodona.data import characters as _characters
from dodona.scoring.linear.hash_table cimport mix
from dodona.text.letters cimport lowered
from dodona.text.runs cimport PARAGRAPH, Passage, Run

cdef int OPEN = _characters.OPEN, CLOSE = _characters.CLOSE, INITIAL = _characters.INITIAL, FINAL = _characters.FINAL
cdef int[3] OPENING
cdef int[3] CLOSING
OPENING[0], OPENING[1], OPENING[2] = (_characters.kind(ord(c)) for c in "([{")
CLOSING[0], CLOSING[1], CLOSING[2] = (_characters.kind(ord(c)) for c in ")]}")
cdef int QUOTE = _characters.kind(ord('"'))


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
        end = mix(end, lowered(p.codes[i]) + 1)
    return p.runs[k].lower, p.runs[k].shape, end


cdef int multiword_keys(Passage p, int sentence, int first, int last, uint64_t* keys) noexcept nogil:
    """Features for whether the token from run `first` to `last` is a multiword token: its end (the first GENERAL
    keys), then the whole token with its context."""
    cdef uint64_t form = 3, suffix = 4, left = 0, right = 0, left_shape = 0, right_shape = 0, left_end = 0, right_end = 0
    cdef int k
    cdef Py_ssize_t i
    for i in range(p.runs[first].start, min(p.runs[last].end, p.runs[first].start + 64)):
        form = mix(form, lowered(p.codes[i]))
    if first > sentence:
        left, left_shape, left_end = neighbour(p, first - 1)
    if last + 1 < p.count and p.runs[last + 1].gap != PARAGRAPH:
        right, right_shape, right_end = neighbour(p, last + 1)
    for k in range(6):
        i = p.runs[last].end - k - 1
        suffix = mix(suffix, lowered(p.codes[i]) if i >= p.runs[first].start else 0)
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
