"""Which edit script fits a word best, as the documentation of the lemma model tells it."""

from collections.abc import Callable, Sequence

from reference.averaged import AveragedDict
from reference.mixing import mix, prefix_hash, shape_hash, suffix_hash, text_hash

Score = Callable[[list[int], int], float]
Script = tuple[str, str]  # the prefix and the suffix that it takes away


def features(form: str, lower: str, upos: str, feats: str) -> list[int]:
    """The number of a template and two values each: affixes with the tag, short suffixes with all features too."""
    tag = text_hash(upos)
    whole = mix(tag, text_hash(feats))
    found = [(size, prefix_hash(lower, size), tag) for size in range(1, 5) if size <= len(form)]
    for size in range(1, 8):
        if size <= len(form):
            found.append((4 + size, suffix_hash(lower, size), tag))
            if size <= 4:
                found.append((11 + size, suffix_hash(lower, size), whole))
    if 0 < len(form) <= 7:
        found.append((16, suffix_hash(lower, len(form)), tag))
    found += [(17, suffix_hash(lower, 3), 0), (18, shape_hash(form), tag), (19, tag, 0), (20, whole, 0)]
    return [mix(0, *feature) for feature in found]


def fits(script: Script, lower: str) -> bool:
    """The word has both affixes, and something is left between them."""
    prefix, suffix = script
    return len(prefix) + len(suffix) < len(lower) and lower.startswith(prefix) and lower.endswith(suffix)


def best(scripts: Sequence[Script], lower: str, keys: list[int], score: Score) -> int:
    """The first of the fitting scripts with the highest score, -1 if none fits."""
    fitting = [number for number, script in enumerate(scripts) if fits(script, lower)]
    return max(fitting, key=lambda number: score(keys, number), default=-1)


class LemmaReference:
    """A perceptron: what was wrongly chosen loses 1 for every feature, what is right gains 1."""

    def __init__(self, scripts: Sequence[Script]) -> None:
        self.scripts = scripts
        self.weights = AveragedDict()

    def train(self, form: str, lower: str, upos: str, feats: str, gold: int) -> bool:
        keys = features(form, lower, upos, feats)
        found = best(self.scripts, lower, keys, self.weights.score)
        self.weights.step([(key, s, d) for s, d in ((gold, 1.0), (found, -1.0)) for key in keys if found != gold])
        return found != gold
