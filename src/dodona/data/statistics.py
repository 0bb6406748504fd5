"""What is in a treebank: counts of words, tags, features and relations, the shape of trees, word order and ambiguity.

    counts = TreebankCounts("dev")
    for sentence in dodona.read("dev.conllu"):
        counts.add(sentence)
    for table in statistics_tables([counts]):
        table.print()

Forms are taken as they are written: *The* and *the* are two types. A sentence is counted in time that grows with its
length, whatever its tree is.
"""

from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import Any

from dodona.data.sentence import Sentence
from dodona.data.trees import is_projective, nonprojective_dependents, order_bottom_up
from dodona.data.ud import UNIVERSAL_RELATIONS, UNIVERSAL_TAGS, strip_subtype
from dodona.tables import Table, Value

__all__ = ["TABLES", "TreebankCounts", "UnknownWords", "statistics_tables"]

CORE = ("nsubj", "csubj", "obj", "iobj", "ccomp", "xcomp")
ORDERS = ("SVO", "SOV", "VSO", "VOS", "OVS", "OSV")
SUBJECT, OBJECT = "nsubj", "obj"
BINS = (5, 10, 20, 30, 40, 60, 100)  # the longest sentences of all bins but the last

Row = tuple[Value, ...]


class UnknownWords:
    """How many words of a part of a treebank do not occur in its training part."""

    def __init__(self, forms: Mapping[str, int], known: Container[str]) -> None:
        new = {form: count for form, count in forms.items() if form not in known}
        self.words, self.types = sum(new.values()), len(new)
        self.words_percent = _percent(self.words, sum(forms.values()))
        self.types_percent = _percent(self.types, len(forms))


