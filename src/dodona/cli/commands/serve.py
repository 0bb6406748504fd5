"""`dodona serve`: parsing over HTTP, and the playground page."""

import gc
import os
import socket
import warnings
from collections.abc import Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING

import click

from dodona.cli.options import amount, choice, flag, integer, option
from dodona.cli.outputs import say
from dodona.errors import FormatWarning, OptionError

if TYPE_CHECKING:
    from dodona.server.service import Limits

MISSING = "a server needs more packages; install them with: pip install 'dodona[serve]'"
LOCAL = ("127.0.0.1", "::1", "localhost")
MEBIBYTE = 1 << 20


@click.command(short_help="Serve models over HTTP, and the playground page.")
@click.argument("models", nargs=-1)
@option("--host", "Address to listen on; 0.0.0.0: all networks.", default="127.0.0.1")
@option("--port", "0: any free port.", default=8001, type=click.IntRange(0, 65535))
@flag("--open", "Open the playground page in a browser.", name="opened")
@integer(
    "--threads",
    "Requests that each process works on at the same time. [default: as many as there are cores for it]",
    least=0,
)
@integer("--processes", "Processes that share the work and the models; each has its own limits.", default=1)
@integer("--waiting", "Requests that may wait for a thread; a further one gets the answer 503.", default=256, least=0)
@integer(
    "--per-client", "Requests of one client, by its address, at a time; a further one gets the answer 429.", default=128
)
@amount(
    "--timeout SECONDS", "Time for a request, the wait for a thread included; then the answer is 504.", default=60.0
)
@amount("--max-size MIB", "Mebibytes in a request; for a larger one the answer is 413.", default=4.0)
@integer("--connections", "Connections of one client, by its address, at a time; a further one is closed.", default=256)
@amount(
    "--max-memory MIB",
    "Mebibytes that requests, answers and the work on them may need at a time, beside the models; further ones wait, "
    "or the answer is 503. The answer to one that needs more than three tenths is 413.",
    default=256.0,
)
@option(
    "--allow-host NAME",
    "Answer to this name in the Host header, or with *.NAME to all that end so, and to no others. [default: to "
    "local names only, if the server listens on one, and else to all]",
    name="hosts",
    multiple=True,
)
@option(
    "--allow-origin ORIGIN",
    "Let pages of another site use the server, for example https://example.org; *: all. [default: none]",
    name="origins",
    multiple=True,
)
@choice(
    "--log-level",
    "error: faults of Dodona; warning: what is no HTTP, too; info: a line for each request, too.",
    values=("error", "warning", "info", "debug"),
    default="warning",
)
@choice("--log-format", "Lines for people, or an object of JSON a line.", values=("text", "json"))
@flag("--log-text", "Let the lines of requests have the beginning of what was sent.")
def serve(
    models: tuple[str, ...], host: str, port: int, opened: bool, threads: int | None, processes: int, waiting: int,
    per_client: int, connections: int, timeout: float, max_size: float, max_memory: float, hosts: tuple[str, ...],
    origins: tuple[str, ...], log_level: str, log_format: str, log_text: bool,
) -> None:  # fmt: skip
    """Serve MODELS: names, files, or NAME=FILE; without any, those that come with Dodona. The first is the default.

    The page at the address that is printed shows trees, oracles and derivations. The interface for programs is that of
    UDPipe's service (/process, /models), and one with JSON; /api describes both. Ctrl-C or SIGTERM ends the server,
    after the requests that are being worked on; a second Ctrl-C at once. The exit status is 130 after Ctrl-C, and 0
    after SIGTERM. A socket that systemd passes on is used instead of --host and --port.

    \b
    dodona serve
    dodona serve my.model en --port 8080
    dodona serve english:my-corpus=my.model --host 0.0.0.0 --allow-host parser.example.org
    """
    from dodona.pipeline.processes import available_cores

    with ExitStack() as stack:
        try:
            from dodona.server.log import set_up_log
            from dodona.server.run import listen, receive_socket, share_metrics

            if processes > 1:
                stack.enter_context(share_metrics())
            from dodona.server.service import Limits
        except ImportError as error:
            raise OptionError(f"{MISSING} ({error})") from error
        limits = Limits(
            size=int(max_size * MEBIBYTE),
            seconds=timeout,
            threads=threads or max(1, available_cores() // processes),
            waiting=waiting,
            client=per_client,
            memory=int(max_memory * MEBIBYTE),
            hosts=hosts or (LOCAL if host in LOCAL else ()),
            origins=origins,
            connections=connections,
            shows_text=log_text,
        )
        set_up_log(log_level, log_format)
        warnings.simplefilter("ignore", FormatWarning)  # who sends a text sees the answer, and not this terminal
        given = receive_socket(processes) or listen(host, port, processes)
        sockets = [stack.enter_context(each) for each in given]
        _serve(models, limits, sockets, opened)
    say("stopped")


def _serve(models: Sequence[str], limits: "Limits", sockets: list[socket.socket], opened: bool) -> None:
    from dodona.server.app import create_app
    from dodona.server.models import Models
    from dodona.server.run import notify_ready, serve, supervise, write_address

    loaded = Models.load(models)
    gc.collect()
    gc.freeze()  # what is loaded stays: it need not be looked at again, nor be copied in other processes
    address = write_address(sockets[0])
    say(f"the playground is at {address}")
    notify_ready()
    if opened:
        click.launch(address)
    parent = os.getpid() if len(sockets) > 1 else None

    def work(k: int) -> None:
        serve(create_app(loaded, limits), sockets[k], limits.seconds, parent)

    if parent is not None:
        supervise(work, sockets, say)
    else:
        work(0)
