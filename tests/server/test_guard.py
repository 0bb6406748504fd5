"""Who may ask, and what every answer has: headers, and nothing of the machine."""

import asyncio
import json
import os
import platform
import re
import time
from pathlib import Path
from typing import Any

import pytest
from samples.asgi import Reply, ask
from samples.small_models import linear, whole
from starlette.applications import Starlette
from starlette.routing import Route

import dodona
from dodona import OptionError, Pipeline
from dodona.server.app import PAGE, Guard, create_app
from dodona.server.metrics import Metrics, ProcessesCollector
from dodona.server.models import Models
from dodona.server.service import Limits

MODELS = Models({"whole": whole()})
LOCAL = ("127.0.0.1", "::1", "localhost")
OURS = ["localhost", "localhost:8001", "LOCALHOST", "127.0.0.1:80", "[::1]:8001", "localhost."]
OTHERS = ["", "evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80", "[", "10.0.0.1"]
OUTSIDE = ["/../app.py", "/%2e%2e/app.py", "/..%2fapp.py", "//etc/passwd", "/page/index.html", "/\0", "/app.py"]


@pytest.fixture(scope="module")
def app() -> Starlette:
    return create_app(MODELS, Limits(hosts=LOCAL))


def get(app: Starlette, path: str, method: str = "GET", **headers: str) -> Reply:
    return ask(app, path, method=method, headers={name.replace("_", "-"): value for name, value in headers.items()})


@pytest.mark.parametrize("host", OURS)
def test_local_names_are_answered(app: Starlette, host: str) -> None:
    assert get(app, "/models", host=host).status == 200


@pytest.mark.parametrize("host", OTHERS)
def test_other_names_are_refused(app: Starlette, host: str) -> None:
    reply = get(app, "/models", host=host)
    assert (reply.status, reply.text) == (400, "Invalid host header")
    assert get(app, "/health", host=host).status == 200
    assert get(create_app(MODELS), "/models", host=host).status == 200


def test_other_sites_are_refused(app: Starlette) -> None:
    assert get(app, "/models", host="localhost:80", origin="http://localhost:80").status == 200
    for origin in ("https://evil.example", "null", "http://localhost:81", "http://["):
        reply = get(app, "/models", host="localhost:80", origin=origin)
        assert (reply.status, reply.text) == (403, "Pages of other sites may not use this server.\n")
        assert "access-control-allow-origin" not in reply.headers
    assert get(app, "/models", sec_fetch_site="cross-site", sec_fetch_mode="no-cors").status == 403
    assert get(app, "/", sec_fetch_site="cross-site", sec_fetch_mode="navigate").status == 200
    assert get(app, "/models", sec_fetch_site="same-origin", sec_fetch_mode="cors").status == 200


def test_other_sites_can_be_allowed() -> None:
    one = create_app(MODELS, Limits(origins=("https://good.example",)))
    reply = get(one, "/models", origin="https://good.example")
    assert (reply.status, reply.headers["access-control-allow-origin"]) == (200, "https://good.example")
    assert reply.headers["vary"] == "Origin"
    assert get(one, "/models", origin="https://good.example.evil").status == 403
    every = create_app(MODELS, Limits(origins=("*",)))
    asking = {"origin": "https://any.example", "access_control_request_method": "POST"}
    before = get(every, "/api/annotate", "OPTIONS", access_control_request_headers="content-type", **asking)
    assert (before.status, before.headers["access-control-allow-origin"]) == (200, "*")
    assert "Content-Type" in before.headers["access-control-allow-headers"]
    assert get(one, "/api/annotate", "OPTIONS", **asking).status == 403
    assert get(every, "/models", sec_fetch_site="cross-site", sec_fetch_mode="cors").status == 200


def test_hosts_can_be_named_by_their_ends() -> None:
    app = create_app(MODELS, Limits(hosts=("*.good.example",)))
    assert get(app, "/models", host="www.good.example:80").status == 200
    assert get(app, "/models", host="good.example.evil").status == 400
    with pytest.raises(OptionError, match="expected a name"):
        Limits(hosts=("www.*.example",))


def test_the_page_is_served_and_nothing_beside_it(app: Starlette) -> None:
    page = get(app, "/")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert page.body == (PAGE / "index.html").read_bytes()
    for path in OUTSIDE:
        reply = get(app, path)
        assert reply.status == 404, path
        assert str(Path(__file__).parents[2]) not in reply.text
    assert get(app, "/").text == page.text
    assert get(app, "/", "POST").status == 405
    assert get(app, "/models", "DELETE").status == 405


