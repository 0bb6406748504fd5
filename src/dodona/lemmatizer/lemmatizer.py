"""The lemmatizer as a component: it learns edit scripts, and stores exceptions for the lemmas that they get wrong."""

import random
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dodona.component import Callback, Parts, TrainingOptions, TrainingProgress, ignore
from dodona.data import Sentence
from dodona.data.checks import check_values
from dodona.data.storage import columns_of, fill_in, forms_of
from dodona.data.values import Values
from dodona.errors import FormatError, name_faults
from dodona.lemmatizer.model import LONGEST_AFFIX, LemmaCache, ScriptChooser, ScriptLearner, Scripts
from dodona.linear.frozen import check_weights, freeze_weights

__all__ = ["CASINGS", "Lemmatizer", "LemmatizerOptions", "Script", "derive_script", "lower_case", "train_lemmatizer"]

MAX_SEARCHED = 64  # characters of a form for a full search of the longest common substring
MAX_SCRIPTS = 65_535
MAX_REMEMBERED = 1 << 14  # words whose lemmas are cached before the cache is cleared
LONGEST_REMEMBERED = 200  # characters of such a word with its tags

Key = tuple[str, str, str]  # form, UPOS, FEATS


def lower_case(text: str) -> str:
    """Return the text lowercased, with the same length: only the Turkish İ would become two characters."""
    lower = text.replace("İ", "i").lower()
    return lower if len(lower) == len(text) else text


CASINGS: dict[str, Callable[[str], str]] = {
    "lower": lower_case,
    "keep": lambda text: text,
    "title": lambda text: text[:1].upper() + lower_case(text[1:]),
    "upper": lambda text: text.upper(),
    "nothing": lambda text: "",
}


class Script(NamedTuple):
    """Remove a prefix and a suffix, change the case of the rest, and add another prefix and suffix.

    The removed affixes are lowercased, and match a form of any case.
    """

    casing: str = "lower"
    prefix: str = ""
    new_prefix: str = ""
    suffix: str = ""
    new_suffix: str = ""

    def apply(self, form: str) -> str:
        """Return the lemma of a form that has the prefix and the suffix."""
        middle = form[len(self.prefix) : len(form) - len(self.suffix)]
        return self.new_prefix + CASINGS[self.casing](middle) + self.new_suffix


def derive_script(form: str, lemma: str) -> Script:
    """Return the script that derives this lemma from this form and keeps as much of the form as possible."""
    if lemma == "_":
        return Script("nothing", new_prefix="_")
    lower = lower_case(form)
    best, longest = Script("keep", prefix=lower, new_prefix=lemma), 0
    for casing in ("lower",) if lemma == lower_case(lemma) else ("keep", "title", "upper", "lower"):
        cased = CASINGS[casing](form)
        begin, at, size = _find_shared(cased, lemma)
        if size > longest and len(cased) == len(form):
            script = Script(casing, lower[:begin], lemma[:at], lower[begin + size :], lemma[at + size :])
            if script.apply(form) == lemma:
                best, longest = script, size
    return best


def _find_shared(form: str, lemma: str) -> tuple[int, int, int]:
    """Return (start in the form, start in the lemma, length) of the longest common substring, the first of several.

    For very long forms only the common prefix is considered.
    """
    for size in range(min(len(form), len(lemma)), 0, -1):
        for begin in range(len(form) - size + 1 if len(form) <= MAX_SEARCHED else 1):
            at = lemma.find(form[begin : begin + size])
            if at >= 0:
                return begin, at, size
    return 0, 0, 0


@dataclass(frozen=True)
class LemmatizerOptions(TrainingOptions):
    """How a lemmatizer is trained."""

    iterations: int = 8
    size: float = 1.0


