"""Limits on size, time and number: what is over them gets a clear answer, and takes nothing from the others."""

import asyncio
import gc
import json
import subprocess
import sys
import threading
import time
import tracemalloc
import weakref
from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Any
from urllib.parse import urlencode

import msgspec
import pytest
from samples.asgi import Reply, ask, asked, call
from samples.random_networks import random_network
from samples.small_models import linear, whole
from starlette.applications import Starlette

from dodona import OptionError, Sentence
from dodona.pipeline.pipeline import Pipeline
from dodona.server import models as served
from dodona.server import service
from dodona.server.app import create_app
from dodona.server.models import WORD_NEEDS, AnnotateRequest, Models, annotate, claiming, divide
from dodona.server.playground.parse import TREE_NEED
from dodona.server.requests import convert, decode
from dodona.server.service import Function, Limits, Stopped, encode
from dodona.server.udpipe import ProcessRequest, process
from dodona.transitions.clock import look

MODELS = Models({"whole": whole()})


def app_with(function: Callable[[Any, Models], Any], **limits: Any) -> Starlette:
    return create_app(MODELS, Limits(**limits), functions={"work": Function(function)})


def echo(request: dict[str, Any], models: Models) -> dict[str, Any]:
    return request


class Work:
    """A function that goes on until it is stopped or released, as compiled loops do."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.released = threading.Event()
        self.stopped = threading.Event()

    def run(self, request: dict[str, Any], models: Models) -> dict[str, Any]:
        self.begun.set()
        try:
            while not self.released.is_set():
                look(0.0)
                time.sleep(0.001)
        except Stopped:
            self.stopped.set()
            raise
        return {}


async def until(condition: Callable[[], bool]) -> None:
    while not condition():
        await asyncio.sleep(0.001)


def busy(app: Starlette) -> str:
    text = ask(app, "/metrics", method="GET").text
    (line,) = [line for line in text.split("\n") if line.startswith("dodona_threads_busy ")]
    return line.split()[1]


def test_a_request_that_is_too_large_is_not_read_to_its_end() -> None:
    app = app_with(echo, size=10)
    assert ask(app, "/api/work", b'{"a": 12345}', headers={"content-length": "12"}).status == 413
    assert ask(app, "/api/work", b'{"a": 123}').status == 200
    left: list[bytes] = []

    def pieces() -> Iterator[bytes]:
        yield from (b'{"a', b'": 12', b"345}", b"never", b"read")

    async def measured() -> Reply:
        rest = list(pieces())

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": rest.pop(0), "more_body": bool(rest)}

        sent: list[Any] = []

        async def send(message: Any) -> None:
            sent.append(message)

        scope = {"type": "http", "method": "POST", "path": "/api/work", "query_string": b"", "headers": []}
        await app(scope, receive, send)
        left.extend(rest)
        return Reply(sent[0]["status"], {}, sent[1]["body"])

    reply = asyncio.run(measured())
    assert (reply.status, reply.json) == (413, {"error": "The request is too large; expected at most 10 bytes."})
    assert left == [b"never", b"read"]


def test_the_memory_of_all_requests_is_limited_and_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    work = Work()
    app = app_with(work.run, size=100, threads=1)
    monkeypatch.setattr(service, "BODIES_SHARE", 100 / (0.15 * (256 << 20)))  # of the memory for bodies and answers

    async def two() -> tuple[Reply, Reply]:
        first = asyncio.create_task(asked(app, "/api/work", b'{"a": "' + b"x" * 60 + b'"}'))
        await until(work.begun.is_set)
        second = await asked(app, "/api/work", b'{"a": "' + b"x" * 60 + b'"}')
        work.released.set()
        return await first, second

    first, second = asyncio.run(two())
    assert (first.status, second.status) == (200, 503)
    assert second.json == {"error": "The server is busy: its memory for requests is full; try again later."}
    for _ in range(3):
        assert ask(app, "/api/work", b'{"a": "' + b"x" * 60 + b'"}').status == 200
    assert ask(app, "/api/work", b"x" * 101).status == 413
    text = ask(app, "/metrics", method="GET").text
    assert "dodona_body_bytes 0.0\n" in text
    assert "dodona_requests_in_progress 0.0\n" in text


def test_a_body_that_does_not_come_is_not_waited_for() -> None:
    app = app_with(echo, seconds=0.05)

    async def slow() -> Reply:
        async def receive() -> dict[str, Any]:
            await asyncio.Event().wait()
            raise AssertionError

        sent: list[Any] = []

        async def send(message: Any) -> None:
            sent.append(message)

        scope = {"type": "http", "method": "POST", "path": "/api/work", "query_string": b"", "headers": []}
        async with asyncio.timeout(60):
            await app(scope, receive, send)
        return Reply(sent[0]["status"], {}, sent[1]["body"])

    reply = asyncio.run(slow())
    assert (reply.status, reply.json["error"]) == (408, "The request did not arrive within 0.05 seconds.")


def test_work_that_takes_too_long_is_stopped_and_frees_its_thread() -> None:
    work = Work()
    app = app_with(work.run, seconds=0.2, threads=1)
    reply = ask(app, "/api/work", b"{}")
    assert (reply.status, reply.json["error"]) == (504, "This took longer than 0.2 seconds; send less text.")
    assert work.stopped.wait(60)
    work.released.set()
    assert ask(app, "/api/work", b"{}").status == 200
    assert busy(app) == "0.0"


def test_a_long_text_is_stopped_in_the_middle() -> None:
    """Real work, which looks at the clock by itself; nobody waits for its end."""
    app = create_app(MODELS, Limits(seconds=0.05, size=1 << 27, memory=1 << 31))  # before the answer begins
    body = b"tokenizer=&tagger=&parser=&data=" + b"a+cat+sees+the+dog+" * (1 << 21)
    reply = ask(app, "/process", body, headers={"content-type": "application/x-www-form-urlencoded"})
    assert reply.status == 504
    while busy(app) != "0.0":
        time.sleep(0.01)


def test_who_leaves_stops_the_work() -> None:
    work = Work()
    app = app_with(work.run, threads=1)

    async def leaving() -> Reply:
        gone = asyncio.Event()
        request = asyncio.create_task(asked(app, "/api/work", b"{}", gone=gone))
        await until(work.begun.is_set)
        gone.set()
        return await request

    asyncio.run(leaving())
    assert work.stopped.wait(60)


def overload(app: Starlette, work: Work, count: int) -> list[Reply]:
    """Send requests one by one, while none is finished; the last ones that come find no place."""

    async def all_of_them() -> list[Reply]:
        requests: list[asyncio.Task[Reply]] = []
        admitted = app.state.metrics.in_progress._value
        for _ in range(count):
            request, before = asyncio.create_task(asked(app, "/api/work", b"{}")), admitted.get()
            requests.append(request)
            await until(lambda: request.done() or admitted.get() > before)  # noqa: B023
            await until(work.begun.is_set)
        work.released.set()
        return list(await asyncio.gather(*requests))

    return asyncio.run(all_of_them())


def test_too_many_requests_are_refused_at_once() -> None:
    work = Work()
    replies = overload(app_with(work.run, threads=1, waiting=2), work, 5)
    assert [reply.status for reply in replies] == [200, 200, 200, 503, 503]
    assert replies[-1].headers["retry-after"] == "1"
    assert replies[-1].json["error"].startswith("The server is busy: too many requests wait already")


def test_a_request_that_waits_too_long_is_told_so() -> None:
    work = Work()
    app = app_with(work.run, threads=1, seconds=0.3)

    async def two() -> tuple[Reply, Reply]:
        first = asyncio.create_task(asked(app, "/api/work", b"{}"))
        await until(work.begun.is_set)
        second = await asked(app, "/api/work", b"{}")
        return await first, second

    first, second = asyncio.run(two())
    assert first.status == 504
    assert second.status in (503, 504)  # it waited, or it got the thread for the last moment


def test_one_client_cannot_take_all_threads() -> None:
    work = Work()
    app = app_with(work.run, threads=2, client=1)

    async def two() -> list[Reply]:
        first = asyncio.create_task(asked(app, "/api/work", b"{}"))
        await until(work.begun.is_set)
        second = await asked(app, "/api/work", b"{}")
        work.released.set()
        return [second, await first, await asked(app, "/api/work", b"{}")]

    second, first, third = asyncio.run(two())
    assert (second.status, second.headers["retry-after"]) == (429, "1")
    message = "Too many requests at a time: 1 of yours are not answered yet; wait for one."
    assert second.json["error"] == message
    assert (first.status, third.status) == (200, 200)


def test_the_page_and_health_are_there_while_all_threads_are_busy() -> None:
    work = Work()
    app = app_with(work.run, threads=1, waiting=0)

    async def beside() -> list[int]:
        first = asyncio.create_task(asked(app, "/api/work", b"{}"))
        await until(work.begun.is_set)
        paths = ("/health", "/metrics", "/", "/api", "/models")
        found = [(await asked(app, path, method="GET")).status for path in paths]
        found.append((await asked(app, "/api/work", b"{}")).status)
        work.released.set()
        return [*found, (await first).status]

    assert asyncio.run(beside()) == [200, 200, 200, 200, 200, 503, 200]


def test_requests_at_the_same_time_get_the_answers_of_single_ones() -> None:
    app = create_app(MODELS, Limits(threads=4))
    texts = [("the dog sees a cat . " * (k % 7 + 1) + f"word{k}") for k in range(40)]
    forms = [{"data": text, "tokenizer": "ranges", "tagger": "", "parser": ""} for text in texts]

    async def together() -> list[Reply]:
        bodies = ["&".join(f"{key}={value.replace(' ', '+')}" for key, value in form.items()) for form in forms]
        kind = {"content-type": "application/x-www-form-urlencoded"}
        return list(await asyncio.gather(*(asked(app, "/process", body.encode(), headers=kind) for body in bodies)))

    assert [reply.json for reply in asyncio.run(together())] == [
        json.loads(b"".join(encode(process(convert(form, ProcessRequest), MODELS)))) for form in forms
    ]


class Lines(msgspec.Struct):
    """An answer of any length."""

    name: str
    lines: Any


class Writer:
    """A function whose answer is made while it is sent, and never ends before it may."""

    def __init__(self) -> None:
        self.made = 0
        self.released = threading.Event()
        self.failure: Exception | None = None

    def run(self, request: dict[str, Any], models: Models) -> Lines:
        return Lines("all", self.lines())

    def lines(self) -> Iterator[str]:
        while not self.released.is_set():
            self.made += 1
            look(0.0)
            yield "x" * 10_000
        if self.failure is not None:
            raise self.failure


async def receive_slowly(app: Starlette, writer: Writer, condition: Callable[[list[Any]], bool]) -> list[Any]:
    """Send a request, take what comes until the condition holds, and only then let the function end."""
    sent: list[Any] = []
    requests = [{"type": "http.request", "body": b"{}", "more_body": False}]

    async def receive() -> dict[str, Any]:
        if not requests:
            await asyncio.Event().wait()
        return requests.pop()

    async def send(message: Any) -> None:
        sent.append(message)
        while not condition(sent):
            await asyncio.sleep(0.001)
        writer.released.set()

    scope = {"type": "http", "method": "POST", "path": "/api/work", "query_string": b"", "headers": []}
    async with asyncio.timeout(60):
        await app(scope, receive, send)
    return sent


def test_a_long_answer_is_sent_while_it_is_made_and_waits_for_a_slow_client() -> None:
    writer = Writer()
    app = app_with(writer.run)
    made: list[int] = []

    def is_full(sent: list[Any]) -> bool:
        """Whether the thread makes no more, though nobody has stopped it."""
        made.append(writer.made)
        return len(made) > 100 and made[-1] == made[-100]

    messages = asyncio.run(receive_slowly(app, writer, is_full))
    assert (messages[0]["status"], messages[-1]["more_body"]) == (200, False)
    body = b"".join(message["body"] for message in messages[1:])
    assert json.loads(body) == {"name": "all", "lines": ["x" * 10_000] * writer.made}
    assert service.WINDOW <= made[-1] * 10_000 + 2 * service.CHUNK <= service.WINDOW + 4 * service.CHUNK
    assert "dodona_body_bytes 0.0\n" in ask(app, "/metrics", method="GET").text


@pytest.mark.parametrize("late", [False, True])
def test_a_failure_has_a_status_before_an_answer_begins_and_cuts_it_off_later(late: bool) -> None:
    writer = Writer()
    writer.failure = OptionError("no more")
    app = app_with(writer.run)
    if not late:
        writer.released.set()
        reply = ask(app, "/api/work", b"{}")
        assert (reply.status, reply.json) == (400, {"error": "no more"})
        return
    messages = asyncio.run(receive_slowly(app, writer, lambda sent: True))
    assert messages[0]["status"] == 200
    assert all(message["more_body"] for message in messages[1:])  # whoever reads it sees that the end is missing
    assert "dodona_body_bytes 0.0\n" in ask(app, "/metrics", method="GET").text
    assert busy(app) == "0.0"


def test_a_client_that_takes_nothing_frees_its_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "STALL", 0.1)
    writer = Writer()
    app = app_with(writer.run, threads=1)
    asyncio.run(receive_slowly(app, writer, lambda sent: busy_threads(app) == 0))
    assert busy(app) == "0.0"


def test_the_memory_of_an_answer_that_cannot_be_sent_is_given_back() -> None:
    """The connection breaks while half a megabyte of it waits."""
    writer = Writer()
    app = app_with(writer.run, threads=1)

    def lose(sent: list[Any]) -> bool:
        if len(sent) > 1:
            raise ConnectionResetError
        return True

    with pytest.raises(ConnectionResetError):
        asyncio.run(receive_slowly(app, writer, lose))
    while busy_threads(app):
        time.sleep(0.01)
    assert "dodona_body_bytes 0.0\n" in ask(app, "/metrics", method="GET").text


def busy_threads(app: Starlette) -> float:
    return float(app.state.metrics.busy._value.get())


def test_what_a_request_needs_is_counted_before_it_runs() -> None:
    work = Work()
    work.released.set()
    app = app_with(work.run, memory=64 << 20)
    assert ask(app, "/api/work", b'{"a": [' + b"[]," * 1000 + b"1]}").status == 200
    reply = ask(app, "/api/work", b'{"a": [' + b"[]," * 300_000 + b"1]}")
    assert reply.status == 413
    assert reply.json["error"] == "The request needs 29 MiB; expected one that needs at most 19."
    assert service.estimate_need(b"") == service.READ_NEED
    assert service.estimate_need("é".encode() * 10) - service.READ_NEED == 20 * service.WIDE_TEXT_NEED
    assert service.estimate_need(b"e" * 10) - service.READ_NEED == 10 * service.TEXT_NEED
    many = json.dumps({"words": [["a"]] * 400_000}).encode()
    assert service.estimate_need(many) < 0.3 * Limits().memory  # sentences of one word are not refused


@pytest.mark.parametrize(
    "items",
    [
        b"[],", b"[[[]]],", b"{},", b'"",', b'"a",', b"1,", b"1234567890123,", b"1.5,", b'{"a":1},', '"樫a",'.encode(),
        b'"\\u6a2b",',
    ],
)  # fmt: skip
def test_a_request_needs_no_more_than_was_counted(items: bytes) -> None:
    """Much of one kind: what it takes when it is read, and for the texts of many letters, what Python holds."""
    for body in (
        b"[" + items * 20_000 + b"1]",
        b'"' + items.replace(b'"', b"").replace(b"\\", b"\\\\") * 20_000 + b'"',
    ):
        tracemalloc.start()
        try:
            decode(body, Any)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert peak <= service.estimate_need(body) - service.READ_NEED + 4096


PART = b"Content-Transfer-Encoding: Quoted-Printable\r\n\r\n=E6=A8=AB"


@pytest.mark.parametrize(
    "letter", ["樫".encode(), b"\\u6a2b", b"%E6%A8%AB", PART], ids=["UTF-8", "JSON", "form", "part of a form"]
)
def test_one_wide_letter_makes_a_text_wide_however_it_is_written(letter: bytes) -> None:
    """Python holds all letters of a text in as many bytes as the widest one needs."""
    text = b"e" * 10_000
    assert service.estimate_need(text) < service.READ_NEED + service.WIDE_TEXT_NEED * len(text)
    for body in (text + letter, letter + text):
        assert service.estimate_need(body) > service.READ_NEED + service.WIDE_TEXT_NEED * len(text)


def test_two_requests_that_need_much_are_worked_on_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    work = Work()
    monkeypatch.setattr(service, "READ_NEED", 7 << 20)
    app = app_with(work.run, memory=32 << 20, threads=4)
    refused: set[int] = set()  # threads that found too little
    take = service.MemoryBudget.take

    def watch(budget: service.MemoryBudget, need: int, share: float = 1.0) -> bool:
        taken = take(budget, need, share)
        refused.update([] if taken else [threading.get_ident()])
        return taken

    monkeypatch.setattr(service.MemoryBudget, "take", watch)

    async def three() -> list[Reply]:
        requests = [asyncio.create_task(asked(app, "/api/work", b"{}")) for _ in range(3)]
        await until(work.begun.is_set)
        await until(lambda: len(refused) == 2)
        assert busy_threads(app) == 1  # each needs a little more than half of the room
        work.released.set()
        return list(await asyncio.gather(*requests))

    assert [reply.status for reply in asyncio.run(three())] == [200, 200, 200]


def test_the_memory_of_sentences_is_claimed_by_their_words(monkeypatch: pytest.MonkeyPatch) -> None:
    claims: list[int] = []
    with claiming(claims.append):
        list(divide([Sentence.from_words(["a"] * 3000), Sentence.from_words(["a"] * 3000)], whole()))
        list(divide(Sentence.from_words(["a"]) for _ in range(1025)))
    assert claims == [4096 + 3000 * 2048] * 2 + [1024 * (4096 + 2048), 4096 + 2048]
    claims.clear()
    with claiming(claims.append):
        long = Sentence.from_words(["b" * 200_000])
        list(divide([Sentence.from_words(["a"]), long, long, Sentence.from_words(["a" * 17])]))
    assert claims == [
        4096 + 2048, 4096 + 2048 + (200_000 - 16) * 24, 2 * (4096 + 2048) + (200_017 - 32) * 24,
    ]  # fmt: skip
    claims.clear()
    with claiming(claims.append):
        call("parse", {"text": "the cat sees a dog"}, MODELS)
    assert claims == [4096 + 5 * (2048 + TREE_NEED)]
    claims.clear()
    neural = Models({"neural": Pipeline(random_network(), whole().tagger, tokenizer=whole().tokenizer)})
    with claiming(claims.append):
        call("search", {"text": "the cat sees a dog", "pattern": "pattern { X [] }"}, neural)
    assert claims == [4096 + 5 * 10752]
    app = create_app(MODELS, Limits(memory=32 << 20))
    body = json.dumps({"words": [["a"] * 9000]}).encode()
    reply = ask(app, "/api/annotate", body)
    message = "The longest sentence needs 17 MiB; expected at most 13: send it in parts."
    assert (reply.status, reply.json) == (400, {"error": message})
    assert ask(app, "/api/annotate", json.dumps({"words": [["a"] * 900]}).encode()).status == 200


def test_many_sentences_need_no_more_memory_than_a_few() -> None:
    """The sentences of a text come and go: whatever is kept of each would show."""
    app = create_app(MODELS, Limits(threads=1))

    def measure(count: int) -> int:
        body = json.dumps({"words": [["cat"]] * count}).encode()
        tracemalloc.start()
        try:
            parsed = 0
            for chunk in encode(annotate(decode(body, AnnotateRequest), MODELS)):
                parsed += chunk.count(b'"cat"')
            assert parsed >= count
            return tracemalloc.get_traced_memory()[1] - 150 * count  # the request itself
        finally:
            tracemalloc.stop()

    assert measure(3600) < 1.6 * measure(1200)
    assert ask(app, "/api/annotate", json.dumps({"words": [["cat"]] * 3}).encode()).status == 200


def test_memory_goes_back_to_the_system_after_much_work(monkeypatch: pytest.MonkeyPatch) -> None:
    trims: list[int] = []
    monkeypatch.setattr(service, "_find_in_c", {"malloc_trim": trims.append}.__getitem__)
    app = app_with(echo, threads=1)
    for _ in range(4):  # each needs 3.3 MiB
        assert ask(app, "/api/work", b'{"a": "' + b"x" * 100_000 + b'"}').status == 200
    assert trims == []
    assert ask(app, "/api/work", b'{"a": "' + b"x" * 100_000 + b'"}').status == 200
    assert trims == [0]
    assert ask(app, "/api/work", b'{"a": "' + b"x" * 100_000 + b'"}').status == 200
    assert trims == [0]
    assert ask(app, "/api/work", b'{"a": "' + b"x" * 2_000_000 + b'"}').status == 200
    assert trims == [0, 0]


def test_memory_goes_back_to_the_system_within_a_long_request(monkeypatch: pytest.MonkeyPatch) -> None:
    """After 64 MiB for sentences, which are 5 portions of 4,000 words at 4 KiB."""
    trims: list[int] = []
    monkeypatch.setattr(service, "_find_in_c", {"malloc_trim": trims.append}.__getitem__)
    monkeypatch.setitem(WORD_NEEDS, "linear", 4 << 10)
    app = create_app(MODELS, Limits(threads=1))
    body = json.dumps({"words": [["cat"] * 4000] * 11}).encode()
    assert ask(app, "/api/annotate", body).status == 200
    assert trims == [0, 0, 0]  # the last time at the end


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc and the C library of GNU")
def test_large_blocks_go_back_to_the_system_whatever_was_freed_before() -> None:
    """By itself the C library would keep the 20 MiB, because 32 were freed before them."""
    program = """if True:
        from pathlib import Path
        from dodona.server.service import return_large_blocks
        import numpy as np
        return_large_blocks()
        resident = lambda: int(Path("/proc/self/statm").read_text().split()[1]) * 4096
        np.ones(32 << 20, np.int8)
        large, above = np.ones(20 << 20, np.int8), [np.ones(1 << 17, np.int8) for _ in range(20)]
        before = resident()
        del large
        print(before - resident() > 19 << 20)
    """
    ran = subprocess.run(
        [sys.executable, "-c", program],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert ran.stdout == "True\n"


class Text:
    """What a request has read."""


@pytest.mark.parametrize("failure", [None, OptionError("no"), KeyError("a fault")])
def test_what_a_request_has_read_goes_when_it_fails(failure: Exception | None) -> None:
    """And not only when Python looks for cycles of references, which it seldom does while networks are at work."""
    read: list[weakref.ref[Text]] = []

    def work(request: dict[str, Any], models: Models) -> dict[str, Any]:
        text = Text()
        read.append(weakref.ref(text))
        while failure is None:
            look(0.0)
        try:
            raise failure
        except KeyError:
            raise RuntimeError from None

    app = app_with(work, seconds=0.1, threads=1)
    gc.disable()
    try:
        assert ask(app, "/api/work", b"{}").status >= 400
        end = time.monotonic() + 10  # the thread may not have left yet
        while any(text() is not None for text in read) and time.monotonic() < end:
            time.sleep(0.01)
        assert [text() for text in read] == [None]
    finally:
        gc.enable()


def test_clients_that_have_left_are_forgotten() -> None:
    """A server that runs for months must not keep the address of everybody who has ever asked."""
    app = app_with(echo)
    assert ask(app, "/api/work", b"{}").status == 200
    assert ask(app, "/api/work", b"{").status == 400
    workers = app.state.close.__self__
    assert len(workers.clients) == 0


def test_readiness() -> None:
    work = Work()
    app = app_with(work.run, threads=1, waiting=0)
    free = {"status": "ready", "models": ["whole"], "in_progress": 0, "waiting": 0}
    assert ask(app, "/ready", method="GET").json == free

    async def beside() -> tuple[Reply, Reply]:
        first = asyncio.create_task(asked(app, "/api/work", b"{}"))
        await until(work.begun.is_set)
        ready = await asked(app, "/ready", method="GET")
        work.released.set()
        return ready, await first

    ready, _ = asyncio.run(beside())
    assert (ready.status, ready.json) == (503, free | {"status": "busy", "in_progress": 1})
    assert ask(app, "/ready", method="GET").status == 200


def test_a_server_is_not_ready_while_memory_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bodies that are held take the room of the next one: it would be refused, though a thread is free."""
    work = Work()
    app = app_with(work.run, threads=4, memory=32 << 20)
    body = b'{"a": "' + b"x" * int((32 << 20) * service.SHARES["bytes"] * service.BODIES_SHARE - 20) + b'"}'
    monkeypatch.setattr(service, "estimate_need", lambda data: 0)

    async def beside() -> tuple[Reply, Reply]:
        first = asyncio.create_task(asked(app, "/api/work", body))
        await until(work.begun.is_set)
        monkeypatch.setattr(service, "BODIES_SHARE", service.BODIES_SHARE * 0.9)
        ready = await asked(app, "/ready", method="GET")
        work.released.set()
        return ready, await first

    ready, first = asyncio.run(beside())
    assert (first.status, ready.status, ready.json["status"], ready.json["in_progress"]) == (200, 503, "busy", 1)
    assert ask(app, "/ready", method="GET").json["status"] == "ready"