def test_a_process_that_was_killed_when_it_began_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "counter_1.db").touch()
    assert list(ProcessesCollector(tmp_path).collect()) == []


def test_answers_are_counted_under_few_names(app: Starlette) -> None:
    fresh = create_app(MODELS)
    for path in ("/models", "/models", "/a", "/b", "/process"):
        get(fresh, path)
    get(fresh, "/models", "BREW")
    text = get(fresh, "/metrics").text
    assert 'dodona_requests_total{method="GET",route="/models",status="200"} 2.0\n' in text
    assert 'dodona_requests_total{method="GET",route="other",status="404"} 2.0\n' in text
    assert 'dodona_requests_total{method="GET",route="/process",status="400"} 1.0\n' in text
    assert 'dodona_requests_total{method="other",route="/models",status="405"} 1.0\n' in text
    assert 'dodona_request_seconds_bucket{le="+Inf",route="/models"} 3.0\n' in text
    assert 'dodona_request_seconds_count{route="/models"} 3.0\n' in text
    for line in text.rstrip("\n").split("\n"):
        assert line.startswith(("# HELP dodona_", "# TYPE dodona_")) or float(line.split()[-1]) >= 0
    counts = [float(line.split()[1]) for line in text.split("\n") if "_bucket" in line and '"/models"' in line]
    assert counts == sorted(counts)
    assert "dodona_received_bytes_total 0.0\n" in text


# Every address

HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cache-control": "no-store",
}
JSON, TEXT = "application/json", "text/plain; charset=utf-8"
READABLE = {
    "/process": JSON, "/api/process": JSON, "/models": JSON, "/api": "text/html; charset=utf-8",
    "/api/openapi.json": JSON, "/reference.css": "text/css; charset=utf-8", "/health": JSON, "/ready": JSON,
    "/version": JSON, "/metrics": "text/plain; version=0.0.4; charset=utf-8", "/api/systems": JSON, "/api/models": JSON,
    "/": "text/html; charset=utf-8", "/style.css": "text/css; charset=utf-8",
}  # fmt: skip
"""Addresses that answer to GET, and with what."""
PLAIN = ("/process", "/models", "/api/process")
ROUTES = [route.path for route in create_app(MODELS).routes if isinstance(route, Route)]


def check_headers(reply: Reply, more: dict[str, str], **changed: str) -> None:
    """That an answer has these headers and no others."""
    own = {name: value for name, value in reply.headers.items() if name not in ("content-length", "x-request-id")}
    for name in ("etag", "last-modified", "accept-ranges", "vary"):  # of files, and for caches
        own.pop(name, None)
    assert own == HEADERS | more | {name.replace("_", "-"): value for name, value in changed.items()}
    assert reply.headers["x-request-id"].startswith(f"{os.getpid()}-")


@pytest.mark.parametrize("path", [*ROUTES, "/", "/style.css", "/api/nothing", "/nothing"])
def test_headers_and_errors_of_every_address(app: Starlette, path: str) -> None:
    """Answers, and refusals in the form that clients of this address expect, in words that name no more than needed."""

    def check_refusal(reply: Reply, status: int, message: str, **more: str) -> None:
        kind = TEXT if path in PLAIN else JSON
        expected = f"{message}\n" if path in PLAIN else json.dumps({"error": message}, separators=(",", ":"))
        assert (reply.status, reply.text) == (status, expected)
        check_headers(reply, {"content-type": kind} | more)

    there = {"/": 200} | dict.fromkeys(READABLE, 200) | {"/process": 400, "/api/process": 400}
    if path in there:
        reply = get(app, path, data="x") if path == "/" else get(app, path)
        assert reply.status == there[path]
        kind = TEXT if reply.status == 400 else READABLE[path]
        check_headers(reply, {"content-type": kind})
        assert int(reply.headers["content-length"]) == len(reply.body)
    elif "nothing" in path:
        missing = "There is nothing at this address; / is the playground, /api describes the interface."
        check_refusal(get(app, path), 404, missing)
    else:
        check_refusal(get(app, path), 405, "The method GET is not for this address.", allow="POST")
    long = "B" * 30
    reply = get(app, path, long)
    assert (reply.status, "B" * 20 in reply.text, "B" * 21 in reply.text) == (405, True, False)
    check_refusal(get(app, path, origin="https://evil.example"), 403, "Pages of other sites may not use this server.")