class Lemmatizer:
    """A trained lemmatizer, returned by `train_lemmatizer` or `Lemmatizer.from_parts`.

    A lemma depends on form, UPOS and FEATS alone, so lemmas are cached; the cache does not change the result.
    """

    def __init__(
        self, options: LemmatizerOptions, scripts: Sequence[Script], weights: dict[str, NDArray[Any]], where: str
    ) -> None:
        self.options = options
        self.scripts = list(scripts)
        self.exceptions: dict[Key, str] = {}  # FEATS is empty where it does not matter
        self._weights = weights
        self._known: dict[Key, str] = {}
        self._threads = threading.local()  # a LemmaCache per thread, for words whose tags were predicted
        core = _compile(self.scripts)
        self._chooser = ScriptChooser(core, check_weights(where, core.count, weights))

    def apply(self, batch: list[Sentence], /) -> list[Sentence]:
        """Fill in the lemmas, in place; UPOS and FEATS are taken as they are."""
        if not hasattr(self._threads, "cache"):
            self._threads.cache = LemmaCache(self._derive)
        cached = self._threads.cache.lemmas(forms_of(batch), columns_of(batch, "upos"), columns_of(batch, "feats"))
        columns: list[list[str] | Values] = [
            lemmas or self.lemmas(sentence.words, sentence.upos, sentence.feats)
            for sentence, lemmas in zip(batch, cached, strict=True)
        ]
        fill_in(batch, "lemmas", columns)
        return batch

    def lemmas(self, words: Sequence[str], upos: Sequence[str], feats: Sequence[str]) -> list[str]:
        """Return the lemmas of words with these tags."""
        known = self._known
        return [known.get(key) or self._learn(key) for key in zip(words, upos, feats, strict=True)]

    def _derive(self, form: str, upos: str, feats: str) -> str:
        """Return the lemma of a word that is in no cache; checked here once, so that columns need no check."""
        key = form, upos, feats
        lemma = self.exceptions.get(key) or self.exceptions.get((form, upos, "")) or self.guess(key)
        check_values((lemma,), 1)
        return lemma

    def _learn(self, key: Key) -> str:
        lemma = self._derive(*key)
        if sum(map(len, key)) <= LONGEST_REMEMBERED:
            if len(self._known) >= MAX_REMEMBERED:
                self._known.clear()
            self._known[key] = lemma
        return lemma

    def guess(self, key: Key) -> str:
        """Return the lemma by the best script; the form itself if none is applicable."""
        form, *tags = key
        number = self._chooser.choose(form, lower_case(form), *tags)
        return self.scripts[number].apply(form) if number >= 0 else form

    def parts(self) -> Parts:
        """Return the contents for a model file."""
        lines = ["\t".join((*key, lemma)) for key, lemma in sorted(self.exceptions.items())]
        text = np.frombuffer("\n".join(lines).encode(), dtype=np.uint8)
        description = {"options": asdict(self.options), "scripts": [list(script) for script in self.scripts]}
        return description, self._weights | {"exceptions": text}

    @classmethod
    def from_parts(cls, description: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], where: str) -> "Lemmatizer":
        """Restore the lemmatizer from these parts; `where` is named in errors."""
        with name_faults(f"{where}: the lemmatizer's description is not valid"):
            options = LemmatizerOptions(**description["options"])
            scripts = [_check_script(script) for script in description["scripts"]]
            text = arrays["exceptions"]
            if text.dtype != np.uint8:
                raise ValueError("exceptions that are no text")
            exceptions = dict(map(_check_exception, text.tobytes().decode().split("\n"))) if len(text) else {}
        if not 0 < len(scripts) <= MAX_SCRIPTS:
            raise FormatError(f"{where}: {len(scripts)} scripts; expected from 1 to {MAX_SCRIPTS}")
        weights = {name: array for name, array in arrays.items() if name != "exceptions"}
        lemmatizer = cls(options, scripts, weights, where)
        lemmatizer.exceptions = exceptions
        return lemmatizer


