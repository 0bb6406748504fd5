"""How fast the oracles are: `make bench`, or `python bench/oracles.py [TREEBANKS]`.

Every sentence of en_ewt/train is derived on one core, by the static oracle and by following zero-cost transitions with
the full labelled costs of every configuration. Then the same on long sentences made of treebank sentences: for linear
systems the time per word must not grow. CPU time, best of three; reading the file is not included.
"""

import sys
import time
from array import array
from collections.abc import Callable

from rich.console import Console
from rich.table import Table
from treebank_folder import treebank_folder

from dodona import system
from dodona.data import make_projective, read
from dodona.systems.registry import SYSTEMS
from dodona.transitions import derivations
from dodona.transitions.system import COMPILED

Tree = tuple[list[int], list[str]]  # heads and labels

BARS = {
    ("arc-eager", "dynamic"): 1.0,
    ("arc-hybrid", "dynamic"): 1.0,
    ("covington", "dynamic"): 5.0,
    ("easy-first", "static"): 3.0,
}
LENGTHS = (10, 30, 100, 300, 1000)
LINEAR = ("arc-eager", "arc-hybrid", "nonmonotonic", "arc-standard", "swap-standard")


class Treebank:
    """Trees as the core wants them: heads and label numbers of all sentences in two long arrays."""

    def __init__(self, trees: list[Tree], labels: list[str]) -> None:
        number = {label: i for i, label in enumerate(labels)}
        self.labels = labels
        self.heads = array("i", [h for heads, _ in trees for h in heads])
        self.label_ids = array("i", [number[l] for _, names in trees for l in names])
        self.lengths = array("i", [len(heads) for heads, _ in trees])

    def seconds(self, name: str, dynamic: bool) -> tuple[float, int]:
        core = system(name, self.labels)._core
        return best_of_three(
            lambda: derivations.derive_treebank(core, self.heads, self.label_ids, self.lengths, dynamic)
        )


def best_of_three(work: Callable[[], int]) -> tuple[float, int]:
    times = []
    for _ in range(3):
        begin = time.process_time()
        result = work()
        times.append(time.process_time() - begin)
    return min(times), result


def joined(sentences: list[Tree], length: int, total: int) -> list[Tree]:
    """Long projective trees: sentences set side by side, each hanging on the root word of the one before."""
    trees: list[Tree] = []
    pool = iter(sentences)
    while sum(len(heads) for heads, _ in trees) < total:
        heads: list[int] = []
        labels: list[str] = []
        root = 0
        while len(heads) < length:
            more_heads, more_labels = next(pool)
            begin = len(heads)
            heads += [begin + h if h else root for h in more_heads]
            labels += more_labels
            root = begin + more_heads.index(0) + 1
        trees.append((heads, labels))
    return trees


def oracle_table(bank: Treebank, projective: Treebank) -> Table:
    words = sum(bank.lengths)
    table = Table(title=f"en_ewt/train, {words} words, one core", title_justify="left")
    for column in ("system", "oracle", "seconds", "bar", "transitions", "million words/s"):
        table.add_column(column, justify="left" if column in ("system", "oracle") else "right")
    for name, entry in SYSTEMS.items():
        source = bank if entry.builds == "all trees" else projective
        for oracle in ("static", "dynamic") if "dynamic" in entry.oracles else ("static",):
            seconds, steps = source.seconds(name, oracle == "dynamic")
            bar = BARS.get((name, oracle), 1.0 if oracle == "static" else None)
            speed = sum(source.lengths) / seconds / 1e6
            shown = entry.oracles[0] if oracle == "static" else oracle
            table.add_row(name, shown, f"{seconds:.3f}", f"{bar or ''}", str(steps), f"{speed:.2f}")
    return table


def swap_table(sentences: list[Tree]) -> Table:
    table = Table(title="swap-standard through the research door, all of en_ewt/train", title_justify="left")
    for column in ("oracle", "seconds", "swaps", "fell back to lazy"):
        table.add_column(column, justify="right")
    for oracle in ("eager", "lazy", "minimal"):
        swap = system("swap-standard")
        begin = time.process_time()
        swaps = sum(swap.static(heads, oracle=oracle).count("SWAP") for heads, _ in sentences)
        table.add_row(oracle, f"{time.process_time() - begin:.2f}", str(swaps), str(swap.fallbacks))
    return table


def length_table(sentences: list[Tree], labels: list[str]) -> Table:
    table = Table(title="nanoseconds per word by sentence length", title_justify="left")
    table.add_column("system")
    table.add_column("oracle")
    for length in LENGTHS:
        table.add_column(f"{length} words", justify="right")
    banks = [Treebank(joined(sentences, length, 20_000), labels) for length in LENGTHS]
    for name in LINEAR:
        for dynamic in (False, True):
            if name in ("arc-standard", "swap-standard") and dynamic:
                continue  # cubic, and not there
            per_word = [bank.seconds(name, dynamic)[0] / sum(bank.lengths) * 1e9 for bank in banks]
            table.add_row(name, "dynamic" if dynamic else "static", *(f"{value:.0f}" for value in per_word))
    return table


def main() -> None:
    folder = treebank_folder(sys.argv[1:])
    sentences = [(s.gold_heads(), s.labels) for s in read(folder / "en_ewt" / "train.conllu.gz")]
    labels = sorted({label for _, names in sentences for label in names})
    lifted = [(make_projective(heads), names) for heads, names in sentences]
    console = Console(highlight=False, width=100)
    console.print(f"compiled core: {COMPILED}; {len(labels)} labels; projective systems get projectivized trees")
    bank = Treebank(sentences, labels)
    projective = Treebank(lifted, labels)
    console.print(oracle_table(bank, projective))
    console.print(swap_table(sentences))
    console.print(length_table(lifted, labels))


if __name__ == "__main__":
    main()
