"""Segmentation of text into tokens and sentences, from left to right.

After each run a linear model makes up to two decisions: whether the token ends, and whether the sentence ends. Most
need no model, because between characters of these kinds the training text has only one answer. A third decision is
whether a finished token is a multiword token.

The features use nothing before the beginning of a sentence, after the end of a paragraph, or more than LOOKAHEAD runs
ahead. So segmentation can start at the beginning of any sentence with the same results.
"""

from libc.math cimport exp
from libc.stdint cimport int32_t, uint64_t
from libc.stdlib cimport calloc, free, realloc

from dodona.text.tokenizer_features cimport (
    GENERAL, MOST_KEYS, Progress, begin_sentence, begin_token, go_on, multiword_keys, sentence_keys, token_keys,
)
from dodona.text.runs cimport ASK, MULTIWORD, NEVER, NO_GAP, PARAGRAPH, SENTENCE, TOKEN, Passage, Run

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
