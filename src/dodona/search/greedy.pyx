"""Greedy parsing: the best legal action in every configuration, until it is terminal (2013, Algorithm 1)."""

from array import array as new_array

from cpython cimport array

from dodona.search.arcs cimport arcs_of
from dodona.transitions.moves import NONE as _NONE

cdef int NONE = _NONE
cdef array.array NUMBERS = new_array("i")
cdef array.array POINTERS = new_array("Q")


cdef class GreedySearch:
    """A system and a scorer with the workspace for parsing. One for each thread."""

    def __init__(self, TransitionSystem system, Scorer scorer):
        self.system = system
        self.scorer = scorer
        self.choice = Choice(system, scorer)
        self.reserve(64)

    cdef reserve(self, int capacity):
        """Allocate memory for sentences of this length."""
        self.capacity = capacity
        self.s = State(capacity)
        self.sites = SiteSearch(self.choice, capacity if self.system.has_sites else 0)

    def parse(self, EncodedSentence sentence not None, Policy policy=None, Gold gold=None,
              double[::1] confidence=None, double temperature=1.0, double seconds=0):
        """Return (heads, labels) of the words 1..n, as numbers; headless words are attached to ROOT.

        With a policy, only actions of zero cost with regard to `gold` are taken, as long as there are any. The scorer
        must have prepared the sentence. After `seconds`, unless 0, a TimeLimitError is raised.

        `confidence`, n + 1 doubles, is filled in: at k the probability of the action that attached word k, by softmax
        of score / temperature over the actions that it was chosen from, or 0 if the word was attached to ROOT only in the end; and at 0
        the mean of the logarithms of the probabilities of all actions.
        """
        if policy is not None and (gold is None or gold.n != sentence.n):
            raise ValueError(f"a policy needs a gold tree of {sentence.n} words, as many as the sentence has")
        cdef State s = self.ready(sentence)
        cdef Confidence sure = None
        if confidence is not None:
            sure = self.watching(sentence, policy, gold, confidence, temperature)
        s.watch.begin(seconds)
        with nogil:
            self.search(s, sentence, policy, gold, sure)
            if sure is not None:
                sure.finish()
        return arcs_of(s)

    def parse_all(self, list sentences not None, int late):
        """Parse several sentences that the scorer has prepared, without the interpreter's lock from the first to the
        last. Returns a list of (heads, labels), which are arrays; `late` is the label of words that are headless at the
        end, and attached to ROOT."""
        cdef Py_ssize_t i, count = len(sentences)
        cdef int k, longest = 0
        cdef EncodedSentence sentence
        cdef array.array heads, labels
        cdef array.array jobs = array.clone(POINTERS, 3 * count, False)
        cdef void** job = <void**> jobs.data.as_voidptr
        cdef int* into
        cdef list found = []
        for i in range(count):
            sentence = sentences[i]
            self.scorer.check(sentence)
            longest = max(longest, sentence.n)
            heads, labels = array.clone(NUMBERS, sentence.n, False), array.clone(NUMBERS, sentence.n, False)
            found.append((heads, labels))
            job[3 * i], job[3 * i + 1], job[3 * i + 2] = <void*> sentence, heads.data.as_voidptr, labels.data.as_voidptr
        if longest > self.capacity:
            self.reserve(longest)
        cdef State s = self.s
        s.watch.begin(0)
        with nogil:
            for i in range(count):
                self.search(s, <EncodedSentence> job[3 * i], None, None, None)
                for k in range(s.n):
                    into = <int*> job[3 * i + 1]
                    into[k] = s.head[k + 1] if s.head[k + 1] != NONE else 0
                    into = <int*> job[3 * i + 2]
                    into[k] = s.label[k + 1] if s.label[k + 1] != NONE else late
        return found

    def follow(self, EncodedSentence sentence not None, const int[::1] derivation not None,
               double[::1] confidence not None, double temperature=1.0, Policy policy=None, Gold gold=None):
        """Take the actions of a derivation that a beam has found, and fill in `confidence` as `parse` does.

        Returns (heads, labels). A system with sites has no beam, and its derivations cannot be followed.
        """
        cdef State s = self.ready(sentence)
        cdef Confidence sure = self.watching(sentence, policy, gold, confidence, temperature)
        cdef Py_ssize_t i
        if self.system.has_sites:
            raise ValueError("a derivation of a system with sites; expected one that a beam has found")
        s.watch.begin(0)
        with nogil:
            self.system.start(s, sentence.n)
            for i in range(derivation.shape[0]):
                sure.look(s, sentence, 0)
                sure.act(s, sentence, derivation[i], 0, self.choice.carried)
            sure.finish()
        return arcs_of(s)

    cdef State ready(self, EncodedSentence sentence):
        """Return a state with room for the sentence."""
        self.scorer.check(sentence)
        if sentence.n > self.capacity:
            self.reserve(sentence.n)
        return self.s

    cdef Confidence watching(
        self, EncodedSentence sentence, Policy policy, Gold gold, double[::1] confidence, double temperature
    ):
        if policy is not None and (gold is None or gold.n != sentence.n):
            raise ValueError(f"a policy needs a gold tree of {sentence.n} words, as many as the sentence has")
        if confidence.shape[0] != sentence.n + 1:
            raise ValueError(f"confidence of {confidence.shape[0]}; expected {sentence.n + 1}, one more than words")
        return Confidence(self.choice, policy, gold, confidence, temperature)

    cdef int search(
        self, State s, EncodedSentence sentence, Policy policy, Gold gold, Confidence sure
    ) except -1 nogil:
        cdef int site = 0
        self.system.start(s, sentence.n)
        if self.system.has_sites and policy is None:
            self.sites.search(s, sentence, sure)
            return 0
        while not self.system.is_terminal(s):
            s.watch.step()
            if policy is None:
                if sure is not None or not self.choice.is_forced(s):
                    self.choice.look(s, sentence, 0, None, None)
            else:
                site = self.choose(s, sentence, policy, gold)
            if self.choice.action == NONE:
                self.system.dead_end(s)
            if sure is None:
                self.system.act(s, self.choice.action, site, self.choice.carried)
            else:
                sure.act(s, sentence, self.choice.action, site, self.choice.carried)
        return 0

    cdef int choose(self, State s, EncodedSentence sentence, Policy policy, Gold gold) except -1 nogil:
        """Find the best zero-cost action at any site; costs at distant sites can change with every step."""
        cdef int site = 0, chosen = NONE, action = NONE, carried = NONE
        cdef float score = 0
        while site != NONE:
            self.choice.look(s, sentence, site, policy, gold)
            if self.choice.action != NONE and (chosen == NONE or self.choice.score > score):
                chosen, score = site, self.choice.score
                action, carried = self.choice.action, self.choice.carried
            site = self.system.next_site(s, site)
        if chosen == NONE:
            return self.choose(s, sentence, None, None) if policy is not None else self.system.dead_end(s)
        self.choice.action, self.choice.carried = action, carried
        return chosen
