"""Projects of annotation on small treebanks, and actions on their sentences."""

from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from samples.small_models import full_treebank, whole

from dodona import write
from dodona.annotation.project import Project, find_files
from dodona.annotation.session import AnnotationSession
from dodona.data.marks import OPEN, write_status

__all__ = ["ACTIONS", "EACH_KIND", "RICH", "act", "dump", "make_folder", "make_rich_folder", "open_session"]

WORDS = st.integers(1, 7)


RICH = """# sent_id = r
# text = Ana  can't see it.
# annotation = open
1\tAna\tAna\tPROPN\tN\tNumber=Sing\t4\tnsubj\t4:nsubj\tSpacesAfter=\\s\\s|Confirmed=arc
2-3\tcan't\t_\t_\t_\tTypo=Yes\t_\t_\t_\tLang=en
2\tca\tcan\tAUX\tM\t_\t4\taux\t4:aux\t_
3\tn't\tnot\tPART\tR\t_\t4\tadvmod\t4:advmod\tGloss=n
4\tsee\tsee\tVERB\tV\t_\t0\troot\t0:root|4.1:x\t_
4.1\tthen\tthen\tADV\tA\t_\t_\t_\t1:dep\t_
5\tit\tit\tPRON\tP\t_\t4\tobj\t4:obj\tSpaceAfter=No
6\t.\t.\tPUNCT\tP\t_\t4\tpunct\t4:punct\t_

# sent_id = r-2
# text = It is.
1\tIt\tit\tPRON\tP\t_\t2\tnsubj\t_\t_
2\tis\tbe\tVERB\tV\t_\t0\troot\t_\tSpaceAfter=No
3\t.\t.\tPUNCT\tP\t_\t2\tpunct\t_\t_

"""
EACH_KIND: dict[str, dict[str, Any]] = {
    "arc": {"word": 6, "head": 1, "label": "odd"},
    "set": {"word": 1, "column": "upos", "value": "INTJ"},
    "confirm": {"words": [5], "columns": ["arc"]},
    "release": {"words": [1], "columns": []},
    "accept": {"threshold": 0.0},
    "done": {},
    "split_token": {"word": 1, "at": 1},
    "merge_tokens": {"first": 4, "last": 6},
    "multiword": {"first": 5, "last": 6, "form": "it!"},
    "remove_multiword": {"first": 2},
    "split_sentence": {"word": 5},
    "join_sentence": {},
    "take": {"name": "model whole"},
    "reopen": {},
}
"""An example of each kind of action, on the first sentence; to be reopened is the second one, which is done."""


def make_folder(folder: Path, treebank: int = 3, guesses: int = 3) -> Path:
    """A treebank, and a file of sentences that are open."""
    folder.mkdir(exist_ok=True)
    sentences = full_treebank(treebank + guesses)
    for k, sentence in enumerate(sentences):
        sentence.set_comments([f"# sent_id = s{k}", *sentence.comments])
    write(sentences[:treebank], folder / "gold.conllu")
    for sentence in sentences[treebank:]:
        sentence.set_comments(write_status(sentence.comments, OPEN))
    if guesses:
        write(sentences[treebank:], folder / "new.conllu")
    return folder


def make_rich_folder(folder: Path) -> Path:
    """A file with a sentence that has everything, and one that is done."""
    folder.mkdir()
    (folder / "rich.conllu").write_text(RICH, "utf-8")
    return folder


def open_session(folder: Path, name: str = "ana", **more: Any) -> AnnotationSession:
    times = iter(range(10**9))
    project = Project(*find_files([str(folder)]), name, clock=lambda: float(next(times)))
    return AnnotationSession(project, {"whole": whole()}, **more)


def act(session: AnnotationSession, sentence: int, **action: Any) -> dict[str, Any]:
    """Do an action on a sentence as it is now."""
    version = session.open(sentence, "page")["version"]
    return session.act(sentence, version, "page", action)


def dump(session: AnnotationSession) -> dict[str, Any]:
    """All that a project has: the sentences of its files, their states and versions."""
    project = session.project
    return {
        "numbers": {name: list(file.numbers) for name, file in project.files.items()},
        "states": {number: each.draft.to_json() for number, each in sorted(project.sentences.items())},
        "versions": {number: each.version for number, each in sorted(project.sentences.items())},
        "history": {number: (len(each.undo), len(each.redo)) for number, each in sorted(project.sentences.items())},
    }


def _kind(kind: str, **fields: Any) -> "st.SearchStrategy[dict[str, Any]]":
    return st.fixed_dictionaries({"kind": st.just(kind), **fields})


ACTIONS = st.one_of(
    _kind("arc", word=WORDS, head=st.integers(0, 7), label=st.sampled_from(["obj", "nsubj", None])),
    _kind("set", word=WORDS, column=st.sampled_from(["upos", "xpos", "feats", "lemma", "form"]),
          value=st.sampled_from(["NOUN", "Case=Nom", "it"])),
    _kind("set", word=WORDS, column=st.just("misc"), value=st.sampled_from(["SpaceAfter=No", "_", "Gloss=x"])),
    _kind("confirm", words=st.lists(WORDS, max_size=3), columns=st.just(["arc"])),
    _kind("release", words=st.lists(WORDS, min_size=1, max_size=3), columns=st.just([])),
    _kind("accept", threshold=st.sampled_from([0.2, 0.6])),
    _kind("done"),
    _kind("reopen"),
    _kind("split_token", word=WORDS, at=st.integers(1, 3)),
    _kind("merge_tokens", first=WORDS, last=WORDS),
    _kind("multiword", first=WORDS, last=WORDS, form=st.sampled_from(["", "dunno"])),
    _kind("remove_multiword", first=WORDS),
    _kind("split_sentence", word=WORDS),
    _kind("join_sentence"),
    _kind("take", name=st.sampled_from(["model whole", "as in the file", "before the last change"])),
    _kind("undo"),
    _kind("redo"),
)  # fmt: skip
"""Any action, also many that are not possible."""
