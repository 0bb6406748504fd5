"""A corpus on a cluster: its files are cut into shards, each is parsed into an output, and together these are the bytes
that one process would write.

    look at each file ──► manifest ──► parse each shard ──► part ──► number its sentences ──► output
                                           ▲                             ▲
                                     the model, once a worker      sentences of the shards before

The manifest says what was parsed, with which model and options, and how far it is. It is written before the first shard
is parsed and after each. So a run that was stopped can go on, and nobody mixes the shards of two runs in one folder.
"""

import json
import os
import re
import shutil
import socket
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from dodona.data.conllu import BOM
from dodona.data.files import lock, name_errors, output, size_of
from dodona.distributed.cluster import Cluster, ClusterSession, SchedulerLost, TaskMonitor
from dodona.distributed.models import Model, provide, read_version
from dodona.distributed.shards import Cut, FinishTask, ParseTask, finish, look, parse
from dodona.errors import DodonaError, FormatError, name_faults
from dodona.parser.request import Request

__all__ = ["Corpus", "Summary", "list_shards", "parse_corpus"]

MANIFEST = "manifest.json"
PARTS = ".parts"
LOCK = ".lock"
SHOWN_HOLDER = 200  # bytes of the lock's file
FORMAT = "dodona shards 1"
SPARED = 20  # of the time that writing the manifest takes, so much passes before it is written again
MAX_ATTEMPTS = 100  # at a shard, by workers that turn out not to have the model
NUMBERED = "text"  # the only kind whose sentences get their numbers here


@dataclass
class Shard:
    """A part of an input, and what has become of it."""

    file: str  # of the output
    input: int  # its number
    begin: int  # in bytes, as they are decompressed
    end: int
    line: int  # the number of its first line
    state: str = "waiting"  # or parsed (its sentences still need their numbers), finished, failed
    sentences: int = 0
    words: int = 0
    bytes: int = 0  # of the output
    tail: str = ""  # line feeds that must follow before another sentence can
    reason: str = ""  # why it failed

    @property
    def key(self) -> str:
        return self.file

    @property
    def weight(self) -> float:
        return self.end - self.begin + 1

    def __str__(self) -> str:
        return self.file

    @property
    def is_parsed(self) -> bool:
        return self.state in ("parsed", "finished")


@dataclass
class Manifest:
    """All of it, as in the file."""

    folder: str
    dodona: str
    model: dict[str, str]
    options: dict[str, Any]
    inputs: list[dict[str, Any]] = field(default_factory=list)
    shards: list[Shard] = field(default_factory=list)
    _due: float = 0.0

    @classmethod
    def load(cls, folder: str) -> "Manifest | None":
        """Read the manifest of a folder; None if there is nothing in it."""
        path = os.path.join(folder, MANIFEST)
        with name_errors(path, "read"), name_faults(f"{path}: is not the manifest of a folder of shards"):
            if not os.path.isdir(folder) or not set(os.listdir(folder)) - {LOCK}:
                return None
            if not os.path.exists(path):
                expected = f"expected an empty folder, or one with the {MANIFEST} of an earlier run"
                raise FormatError(f"{folder}: has files in it, but no {MANIFEST}; {expected}")
            with open(path, encoding="utf-8") as stream:
                data = json.load(stream)
            if data.pop("format") != FORMAT:
                raise FormatError(f"{path}: another format; expected {FORMAT!r}")
            data["shards"] = [Shard(**shard) for shard in data["shards"]]
            return cls(folder=folder, **data)

    def check_same(self, other: "Manifest") -> None:
        """Raise an error if another manifest is for other work than this one; whatever it does not have yet is not
        compared."""
        for what, ours, theirs in (
            ("Dodona", {"version": self.dodona}, {"version": other.dodona}),
            ("model", self.model, other.model),
            ("option", self.options, other.options),
        ):
            for name in sorted(ours.keys() | theirs.keys()):
                if ours.get(name) != theirs.get(name):
                    self._refuse(f"{what} {name} {_format_value(ours, name)}; now it is {_format_value(theirs, name)}")
        if other.inputs:
            if len(self.inputs) != len(other.inputs):
                self._refuse(f"{len(self.inputs)} files; now there are {len(other.inputs)}")
            for ours, theirs in zip(self.inputs, other.inputs, strict=True):
                if any(ours[name] != theirs[name] for name in ("name", "kind", "size", "sha256")):
                    self._refuse(f"{ours['path']} with other contents than {theirs['path']} has now")
            if len(self.shards) != len(other.shards):
                self._refuse(f"{len(self.shards)} pieces; now there are {len(other.shards)}")

    def _refuse(self, reason: str) -> None:
        expected = "expected the same model, options and files, or another folder"
        raise FormatError(f"{self.folder}: its shards are those of {reason}; {expected}")

    def take_over(self, earlier: "Manifest") -> None:
        """Keep what an earlier run has done, as far as its files are still there, whole."""
        for shard, before in zip(self.shards, earlier.shards, strict=True):
            part, size = size_of(self.part(before)), size_of(self.path(before))
            if before.state == "parsed" and part is None and size is not None:
                before.state, before.bytes = "finished", size  # a worker did it, and nobody was told
            if before.is_parsed and before.bytes == (part if before.state == "parsed" else size):
                for name in ("state", "sentences", "words", "bytes", "tail"):
                    setattr(shard, name, getattr(before, name))

    def path(self, shard: Shard) -> str:
        return os.path.join(self.folder, shard.file)

    def part(self, shard: Shard) -> str:
        return os.path.join(self.folder, PARTS, shard.file)

    def save(self, now: bool = False) -> None:
        """Write the manifest; not again at once if that takes long, unless it must be `now`."""
        begin = time.monotonic()
        if begin < self._due and not now:
            return
        data = {"format": FORMAT, **asdict(self)}
        del data["folder"], data["_due"]
        with output(Path(self.folder) / MANIFEST) as stream:
            stream.write(json.dumps(data, indent=1).encode() + b"\n")
        self._due = time.monotonic() + SPARED * (time.monotonic() - begin)


