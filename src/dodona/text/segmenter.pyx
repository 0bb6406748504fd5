"""Segmentation of text into tokens and sentences, from left to right.

After each run a linear model makes up to two decisions: whether the token ends, and whether the sentence ends. Most
need no model, because between characters of these kinds the training text has only one answer. A third decision is
whether a finished token is a multiword token.

The features use nothing before the beginning of a sentence, after the end of a paragraph, or more than LOOKAHEAD runs
ahead. So segmentation can start at the beginning of any sentence with the same results.
"""

from libc.math cimport exp
from libc.stdint cimport int32_t, uint64_t

from dodona.text.tokenizer_features cimport (
    GENERAL, MOST_KEYS, Progress, begin_sentence, begin_token, go_on, multiword_keys, sentence_keys, token_keys,
)
from dodona.text.runs cimport ASK, MULTIWORD, NEVER, NO_GAP, PARAGRAPH, SENTENCE, TOKEN, Passage, Run

cdef enum:
    LOOKAHEAD = 5          # runs
    LONGEST = 1 << 20      # characters of a token, and of a sentence up to the end of a token
    MOST_TOKENS = 10000    # in a sentence


cdef class Segment:
    """A sentence of a passage."""


cdef Segment new_segment(int first):
    cdef Segment segment = Segment.__new__(Segment)
    segment.forms, segment.starts, segment.gaps, segment.spaced, segment.lasts = [], [], [], [], []
    segment.first = first
    return segment


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

    def segment(self, Passage passage, bint final):
        """Return (sentences, start of the first incomplete one). Unless the text is `final`, the last runs are not
        decided, except those before the end of a paragraph."""
        cdef Progress at
        cdef Run* runs = passage.runs
        cdef int k = 0, n = passage.count, limit = n if final else certain(passage), decision
        cdef Py_ssize_t done = 0, end
        cdef bint has_blanks = False, is_plain = True
        cdef str text = passage.text
        cdef Segment segment = new_segment(0)
        sentences = []
        if n:
            begin_sentence(passage, &at, 0)
        while k < limit:
            decision = self.decide(passage, &at, k) if k + 1 < n else 2
            if decision == 0:
                k += 1
                has_blanks |= runs[k].gap != NO_GAP
                go_on(passage, &at, k)
                continue
            if has_blanks:
                segment.spaced.append(len(segment.forms))
                has_blanks = is_plain = False
            segment.forms.append(text[runs[at.token].start : runs[k].end])
            segment.starts.append(runs[at.token].start)
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
                begin_token(passage, &at, k)
                continue
            segment.ends_paragraph = k < n and runs[k].gap == PARAGRAPH
            if is_plain:
                segment.text = text[runs[segment.first].start : runs[k - 1].end]
            sentences.append(segment)
            done = end
            segment = new_segment(k)
            is_plain = True
            if k < n:
                begin_sentence(passage, &at, k)
        return sentences, done

    def is_multiword(self, Passage passage, int sentence, int first, int last):
        """Return whether the token from run `first` to `last` is a multiword token; `sentence` starts its sentence."""
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
