"""Turns word vectors of an array and a list of words into a GloVe text file, which `dodona train --vectors` reads.

    python scripts/vectors_text.py PREFIX OUT

PREFIX.npy is an array of numbers of 16 bits, a row a word; PREFIX.txt has the words, one a line, in the same order.
OUT is packed if it ends in .gz or .xz. The same vectors always give the same bytes: a .gz file contains no time.
"""

import argparse
import sys

import numpy as np

from dodona.data.files import output
from dodona.errors import FormatError

BATCH = 1000
NUMBER = "%.5g"  # five digits are enough to tell all numbers of 16 bits apart


def convert(prefix: str, out: str) -> int:
    """Write the text file, and return how many vectors it has."""
    array = np.load(f"{prefix}.npy", mmap_mode="r", allow_pickle=False)
    if array.ndim != 2 or array.dtype != np.float16 or not array.size:
        raise FormatError(f"{prefix}.npy: {array.dtype} {array.shape}; expected rows of float16")
    with open(f"{prefix}.txt", encoding="utf-8", newline="\n") as file:
        words = file.read().removesuffix("\n").split("\n")
    if len(words) != len(array):
        raise FormatError(f"{prefix}.txt: {len(words)} words; expected {len(array)}, one a row of {prefix}.npy")
    numbers = " ".join([NUMBER] * array.shape[1])
    with output(out) as file_out:
        for begin in range(0, len(words), BATCH):
            rows = array[begin : begin + BATCH].tolist()
            lines = (
                f"{word} {numbers % tuple(row)}\n" for word, row in zip(words[begin : begin + BATCH], rows, strict=True)
            )
            file_out.write("".join(lines).encode())
    return len(words)


def main() -> None:
    parser = argparse.ArgumentParser(description="Turns PREFIX.npy and PREFIX.txt into a GloVe text file.")
    parser.add_argument("prefix", help="the two files without .npy and .txt")
    parser.add_argument("out", help="the text file; packed if it ends in .gz or .xz")
    arguments = parser.parse_args()
    try:
        count = convert(arguments.prefix, arguments.out)
    except (OSError, ValueError) as error:
        sys.exit(f"{parser.prog}: {error}")
    print(f"{arguments.out}: {count} vectors")


if __name__ == "__main__":
    main()