@pytest.mark.parametrize("path", [*ROUTES, "/"])
def test_names_of_hosts_are_looked_at_everywhere_but_where_somebody_watches(app: Starlette, path: str) -> None:
    reply = get(app, path, host="evil.example")
    watched = path in ("/health", "/ready")
    assert (reply.status == 400 and reply.text == "Invalid host header") == (not watched)
    check_headers(reply, {"content-type": JSON if watched else TEXT})


@pytest.mark.parametrize(
    ("hosts", "good", "bad"),
    [
        (("::1",), ["[::1]", "[::1]:80"], ["::1.example", "[::2]"]),
        (("a.example",), ["a.example", "a.example.", "a.example:1", "A.Example"], ["b.a.example", "aaexample", ""]),
        (("*.a.example",), ["b.a.example", "c.b.a.example"], ["a.example.b", "ba.example"]),
        (("*",), ["a", "b.example:80", "[::1]"], []),
        (("a", "b"), ["a", "b"], ["c", "ab"]),
    ],
)
def test_hosts_in_every_form(hosts: tuple[str, ...], good: list[str], bad: list[str]) -> None:
    app = create_app(MODELS, Limits(hosts=hosts))
    assert [host for host in [*good, *bad] if get(app, "/models", host=host).status == 200] == good


@pytest.mark.parametrize("host", ["*", "*.a", "a.b", "::1"])
def test_names_of_hosts_that_can_be_given(host: str) -> None:
    assert Limits(hosts=(host,)).hosts == (host,)
    for wrong in (f"{host}*", f"x.{host}*", "**", "a*b", "*a"):
        with pytest.raises(OptionError, match=r"expected a name, \*.NAME or \*"):
            Limits(hosts=(host, wrong))


@pytest.mark.parametrize(
    "origins", [("https://good.example",), ("https://other.example", "https://good.example"), ("*",)]
)
def test_answers_to_pages_of_sites_that_are_allowed(origins: tuple[str, ...]) -> None:
    app = create_app(MODELS, Limits(origins=origins))
    every = "*" in origins
    shared = {"access-control-allow-origin": "*"} if every else {
        "access-control-allow-origin": "https://good.example",
    }  # fmt: skip
    for path in ("/models", "/health", "/api/systems", "/style.css"):
        reply = get(app, path, origin="https://good.example")
        check_headers(reply, {"content-type": READABLE[path]} | shared, cross_origin_resource_policy="cross-origin")
        check_headers(get(app, path), {"content-type": READABLE[path]})
    for method in ("GET", "POST"):
        reply = get(app, "/models", "OPTIONS", origin="https://good.example", access_control_request_method=method)
        assert (reply.status, reply.text) == (200, "OK")
        assert reply.headers["access-control-allow-methods"] == "GET, POST"
    reply = get(app, "/models", "OPTIONS", origin="https://good.example", access_control_request_method="DELETE")
    assert reply.status == 400


class Broken:
    """An application that fails before it answers, or after it has begun."""

    def __init__(self, begins: bool) -> None:
        self.begins = begins

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if self.begins:
            await send({"type": "http.response.start", "status": 200, "headers": [(b"x-frame-options", b"OURS")]})
        raise RuntimeError("secret")


def test_a_fault_is_an_answer_unless_one_has_begun(caplog: pytest.LogCaptureFixture) -> None:
    """And an answer keeps the headers that it has."""
    metrics = Metrics(1)
    guard = Guard(Broken(False), (), metrics, {"/process", "/a"})
    message = "The server failed; this is a fault of Dodona, and not of the request."
    reply = ask(guard, "/process")
    assert (reply.status, reply.text) == (500, f"{message}\n")
    reply = ask(guard, "/a")
    assert (reply.status, reply.json) == (500, {"error": message})
    check_headers(reply, {"content-type": JSON})
    with pytest.raises(RuntimeError, match="secret"):
        ask(Guard(Broken(True), (), metrics, {"/a"}), "/a")
    begun: list[Any] = []

    async def receive() -> Any:
        raise AssertionError

    async def send(message: Any) -> None:
        begun.append(message)

    async def run() -> None:
        scope: dict[str, Any] = {"type": "http", "method": "GET", "path": "/a", "headers": [], "client": None}
        await Guard(Broken(True), (), metrics, {"/a"})(scope, receive, send)

    with pytest.raises(RuntimeError):
        asyncio.run(run())
    assert len(begun) == 1, "no second answer"
    assert dict(begun[0]["headers"])[b"x-frame-options"] == b"OURS"
    assert caplog.text.count("secret") >= 4


