"""Projects of annotation on small treebanks, and actions on their sentences."""

from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from samples.small_models import full_treebank, whole

from dodona import write
from dodona.annotation.project import Project, find_files
from dodona.annotation.session import AnnotationSession
from dodona.data.marks import OPEN, write_status

__all__ = ["ACTIONS", "act", "dump", "make_folder", "open_session"]

WORDS = st.integers(1, 7)


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
