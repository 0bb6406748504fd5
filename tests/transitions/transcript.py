"""A long run over all systems and options, written down: the compiled and the interpreted core must agree on it.

python tests/transitions/transcript.py
"""

import hashlib
import random
from itertools import product

from dodona import system
from dodona.systems.registry import SYSTEMS
from dodona.transitions.system import COMPILED


def transcript() -> list[str]:
    lines = []
    chance = random.Random(2012)
    for name, entry in SYSTEMS.items():
        choices = {**entry.options, "single_root": (False, True)}
        for values in product(*choices.values()):
            chosen = system(name, ["a", "b", "root"], **dict(zip(choices, values, strict=True)))
            lines.append(repr(chosen))
            for _ in range(6):
                n = chance.randint(1, 12)
                paths = []
                for _ in range(2):
                    c = chosen.initial(n)
                    path = [c.copy()]
                    while not chosen.is_terminal(c):
                        chosen.apply(c, chance.choice(chosen.legal(c)))
                        path.append(c.copy())
                    paths.append(path)
                heads, labels = chosen.tree(paths[0][-1])
                gold = chosen.gold(heads, [label or "root" for label in labels])
                lines.append(f"{heads} {labels}")
                for oracle in entry.oracles:
                    if oracle == "dynamic":
                        lines += [f"{c!r} {chosen.costs(c, gold)}" for path in paths for c in path]
                    elif oracle.startswith("nd-"):
                        lines += [f"{c!r} {chosen.correct(c, gold, oracle=oracle)}" for path in paths for c in path]
                    else:
                        lines.append(" ".join(chosen.static(gold, oracle=oracle)))
    return lines


if __name__ == "__main__":
    written = transcript()
    print("compiled" if COMPILED else "interpreted", len(written))
    print(hashlib.sha256("\n".join(written).encode()).hexdigest())
