"""Connections as such: how many there may be, what is sent over them that is no HTTP, and what the log says of it."""

import http.client
import json
import logging
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest
from samples.small_models import whole
from starlette.applications import Starlette

from dodona.server import log, run
from dodona.server.app import create_app
from dodona.server.log import JsonFormatter, RequestRecord, TextFormatter
from dodona.server.models import Models
from dodona.server.run import _Connection, _Server, listen, serve
from dodona.server.service import Limits

MODELS = Models({"whole": whole()})
CHUNKED = b"POST /api/annotate HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"


@contextmanager
def serving(app: Starlette, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, int]]:
    """A server in a thread of this process, and its address."""
    servers: list[_Server] = []
    begin = _Server.__init__

    def remember(self: _Server, *arguments: Any) -> None:
        servers.append(self)
        begin(self, *arguments)

    monkeypatch.setattr(_Server, "__init__", remember)
    (sock,) = listen("127.0.0.1", 0, 1)
    host, port = sock.getsockname()
    thread = threading.Thread(target=serve, args=(app, sock, 1.0))
    thread.start()
    try:
        yield host, port
    finally:
        servers[0].should_exit = True
        thread.join(60)
        assert not thread.is_alive()


def connect(place: tuple[str, int], stack: ExitStack, data: bytes = b"", source: str = "127.0.0.1") -> socket.socket:
    line = stack.enter_context(socket.create_connection(place, timeout=30, source_address=(source, 0)))
    line.sendall(data)
    return line


def ask_health(place: tuple[str, int], source: str) -> int:
    client = http.client.HTTPConnection(*place, timeout=30, source_address=(source, 0))
    try:
        client.request("GET", "/health")
        return client.getresponse().status
    finally:
        client.close()


