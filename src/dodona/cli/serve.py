"""`dodona serve`: parsing over HTTP, and the playground page."""

import warnings

import click

from dodona.errors import FormatWarning, OptionError

MISSING = "a server needs Starlette and uvicorn; install them with: pip install 'dodona[serve]'"
LOCAL = ("127.0.0.1", "::1", "localhost")


@click.command(short_help="Serve models over HTTP, and the playground page.")
@click.argument("models", nargs=-1)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on; 0.0.0.0: all networks.")
@click.option("--port", default=8001, show_default=True, type=click.IntRange(0, 65535), help="0: any free port.")
@click.option("--open", "opened", is_flag=True, help="Open the playground page in a browser.")
def serve(models: tuple[str, ...], host: str, port: int, opened: bool) -> None:
    """Serve MODELS: names, files, or NAME=FILE; without any, those that come with Dodona. The first is the default.

    \b
    dodona serve
    dodona serve my.model en --port 8080
    """
    try:
        from dodona.server.app import create_app
        from dodona.server.run import listening
        from dodona.server.run import serve as run_server
    except ImportError as error:
        raise OptionError(f"{MISSING} ({error})") from error
    from dodona.server.limits import Limits
    from dodona.server.models import Models

    warnings.simplefilter("ignore", FormatWarning)  # those who send a text see the answer, and not this terminal
    app = create_app(Models.load(models), Limits(hosts=LOCAL if host in LOCAL else ()))
    sock = listening(host, port)
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{sock.getsockname()[1]}/"
    click.echo(f"dodona: the playground is at {address}", err=True)
    if opened:
        click.launch(address)
    run_server(app, sock)
    click.echo("dodona: stopped", err=True)
