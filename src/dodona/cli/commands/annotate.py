"""`dodona annotate`: a treebank and a model made better together, by people, in the browser."""

import getpass
import os
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dodona.cli.commands.serve import LOCAL, MISSING
from dodona.cli.options import flag, integer, option
from dodona.cli.outputs import choose_format, format_option, output_option, say, write_results, write_text
from dodona.data.conllu import write
from dodona.data.files import chunks
from dodona.data.formats import decode_text
from dodona.data.marks import OPEN, write_status
from dodona.errors import DodonaError, FormatWarning, OptionError
from dodona.tables import FORMATS, Result, format_json

if TYPE_CHECKING:
    from dodona.annotation.session import AnnotationSession
    from dodona.pipeline.pipeline import Pipeline

MAX_MEMORY = 512 << 20
SECONDS = 60.0
MAX_NAME = 60


@click.command("annotate", short_help="Annotate a treebank in the browser, with a model that learns.")
@click.argument("files", nargs=-1, required=True, metavar="FOLDER|FILE...")
@option(
    "--model MODEL",
    "A model that guesses; further ones are shown beside it. May be given several times.",
    name="models",
    multiple=True,
)
@option(
    "--text FILE",
    "Raw text that is tokenized and parsed into a new file of the project. May be given several times.",
    name="texts",
    multiple=True,
)
@option("--name NAME", "Who annotates. [default: the name of the user]")
@integer(
    "--retrain-after",
    "Train a model on what is annotated after every N sentences that are done. [default: only "
    "when the page asks for it]",
)
@option(
    "--beside FOLDER",
    "A copy of the project that somebody else has annotated, shown beside. May be given several times.",
    multiple=True,
)
@option("--port", "0: any free port.", default=8001, type=click.IntRange(0, 65535))
@flag("--open", "Open the page in a browser.", name="opened")
@flag("--status", "Say what is done, by whom, how fast, and how far annotators agree; then end.")
@output_option("With --status: where to write; the name says the format.")
@format_option(FORMATS, "table")
def annotate_command(
    files: tuple[str, ...], models: tuple[str, ...], texts: tuple[str, ...], name: str | None,
    retrain_after: int | None, beside: tuple[str, ...], port: int, opened: bool, status: bool, target: str,
    form: str | None,
) -> None:  # fmt: skip
    """Annotate the CoNLL-U files of FOLDER, or FILES, on a page in the browser.

    The model guesses, and a person confirms or changes; all that is not confirmed is parsed again around what is. Every
    action is in the journal, annotation.jsonl beside the files, before the page shows it as saved. The files are
    written when the page asks for it, and at the end (Ctrl-C); what somebody else has changed meanwhile is not
    overwritten. MISC says what is confirmed (Confirmed=…) and changed (Changed=…); `dodona train`, `parse
    --constrained` and `evaluate` understand that, and `dodona convert --remove-marks` takes it out.

    \b
    dodona annotate treebank/ --model en --open
    dodona annotate treebank/ --model my.model --text new.txt --name ana
    dodona annotate treebank/ --model my.model --model en --retrain-after 50
    dodona annotate final/ --model my.model --beside ana/ --beside ben/
    dodona annotate --status treebank/
    dodona annotate --status ana/ ben/ -o agreement.md
    """
    if status:
        _show_status(files, target, form)
        return
    if target != "-" or form is not None:
        raise click.UsageError("-o and --format are for --status.")
    if not models:
        raise click.UsageError("--model is missing: without one nothing is guessed.")
    _annotate(files, models, texts, _check_name(name), retrain_after, beside, port, opened)


