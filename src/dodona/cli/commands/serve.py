"""`dodona serve`: parsing over HTTP, and the playground page."""

import gc
import socket
import warnings
from collections.abc import Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING

import click

from dodona.errors import DodonaError, FormatWarning, OptionError

if TYPE_CHECKING:
    from dodona.server.limits import Limits

MISSING = "a server needs Starlette and uvicorn; install them with: pip install 'dodona[serve]'"
LOCAL = ("127.0.0.1", "::1", "localhost")
MEBIBYTE = 1 << 20


@click.command(short_help="Serve models over HTTP, and the playground page.")
@click.argument("models", nargs=-1)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on; 0.0.0.0: all networks.")
@click.option("--port", default=8001, show_default=True, type=click.IntRange(0, 65535), help="0: any free port.")
@click.option("--open", "opened", is_flag=True, help="Open the playground page in a browser.")
@click.option(
    "--threads",
    default=0,
    type=click.IntRange(0),
    metavar="N",
    help="Requests that each process works on at the same time. [default: as many as there are cores for it]",
)
@click.option(
    "--processes",
    default=1,
    show_default=True,
    type=click.IntRange(1),
    metavar="N",
    help="Processes that share the work and the models; each has its own limits.",
)
@click.option(
    "--waiting",
    default=256,
    show_default=True,
    type=click.IntRange(0),
    metavar="N",
    help="Requests that may wait for a thread; a further one gets the answer 503.",
)
@click.option(
    "--per-client",
    default=128,
    show_default=True,
    type=click.IntRange(1),
    metavar="N",
    help="Requests of one client, by its address, at a time; a further one gets the answer 429.",
)
@click.option(
    "--timeout",
    default=60.0,
    show_default=True,
    type=click.FloatRange(0, min_open=True),
    metavar="SECONDS",
    help="Time for a request, the wait for a thread included; then the answer is 504.",
)
@click.option(
    "--max-size",
    default=4.0,
    show_default=True,
    type=click.FloatRange(0, min_open=True),
    metavar="MIB",
    help="Mebibytes in a request; for a larger one the answer is 413.",
)
@click.option(
    "--max-memory",
    default=256.0,
    show_default=True,
    type=click.FloatRange(0, min_open=True),
    metavar="MIB",
    help="Mebibytes in all requests and answers at a time; then the answer is 503.",
)
@click.option(
    "--allow-host",
    "hosts",
    multiple=True,
    metavar="NAME",
    help="Answer to this name in the Host header, and to no others. [default: to local names only, if the server "
    "listens on one, and else to all]",
)
@click.option(
    "--allow-origin",
    "origins",
    multiple=True,
    metavar="ORIGIN",
    help="Let pages of another site use the server, for example https://example.org; *: all. [default: none]",
)
def serve(
    models: tuple[str, ...], host: str, port: int, opened: bool, threads: int, processes: int, waiting: int,
    per_client: int, timeout: float, max_size: float, max_memory: float, hosts: tuple[str, ...],
    origins: tuple[str, ...],
) -> None:  # fmt: skip
    """Serve MODELS: names, files, or NAME=FILE; without any, those that come with Dodona. The first is the default.

    The page at the address that is printed shows trees, oracles and derivations. The interface for programs is that of
    UDPipe's service (/process, /models), and one with JSON; /api describes both. Ctrl-C or SIGTERM ends the server,
    after the requests that are being worked on.

    \b
    dodona serve
    dodona serve my.model en --port 8080
    dodona serve english:my-corpus=my.model --host 0.0.0.0 --allow-host parser.example.org
    """
    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise OptionError(f"{MISSING} ({error})") from error
    from dodona.pipeline.processes import available_cores
    from dodona.server.limits import Limits
    from dodona.server.processes import check_processes

    check_processes(processes)
    limits = Limits(
        size=int(max_size * MEBIBYTE),
        seconds=timeout,
        threads=threads or max(1, available_cores() // processes),
        waiting=waiting,
        client=per_client,
        memory=int(max_memory * MEBIBYTE),
        hosts=hosts or (LOCAL if host in LOCAL else ()),
        origins=origins,
    )
    warnings.simplefilter("ignore", FormatWarning)  # who sends a text sees the answer, and not this terminal
    with ExitStack() as stack:
        sockets = [stack.enter_context(each) for each in _sockets(host, port, processes)]
        _serve(models, limits, sockets, opened)
    _say("stopped")


def _sockets(host: str, port: int, count: int) -> list[socket.socket]:
    """Return a socket for each process; all of them have the same port."""
    from dodona.server.run import listening

    found = []
    try:
        for _ in range(count):
            found.append(listening(host, port, shared=count > 1))
            port = found[0].getsockname()[1]
    except OSError as error:
        raise DodonaError(f"cannot listen on {host}, port {port}: {error.strerror or error}") from error
    return found


def _serve(models: Sequence[str], limits: "Limits", sockets: list[socket.socket], opened: bool) -> None:
    """Load models and serve them, until a signal comes."""
    from dodona.server.app import create_app
    from dodona.server.metrics import Board
    from dodona.server.models import Models
    from dodona.server.processes import supervise
    from dodona.server.run import address, serve

    loaded = Models.load(models)
    gc.collect()
    gc.freeze()  # what is loaded stays: it need not be looked at again, nor be copied in other processes
    _say(f"the playground is at {address(sockets[0])}")
    if opened:
        click.launch(address(sockets[0]))
    board = Board(len(sockets))

    def work(k: int) -> None:
        serve(create_app(loaded, limits, board=board, place=k), sockets[k], limits.seconds)

    if len(sockets) > 1:
        supervise(work, sockets, _say)
    else:
        work(0)


def _say(message: str) -> None:
    click.echo(f"dodona: {message}", err=True)