def test_a_parser_works_as_before_when_its_workspace_is_gone() -> None:
    pipeline = whole()
    text = "the dog sees a cat ."
    before = [sentence.to_bytes() for sentence in pipeline(text)]
    session = pipeline.parser._searches.session
    pipeline.parser.release_workspace()
    assert [sentence.to_bytes() for sentence in pipeline(text)] == before
    assert pipeline.parser._searches.session is not session


# Limits that hold at several addresses


def conllu_of(n: int, note: str = "") -> str:
    rows = (f"{k}\ta\t_\tX\t_\t_\t{k - 1}\t{'dep' if k > 1 else 'root'}\t_\t{note or '_'}\n" for k in range(1, n + 1))
    return "".join(rows) + "\n"


FORM = {"content-type": "application/x-www-form-urlencoded"}
GREEDY = Models({"linear": Pipeline(linear("arc-eager").parser, whole().tagger, None, whole().tokenizer)})
READERS: dict[str, Callable[[Starlette, int], Reply]] = {
    "words": lambda app, n: ask(app, "/api/annotate", json.dumps({"words": [["a"] * n]}).encode()),
    "conllu": lambda app, n: ask(app, "/api/annotate", json.dumps({"conllu": conllu_of(n)}).encode()),
    "search": lambda app, n: ask(
        app, "/api/search", json.dumps({"conllu": conllu_of(n), "pattern": "pattern { X [] }"}).encode()
    ),
    **{
        f"process {form}": lambda app, n, form=form, data=data: ask(  # type: ignore[misc]
            app, "/process", urlencode({"input": form, "data": data(n), "parser": ""}).encode(), headers=FORM
        )
        for form, data in {
            "horizontal": lambda n: "a " * n, "vertical": lambda n: "a\n" * n + "\n", "conllu": conllu_of,
        }.items()
    },
    "process presegmented": lambda app, n: ask(
        app, "/process", urlencode({"tokenizer": "presegmented", "data": "a " * n, "parser": ""}).encode(), headers=FORM
    ),
}  # fmt: skip
"""Whoever reads sentences that are cut already, and how it is asked about one of so many words."""


