"""A corpus on a cluster: its files are cut into shards, each is parsed into an output, and together these are the bytes
that one process would write.

    look at each file ──► manifest ──► parse each shard ──► part ──► number its sentences ──► output
                                           ▲                             ▲
                                     the model, once a worker      sentences of the shards before
"""

import os
import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from dodona.data.conllu import BOM
from dodona.distributed import work
from dodona.distributed.cluster import Cluster, SchedulerLost, Session
from dodona.distributed.cuts import Cut
from dodona.distributed.manifest import PARTS, Manifest, Shard
from dodona.distributed.models import Model, provide, version
from dodona.distributed.progress import Progress
from dodona.errors import DodonaError, FormatError
from dodona.parser.request import Request

__all__ = ["Corpus", "Summary", "parse_corpus"]

MOST_ATTEMPTS = 100  # at a shard, by workers that turn out not to have the model
NUMBERED = "text"  # the only kind whose sentences get their numbers here


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
    """What a run has done."""

    shards: int
    sentences: int
    words: int
    pieces: int  # sentences of this run that were parsed in pieces


def parse_corpus(
    corpus: Corpus, model: Model, folder: str, cluster: Cluster, progress: Progress, say: Callable[[str], None]
) -> Summary:
    """Parse all shards that are not finished yet. One that fails is reported, and the others go on.

    Files and folder must have the same paths on the workers; the model is sent to them.
    """
    options = {"input": corpus.kind, "retag": corpus.retag, "shard_size": corpus.size, **asdict(corpus.request)}
    manifest = Manifest(folder, version(), {"name": model.name, "sha256": model.digest}, options)
    earlier = Manifest.load(folder)
    if earlier is not None:
        earlier.check_same(manifest)
    with cluster.session() as session:
        if not session.client.nthreads():
            say(f"the Dask scheduler at {session.place} has no workers; waiting for some")
        _plan(manifest, corpus, _looked_at(session, corpus))
        if earlier is not None:
            earlier.check_same(manifest)
            manifest.take_over(earlier)
        _make_folders(folder)
        manifest.save(now=True)
        run = _Run(session, manifest, corpus, model, progress, say)
        try:
            run.carry_out()
        finally:
            manifest.save(now=True)
    if all(shard.state == "finished" for shard in manifest.shards):
        shutil.rmtree(os.path.join(folder, PARTS), ignore_errors=True)
    _check_complete(manifest)
    shards = manifest.shards
    return Summary(len(shards), sum(s.sentences for s in shards), sum(s.words for s in shards), run.pieces)


def _looked_at(session: Session, corpus: Corpus) -> list[dict[str, Any]]:
    """Look at all files, on the workers. If one cannot be read, no work is begun."""
    for number, file in enumerate(corpus.files):
        task = work.LookTask(file, corpus.kind, corpus.size)
        session.submit(number, f"dodona_look-{session.token}-{number}", work.look, task)
    found: dict[int, dict[str, Any]] = {}
    faults: dict[int, str] = {}
    for number, result, reason in session.outcomes():
        if result is None:
            faults[number] = reason
        else:
            found[number] = result
    if faults:
        more = f" (and {len(faults) - 1} more files)" if len(faults) > 1 else ""
        raise FormatError(f"{faults[min(faults)]}{more}")
    return [found[number] for number in range(len(corpus.files))]


def _plan(manifest: Manifest, corpus: Corpus, looked: Sequence[dict[str, Any]]) -> None:
    """Fill in the inputs and their shards."""
    pieces: list[tuple[int, Cut, int]] = []
    for number, (path, name, found) in enumerate(zip(corpus.files, corpus.names, looked, strict=True)):
        cuts = [Cut(0, 1), *(Cut(*cut) for cut in found["cuts"])]
        ends = [*(cut.place for cut in cuts[1:]), found["length"]]
        pieces += [(number, cut, end) for cut, end in zip(cuts, ends, strict=True)]
        manifest.inputs.append({"path": path, "name": name, **{k: found[k] for k in ("kind", "size", "sha256")}})
    digits = max(5, len(str(len(pieces))))
    manifest.shards = [
        Shard(f"shard-{place:0{digits}}.conllu", number, cut.place, end, cut.line)
        for place, (number, cut, end) in enumerate(pieces, start=1)
    ]


