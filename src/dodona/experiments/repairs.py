"""How often a non-monotonic parser repairs, and whether rightly: Table 2 of Honnibal, Goldberg and Johnson (2013).

A word leaves the stack by LEFT or by REDUCE. If it has a head, LEFT repairs (it replaces that head by b0) and REDUCE is
the monotonic alternative. If it has none, REDUCE repairs (it attaches the word to s1), and LEFT is the alternative.

    true positive    a repair that adds a gold arc        false negative   the alternative, where a repair would have
    false positive   any other repair                     true negative    the alternative, rightly
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from dodona.data import Sentence, projectivize
from dodona.data.pseudoprojective import ENCODINGS
from dodona.parser.parser import Parser
from dodona.search.scorer import EncodedSentence, Scorer
from dodona.transitions import derivations
from dodona.transitions.moves import ATTACH, LEFT, NONE, REDUCE
from dodona.transitions.state import State
from dodona.transitions.system import TransitionSystem

__all__ = ["count_repairs", "judge", "walk"]

POPS = (LEFT, REDUCE, ATTACH)


def walk(system: TransitionSystem, scorer: Scorer, sentence: EncodedSentence) -> Iterator[tuple[State, int, int]]:
    """Parse greedily, and yield each configuration with the move and the label that come next."""
    actions = derivations.actions(system)
    state = derivations.start(system, sentence.n)
    while not system.is_terminal(state):
        row = scorer.score(state, sentence)
        legal = set(derivations.legal_moves(system, state, 0))
        best = max((a for a, (move, _) in enumerate(actions) if move in legal), key=row.__getitem__)
        move, label = actions[best]
        yield state, move, label
        system.apply(state, move, 0, label)


def judge(system: TransitionSystem, state: State, move: int, heads: Sequence[int]) -> tuple[str, str] | None:
    """Return the kind of repair that was possible (LEFT, REDUCE), and whether its use or its neglect was right (TP, FP,
    TN, FN); None if no word leaves the stack, or no repair is possible."""
    s0 = state.s0()
    kind, repair = ("LEFT", LEFT) if s0 <= state.n and state.head[s0] != NONE else ("REDUCE", ATTACH)
    if move not in POPS or not system.legal(state, repair, 0):
        return None
    right = system.head_of(state, repair, 0) == heads[s0 - 1]
    if move == repair:
        return kind, "TP" if right else "FP"
    return kind, "FN" if right else "TN"


def count_repairs(parser: Parser, gold: Sequence[Sentence], seen: Sequence[Sentence]) -> dict[str, Any]:
    """Count decisions as above, and which labels were replaced by which. Punctuation is left out, by gold UPOS.

    Decisions are judged by the gold trees as the parser can build them: projective ones.
    """
    options = parser.options
    built = options.build_system(parser.labels, options.single_root)
    session = parser.model.session()
    counts = {name: Counter[str]() for name in ("LEFT", "REDUCE")}
    labels: Counter[tuple[str, str]] = Counter()
    for sentence, as_seen in zip(gold, seen, strict=True):
        heads = sentence.gold_heads()
        if options.nonprojective in ENCODINGS:
            heads, _ = projectivize(heads, sentence.gold_labels(), options.nonprojective)
        (encoded,) = session.encode([as_seen])
        for state, move, label in walk(built.core, session.greedy, encoded):
            judgement = judge(built.core, state, move, heads)
            s0 = state.s0()
            if judgement is None or sentence.upos[s0 - 1] == "PUNCT":
                continue
            kind, verdict = judgement
            counts[kind][verdict] += 1
            if verdict == "TP":
                old = built.label_names[state.label[s0]] if kind == "LEFT" else "(none)"
                labels[old, built.label_names[label]] += 1
    frequent = sorted(labels.items(), key=lambda item: (-item[1], item[0]))
    return {
        "counts": {kind: {name: own[name] for name in ("TP", "FP", "TN", "FN")} for kind, own in counts.items()},
        "labels": [[old, new, count] for (old, new), count in frequent],
    }
