r"""Pictures of sentences for LaTeX, with the package tikz-dependency.

Letters of other scripts are written as they are: LuaLaTeX and XeLaTeX print them, given a font that has them.
"""

from collections.abc import Iterator

from dodona.data import Sentence
from dodona.drawing.arcs import Arc, arc_levels
from dodona.drawing.letters import is_right_to_left
from dodona.drawing.picture import MATCHED, MISSED, OTHER_HEAD, OTHER_LABEL, UNKNOWN, Link, Picture
from dodona.tables import escape_latex

__all__ = ["TIKZ_END", "TIKZ_HEAD", "TIKZ_NEEDS", "picture_tikz", "tikz_of"]

FIRST, STEP = 3.0, 3.2  # heights of the first level, and between two levels, in ex
STYLES = {
    UNKNOWN: "densely dotted",
    MATCHED: "very thick",
    MISSED: "thick",
    OTHER_HEAD: "edge below, thick, dashed",
    OTHER_LABEL: "edge below, thick, densely dotted",
}
TIKZ_HEAD = r"""\documentclass[multi=dependency, border=4pt]{standalone}
\usepackage{iftex}
\ifPDFTeX
  \usepackage[T1]{fontenc}
\else
  \usepackage{fontspec}
\fi
\usepackage{tikz-dependency}
\begin{document}
"""
TIKZ_END = "\\end{document}\n"
TIKZ_NEEDS = "% in the preamble: \\usepackage{tikz-dependency}, and with pdfLaTeX \\usepackage[T1]{fontenc}\n\n"
REVERSED = (  # LuaTeX, then those with the primitives of e-TeX
    r"\providecommand{\righttoleft}[1]{\ifdefined\textdir{\textdir TRT #1}\else"
    r"{\TeXXeTstate=1 \beginR#1\endR}\fi}"
)


def tikz_of(sentence: Sentence, parsed: Sentence | None = None) -> str:
    """Return the picture of a sentence as an environment of tikz-dependency; with `parsed`, with what is wrong."""
    return picture_tikz(Picture.of(sentence, parsed))


def picture_tikz(picture: Picture) -> str:
    """Return a picture as an environment of tikz-dependency."""
    count = len(picture.words)
    words = list(reversed(picture.words)) if picture.reversed else picture.words
    shown = [rf"\textbf{{{escape_latex(word.form)}}}" if word.is_marked else escape_latex(word.form) for word in words]
    forms = [(form, is_right_to_left(word.form)) for form, word in zip(shown, words, strict=True)]
    rows = [[rf"\righttoleft{{{form}}}" if is_turned else form for form, is_turned in forms]]
    if any(word.tag for word in words):
        rows.append([rf"\footnotesize {escape_latex(word.tag)}" for word in words])
    lines = [f"% {picture.title}", *([REVERSED] if any(is_turned for _, is_turned in forms) else ())]
    lines += [r"\begin{dependency}[theme=simple, label style={font=\scriptsize, fill=white, inner sep=.3ex}]"]
    lines.append(r"\begin{deptext}[column sep=.8em]")
    lines += [r" \& ".join(row) + r" \\" for row in rows]
    lines.append(r"\end{deptext}")
    for side in (picture.above, picture.below):
        lines += _edges(side, count, picture.reversed)
    return "\n".join([*lines, r"\end{dependency}", ""])


def _edges(links: list[Link], count: int, is_reversed: bool) -> Iterator[str]:
    levels = arc_levels(count, [Arc(link.head, link.dependent, 0.0) for link in links])
    for link, level in zip(links, levels, strict=True):
        head, dependent = (count + 1 - k if is_reversed and k else k for k in (link.head, link.dependent))
        height = f"{FIRST + STEP * (level - 1):.1f}ex"
        style = f", {STYLES[link.kind]}" if link.kind in STYLES else ""
        label = escape_latex(link.text)
        if link.head:
            yield rf"\depedge[edge height={height}{style}]{{{head}}}{{{dependent}}}{{{label}}}"
        else:
            yield rf"\deproot[edge height={height}{style}]{{{dependent}}}{{{label}}}"