def train_lemmatizer(
    sentences: Sequence[Sentence], options: LemmatizerOptions, callback: Callback = ignore
) -> Lemmatizer:
    """Train a lemmatizer on gold lemmas. `callback` is told of each iteration; if it returns True, that was the last.

    Each word type counts once; if the scripts get it wrong, its lemma is stored as an exception.
    """
    if not sentences:
        raise FormatError("there is no sentence to train on")
    lemmas = _find_usual_lemmas(sentences)
    made = {key: derive_script(key[0], lemma) for key, (lemma, _) in lemmas.items()}
    scripts = _choose_scripts(made)
    number = {script: i for i, script in enumerate(scripts)}
    examples = [
        (form, lower_case(form), upos, feats, number[script])
        for (form, upos, feats), script in made.items()
        if script in number and len(script.prefix) + len(script.suffix) < len(form)
    ]
    learner = ScriptLearner(_compile(scripts))
    generator = random.Random(options.seed)
    for iteration in range(1, options.iterations + 1):
        generator.shuffle(examples)
        mistakes = sum([learner.train(*example) for example in examples])
        if callback(TrainingProgress("lemmatizer", iteration, options.iterations, len(examples), mistakes)):
            break
    lemmatizer = Lemmatizer(options, scripts, freeze_weights(learner.weights, options.size), "this lemmatizer")
    lemmatizer.exceptions = _find_exceptions(lemmatizer, lemmas)
    return lemmatizer


def _find_usual_lemmas(sentences: Iterable[Sentence]) -> dict[Key, tuple[str, int]]:
    """Return the most frequent lemma of each word with its tags, and its frequency; sorted."""
    counts: Counter[tuple[Key, str]] = Counter()
    for sentence in sentences:
        keys = zip(sentence.words, sentence.upos, sentence.feats, strict=True)
        counts.update(zip(keys, sentence.lemmas, strict=True))
    usual: dict[Key, tuple[str, int]] = {}
    for (key, lemma), count in sorted(counts.items()):
        if key not in usual or count > usual[key][1]:
            usual[key] = lemma, count
    return usual


def _choose_scripts(made: Mapping[Key, Script]) -> list[Script]:
    """Return the scripts that more than one word needs; the first is applicable to all words."""
    forms: dict[Script, set[str]] = {}
    for (form, _, _), script in made.items():
        if len(script.prefix) <= LONGEST_AFFIX and len(script.suffix) <= LONGEST_AFFIX:
            forms.setdefault(script, set()).add(lower_case(form))
    often = sorted(forms, key=lambda script: (-len(forms[script]), script))
    first = next((script for script in often if not script.prefix and not script.suffix), Script())
    return [first, *(script for script in often if len(forms[script]) > 1 and script != first)][:MAX_SCRIPTS]


def _find_exceptions(lemmatizer: Lemmatizer, lemmas: Mapping[Key, tuple[str, int]]) -> dict[Key, str]:
    """Return the exceptions, without FEATS if the other words of this form and UPOS have the same lemma."""
    groups: dict[tuple[str, str], list[Key]] = {}
    for key in lemmas:
        groups.setdefault(key[:2], []).append(key)
    exceptions: dict[Key, str] = {}
    for (form, upos), keys in groups.items():
        guesses = {key: lemmatizer.guess(key) for key in keys}
        counts: Counter[str] = Counter()
        for key in keys:
            counts[lemmas[key][0]] += lemmas[key][1]
        usual = max(counts, key=lambda lemma: counts[lemma])
        if any(lemmas[key][0] == usual != guesses[key] for key in keys):
            exceptions[form, upos, ""] = usual
            guesses = dict.fromkeys(keys, usual)
        exceptions |= {key: lemmas[key][0] for key in keys if guesses[key] != lemmas[key][0]}
    return exceptions


def _compile(scripts: Sequence[Script]) -> Scripts:
    return Scripts([(script.prefix, script.suffix) for script in scripts])


def _check_script(values: Any) -> Script:
    script = Script(*values)
    _check_text(*script)
    known = script.casing in CASINGS and max(len(script.prefix), len(script.suffix)) <= LONGEST_AFFIX
    if not known or (script.casing == "nothing" and not script.new_prefix):
        raise ValueError(f"{values!r} is no script")
    return script


def _check_exception(line: str) -> tuple[Key, str]:
    form, upos, feats, lemma = line.split("\t")
    _check_text(form, upos, feats, lemma)
    if not lemma:
        raise ValueError(f"no lemma for {form!r}")
    return (form, upos, feats), lemma


def _check_text(*values: Any) -> None:
    for value in values:
        if not isinstance(value, str) or set(value) & set("\t\n\r\0"):
            raise ValueError(f"{value!r} is no value of a column")
