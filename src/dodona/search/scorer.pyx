"""The interface between search and models: from a configuration of a sentence to a score for each action.

Search uses a `Scorer` and a `TransitionSystem`, and does not depend on how scores are computed. A scorer does not
depend on how they are used. A model is a subclass of `Scorer` with its own subclass of `EncodedSentence`.
"""

from array import array


cdef class EncodedSentence:
    """A sentence of n words as input of a scorer: numbers, no strings."""

    def __cinit__(self, int n, *_, **__):
        self.n = n


cdef class Scorer:
    """One for each thread: a row of scores is valid until the next call.

    If `normalized`, the softmax of its scores over the legal actions of a configuration is a probability, because the
    model was trained so. Then sums of scores can be compared only after a beam has normalized each summand.
    """

    def __init__(self):
        self.reach = NONE
        self.sentences = EncodedSentence

    def prepare(self, sentences):
        """Must be called with sentences before any of their configurations is scored: computes what can be computed for
        several sentences at once. A sentence may be prepared more than once."""
        for sentence in sentences:
            self.check(sentence)

    def check(self, sentence):
        """Raise an error for a sentence of another kind; called at the entry of search and learning."""
        if not isinstance(sentence, self.sentences):
            wanted, got = self.sentences.__name__, type(sentence).__name__
            raise TypeError(f"a sentence of the kind {got}; {type(self).__name__} scores {wanted}")

    def score(self, State s, EncodedSentence sentence, int site=0):
        """Python access to `scores`, for tests and interactive use: returns the row as a list."""
        self.check(sentence)
        cdef float* row = self.scores(s, sentence, site)
        return [row[a] for a in range(self.actions)]

    cdef float* scores(self, State s, EncodedSentence sentence, int site) except NULL nogil:
        """Return the scores of all actions at a site of this configuration, legal or not; valid until the next call."""
        with gil:
            hint = "a Python class is not asked for them, but CallableScorer asks a function"
            raise NotImplementedError(f"{type(self).__name__} has no compiled scores; {hint}")


cdef class CallableScorer(Scorer):
    """Scores from a Python function of state, sentence and site: slow, for experiments and for tests of search."""

    def __init__(self, int actions, function, *, bint normalized=False):
        Scorer.__init__(self)
        self.normalized = normalized
        self.actions = actions
        self.function = function
        self.row = array("f", bytes(4 * (actions + 1)))

    cdef float* scores(self, State s, EncodedSentence sentence, int site) except NULL nogil:
        cdef int a
        with gil:
            scores = list(self.function(s, sentence, site))
            if len(scores) != self.actions:
                raise ValueError(f"{len(scores)} scores; expected {self.actions}, one for each action")
            for a in range(self.actions):
                self.row[a] = scores[a]
        return &self.row[0]


cdef int label_to_carry(TransitionSystem system, const float* scores) noexcept nogil:
    """Return the label that a plain move carries: the best one of the system's `carried_move`, NONE if it has none."""
    cdef int m, a, best = NONE
    if system.carried_move == NONE:
        return NONE
    for m in range(system.plain, system.moves.shape[0]):
        if system.moves[m] == system.carried_move:
            for a in range(system.first[m], system.first[m + 1]):
                if best == NONE or scores[a] > scores[best]:
                    best = a
    return system.label_of(best)