def _annotate(
    files: tuple[str, ...], models: tuple[str, ...], texts: tuple[str, ...], name: str, retrain_after: int | None,
    beside: tuple[str, ...], port: int, opened: bool,
) -> None:  # fmt: skip
    try:
        from dodona.server.annotation.functions import INDEX, PAGES, list_functions
        from dodona.server.app import create_app
        from dodona.server.log import set_up_log
        from dodona.server.models import Models
        from dodona.server.run import listen, serve, write_address
        from dodona.server.service import Limits
    except ImportError as error:
        raise OptionError(f"{MISSING} ({error})") from error
    from dodona.annotation.learning import MODEL
    from dodona.annotation.project import Project, find_files
    from dodona.annotation.session import AnnotationSession

    folder, paths = find_files(files)
    if not paths and not texts:
        raise OptionError(f"{folder}: no file ends with .conllu; expected some, or --text")
    loaded = Models.load(models)
    set_up_log("warning", "text")
    (sock,) = listen("127.0.0.1", port, 1)
    with sock:
        paths += [_add_text(text, folder, loaded.pipelines[loaded.default]) for text in texts]
        project = Project(folder, paths, name)
        for message in project.messages:
            say(message)
        warnings.simplefilter("ignore", FormatWarning)  # said when the files were read
        others = [Project(*find_files([other]), "", writes=False) for other in beside]
        session = AnnotationSession(project, loaded.pipelines, retrain_after, others)
        if session.learner.pipeline is not None:
            say(f"{folder / MODEL} guesses, which was trained here; without it, {models[0]} does")
        try:
            limits = Limits(seconds=SECONDS, memory=MAX_MEMORY, hosts=LOCAL)
            app = create_app(loaded, limits, list_functions(session), PAGES, INDEX)
            address = write_address(sock)
            say(f"the page is at {address} (Ctrl-C ends it)")
            if opened:
                click.launch(address)
            serve(app, sock, 1.0)
        finally:
            _end(session)


def _end(session: "AnnotationSession") -> None:
    """Write the files, and say what is where."""
    project = session.project
    try:
        for each in session.save():
            path = project.files[each["file"]].path
            if each["state"] == "written":
                say(f"{path}: written")
            elif each["state"] != "unchanged":
                kept = f"what was done is in {project.journal.path}"
                say(f"{path}: {each['state']} meanwhile, and not overwritten; {kept}")
    except DodonaError as error:
        say(f"{error}; what was done is in {project.journal.path}")
    finally:
        session.close()


def _check_name(name: str | None) -> str:
    if name is None:
        try:
            name = getpass.getuser()
        except (KeyError, OSError):
            name = "annotator"
    if not name.strip() or not name.isprintable() or len(name) > MAX_NAME:
        raise OptionError(f"--name {name!r}; expected a name of at most {MAX_NAME} letters")
    return name.strip()


def _add_text(text: str, folder: Path, pipeline: "Pipeline") -> Path:
    """Tokenize and parse a text into a new file of a project, all of which is open."""
    base = os.path.basename(text)
    target = folder / f"{os.path.splitext(base)[0]}.conllu"
    if target.exists():
        raise OptionError(f"{target}: there is such a file already; expected --text with another name, or none")
    sentences = []
    for sentence in pipeline.parse(pipeline.sentences(decode_text(chunks(text), text))):
        sentence.set_comments(write_status(sentence.comments, OPEN))
        sentences.append(sentence)
    if not sentences:
        raise DodonaError(f"{text}: no sentence in this text")
    write(sentences, target)
    say(f"{target}: {len(sentences):,} sentences of {text}")
    return target


def _show_status(files: tuple[str, ...], target: str, form: str | None) -> None:
    from dodona.annotation.agreement import describe_status, status_tables
    from dodona.annotation.project import Project, find_files

    form = choose_format(target, form, FORMATS, "table")
    folders = [name for name in files if Path(name).is_dir()]
    groups = [(name,) for name in folders] if len(folders) == len(files) else [files]
    projects = [Project(*find_files(group), "", writes=False) for group in groups]
    described = describe_status(projects)
    if form == "json":
        write_text(format_json(described), target)
    else:
        write_results([Result(list(files), status_tables(described))], form, target, "Annotation")