# What is counted

NAMES = {
    "requests_total": "counter", "request_seconds": "histogram", "received_bytes_total": "counter",
    "sent_bytes_total": "counter", "cpu_seconds_total": "counter", "resident_memory_bytes": "gauge",
    "processes": "gauge", "threads": "gauge", "threads_busy": "gauge", "requests_in_progress": "gauge",
    "body_bytes": "gauge",
}  # fmt: skip


def read_metrics(app: Starlette) -> dict[str, float]:
    text = get(app, "/metrics").text
    assert re.findall(r"^# TYPE dodona_(\w+) (\w+)$", text, re.M) == [*NAMES.items()]
    assert re.findall(r"^# HELP dodona_(\w+) .*\.$", text, re.M) == [*NAMES]
    return {name: float(value) for name, value in re.findall(r"^dodona_(\S+) (\S+)$", text, re.M)}


def test_all_that_is_counted() -> None:
    app = create_app(MODELS, Limits(threads=7))
    before = read_metrics(app)
    bounds = [
        "0.005",
        "0.01",
        "0.025",
        "0.05",
        "0.1",
        "0.25",
        "0.5",
        "1.0",
        "2.5",
        "5.0",
        "10.0",
        "30.0",
        "60.0",
        "+Inf",
    ]
    replies = {
        ("POST", "/models", 200): get(app, "/models", "POST"),
        ("HEAD", "/health", 200): get(app, "/health", "HEAD"),
        ("OPTIONS", "/api/parse", 405): get(app, "/api/parse", "OPTIONS"),
        ("other", "/api/parse", 405): get(app, "/api/parse", "PUT"),
        ("GET", "other", 404): get(app, "/nothing"),
        ("POST", "/api/parse", 400): ask(app, "/api/parse", b'{"text": ""}'),
        ("POST", "/api/annotate", 200): ask(app, "/api/annotate", b'{"text": "a dog"}'),
    }
    after = read_metrics(app)
    expected = {f'requests_total{{method="{m}",route="{path}",status="{s}"}}': 1.0 for m, path, s in replies}
    once = 'requests_total{method="GET",route="/metrics",status="200"}'
    counted = {name: value for name, value in after.items() if name.startswith("requests_total")}
    assert counted == expected | {once: 1.0}
    sent = sum(len(reply.body) for reply in replies.values())
    sizes = {name: after[name] - before[name] for name in ("received_bytes_total", "sent_bytes_total")}
    assert sizes["received_bytes_total"] == len(b'{"text": ""}') + len(b'{"text": "a dog"}')
    assert sizes["sent_bytes_total"] >= sent
    assert [name for name in after if name.startswith("request_seconds_bucket") and '"/models"' in name] == [
        f'request_seconds_bucket{{le="{bound}",route="/models"}}' for bound in bounds
    ]
    plain = ("processes", "threads", "threads_busy", "requests_in_progress", "body_bytes")
    assert [after[name] for name in plain] == [1, 7, 0, 0, 0]


def test_time_and_memory_are_those_of_the_process() -> None:
    metrics = Metrics(1)
    begin = time.process_time()
    for _ in range(5):
        metrics.refresh()
    values = dict(re.findall(rb"^dodona_(\w+) (\S+)$", metrics.write(), re.M))
    assert begin <= float(values[b"cpu_seconds_total"]) <= time.process_time()
    resident = float(values[b"resident_memory_bytes"])
    if os.path.exists("/proc/self/statm"):
        own = int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        assert resident == pytest.approx(own, rel=0.1)


def test_the_version_of_all_that_runs() -> None:
    one, other = Pipeline(linear("arc-eager").parser), Pipeline(linear("arc-hybrid").parser)
    one.about, other.about = {"data": "a treebank", "name": "no"}, {}
    answer = get(create_app(Models({"one": one, "other": other})), "/version").json
    models = {"one": "a treebank", "other": ""}
    assert answer == {"dodona": dodona.__version__, "python": platform.python_version(), "models": models}