def _format_value(values: Mapping[str, Any], name: str) -> str:
    value = values.get(name)
    return f"{value[:12]}…" if name == "sha256" and isinstance(value, str) else repr(value)


@dataclass(frozen=True)
class Corpus:
    """What is parsed, and how: everything that decides the bytes of the outputs."""

    files: Sequence[str]
    names: Sequence[str | None]  # of their documents
    request: Request
    kind: str = "auto"
    retag: bool = False
    size: int = 8_000_000  # bytes of text in a shard, about


@dataclass(frozen=True)
class Summary:
    shards: int
    sentences: int
    words: int
    pieces: int  # sentences of this run that were parsed in pieces


@contextmanager
def hold_folder(folder: str) -> Iterator[None]:
    """Let nobody else write into a folder until the end of the block; it is made, and goes again if it stays empty.

    The lock is one of the system on an open file, so that it ends with this process, however that ends. The file says
    who has it. It is removed before the lock ends: whoever has opened it by then sees that it is no longer there.
    """
    path = os.path.join(folder, LOCK)
    is_new = not os.path.isdir(folder)
    with name_errors(folder):
        os.makedirs(folder, exist_ok=True)
        stream = _open_lock(path, folder)
        stream.truncate(0)
        stream.write(f"process {os.getpid()} on {socket.gethostname()}\n".encode())
        stream.flush()
    try:
        yield
    finally:
        with suppress(OSError):
            os.unlink(path)
        stream.close()
        if is_new:
            with suppress(OSError):
                os.rmdir(folder)


def _open_lock(path: str, folder: str) -> BinaryIO:
    """Return the file of a lock, which this process has now; or say who has it."""
    while True:
        stream = open(path, "a+b")  # noqa: SIM115
        if not lock(stream.fileno()):
            stream.seek(0)
            holder = stream.read(SHOWN_HOLDER).decode(errors="replace").strip() or "it has just begun"
            stream.close()
            raise DodonaError(f"{folder}: another run writes into it ({holder}); expected its end, or another folder")
        if size_of(path) is not None and os.path.samestat(os.fstat(stream.fileno()), os.stat(path)):
            return stream
        stream.close()


def parse_corpus(
    corpus: Corpus, model: Model, folder: str, cluster: Cluster, monitor: TaskMonitor, say: Callable[[str], None]
) -> Summary:
    """Parse all shards that are not finished yet. One that fails is reported, and the others go on.

    Files and folder must have the same paths on the workers; the model is sent to them.
    """
    with hold_folder(folder):
        return _parse_corpus(corpus, model, folder, cluster, monitor, say)


