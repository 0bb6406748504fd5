"""Who may ask, and what every answer has: headers, and nothing of the machine."""

from pathlib import Path

import pytest
from samples.asgi import Reply, ask
from samples.small_models import whole
from starlette.applications import Starlette

from dodona import OptionError
from dodona.server.app import PAGE, create_app
from dodona.server.metrics import ProcessesCollector
from dodona.server.models import Models
from dodona.server.service import Limits

MODELS = Models({"whole": whole()})
LOCAL = ("127.0.0.1", "::1", "localhost")
PATHS = ["/", "/style.css", "/api", "/models", "/process", "/api/nothing", "/health", "/metrics"]
OURS = ["localhost", "localhost:8001", "LOCALHOST", "127.0.0.1:80", "[::1]:8001", "localhost."]
OTHERS = ["", "evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80", "[", "10.0.0.1"]
OUTSIDE = ["/../app.py", "/%2e%2e/app.py", "/..%2fapp.py", "//etc/passwd", "/page/index.html", "/\0", "/app.py"]


@pytest.fixture(scope="module")
def app() -> Starlette:
    return create_app(MODELS, Limits(hosts=LOCAL))


def get(app: Starlette, path: str, method: str = "GET", **headers: str) -> Reply:
    return ask(app, path, method=method, headers={name.replace("_", "-"): value for name, value in headers.items()})


@pytest.mark.parametrize("path", PATHS)
def test_every_answer_has_the_headers(app: Starlette, path: str) -> None:
    headers = get(app, path).headers
    policy = headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';")
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-opener-policy"] == "same-origin"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert headers["cache-control"] == "no-store"
    assert "access-control-allow-origin" not in headers
    assert "server" not in headers


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
