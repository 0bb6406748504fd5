"""`dodona`: finds the command, and converts errors to one line on stderr and an exit code."""

import atexit
import os
import signal
import sys
import warnings
from contextlib import suppress
from importlib import import_module

import click

from dodona import DodonaError, FormatWarning, OptionError, __version__
from dodona.cli.options import import_option
from dodona.cli.process import hear_signals, last_signal, prepare_standard_streams
from dodona.transitions.system import COMPILED

__all__ = ["dodona", "run"]

CORE = "compiled core" if COMPILED else "interpreted core: slow, for debugging only"
MODEL_PARAMETERS = ("model", "models", "teacher", "committee", "arguments", "names")  # `arguments` begin with one
COMPLETION = "_DODONA_COMPLETE"  # set by shells that ask for completions
COMMANDS = (  # the most frequently used ones come first
    "parse", "train", "pretrain", "distill", "evaluate", "crossvalidate", "validate", "convert", "draw", "search",
    "info", "models", "package", "stats", "oracle", "lattice", "experiment", "bench", "annotate", "serve", "cite",
)  # fmt: skip


class Commands(click.Group):
    """Imports a command when it is called: the program starts faster, and Ctrl-C is handled during the import."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        values = vars(import_module(f"dodona.cli.commands.{cmd_name}")).values()
        command = next(each for each in values if isinstance(each, click.Command) and each.name == cmd_name)
        if COMPLETION in os.environ:
            _complete_file_names(command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            ctx.fail(_explain_unknown(args[0]))
        return super().resolve_command(ctx, args)


def _explain_unknown(name: str) -> str:
    """Return what to say about a command that there is not."""
    from difflib import get_close_matches

    close = get_close_matches(name, COMMANDS)
    if close:
        meant = " or ".join(f"'{command}'" for command in close)
        return f"No such command '{name}'. Did you mean {meant}?"
    if os.path.exists(name) or any(letter.isspace() for letter in name):
        return f"No such command '{name[:40]}'. Did you mean `dodona parse`, which takes files and texts?"
    return f"No such command '{name}'; expected one of: {', '.join(COMMANDS)}."


def _complete_file_names(command: click.Command) -> None:
    """Let the shell complete file names wherever a command takes any text: most of these values are files; and the
    names of models where a model is expected.

    Without that, a shell that asks `dodona` for completions would complete nothing there.
    """
    from click.shell_completion import CompletionItem

    def complete(incomplete: str, names_models: bool) -> list[CompletionItem]:
        from dodona.pipeline.models import model_names

        names = [name for name in model_names() if name.startswith(incomplete)] if names_models else []
        return [*map(CompletionItem, names), CompletionItem(incomplete, type="file")]

    for parameter in command.params:
        if parameter.type is click.STRING:
            of_models = parameter.name in MODEL_PARAMETERS
            parameter.shell_complete = lambda _, incomplete, m=of_models: complete(incomplete, m)  # type: ignore[method-assign,misc]


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message=f"%(prog)s %(version)s ({CORE})")
@import_option()
def dodona() -> None:
    """Dependency parsing from raw text to trees, with exact oracles.

    \b
    dodona parse "Oak trees grow slowly." --format tree
    dodona train train.conllu --dev dev.conllu -o my.model
    dodona COMMAND --help

    Exit codes: 0 done, 1 bad input, 2 bad usage, 130 interrupted (129 by SIGHUP, 143 by SIGTERM).
    """


def run() -> None:
    """The entry point of the installed program."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy would start threads, which are not needed
    warnings.simplefilter("always", FormatWarning)  # readers report each kind of warning once per file
    warnings.showwarning = _show_warning
    prepare_standard_streams()
    hear_signals()
    try:
        _run_command()
    except click.UsageError as error:
        click.echo(f"dodona: {_describe_usage(error)}", err=True)
        sys.exit(2)
    except (click.Abort, KeyboardInterrupt):
        _end_at_once()
    except DodonaError as error:
        click.echo(f"dodona: {error}", err=True)
        sys.exit(2 if isinstance(error, OptionError) else 1)
    except MemoryError:
        click.echo("dodona: there is not enough memory for this; expected less input, or fewer jobs", err=True)
        sys.exit(1)
    except OSError as error:
        if not isinstance(error, BrokenPipeError):  # the reader (`| head`) has closed the pipe
            click.echo(f"dodona: {error.filename or 'standard output'}: {error.strerror}", err=True)
        # keep Python from reporting an error when it closes stdout
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


def _describe_usage(error: click.UsageError) -> str:
    """Return an error of usage in the style of all others: in small letters, without a full stop, with what helps."""
    message = error.format_message().strip().removesuffix(".")
    if message[1:2].islower():
        message = message[0].lower() + message[1:]
    return message if error.ctx is None else f"{message} (`{error.ctx.command_path} --help` says more)"


def _run_command() -> None:
    try:
        dodona.main(prog_name="dodona", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as help_text:
        click.echo(help_text.format_message())
        sys.exit(2)


def _end_at_once() -> None:
    """End after Ctrl-C, SIGTERM or SIGHUP. Everything that was open is closed by now; threads and processes that are
    still busy are not waited for, and a second Ctrl-C changes nothing."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    click.echo("dodona: interrupted", err=True)
    if "multiprocessing" in sys.modules:
        for process in sys.modules["multiprocessing"].active_children():
            process.terminate()
    with suppress(OSError, ValueError):
        sys.stdout.flush()
    atexit._run_exitfuncs()  # what modules release at the end, such as semaphores shared with these processes
    os._exit(128 + last_signal())


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    """Called by `warnings`: print a warning like an error, without the source line."""
    click.echo(f"dodona: {message}", err=True)