def _parse_corpus(
    corpus: Corpus, model: Model, folder: str, cluster: Cluster, monitor: TaskMonitor, say: Callable[[str], None]
) -> Summary:
    options = {"input": corpus.kind, "retag": corpus.retag, "shard_size": corpus.size, **asdict(corpus.request)}
    manifest = Manifest(folder, read_version(), {"name": model.name, "sha256": model.digest}, options)
    earlier = Manifest.load(folder)
    if earlier is not None:
        earlier.check_same(manifest)
    with cluster.session() as session:
        if not session.count_workers():
            say(f"the Dask scheduler at {session.place} has no workers; waiting for some")
        _plan(manifest, corpus, _look_at_files(session, corpus))
        if earlier is not None:
            earlier.check_same(manifest)
            manifest.take_over(earlier)
        manifest.save(now=True)  # first of all: a folder with files and without it is somebody else's
        with name_errors(folder):
            os.makedirs(os.path.join(folder, PARTS), exist_ok=True)
        run = _CorpusRun(session, manifest, corpus, model, monitor, say)
        try:
            run.carry_out()
        finally:
            manifest.save(now=True)
    shards = manifest.shards
    if failed := [shard for shard in shards if shard.state == "failed"]:
        count = f"{len(failed)} of {len(shards)} shards failed"
        again = "the same command tries it again, and keeps what is finished"
        raise DodonaError(f"{count}, the first: {failed[0]}: {failed[0].reason}; {again}")
    if all(shard.state == "finished" for shard in shards):
        shutil.rmtree(os.path.join(folder, PARTS), ignore_errors=True)
    return Summary(len(shards), sum(s.sentences for s in shards), sum(s.words for s in shards), run.pieces)


def list_shards(folder: str) -> list[str]:
    """Return the files of a folder that `parse_corpus` has finished, without those that have no sentence."""
    manifest = Manifest.load(folder)
    return [] if manifest is None else [manifest.path(shard) for shard in manifest.shards if shard.words]


def _look_at_files(session: ClusterSession, corpus: Corpus) -> list[dict[str, Any]]:
    """Look at all files, on the workers. If one cannot be read, no work is begun."""
    for number, file in enumerate(corpus.files):
        key = f"dodona_look-{session.token}-{number}"
        session.submit(number, key, look, file, corpus.kind, corpus.size)
    outcomes = sorted(session.outcomes(), key=lambda outcome: outcome[0])
    if faults := [reason for _, result, reason in outcomes if result is None]:
        more = f" (and {len(faults) - 1} more files)" if len(faults) > 1 else ""
        raise FormatError(f"{faults[0]}{more}")
    return [result for _, result, _ in outcomes]


def _plan(manifest: Manifest, corpus: Corpus, answers: Sequence[dict[str, Any]]) -> None:
    """Fill in the inputs and their shards."""
    spans: list[tuple[int, Cut, int]] = []
    for number, (path, name, answer) in enumerate(zip(corpus.files, corpus.names, answers, strict=True)):
        cuts = [Cut(0, 1), *(Cut(*cut) for cut in answer["cuts"])]
        ends = [*(cut.place for cut in cuts[1:]), answer["length"]]
        spans += [(number, cut, end) for cut, end in zip(cuts, ends, strict=True)]
        manifest.inputs.append({"path": path, "name": name, **{k: answer[k] for k in ("kind", "size", "sha256")}})
    digits = max(5, len(str(len(spans))))
    manifest.shards = [
        Shard(f"shard-{place:0{digits}}.conllu", number, cut.place, end, cut.line)
        for place, (number, cut, end) in enumerate(spans, start=1)
    ]


