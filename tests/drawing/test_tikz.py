"""Pictures for LaTeX: each character stands for itself; `pdflatex` compiles them, where there is one."""

import shutil
import subprocess
from pathlib import Path

import pytest

from dodona import Sentence, read
from dodona.drawing.tikz import TIKZ_END, TIKZ_HEAD, tikz_of
from dodona.tables import escape_latex

SENTENCES = Path(__file__).parents[2] / "examples" / "sentences.conllu"
SPECIAL = r"""\ & % $ # _ { } ~ ^ < > | " ' ` -- , ?` !` [x] \\ "= ; : @ * / + ( é"""


def test_a_tree() -> None:
    sentence = Sentence.from_words(
        ["50", "%", "fell"], ["NUM", "SYM", "VERB"], heads=[2, 3, 0], labels=["a_b", "x", "_"]
    )
    assert tikz_of(sentence).splitlines() == [
        "% 50 % fell",
        r"\begin{dependency}[theme=simple, label style={font=\scriptsize, fill=white, inner sep=.3ex}]",
        r"\begin{deptext}[column sep=.8em]",
        r"50 \& \% \& fell \\",
        r"\footnotesize NUM \& \footnotesize SYM \& \footnotesize VERB \\",
        r"\end{deptext}",
        r"\depedge[edge height=3.0ex]{2}{1}{a\_b}",
        r"\depedge[edge height=3.0ex]{3}{2}{x}",
        r"\deproot[edge height=6.2ex]{3}{}",
        r"\end{dependency}",
    ]


def test_words_from_right_to_left_are_in_their_order_on_paper() -> None:
    lines = tikz_of(Sentence.from_words(["אבא", "בא"], heads=[2, 0], labels=["nsubj", "root"])).splitlines()
    assert r"\righttoleft{בא} \& \righttoleft{אבא} \\" in lines
    assert lines[1].startswith(r"\providecommand{\righttoleft}[1]")
    assert r"\depedge[edge height=3.0ex]{1}{2}{nsubj}" in lines
    assert r"\deproot[edge height=6.2ex]{1}{root}" in lines


def test_errors_are_below_the_words() -> None:
    gold = Sentence.from_words(["a", "b"], heads=[2, 0], labels=["x", "root"])
    parsed = Sentence.from_words(["a", "b"], heads=[0, 1], labels=["x", "root"])
    edges = [line for line in tikz_of(gold, parsed).splitlines() if line.startswith(r"\dep")]
    assert edges == [
        r"\depedge[edge height=3.0ex, thick]{2}{1}{x}",
        r"\deproot[edge height=6.2ex, thick]{2}{root}",
        r"\deproot[edge height=6.2ex, edge below, thick, dashed]{1}{$\times$ x}",
        r"\depedge[edge height=3.0ex, edge below, thick, dashed]{1}{2}{$\times$ root}",
    ]


def test_every_special_character_is_escaped() -> None:
    assert escape_latex(r"\&{") == r"\textbackslash{}\symbol{38}\{"
    plain = escape_latex(SPECIAL)
    for special in "&~^<>|\"'`":
        assert special not in plain
    assert escape_latex("a\x00\nb") == "a\N{REPLACEMENT CHARACTER} b"


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no pdflatex")
def test_it_compiles(tmp_path: Path) -> None:
    words = SPECIAL.split()
    special = Sentence.from_words(words, ["X_Y"] * len(words), heads=[0] + [1] * (len(words) - 1), labels=words)
    gold = list(read(SENTENCES))
    parsed = [sentence.copy() for sentence in gold]
    parsed[0].set_tree([0, 1, 2, 5, 2, 2], gold[0].labels)
    pictures = [*map(tikz_of, gold), tikz_of(gold[0], parsed[0]), tikz_of(special)]
    (tmp_path / "trees.tex").write_text(TIKZ_HEAD + "\n".join(pictures) + TIKZ_END)
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "trees.tex"],
        cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=100,
    )  # fmt: skip
    if "not found" in done.stdout:
        pytest.skip("tikz-dependency or standalone is not installed")
    assert done.returncode == 0, done.stdout[-2000:]
    assert "(5 pages" in done.stdout
