"""What models guess of a sentence that is annotated in part, and what else each value could be.

Tags and lemmas come from the model, where a person has not set them; the tree is parsed around the arcs that count. The
treebank says how often each word has had which values: from this come the confidence of tags, and the order of what is
offered.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from math import exp

from dodona.annotation.draft import Draft, DraftWord
from dodona.data import Sentence
from dodona.data.marks import is_annotated
from dodona.data.trees import find_cycle
from dodona.data.ud import UNIVERSAL_TAGS
from dodona.errors import DodonaError, OptionError
from dodona.parser.request import Analysis, Request
from dodona.pipeline.pipeline import Pipeline

__all__ = ["CHOICE_COLUMNS", "Choice", "Frequencies", "complete", "find_choices", "fit_xpos"]

CHOICE_COLUMNS = ("label", "head", "upos", "xpos", "feats", "lemma")
BEAM = 16  # hypotheses that choices are counted in
MAX_CHOICES = 200
DIGITS = 4  # of a probability
LEAST = 1e-3  # a label that is less probable comes after those that the treebank has there

Choice = tuple[str | int, float | None]
"""A value, and how probable it is if that is known."""
GREEDY = Request(confidence=True, constrained=True)


class Frequencies:
    """How often the annotated words of a treebank have which values."""

    def __init__(self) -> None:
        self.upos: defaultdict[str, Counter[str]] = defaultdict(Counter)  # by form
        self.tags: defaultdict[tuple[str, str], Counter[tuple[str, str]]] = defaultdict(Counter)  # XPOS and FEATS
        self.xpos: defaultdict[str, Counter[str]] = defaultdict(Counter)  # by UPOS
        self.feats: defaultdict[str, Counter[str]] = defaultdict(Counter)  # by UPOS
        self.lemmas: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)  # by form and UPOS
        self.labels: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)  # by UPOS of both ends
        self.all: dict[str, Counter[str]] = {name: Counter() for name in ("label", "upos", "xpos", "feats")}

    def add(self, sentence: Sentence, times: int = 1) -> None:
        """Count what is annotated in a sentence; -1 times takes it out again."""
        marks = [is_annotated(sentence, aspect) for aspect in ("arc", "upos", "feats", "lemma")]
        upos = ["ROOT", *sentence.upos]
        columns = (sentence.words, sentence.xpos, sentence.feats, sentence.lemmas, sentence.heads, sentence.labels)
        for k, (form, xpos, feats, lemma, head, label) in enumerate(zip(*columns, strict=True)):
            tag = upos[k + 1]
            has_arc, has_upos, has_feats, has_lemma = (each[k] for each in marks)
            if has_upos and tag != "_":
                self.upos[form][tag] += times
                self.all["upos"][tag] += times
                self.all["xpos"][xpos] += times
                self.xpos[tag][xpos] += times
                if has_feats:
                    self.tags[form, tag][xpos, feats] += times
                    self.all["feats"][feats] += times
                    self.feats[tag][feats] += times
            if has_lemma and lemma != "_":
                self.lemmas[form, tag][lemma] += times
            if has_arc and head is not None and label not in ("_", ""):
                self.labels[tag, upos[head]][label] += times
                self.all["label"][label] += times

    def share(self, k: int, aspect: str, draft: Draft) -> float | None:
        """Return the share of a word's value among those of its form, with room for one that was not seen; None for a
        word that the treebank does not have."""
        word = draft.words[k - 1]
        if aspect == "arc":
            return word.confidence
        key = word.form, word.upos
        if aspect == "upos":
            counts, count = self.upos.get(word.form), self.upos.get(word.form, Counter())[word.upos]
        elif aspect == "feats":
            tags = self.tags.get(key)
            counts, count = self.upos.get(word.form), sum(c for (_, f), c in (tags or {}).items() if f == word.feats)
        elif aspect == "lemma":
            counts, count = self.lemmas.get(key), self.lemmas.get(key, Counter())[word.lemma]
        else:
            return None
        total = sum(counts.values()) if counts else 0
        return round(max(0, count) / (total + 1), DIGITS) if total > 0 else None

    def list_values(self, name: str) -> list[str]:
        """Return the values of a column, the most frequent ones first."""
        return _sort_by_count(self.all[name])


def _sort_by_count(counts: Counter[str]) -> list[str]:
    seen = [value for value, count in counts.items() if count > 0]
    return sorted(seen, key=lambda value: (-counts[value], value))


def complete(draft: Draft, pipeline: Pipeline, frequencies: Frequencies) -> Draft:
    """Return the draft with guesses of the model for all that does not count, and for holes."""
    if draft.is_done and all(word.head is not None and word.label != "_" for word in draft.words):
        return draft
    if not draft.is_done:
        draft = _guess_lemmas(_guess_tags(draft, pipeline, frequencies), pipeline)
    if all(draft.counts(k, "arc") and word.label != "_" for k, word in enumerate(draft.words, start=1)):
        return draft
    analysis = _parse_around(draft, pipeline)
    words = []
    for k, (word, head, label) in enumerate(zip(draft.words, analysis.heads, analysis.labels, strict=True), start=1):
        if draft.counts(k, "arc") and word.head is not None:
            words.append(word if word.label != "_" else word._replace(label=label))
        elif (word.head, word.label) == (head, label) and word.held:
            words.append(word)
        else:
            sure = round(analysis.confidence[k - 1], DIGITS) if analysis.confidence else None
            words.append(word._replace(head=head, label=label, confidence=sure, held=False))
    return replace(draft, words=tuple(words))


def _guess_tags(draft: Draft, pipeline: Pipeline, frequencies: Frequencies) -> Draft:
    if pipeline.tagger is None or all(word.has("upos") and word.has("feats") for word in draft.words):
        return draft
    if pipeline.parser.model.retags:
        (tagged,) = pipeline.parser.predict_tags([_make_sentence(draft, pipeline.tagger.columns(draft.forms))])
        columns = [tagged.upos, tagged.xpos, tagged.feats]
    else:
        columns = pipeline.tagger.columns(draft.forms)
    words = []
    for word, upos, xpos, feats in zip(draft.words, *columns, strict=True):
        if not word.has("upos"):
            word = word._replace(upos=upos, xpos=xpos)
        if word.upos != upos:  # somebody knows better; what the model thinks of another tag does not fit
            known = frequencies.tags.get((word.form, word.upos), Counter())
            feats = max(known, key=lambda tag: (known[tag], tag))[1] if known else "_"
        words.append(word if word.has("feats") else word._replace(feats=feats))
    return replace(draft, words=tuple(words))


def fit_xpos(draft: Draft, k: int, frequencies: Frequencies) -> Draft:
    """Return the draft with the XPOS that is most usual for the UPOS of word k: one that was guessed with another UPOS
    would not fit. What the treebank does not have stays."""
    word = draft.words[k - 1]
    of_form: Counter[str] = Counter()
    for (xpos, _), count in frequencies.tags.get((word.form, word.upos), {}).items():
        of_form[xpos] += count
    for counts in (of_form, frequencies.xpos.get(word.upos, Counter())):
        usual = max(counts, key=lambda xpos: (counts[xpos], xpos), default=None)
        if usual is not None and counts[usual] > 0:
            return draft.change(k, word._replace(xpos=usual))
    return draft


def _guess_lemmas(draft: Draft, pipeline: Pipeline) -> Draft:
    if pipeline.lemmatizer is None or all(word.has("lemma") for word in draft.words):
        return draft
    columns = [[getattr(word, name) for word in draft.words] for name in ("form", "upos", "feats")]
    lemmas = pipeline.lemmatizer.lemmas(*columns)
    words = (
        word if word.has("lemma") else word._replace(lemma=lemma)
        for word, lemma in zip(draft.words, lemmas, strict=True)
    )
    return replace(draft, words=tuple(words))


def _make_sentence(
    draft: Draft, tags: Sequence[list[str]] | None = None, given: Sequence[DraftWord] | None = None
) -> Sentence:
    """Return the words for a parser, with the arcs of `given`."""
    upos, xpos, feats = tags or [[getattr(word, name) for word in draft.words] for name in ("upos", "xpos", "feats")]
    lemmas = [word.lemma for word in draft.words]
    heads = None if given is None else [word.head for word in given]
    labels = None if given is None else [word.label for word in given]
    return Sentence.from_words(draft.forms, upos, xpos=xpos, feats=feats, lemmas=lemmas, heads=heads, labels=labels)


def _parse_around(draft: Draft, pipeline: Pipeline, request: Request = GREEDY) -> Analysis:
    """Return the best tree with all arcs that count, and those that are held if it can have them."""
    hole = DraftWord("_")
    counted = [word if draft.counts(k, "arc") else hole for k, word in enumerate(draft.words, start=1)]
    if any(word.held for word in draft.words):
        held = [
            own if own is not hole or not word.held else word for own, word in zip(counted, draft.words, strict=True)
        ]
        try:
            return _parse(_make_sentence(draft, given=held), pipeline, request)
        except DodonaError:
            pass
    try:
        return _parse(_make_sentence(draft, given=counted), pipeline, request)
    except DodonaError:
        return _parse_nearly(draft, counted, pipeline, request)


def _parse(sentence: Sentence, pipeline: Pipeline, request: Request) -> Analysis:
    return pipeline.parser.analyses(sentence, request)[0]


def _parse_nearly(draft: Draft, counted: list[DraftWord], pipeline: Pipeline, request: Request) -> Analysis:
    """Return a tree with arcs that this parser cannot build, such as crossing ones: it is parsed around the others, and
    then gets them."""
    hole = DraftWord("_")
    kept: list[DraftWord] = [hole] * len(counted)
    for k, word in enumerate(counted):
        if word.head is not None:
            trial = [*kept[:k], word, *kept[k + 1 :]]
            if pipeline.parser.can_build(_make_sentence(draft, given=trial)):
                kept = trial
    analysis = _parse(_make_sentence(draft, given=kept), pipeline, request)
    heads, labels = list(analysis.heads), list(analysis.labels)
    for k, word in enumerate(counted, start=1):
        if word.head is None or word.head == heads[k - 1]:
            continue
        former = heads[k - 1]
        heads[k - 1] = word.head
        labels[k - 1] = word.label if word.label != "_" else labels[k - 1]
        cycle = find_cycle(heads)
        if cycle is not None:  # a guess in it hangs where this word hung before
            free = next(d for d in cycle[1] if counted[d - 1].head is None)
            heads[free - 1] = former
    return analysis._replace(heads=heads, labels=labels)


def find_choices(
    draft: Draft, k: int, column: str, head: int | None, pipeline: Pipeline, frequencies: Frequencies
) -> list[Choice]:
    """Return what word k could have in a column: what the model finds likely first, then what the treebank has."""
    if not 1 <= k <= len(draft.words):
        raise OptionError(f"word {k}; expected a number from 1 to {len(draft.words)}")
    if column not in CHOICE_COLUMNS:
        raise OptionError(f"column {column!r}; expected one of: {', '.join(CHOICE_COLUMNS)}")
    word = draft.words[k - 1]
    if column in ("head", "label"):
        return _find_arcs(draft, k, column, head, pipeline, frequencies)
    guessed = complete(draft.release([k], [column]), pipeline, frequencies).words[k - 1]
    own = getattr(guessed, column)
    counts: Counter[str | int]
    if column == "upos":
        counts = Counter(dict(frequencies.upos.get(word.form, {})))
        rest = [*frequencies.list_values(column), *UNIVERSAL_TAGS]
    elif column == "lemma":
        counts, rest = Counter(dict(frequencies.lemmas.get((word.form, word.upos), {}))), [word.form, word.form.lower()]
    else:
        place, by_upos = (0, frequencies.xpos) if column == "xpos" else (1, frequencies.feats)
        counts, rest = Counter(), [*_sort_by_count(by_upos[word.upos]), *frequencies.list_values(column)]
        for tag, count in frequencies.tags.get((word.form, word.upos), {}).items():
            counts[tag[place]] += count
    if not any(count > 0 for count in counts.values()):  # how sure the model is of a tag, it does not say
        return list(_rank({}, [own, *rest]))
    counts[own] += 1  # the model's guess counts as if it had been seen once more
    total = sum(count for count in counts.values() if count > 0)
    shares: dict[str | int, float] = {value: count / total for value, count in counts.items() if count > 0}
    return list(_rank(shares, rest))


def _find_arcs(
    draft: Draft, k: int, column: str, head: int | None, pipeline: Pipeline, frequencies: Frequencies
) -> list[Choice]:
    """Return heads of word k in the trees that the model finds likely, with all other arcs that count; or labels, with
    this head or the one that it has."""
    if column == "head":
        near = sorted(range(len(draft.words) + 1), key=lambda d: abs(d - k))
        return list(_rank(_weigh_arcs(draft, k, None, pipeline), [d for d in near if d != k]))
    own = draft.words[k - 1]
    above = own.head if head is None else head
    tag = "ROOT" if not above else draft.words[above - 1].upos
    seen = frequencies.labels.get((own.upos, tag), Counter())
    shares = _weigh_labels(draft, k, above, pipeline) or _weigh_arcs(draft, k, above, pipeline)
    return list(_rank(shares, [*_sort_by_count(seen), *frequencies.list_values("label"), *pipeline.parser.tree_labels]))


def _weigh_labels(draft: Draft, k: int, head: int | None, pipeline: Pipeline) -> dict[str | int, float]:
    """Return how probable each label of word k is, given all heads; nothing if the parser cannot build this tree."""
    words = [word._replace(head=head) if d == k else word for d, word in enumerate(draft.words, start=1)]
    heads = [word.head for word in words]
    if None in heads or find_cycle(heads) is not None:
        return {}
    labels = pipeline.parser.tree_labels
    trees = ([*words[: k - 1], words[k - 1]._replace(label=label), *words[k:]] for label in labels)
    judgements = pipeline.parser.judge(_make_sentence(draft, given=tree) for tree in trees)
    shares = {label: judgement.labels[k - 1] for label, judgement in zip(labels, judgements, strict=True)}
    total = sum(shares.values())
    return {label: share / total for label, share in shares.items() if share >= LEAST * total > 0}


def _weigh_arcs(draft: Draft, k: int, head: int | None, pipeline: Pipeline) -> dict[str | int, float]:
    """Return how probable each head of word k is, or each label with this head, in the trees that the model finds
    likely."""
    freed = draft.open_up()
    free = freed.words[k - 1].mark(("arc",), None)
    given = [
        DraftWord("_", head=head) if d == k else word if freed.counts(d, "arc") else DraftWord("_")
        for d, word in enumerate(freed.change(k, free).words, start=1)
    ]
    shares: dict[str | int, float] = {}
    for analysis, probability in _weigh(_make_sentence(draft, given=given), pipeline):
        if head is not None and analysis.heads[k - 1] != head:
            continue
        value = analysis.heads[k - 1] if head is None else analysis.labels[k - 1]
        shares[value] = shares.get(value, 0.0) + probability
    return shares


def _weigh(sentence: Sentence, pipeline: Pipeline) -> Iterator[tuple[Analysis, float]]:
    """Yield different trees, each with its probability among them; none where the given arcs cannot be built."""
    parser = pipeline.parser
    try:
        if not parser.has_beam:
            yield parser.analyses(sentence, GREEDY)[0], 1.0
            return
        width = max(BEAM, parser.options.beam)
        trees = parser.analyses(sentence, Request(width, width, constrained=True))
    except DodonaError:
        return
    masses = [exp(tree.score - trees[0].score) for tree in trees]
    yield from zip(trees, (mass / sum(masses) for mass in masses), strict=True)


def _rank(shares: dict[str | int, float], rest: Iterable[str | int]) -> Iterator[Choice]:
    """Yield what has a probability, the most likely first, and then the rest."""
    ranked = sorted(shares, key=lambda value: (-shares[value], str(value)))
    values = [(value, round(shares[value], DIGITS)) for value in ranked if value != "_" or len(shares) == 1]
    yield from values[:MAX_CHOICES]
    others = dict.fromkeys(value for value in rest if value not in shares)
    yield from ((value, None) for value in list(others)[: max(0, MAX_CHOICES - len(values))])
