"""Tasks on processes of this machine, and on workers of Dask, which may die whenever they like."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from samples.mortal_tasks import always_die, die, double, double_anywhere, end_early, remember

from dodona import DodonaError
from dodona.distributed import processes
from dodona.distributed.cluster import Cluster, DaskSession
from dodona.distributed.processes import ProcessSession

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals")


def collect(session: ProcessSession) -> dict[Any, Mapping[str, Any] | str]:
    return {task: result if result is not None else reason for task, result, reason in session.outcomes()}


def test_tasks_are_done_though_processes_die(tmp_path: Path) -> None:
    with ProcessSession(1) as session:
        session.prepare(remember, "model")
        session.submit("first", "a", double, 1)
        session.submit("urgent", "b", double, 2, urgent=True)
        outcomes = session.outcomes()
        assert [next(outcomes)[0], next(outcomes)[0]] == ["urgent", "first"]
        session.submit("dies once", "c", die, tmp_path / "died")
        session.submit("fails", "d", end_early, 1)
        session.submit("after", "e", double, 3)
        found = collect(session)
        assert found["dies once"] == {"lives": True}
        assert found["fails"] == "EOFError: a file that is cut off"
        after = found["after"]
        assert isinstance(after, Mapping)
        assert (after["twice"], after["prepared"]) == (6, ["model"])  # the new process was prepared, and once
        (worker,) = session._workers
        os.kill(worker.process.pid, signal.SIGKILL)  # while it waits
        session.submit("idle", "f", double, 4)
        session.submit("kills", "g", always_die, 1)
        session.submit("last", "h", double, 5)
        found = collect(session)
        assert {name: each["twice"] for name, each in found.items() if isinstance(each, Mapping)} == {
            "idle": 8, "last": 10,
        }  # fmt: skip
        assert found["kills"] == "4 processes died while they did this (out of memory?)"
        pids = [worker.process.pid for worker in session._workers]
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_processes_that_cannot_begin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "failing_module.py").write_text("raise ValueError('not today')")
    (tmp_path / "dying_module.py").write_text("import os; os._exit(1)")
    monkeypatch.setattr(processes, "MAX_STARTS", 1)
    for module, message in (
        ("failing_module", "a process could not begin: ValueError: not today"),
        ("dying_module", "1 processes died as soon as they were started"),
    ):
        with ProcessSession(1, [module]) as session:
            session.submit("first", "a", double, 1)
            with pytest.raises(DodonaError, match=message):
                collect(session)


def test_a_result_that_is_lost_with_its_worker_is_waited_for() -> None:
    """Dask computes it again. The client is told that it is lost, and later that it is there."""
    dask: Any = pytest.importorskip("distributed", reason="pip install 'dodona[dask]'")
    options = {"n_workers": 1, "processes": False, "protocol": "tcp", "host": "127.0.0.1", "dashboard_address": None}
    scheduler = {"dashboard_address": "127.0.0.1:0"}
    with (
        dask.LocalCluster(threads_per_worker=1, scheduler_kwargs=scheduler, silence_logs=50, **options) as cluster,
        Cluster(0, cluster.scheduler_address).session() as session,
    ):
        assert isinstance(session, DaskSession)
        for number in range(8):
            session.submit(number, f"double-{session.token}-{number}", double_anywhere, number)
        first, *others = [future for _, future in session._tasks.values()]
        dask.wait([first, *others])
        first._state.lose()  # as the client does when the scheduler says so, after the callback for its end
        outcomes = session.outcomes()
        found = dict(next(outcomes)[:2] for _ in range(7))
        assert 0 not in found
        first._state.finish()
        found |= {task: result for task, result, _ in outcomes}
    assert found == {number: {"twice": 2 * number} for number in range(8)}


@pytest.mark.skipif(shutil.which("openssl") is None, reason="makes certificates with openssl")
def test_a_scheduler_with_certificates(tmp_path: Path) -> None:
    dask: Any = pytest.importorskip("distributed", reason="pip install 'dodona[dask]'")
    ca, cert, key = (str(tmp_path / name) for name in ("ca.pem", "cert.pem", "key.pem"))
    make = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=dodona", "-keyout"]
    subprocess.run([*make, key, "-out", cert], check=True, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    shutil.copy(cert, ca)  # a certificate that vouches for itself
    names = {f"tls_{role}_{kind}": file for role in ("scheduler", "worker", "client")
             for kind, file in (("cert", cert), ("key", key))}  # fmt: skip
    security = dask.Security(tls_ca_file=ca, require_encryption=True, **names)
    options = {"n_workers": 1, "processes": False, "protocol": "tls", "host": "127.0.0.1", "dashboard_address": None}
    scheduler = {"dashboard_address": "127.0.0.1:0"}
    with dask.LocalCluster(security=security, scheduler_kwargs=scheduler, silence_logs=50, **options) as cluster:
        address = cluster.scheduler_address
        assert address.startswith("tls://")
        with Cluster(0, address, tls=str(tmp_path)).session() as session:
            session.submit("first", f"double-{session.token}", double_anywhere, 21)
            assert list(session.outcomes()) == [("first", {"twice": 42}, "")]
        with pytest.raises(DodonaError, match="no Dask scheduler at tls://"), Cluster(0, address).session():
            pass