def _make_folders(folder: str) -> None:
    try:
        os.makedirs(os.path.join(folder, PARTS), exist_ok=True)
    except OSError as error:
        raise FormatError(f"{folder}: cannot be written: {error.strerror}") from error


def _check_complete(manifest: Manifest) -> None:
    failed = [shard for shard in manifest.shards if shard.state == "failed"]
    if failed:
        count = f"{len(failed)} of {len(manifest.shards)} shards failed"
        again = "the same command tries it again, and keeps what is finished"
        raise DodonaError(f"{count}, the first: {failed[0]}: {failed[0].reason}; {again}")


class _Run:
    """The shards of a manifest on their way."""

    def __init__(
        self, session: Session, manifest: Manifest, corpus: Corpus, model: Model, progress: Progress,
        say: Callable[[str], None],
    ) -> None:  # fmt: skip
        self.session, self.manifest, self.corpus, self.model = session, manifest, corpus, model
        self.progress, self.say = progress, say
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
        self.progress.begin(missing, len(shards) - len(missing), max(1, sum(self.session.client.nthreads().values())))
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
                    self._finished(shard, result["bytes"])
                elif "needs" in result:
                    provide(self.session, self.model, result["needs"])
                    self._submit(shard)
                else:
                    self._parsed(shard, result)
                self.manifest.save()
        except SchedulerLost as error:
            done = sum(shard.state == "finished" for shard in shards)
            again = "the same command goes on with the rest"
            raise SchedulerLost(f"{error}; {done} of {len(shards)} shards are finished, {again}") from error
        finally:
            self.progress.end()

    def _submit(self, shard: Shard) -> None:
        attempt = self.attempts[shard.file] = self.attempts.get(shard.file, 0) + 1
        if attempt > MOST_ATTEMPTS:
            self._fail(shard, f"{MOST_ATTEMPTS} workers did not have the model when they should parse it")
            return
        found = self.manifest.inputs[shard.input]
        task = work.ParseTask(
            found["path"], found["kind"], shard.begin, shard.end, shard.line, found["name"], self.manifest.part(shard),
            self.corpus.request, self.corpus.retag,
        )  # fmt: skip
        key = f"dodona_parse-{self.session.token}-{shard.file}-{attempt}"
        self.session.submit(("parse", shard), key, work.parse, task, self.model.digest)

    def _parsed(self, shard: Shard, result: dict[str, Any]) -> None:
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
        for number in range(
            shard.input + 1, len(self.manifest.inputs)
        ):  # files that may have waited for their separator
            self._advance(number)
            if not self._is_empty(number):
                break

    def _advance(self, number: int) -> None:
        """Finish the shards of an input that are parsed, as far as it is known how many sentences come before."""
        shards = self.manifest.shards
        while (place := self.next[number]) < len(shards) and shards[place].input == number and shards[place].is_parsed:
            shard = shards[place]
            if shard.state == "parsed":
                separator = self._separator(place)
                if separator is None:
                    return
                self._finish(shard, self.before[number], *separator)
            self.next[number] += 1
            self.before[number] += shard.sentences

    def _is_empty(self, number: int) -> bool:
        """Whether it is known that a file has no sentences; then what stands before the next one is not its matter."""
        shard = self.manifest.shards[self.first[number]]
        return shard.is_parsed and shard.bytes == 0

    def _separator(self, place: int) -> tuple[str, bool] | None:
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
        found = self.manifest.inputs[shard.input]
        part = self.manifest.part(shard)
        drops_bom = is_later and _begins_with_bom(part)
        before = before if found["kind"] == NUMBERED else 0
        task = work.FinishTask(
            part,
            self.manifest.path(shard),
            found["name"],
            before,
            separator.encode() if shard.bytes else b"",
            drops_bom,
        )
        if not (before or task.separator or drops_bom):
            self._finished(shard, work.finish(task)["bytes"])  # only a new name
            return
        key = f"dodona_number-{self.session.token}-{shard.file}"
        self.session.submit(("finish", shard), key, work.finish, task, urgent=True)

    def _finished(self, shard: Shard, size: int) -> None:
        shard.state, shard.bytes = "finished", size
        self.progress.advance(shard, "")

    def _fail(self, shard: Shard, reason: str) -> None:
        shard.state, shard.reason = "failed", reason
        self.progress.advance(shard, reason)


def _begins_with_bom(path: str) -> bool:
    try:
        with open(path, "rb") as stream:
            return stream.read(len(BOM)) == BOM
    except OSError:
        return False