@pytest.mark.parametrize("name", READERS)
def test_a_sentence_may_have_so_many_words_wherever_it_is_read(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert served.MAX_WORDS == 10_000
    monkeypatch.setattr(served, "MAX_WORDS", 5)
    app = create_app(GREEDY)
    assert READERS[name](app, 5).status == 200
    reply = READERS[name](app, 6)
    message = "A sentence of 6 words; expected at most 5."
    assert (reply.status, reply.text.strip()) == (
        400,
        message if "process" in name else json.dumps({"error": message}, separators=(",", ":")),
    )


@pytest.mark.parametrize("path", ["words", "conllu", "/process", "presegmented"])
def test_what_is_wrong_with_the_last_sentence_is_told_before_an_answer_begins(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And not by an answer that is cut off."""
    monkeypatch.setattr(service, "FIRST", 1)
    monkeypatch.setattr(service, "CHUNK", 1)
    monkeypatch.setattr(served, "PORTION", 1)
    monkeypatch.setattr(served, "MAX_WORDS", 3)
    app = create_app(GREEDY)
    good = conllu_of(2) * 20
    requests = {
        "words": ("/api/annotate", json.dumps({"words": [["a"]] * 20 + [["a"] * 4]})),
        "conllu": ("/api/annotate", json.dumps({"conllu": f"{good}1\tx\n\n"})),
        "/process": ("/process", urlencode({"data": f"{good}1\tx\n\n", "parser": ""})),
        "presegmented": (
            "/process",
            urlencode({"data": "a\n" * 20 + "a a a a", "tokenizer": "presegmented", "parser": ""}),
        ),
    }
    address, body = requests[path]
    reply = ask(app, address, body.encode(), headers=FORM if address == "/process" else {})
    assert reply.status == 400
    assert "expected" in reply.text


def test_portions_end_at_their_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of words, of sentences, and of letters: at the limit all is one portion, and over it two."""
    assert (served.PORTION, served.MAX_SENTENCES, served.LONG_TEXT) == (4096, 1024, 100_000)
    one = Sentence.from_words(["a"])
    for count, lengths in ((1024, [1024]), (1025, [1024, 1])):
        assert [len(each) for each in divide([one] * count)] == lengths
    for count, lengths in ((2048, [2]), (2049, [1, 1])):
        assert [len(each) for each in divide([Sentence.from_words(["a"] * n) for n in (2048, count)])] == lengths
    for letters, lengths in ((100_000, [2]), (100_001, [1, 1])):
        assert [len(each) for each in divide([one, Sentence.from_words(["a" * letters])])] == lengths


LIMITS: dict[str, tuple[Any, Any]] = {
    "size": (1, 0), "seconds": (0.001, 0), "threads": (0, -1), "waiting": (0, -1), "client": (1, 0),
    "memory": (32 << 20, (32 << 20) - 1), "connections": (1, 0), "shows_text": (True, None), "hosts": (("a",), None),
    "origins": (("a",), None),
}  # fmt: skip


def test_every_limit_has_its_bound_and_its_default() -> None:
    """A new one must be named above: what is just possible, and what is not any more."""
    defaults = {
        "size": 4 << 20, "seconds": 60.0, "threads": 0, "waiting": 256, "client": 128, "memory": 256 << 20,
        "connections": 256, "shows_text": False, "hosts": (), "origins": (),
    }  # fmt: skip
    assert asdict(Limits()) == defaults
    assert defaults.keys() == LIMITS.keys()
    for name, (good, bad) in LIMITS.items():
        most: dict[str, Any] = {name: good}
        assert asdict(Limits(**most)) == defaults | most
        if bad is not None:
            least: dict[str, Any] = {name: bad}
            with pytest.raises(OptionError, match=rf"^{name} [-0-9,.]+( bytes)?: expected "):
                Limits(**least)


@pytest.mark.parametrize("declared", [True, False])
def test_a_request_may_be_as_large_as_the_limit(declared: bool) -> None:
    app = app_with(echo, size=10)
    for size, status in ((10, 200), (11, 413)):
        body = b"{" + b" " * (size - 2) + b"}"
        headers = {"content-length": str(size)} if declared else {}
        reply = ask(app, "/api/work", body, headers=headers)
        assert reply.status == status
        assert reply.headers.get("connection") == ("close" if status == 413 else None)


def test_who_is_refused_for_a_while_is_told_when_to_come_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """All answers with 429 and 503, whatever they are for; and no others."""
    work = Work()
    replies: dict[str, Reply] = {}

    async def refuse(name: str, app: Starlette, path: str = "/api/work", method: str = "POST") -> None:
        work.begun.clear()
        work.released.clear()
        first = asyncio.create_task(asked(app, "/api/work", b'{"a": 1}'))
        await until(work.begun.is_set)
        replies[name] = await asked(app, path, b'{"a": 1}', method=method)
        work.released.set()
        await first

    with monkeypatch.context() as patch:
        patch.setattr(service, "BODIES_SHARE", 10 / (0.15 * (256 << 20)))
        asyncio.run(refuse("memory", app_with(work.run, threads=2)))
    asyncio.run(refuse("waiting", app_with(work.run, threads=1, waiting=0)))
    asyncio.run(refuse("client", app_with(work.run, threads=3, client=1)))
    asyncio.run(refuse("ready", app_with(work.run, threads=1, waiting=0), "/ready", "GET"))
    asyncio.run(refuse("good", app_with(echo_or(work), threads=3)))

    async def wait_in_vain() -> None:
        app = app_with(Work().run, threads=1, seconds=0.05)
        work.begun.clear()
        replies["no thread"] = (await asyncio.gather(*(asked(app, "/api/work", b"{}") for _ in range(3))))[-1]

    monkeypatch.setattr(service.Work, "run", lambda self: time.sleep(0.2))
    asyncio.run(wait_in_vain())
    found = {name: (reply.status, reply.headers.get("retry-after")) for name, reply in replies.items()}
    assert found == {
        "memory": (503, "1"), "waiting": (503, "1"), "client": (429, "1"), "ready": (503, "1"), "good": (200, None),
        "no thread": (503, "1"),
    }  # fmt: skip


def echo_or(work: Work) -> Callable[[dict[str, Any], Models], dict[str, Any]]:
    """A function that goes on until it is stopped only the first time."""

    def run(request: dict[str, Any], models: Models) -> dict[str, Any]:
        return echo(request, models) if work.begun.is_set() else work.run(request, models)

    return run


def test_how_busy_a_server_is() -> None:
    """Requests that wait are those for which there is no thread."""
    work = Work()
    app = app_with(work.run, threads=2, waiting=3)

    async def count() -> list[Any]:
        requests, states = [], []
        for number in range(1, 5):
            requests.append(asyncio.create_task(asked(app, "/api/work", b"{}")))
            await until(lambda: app.state.metrics.in_progress._value.get() == number)  # noqa: B023
            states.append((await asked(app, "/ready", method="GET")).json)
        work.released.set()
        await asyncio.gather(*requests)
        return states

    assert asyncio.run(count()) == [
        {"status": "ready", "models": ["whole"], "in_progress": k, "waiting": max(0, k - 2)} for k in range(1, 5)
    ]


def test_why_an_answer_was_cut_off_is_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    writer = Writer()
    writer.failure = OptionError("no more")
    noted: dict[str, Any] = {}
    monkeypatch.setattr(service, "note", lambda **values: noted.update(values))
    asyncio.run(receive_slowly(app_with(writer.run), writer, lambda sent: True))
    assert noted == {"received": 2, "text": "", "reason": "cut off: no more"}


def test_a_long_address_needs_memory_too() -> None:
    app = create_app(MODELS, Limits(memory=32 << 20))
    assert ask(app, "/api/models?" + "a" * 1000, b"{}").status == 200
    assert ask(app, "/api/models?" + "a" * 1_000_000, b"{}").status == 413