def test_small_answers_are_sent_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """With Nagle's algorithm the end of each answer would wait for the client, which waits 40 ms."""
    seen = []
    begin = _Connection.connection_made

    def look(self: _Connection, transport: Any) -> None:
        seen.append(transport.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        begin(self, transport)

    monkeypatch.setattr(_Connection, "connection_made", look)
    with serving(create_app(MODELS), monkeypatch) as place:
        assert ask_health(place, "127.0.0.1") == 200
    assert seen
    assert all(seen)


def is_closed(line: socket.socket) -> bool:
    """Wait for the end of a connection."""
    try:
        return line.recv(1) == b""
    except ConnectionError:
        return True


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> pytest.LogCaptureFixture:
    """What is logged, also if an earlier test has set up the log as the command does."""
    for logger in (log.LOGGER, logging.getLogger("uvicorn.error"), logging.getLogger("asyncio")):
        monkeypatch.setattr(logger, "propagate", True)
        monkeypatch.setattr(logger, "disabled", False)
        monkeypatch.setattr(logger, "filters", [])
        caplog.set_level(logging.WARNING, logger.name)
    caplog.set_level(logging.WARNING)
    return caplog


@pytest.mark.skipif(sys.platform != "linux", reason="needs 127.0.0.2")
def test_idle_connections_of_one_client_do_not_keep_others_out(monkeypatch: pytest.MonkeyPatch) -> None:
    app = create_app(MODELS, Limits(connections=3))
    with serving(app, monkeypatch) as place, ExitStack() as stack:
        *_, last = (connect(place, stack, data) for data in (b"", b"GET /", b"GET / HTTP/1.1\r\n"))
        assert is_closed(connect(place, stack))
        with pytest.raises((http.client.HTTPException, OSError)):
            ask_health(place, "127.0.0.1")
        assert ask_health(place, "127.0.0.2") == 200
        last.sendall(b"Host: localhost\r\n\r\n")
        assert last.recv(100).startswith(b"HTTP/1.1 200")  # so many are allowed
        stack.close()
        while _Connection.counts:
            threading.Event().wait(0.01)
        assert ask_health(place, "127.0.0.1") == 200


def test_the_connection_that_was_idle_for_the_longest_time_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "CONNECTIONS", 3)
    with serving(create_app(MODELS), monkeypatch) as place, ExitStack() as stack:
        busy = connect(place, stack, CHUNKED)  # its body is still to come
        busy.sendall(b"2\r\n{}\r\n")
        while not any(not each.is_idle for each in list_connections()):
            threading.Event().wait(0.01)
        oldest, later = connect(place, stack), connect(place, stack, b"GET /")
        while len(list_connections()) < 3:
            threading.Event().wait(0.01)
        assert ask_health(place, "127.0.0.1") == 200
        assert is_closed(oldest)
        later.sendall(b"health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert later.recv(100).startswith(b"HTTP/1.1 200")
        busy.sendall(b"0\r\n\r\n")
        assert busy.recv(100).startswith(b"HTTP/1.1 400")  # nothing to parse: it was worked on


def list_connections() -> list[_Connection]:
    import gc

    return [
        each
        for each in gc.get_objects()
        if isinstance(each, _Connection) and each.transport is not None and not each.transport.is_closing()
    ]


def test_the_head_of_a_later_request_must_come_in_time_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "IDLE", 0.2)
    with serving(create_app(MODELS), monkeypatch) as place, ExitStack() as stack:
        line = connect(place, stack, b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\nGET /heal")
        received = b""
        while chunk := line.recv(10_000):
            received += chunk
        assert received.endswith(b'{"status": "ok"}')


@pytest.mark.parametrize(
    "junk",
    [
        b"\0\xff\r\n\r\n",
        CHUNKED + b"zz\r\n",
        CHUNKED + b'5\r\n{"tex\r\nzz\r\n',
        CHUNKED + b"ffffffffffffffffffffffff\r\n",
        CHUNKED + b"2\r\n{}xx0\r\n\r\n",
        b"POST /api/annotate HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}\0\0\0\r\n\r\n",
    ],
)
def test_what_is_no_http_is_one_line_of_the_log(
    junk: bytes, monkeypatch: pytest.MonkeyPatch, lines: pytest.LogCaptureFixture
) -> None:
    with serving(create_app(MODELS), monkeypatch) as place, ExitStack() as stack:
        line = connect(place, stack, junk)
        received = b""
        while chunk := line.recv(10_000) if not received.count(b"\0") else b"":
            received += chunk
        assert b" 400 " in received or not received
        assert ask_health(place, "127.0.0.1") == 200
    assert len(lines.records) <= 1, lines.text
    assert all(record.exc_info is None for record in lines.records)


@pytest.mark.parametrize("address", [b"GET /health", b"GET /models", b"POST /nowhere"])
def test_a_bad_chunk_after_the_answer_is_one_line_of_the_log(
    address: bytes, monkeypatch: pytest.MonkeyPatch, lines: pytest.LogCaptureFixture
) -> None:
    with serving(create_app(MODELS), monkeypatch) as place, ExitStack() as stack:
        line = connect(place, stack, CHUNKED.replace(b"POST /api/annotate", address))
        assert line.recv(12) in (b"HTTP/1.1 200", b"HTTP/1.1 405")  # before the body has come
        line.sendall(b"zz\r\n")
        while line.recv(10_000):
            pass
        assert ask_health(place, "127.0.0.1") == 200
    assert [record.getMessage() for record in lines.records] == ["Invalid HTTP request received."]
    assert all(record.exc_info is None for record in lines.records)


def test_lines_of_the_log(capsys: pytest.CaptureFixture[str]) -> None:
    record = RequestRecord("7-1", "127.0.0.1", "POST", "/api/annotate", 200, 1.5, 12, 34, 1, 2, "en", text='a "b"\nc=')
    entry = logging.LogRecord("dodona.server", logging.INFO, "", 0, record, None, None)
    entry.created, entry.msecs = 0.0, 5.0
    text = TextFormatter().format(entry)
    assert text.startswith("1970-01-01T00:00:00.005Z info [")
    assert text.endswith(
        "] number=7-1 client=127.0.0.1 method=POST route=/api/annotate status=200 milliseconds=1.5 received=12 sent=34 "
        'sentences=1 words=2 model=en text="a \\"b\\"\\nc="'
    )
    shown = json.loads(JsonFormatter().format(entry))
    assert {"level": "info", "words": 2, "text": 'a "b"\nc=', "milliseconds": 1.5}.items() <= shown.items()
    assert "reason" not in shown
    for value, quoted in (("a=b", '"a=b"'), ("a b", '"a b"'), ('a"b', '"a\\"b"'), ("a\nb", '"a\\nb"'), ("a-b", "a-b")):
        entry.msg = RequestRecord(model=value)
        assert TextFormatter().format(entry).endswith(f" model={quoted}")
    try:
        raise ValueError("why")
    except ValueError as error:
        fault = logging.LogRecord("x", logging.ERROR, "", 0, "it %s", ("failed",), (ValueError, error, None))
    assert "] it failed\nTraceback" in TextFormatter().format(
        fault
    ) or "] it failed\nValueError" in TextFormatter().format(fault)
    assert json.loads(JsonFormatter().format(fault))["message"] == "it failed"
    assert "\n" not in JsonFormatter().format(fault)


def test_a_request_has_a_line_with_its_words_and_model_and_nothing_of_its_text(lines: pytest.LogCaptureFixture) -> None:
    from samples.asgi import ask

    lines.set_level(logging.INFO, log.LOGGER.name)
    body = json.dumps({"text": "the dog sees a cat ."}).encode()
    reply = ask(create_app(MODELS), "/api/annotate", body)
    ask(create_app(MODELS, Limits(shows_text=True)), "/api/annotate?secret=secret", body)
    ask(create_app(MODELS), "/secret", body)
    first, second, third = (entry.msg for entry in lines.records if isinstance(entry.msg, RequestRecord))
    assert (first.words, first.model, first.status, first.received) == (6, "whole", 200, len(body))
    assert (first.sent, first.sentences, first.text) == (len(reply.body), 1, "")
    assert reply.headers["x-request-id"] == first.number
    assert second.text == body.decode()
    assert (third.route, third.status) == ("other", 405)
    assert "secret" not in lines.text


def test_the_level_and_form_of_the_log(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    loggers = [log.LOGGER, logging.getLogger("uvicorn.error"), logging.getLogger("asyncio")]
    before = [(each.handlers, each.propagate, each.level, each.filters[:]) for each in loggers]
    try:
        log.set_up_log("info", "json")
        log.LOGGER.info("one")
        log.LOGGER.debug("two")
        logging.getLogger("uvicorn.error").error("ASGI callable returned without completing response.")
        (line,) = capsys.readouterr().err.splitlines()
        assert json.loads(line)["message"] == "one"
        log.set_up_log("warning", "json")
        with serving(create_app(MODELS), monkeypatch) as place, ExitStack() as stack:
            upgrade = b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
            assert connect(place, stack, upgrade).recv(12) == b"HTTP/1.1 200"
        assert capsys.readouterr().err == ""
    finally:
        for each, (handlers, propagate, level, filters) in zip(loggers, before, strict=True):
            each.handlers, each.propagate, each.level, each.filters = handlers, propagate, level, filters
            each.manager._clear_cache()  # type: ignore[attr-defined]


def test_versions() -> None:
    from samples.asgi import ask

    import dodona

    answer = ask(create_app(MODELS), "/version", method="GET").json
    assert (answer["dodona"], list(answer["models"])) == (dodona.__version__, ["whole"])