class TreebankCounts:
    """The counts of a treebank or a part of one, which grow sentence by sentence."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.sentences = self.words = self.tokens = self.multiword = 0
        self.partial_sentences = self.words_without_head = 0
        self.words_of_trees = self.nonprojective_sentences = self.nonprojective_arcs = 0
        self.tagged_forms: Counter[tuple[str, str]] = Counter()  # form and UPOS
        self.lemmas: Counter[str] = Counter()
        self.upos: Counter[str] = Counter()
        self.xpos: Counter[str] = Counter()
        self.feats: Counter[str] = Counter()  # as the column has them
        self.relations: Counter[str] = Counter()  # with their subtypes
        self.arcs: Counter[str] = Counter()  # of these, the ones between two words
        self.before: Counter[str] = Counter()  # of these, the ones whose dependent comes first
        self.distances: Counter[str] = Counter()  # from head to dependent, summed
        self.lengths: Counter[int] = Counter()
        self.depths: Counter[int] = Counter()
        self.orders: Counter[str] = Counter()  # of clauses with a subject and an object
        self.unknown: dict[str, UnknownWords] = {}  # by part; "" of these words themselves

    def add(self, sentence: Sentence) -> None:
        n = len(sentence)
        heads, words, upos, labels = sentence.known_heads(), sentence.words, sentence.upos, sentence.labels
        self.sentences += 1
        self.words += n
        self.tokens += n - sum(last - first for first, last, _ in sentence.multiword)
        self.multiword += len(sentence.multiword)
        self.lengths[n] += 1
        self.tagged_forms.update(zip(words, upos, strict=True))
        for counter, column in ((self.lemmas, sentence.lemmas), (self.upos, upos), (self.xpos, sentence.xpos)):
            counter.update(column)
        self.feats.update(sentence.feats)
        self._add_arcs(heads, labels)
        full = [head for head in heads if head is not None]
        if len(full) == n:
            self._add_tree(full)
        else:
            self.partial_sentences += 1
            self.words_without_head += n - len(full)

    def _add_arcs(self, heads: Sequence[int | None], labels: Sequence[str]) -> None:
        subjects: dict[int, int] = {}
        objects: dict[int, int] = {}
        for d, (h, label) in enumerate(zip(heads, labels, strict=True), start=1):
            if h is None:
                continue
            self.relations[label] += 1
            if h:
                self.arcs[label] += 1
                self.before[label] += d < h
                self.distances[label] += abs(h - d)
                if label.startswith(SUBJECT) and strip_subtype(label) == SUBJECT:
                    subjects.setdefault(h, d)
                elif label.startswith(OBJECT) and strip_subtype(label) == OBJECT:
                    objects.setdefault(h, d)
        for h in subjects.keys() & objects.keys():
            self.orders["".join(letter for _, letter in sorted(((subjects[h], "S"), (h, "V"), (objects[h], "O"))))] += 1

    def _add_tree(self, heads: Sequence[int]) -> None:
        self.words_of_trees += len(heads)
        depth = [0] * (len(heads) + 1)
        for k in reversed(order_bottom_up(heads)):
            depth[k] = depth[heads[k - 1]] + 1
        self.depths[max(depth)] += 1
        if not is_projective(heads):
            self.nonprojective_sentences += 1
            self.nonprojective_arcs += len(nonprojective_dependents(heads))

    @property
    def trees(self) -> int:
        """The sentences of which every word has a head: only these have a depth, and are projective or not."""
        return self.depths.total()

    @property
    def forms(self) -> Counter[str]:
        forms: Counter[str] = Counter()
        for (form, _), count in self.tagged_forms.items():
            forms[form] += count
        return forms

    def features(self) -> Counter[str]:
        """Name=Value, one by one."""
        features: Counter[str] = Counter()
        for column, count in self.feats.items():
            for feature in column.split("|") if column != "_" else ():
                features[feature] += count
        return features

    def ambiguous_forms(self) -> dict[str, list[tuple[str, int]]]:
        """The forms with more than one UPOS, each with its tags, the most frequent first; first the forms most of whose
        words have another tag than the most frequent one."""
        tags: dict[str, list[tuple[str, int]]] = {}
        for (form, tag), count in self.tagged_forms.items():
            tags.setdefault(form, []).append((tag, count))
        several = {form: sorted(each, key=lambda x: (-x[1], x[0])) for form, each in tags.items() if len(each) > 1}
        others = {form: sum(count for _, count in each[1:]) for form, each in several.items()}
        return {form: several[form] for form in sorted(several, key=lambda form: (-others[form], form))}


def statistics_tables(
    treebanks: Sequence[TreebankCounts], names: Iterable[str] | None = None, most: int | None = None
) -> list[Table]:
    """Return the tables of these names (all of TABLES by default), with the treebanks side by side.

    `most` is how many of the ambiguous forms are listed; None: all.
    """
    wanted = list(TABLES) if names is None else [name for name in TABLES if name in set(names)]
    return [_ambiguity_table(treebanks, most) if name == "ambiguity" else TABLES[name](treebanks) for name in wanted]


def _summary_table(treebanks: Sequence[TreebankCounts]) -> Table:
    rows = [(name, *map(count, treebanks)) for name, count in SUMMARY.items()]
    rows += [row for part in ("", "dev", "test") for row in _unknown_rows(treebanks, part)]
    kept = [row for row in rows if any(value is not None for value in row[1:])]
    return Table(("", *(each.name for each in treebanks)), kept, "Summary", "summary")


def _unknown_rows(treebanks: Sequence[TreebankCounts], part: str) -> Iterable[Row]:
    of = f" of {part}" if part else ""
    unknown = [each.unknown.get(part) for each in treebanks]
    yield f"unknown words{of} %", *(None if one is None else one.words_percent for one in unknown)
    yield f"unknown types{of} %", *(None if one is None else one.types_percent for one in unknown)


def _count_values(values: Iterable[str]) -> int:
    return len(set(values) - {"_"})


def _mean(counts: Mapping[int, int]) -> float | None:
    return _divide(sum(value * count for value, count in counts.items()), sum(counts.values()))


def _median(counts: Counter[int]) -> float | None:
    """The middle one of numbers that are counted, or the mean of the two in the middle."""
    numbers = sorted(counts.elements())
    n = len(numbers)
    return (numbers[(n - 1) // 2] + numbers[n // 2]) / 2 if n else None


def _share_of_ambiguous_words(counts: TreebankCounts) -> float | None:
    ambiguous = sum(count for tags in counts.ambiguous_forms().values() for _, count in tags)
    return _percent(ambiguous, counts.words)


def _divide(part: float, whole: int) -> float | None:
    return part / whole if whole else None


def _percent(part: int, whole: int) -> float | None:
    return _divide(100 * part, whole)


SUMMARY: dict[str, Callable[[TreebankCounts], Value]] = {
    "sentences": lambda counts: counts.sentences,
    "tokens": lambda counts: counts.tokens,
    "words": lambda counts: counts.words,
    "multiword tokens": lambda counts: counts.multiword,
    "types (forms)": lambda counts: len(counts.forms),
    "lemmas": lambda counts: _count_values(counts.lemmas),
    "words per type": lambda counts: _divide(counts.words, len(counts.forms)),
    "UPOS": lambda counts: _count_values(counts.upos),
    "XPOS": lambda counts: _count_values(counts.xpos),
    "features (name=value)": lambda counts: len(counts.features()),
    "relations": lambda counts: _count_values(map(strip_subtype, counts.relations)),
    "relations with subtypes": lambda counts: _count_values(counts.relations),
    "words per sentence, mean": lambda counts: _mean(counts.lengths),
    "words per sentence, median": lambda counts: _median(counts.lengths),
    "words per sentence, most": lambda counts: max(counts.lengths, default=None),
    "depth, mean": lambda counts: _mean(counts.depths),
    "depth, most": lambda counts: max(counts.depths, default=None),
    "distance from head, mean": lambda counts: _divide(counts.distances.total(), counts.arcs.total()),
    "non-projective sentences": lambda counts: counts.nonprojective_sentences,
    "non-projective sentences %": lambda counts: _percent(counts.nonprojective_sentences, counts.trees),
    "non-projective arcs %": lambda counts: _percent(counts.nonprojective_arcs, counts.words_of_trees),
    "sentences with part of a tree": lambda counts: counts.partial_sentences or None,
    "words without a head": lambda counts: counts.words_without_head or None,
    "ambiguous types %": lambda counts: _percent(len(counts.ambiguous_forms()), len(counts.forms)),
    "words of ambiguous types %": _share_of_ambiguous_words,
}


def _share_table(
    name: str, title: str, treebanks: Sequence[TreebankCounts], shares: Mapping[str, Sequence[tuple[int, int]]],
    unit: str = "words", **others: Any,
) -> Table:  # fmt: skip
    """Numbers and percentages; `shares` has for each row the part and the whole of each treebank."""
    rows = [
        (row, *(cell for part, whole in pairs for cell in (part, _percent(part, whole))))
        for row, pairs in shares.items()
    ]
    return Table(_columns(treebanks, (unit, "%")), rows, title, name, **others)


def _columns(treebanks: Sequence[TreebankCounts], names: Sequence[str]) -> tuple[str, ...]:
    """A column without a name, and these for each treebank; with its name, where there are several."""
    prefixes = [f"{each.name} " for each in treebanks] if len(treebanks) > 1 else [""]
    return ("", *(f"{prefix}{name}" for prefix in prefixes for name in names))


def _upos_table(treebanks: Sequence[TreebankCounts]) -> Table:
    tags = sorted({tag for each in treebanks for tag in each.upos}, key=_rank(UNIVERSAL_TAGS))
    shares = {tag: [(each.upos[tag], each.words) for each in treebanks] for tag in tags}
    return _share_table("upos", "UPOS", treebanks, shares)


def _features_table(treebanks: Sequence[TreebankCounts]) -> Table:
    counted = [(each.features(), each.words) for each in treebanks]
    features = sorted({feature for counts, _ in counted for feature in counts})
    shares = {feature: [(counts[feature], words) for counts, words in counted] for feature in features}
    return _share_table("features", "Features", treebanks, shares)


def _relations_table(treebanks: Sequence[TreebankCounts]) -> Table:
    """All relations: how many, how many of them before their heads, and how far from these."""
    labels = sorted({label for each in treebanks for label in each.relations}, key=_rank(UNIVERSAL_RELATIONS))
    rows: list[Row] = []
    for label in labels:
        cells: list[Value] = []
        for each in treebanks:
            count, arcs = each.relations[label], each.arcs[label]
            cells += [count, _percent(count, each.relations.total())]
            cells += [_percent(each.before[label], arcs), _divide(each.distances[label], arcs)]
        rows.append((label, *cells))
    columns = _columns(treebanks, ("words", "%", "before head %", "distance"))
    return Table(columns, rows, "Relations", "relations")


def _rank(order: Sequence[str]) -> Callable[[str], tuple[int, str]]:
    """Values in the order of UD, and those that it does not have after them."""
    places = {value: place for place, value in enumerate(order)}
    return lambda value: (places.get(strip_subtype(value), len(order)), value)


def _order_table(treebanks: Sequence[TreebankCounts]) -> Table:
    """Where core arguments stand: on which side of their heads, subtypes included, and subject, verb and object."""
    shares: dict[str, list[tuple[int, int]]] = {}
    for relation in CORE:
        before = [(_sum_subtypes(each.before, relation), _sum_subtypes(each.arcs, relation)) for each in treebanks]
        shares[f"{relation} before head"] = before
        shares[f"{relation} after head"] = [(total - part, total) for part, total in before]
    shares |= {order: [(each.orders[order], each.orders.total()) for each in treebanks] for order in ORDERS}
    note = f"SVO to OSV: heads with both {SUBJECT} (S) and {OBJECT} (O), by the order of the three."
    rules = frozenset([2 * len(CORE)])
    return _share_table("order", "Word order", treebanks, shares, notes=(note,), rules=rules)


def _sum_subtypes(counts: Mapping[str, int], relation: str) -> int:
    return sum(count for label, count in counts.items() if strip_subtype(label) == relation)


def _lengths_table(treebanks: Sequence[TreebankCounts]) -> Table:
    lows, highs = [1, *(high + 1 for high in BINS)], [*BINS, None]
    shares = {}
    for low, high in zip(lows, highs, strict=True):
        name = f"{low} words and more" if high is None else f"{low}-{high} words"
        fitting = [
            sum(count for length, count in each.lengths.items() if low <= length and (high is None or length <= high))
            for each in treebanks
        ]
        shares[name] = [(number, each.sentences) for number, each in zip(fitting, treebanks, strict=True)]
    return _share_table("lengths", "Lengths of sentences", treebanks, shares, unit="sentences")


def _ambiguity_table(treebanks: Sequence[TreebankCounts], most: int | None = None) -> Table:
    """Forms with several UPOS, those first that are most often not what they are mostly."""
    ambiguous = [each.ambiguous_forms() for each in treebanks]
    listed = list(dict.fromkeys(form for one in ambiguous for form in list(one)[:most]))
    others = {form: sum(sum(n for _, n in one[form][1:]) for one in ambiguous if form in one) for form in listed}
    kept = sorted(listed, key=lambda form: (-others[form], form))[:most]
    rows = [(form, *(_list_tags(one.get(form)) for one in ambiguous)) for form in kept]
    columns = ("form", *(each.name for each in treebanks))
    return Table(columns, rows, "Ambiguous forms", "ambiguity", align="l" * len(columns))


def _list_tags(tags: Sequence[tuple[str, int]] | None) -> str | None:
    return None if tags is None else ", ".join(f"{tag} {count}" for tag, count in tags)


TABLES: dict[str, Callable[[Sequence[TreebankCounts]], Table]] = {
    "summary": _summary_table,
    "lengths": _lengths_table,
    "upos": _upos_table,
    "features": _features_table,
    "relations": _relations_table,
    "order": _order_table,
    "ambiguity": _ambiguity_table,
}
"""By name, in their order."""