class _CorpusRun:
    """The shards of a manifest on their way."""

    def __init__(
        self, session: ClusterSession, manifest: Manifest, corpus: Corpus, model: Model, monitor: TaskMonitor,
        say: Callable[[str], None],
    ) -> None:  # fmt: skip
        self.session, self.manifest, self.corpus, self.model = session, manifest, corpus, model
        self.monitor, self.say = monitor, say
        self.pieces = 0
        self.attempts: dict[str, int] = {}
        self.said: set[tuple[int, str]] = set()
        self.first: dict[int, int] = {}  # the first shard of each input
        for place, shard in enumerate(manifest.shards):
            self.first.setdefault(shard.input, place)
        self.next = dict(self.first)  # the first one that is not finished, nor on its way to it
        self.before = dict.fromkeys(self.first, 0)  # how many sentences the ones before it have

    def carry_out(self) -> None:
        shards = self.manifest.shards
        missing = [shard for shard in shards if shard.state != "finished"]
        self.monitor.begin(missing, len(shards) - len(missing), max(1, self.session.count_workers()))
        try:
            provide(self.session, self.model)
            for shard in missing:
                if not shard.is_parsed:
                    self._submit(shard)
            for number in self.first:
                self._advance(number)
            for (stage, shard), result, reason in self.session.outcomes():
                if result is None:
                    self._fail(shard, reason)
                elif stage == "finish":
                    self._mark_finished(shard, result["bytes"])
                elif "needs" in result:
                    provide(self.session, self.model, result["needs"])
                    self._submit(shard)
                else:
                    self._take(shard, result)
                self.manifest.save()
        except SchedulerLost as error:
            done = sum(shard.state == "finished" for shard in shards)
            again = "the same command goes on with the rest"
            raise SchedulerLost(f"{error}; {done} of {len(shards)} shards are finished, {again}") from error
        finally:
            self.monitor.end()

    def _submit(self, shard: Shard) -> None:
        attempt = self.attempts[shard.file] = self.attempts.get(shard.file, 0) + 1
        if attempt > MAX_ATTEMPTS:
            self._fail(shard, f"{MAX_ATTEMPTS} workers did not have the model when they should parse it")
            return
        source = self.manifest.inputs[shard.input]
        task = ParseTask(
            source["path"], source["kind"], shard.begin, shard.end, shard.line, source["name"],
            self.manifest.part(shard), self.corpus.request, self.corpus.retag,
        )  # fmt: skip
        key = f"dodona_parse-{self.session.token}-{shard.file}-{attempt}"
        self.session.submit(("parse", shard), key, parse, task, self.model.digest)

    def _take(self, shard: Shard, result: dict[str, Any]) -> None:
        shard.state = "parsed"
        for name in ("sentences", "words", "bytes", "tail"):
            setattr(shard, name, result[name])
        self.pieces += result["pieces"]
        for remark in result["remarks"]:
            what = (shard.input, re.sub(r":\d+:", ":", remark, count=1))
            if what not in self.said:  # each once a file, as in one process
                self.said.add(what)
                self.say(remark)
        self._advance(shard.input)
        for number in range(shard.input + 1, len(self.manifest.inputs)):  # they may have waited for their separator
            self._advance(number)
            first = self.manifest.shards[self.first[number]]
            if not first.is_parsed or first.bytes:  # else the file has no sentences, and the next one may have waited
                break

    def _advance(self, number: int) -> None:
        """Finish the shards of an input that are parsed, as far as it is known how many sentences come before."""
        shards = self.manifest.shards
        while (place := self.next[number]) < len(shards) and shards[place].input == number and shards[place].is_parsed:
            shard = shards[place]
            if shard.state == "parsed":
                separator = self._find_separator(place)
                if separator is None:
                    return
                self._finish(shard, self.before[number], *separator)
            self.next[number] += 1
            self.before[number] += shard.sentences

    def _find_separator(self, place: int) -> tuple[str, bool] | None:
        """What must stand before a shard, and whether any sentence comes before it; None: that is not known yet.

        Only files of CoNLL-U may end without a blank line, or begin with a BOM.
        """
        shards = self.manifest.shards
        number = shards[place].input
        if place != self.first[number] or not self.manifest.inputs[number]["kind"].startswith("conll"):
            return "", False
        for before in reversed(shards[:place]):
            if not before.is_parsed:
                return None
            if before.bytes:
                return before.tail, True
        return "", False

    def _finish(self, shard: Shard, before: int, separator: str, is_later: bool) -> None:
        source = self.manifest.inputs[shard.input]
        part, target = self.manifest.part(shard), self.manifest.path(shard)
        drops_bom = is_later and _begins_with_bom(part)
        before = before if source["kind"] == NUMBERED else 0
        task = FinishTask(part, target, source["name"], before, separator.encode() if shard.bytes else b"", drops_bom)
        if not (before or task.separator or drops_bom):
            self._mark_finished(shard, finish(task)["bytes"])  # only a new name
            return
        key = f"dodona_number-{self.session.token}-{shard.file}"
        self.session.submit(("finish", shard), key, finish, task, urgent=True)

    def _mark_finished(self, shard: Shard, size: int) -> None:
        shard.state, shard.bytes = "finished", size
        self.monitor.advance(shard, "")

    def _fail(self, shard: Shard, reason: str) -> None:
        shard.state, shard.reason = "failed", reason
        self.monitor.advance(shard, reason)


def _begins_with_bom(path: str) -> bool:
    try:
        with open(path, "rb") as stream:
            return stream.read(len(BOM)) == BOM
    except OSError:
        return False
