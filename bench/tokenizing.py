"""The tokenizer on every treebank of a folder: `python bench/tokenizing.py TREEBANKS [NAME ...]`.

Trains on the training part and takes the raw text of the test part (of dev with `--dev`) apart: F1 of tokens, sentences
and words by the CoNLL 2018 evaluation, CPU seconds of training, size, and words per CPU second of finding tokens and of
making sentences, best of several runs. Treebanks without raw text get one by simple rules first.
"""

import sys
import time
import warnings
from pathlib import Path

from parsing import seconds
from treebank_folder import treebank_folder

from dodona import Sentence, read
from dodona.data.spacing import detokenized, raw_text, rebuilt
from dodona.evaluation.conll18 import evaluate
from dodona.tokenizer.model import Passage
from dodona.tokenizer.tokenizer import Tokenizer, TokenizerOptions, train_tokenizer

LEAST_TEXT = 2_000_000  # characters, to measure speed on


def with_trees(sentences: list[Sentence]) -> list[Sentence]:
    """The evaluation wants trees, whatever they are."""
    for sentence in sentences:
        sentence.set_tree(list(range(len(sentence))), ["dep"] * len(sentence))
    return sentences


def measure(folder: Path, part: str) -> None:
    training = detokenized(read(folder / "train.conllu.gz"))
    gold = detokenized(read(folder / f"{part}.conllu.gz"))
    begin = time.process_time()
    tokenizer = train_tokenizer(training, TokenizerOptions())
    trained = time.process_time() - begin
    text = raw_text(gold)
    found = list(tokenizer.apply([text]))
    assert rebuilt(found) == text
    scores = evaluate(gold, with_trees(found))
    size = sum(array.nbytes for array in tokenizer.parts()[1].values())
    for sentences in (training, gold, found):
        sentences.clear()  # they would only be in the way
    text *= 1 + LEAST_TEXT // len(text)
    count = sum(map(len, tokenizer.apply([text])))
    finding = seconds(lambda: segment(tokenizer, text), 3)
    making = seconds(lambda: [None for _ in tokenizer.apply([text])], 3)
    f1 = "  ".join(f"{name} {100 * scores[name].f1:6.2f}" for name in ("Tokens", "Words", "Sentences"))
    speed = f"{count / finding:9,.0f} found, {count / making:9,.0f} in sentences"
    print(f"{folder.name:14} {f1}  {trained:5.1f} s  {size / 1e6:5.2f} MB  {speed}", flush=True)


def segment(tokenizer: Tokenizer, text: str) -> None:
    for begin in range(0, len(text), 1 << 16):
        tokenizer._segmenter.segment(Passage(text[begin : begin + (1 << 16)], tokenizer._rules), True)


def main() -> None:
    warnings.simplefilter("ignore")
    arguments = [argument for argument in sys.argv[1:] if argument != "--dev"]
    folder = treebank_folder(arguments)
    for path in sorted(folder.iterdir()):
        if (path / "train.conllu.gz").exists() and (not arguments[1:] or path.name in arguments[1:]):
            measure(path, "dev" if "--dev" in sys.argv else "test")


if __name__ == "__main__":
    main()
