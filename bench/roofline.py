"""How far greedy parsing is from what memory allows: `python bench/roofline.py MODEL TREEBANK`.

Counts the cache lines that a transition reads from the tables of a linear model: groups of fingerprints and rows of
weights. Measures on this machine how long a line takes that the processor has to wait for, and how long if many are
under way at a time (a C program over a table of the same size, in huge pages). And how long a transition takes.
"""

import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np

from dodona import Pipeline, Sentence, load, read
from dodona.linear.scorer import LinearScorer
from dodona.transitions import derivations
from dodona.transitions.moves import NONE

LINE = 64
SENTENCES = 150  # whose lines are counted
ROUNDS = 5
PROGRAM = r"""
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + t.tv_nsec / 1e9; }

int main(int argc, char **argv)
{
    const size_t lines = strtoull(argv[1], 0, 10) / 64, steps = 20000000;
    uint64_t *table;
    if (argc < 2 || posix_memalign((void **)&table, 1 << 21, (lines * 64 / (1 << 21) + 1) << 21)) return 1;
    madvise(table, lines * 64, MADV_HUGEPAGE);
    for (size_t i = 0; i < lines; i++) table[8 * i] = i;
    for (size_t i = lines - 1; i > 0; i--) { /* one cycle through all lines (Sattolo) */
        const size_t k = ((uint64_t)rand() << 31 | rand()) % i, other = table[8 * i];
        table[8 * i] = table[8 * k]; table[8 * k] = other;
    }
    uint64_t at = 0, sum = 0, x = 1;
    double begin = now();
    for (size_t i = 0; i < steps / 4; i++) at = table[8 * at];
    const double waiting = (now() - begin) / (steps / 4);
    begin = now();
    for (size_t i = 0; i < steps; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        sum += table[8 * ((x >> 33) % lines)];
    }
    const double together = (now() - begin) / steps;
    printf("%.3f %.3f %llu\n", waiting * 1e9, together * 1e9, (unsigned long long)(at + sum));
    return 0;
}
"""


def nanoseconds(size: int) -> tuple[float, float]:
    """For a line of a table of this size: if each load waits for the one before, and if they do not."""
    with tempfile.TemporaryDirectory() as folder:
        source, program = Path(folder) / "memory.c", Path(folder) / "memory"
        source.write_text(PROGRAM, "utf-8")
        subprocess.run(["cc", "-O2", "-o", program, source], check=True)
        found = [subprocess.run([program, str(size)], check=True, capture_output=True, text=True) for _ in range(3)]
    times = [[float(value) for value in each.stdout.split()[:2]] for each in found]
    return min(row[0] for row in times), min(row[1] for row in times)


def counted(nlp: Pipeline, sentences: list[Sentence]) -> list[tuple[int, int, int, int]]:
    """(features, groups, lines of rows, bytes of rows) of each scored transition of greedy parses."""
    parser, scorer = nlp.parser, nlp.parser._searches.session.greedy
    assert isinstance(scorer, LinearScorer)
    weights = parser.model.weights  # type: ignore[attr-defined]
    found = []
    for sentence, encoded in zip(sentences, parser._searches.session.encode(sentences), strict=True):
        system = parser._core
        s = derivations.start(system, len(sentence))
        while not derivations.is_terminal(system, s):
            legal = [
                a for a, (move, _) in enumerate(derivations.actions(system)) if derivations.is_legal(system, s, move, 0)
            ]
            keys = np.array(scorer.named(s, encoded), np.uint64)
            scores = weights.scores(keys)
            if len(legal) > 1:
                places = weights.places(keys)
                groups = {first + k for first, count, _, _ in places for k in range(count)}
                rows = [(begin, size) for _, _, begin, size in places if size]
                lines = {line for begin, size in rows for line in range(begin // LINE, (begin + size - 1) // LINE + 1)}
                found.append((len(keys), len(groups), len(lines), sum(size for _, size in rows)))
            best = max(legal, key=lambda a: scores[a])
            move, label = derivations.actions(system)[best]
            derivations.apply(system, s, move, 0, label if label != NONE else NONE)
    return found


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    warnings.simplefilter("ignore")
    nlp, sentences = load(sys.argv[1]), list(read(sys.argv[2]))
    if nlp.parser.options.scorer != "linear" or nlp.parser._core.has_sites:
        sys.exit("expected a linear model of a system without sites")
    counts = np.array(counted(nlp, sentences[:SENTENCES]))
    features, groups, lines, size = counts.mean(axis=0)
    words = sum(map(len, sentences[:SENTENCES]))
    arrays = nlp.parser.model.arrays
    table = len(arrays["fingerprints"]) * 2 * 8 + arrays["rows"].nbytes + arrays["wide"].nbytes
    waiting, together = nanoseconds(table)
    encoded = nlp.parser._searches.session.encode(sentences)
    taken = []
    for _ in range(ROUNDS):
        begin = time.process_time()
        nlp.parser._searches.greedy.parse_all(encoded, 0)
        taken.append(time.process_time() - begin)
    transition = min(taken) / sum(map(len, sentences)) / (len(counts) / words) * 1e9
    print(
        f"{features:.0f} features, {groups:.0f} groups, {lines:.0f} lines of rows with {size:,.0f} bytes a transition"
    )
    print(f"{len(counts) / words:.2f} scored transitions a word, {transition:,.0f} ns each")
    print(
        f"a line of {table / 1e6:.0f} MB: {waiting:.1f} ns if it is waited for, {together:.2f} ns if many are under way"
    )
    bound = (groups + lines) * together
    print(f"all lines of a transition: {bound:,.0f} ns, {100 * bound / transition:.0f} % of its time")


if __name__ == "__main__":
    main()
