"""What docs/extending.md promises: systems, templates, scorers and components from outside the package.

The system in examples/new_system is there three times: compiled as its README says, run by the interpreter from the
same file, and written in another way in quick.py. What holds for all systems must hold for it, and the three agree.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib import import_module, util
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from parser import test_constraints as given_arcs
from samples.blocks import excerpts, run_blocks
from samples.treebank import treebank
from samples.variants import LABELS, Variant
from search import test_beam as beams
from systems import test_every_system as every
from systems import test_off_the_path as off_the_path
from systems import test_partial_trees as partial_trees

import dodona
from dodona import FormatError, OptionError, Sentence, write
from dodona.data.spacing import detokenize
from dodona.parser.options import ParserOptions
from dodona.parser.parser import Parser, Request
from dodona.parser.training import train_parser
from dodona.pipeline.pipeline import Pipeline
from dodona.research.verification import explore, verify
from dodona.systems.registry import SYSTEMS, Entry, register
from dodona.transitions import derivations
from dodona.transitions.moves import SHIFT
from dodona.transitions.state import State

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "examples"
PAGE = ROOT / "docs" / "extending.md"
NAME = "buffer-hybrid"
TWINS = ("interpreted-buffer-hybrid", "quick-buffer-hybrid")
SHELL = re.compile(r"^```sh\n(.*?)^```", re.M | re.S)
INDENTED = re.compile(r"^    (.*)$", re.M)
SECONDS = 100


def run(command: list[str], folder: Path, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        command,
        cwd=folder,
        env=os.environ | environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


def command_line(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """`dodona` with the folder of the compiled system on the path."""
    path = os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])
    return run([sys.executable, "-m", "dodona", *arguments], folder, PYTHONPATH=path)


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The example compiled by the commands in its README, and what the last of them shows."""
    folder = tmp_path_factory.mktemp("new_system")
    shutil.copytree(EXAMPLES, folder / "examples", ignore=shutil.ignore_patterns("*.so", "build", "__pycache__"))
    return folder / "examples" / "new_system", shell(commands_of_the_readme(), folder)


def commands_of_the_readme() -> list[str]:
    found: list[str] = SHELL.findall((EXAMPLES / "new_system" / "README.md").read_text(encoding="utf-8"))
    return found[0].splitlines()


def shell(commands: list[str], folder: Path) -> str:
    """What the commands print; what is on Python's path stays there, so that it is the same Dodona that is tested."""
    lines = "\n".join(commands).replace("PYTHONPATH=.", 'PYTHONPATH=".:$PYTHONPATH"')
    programs = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = run(["bash", "-ec", lines], folder, PATH=programs)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="session")
def entries(built: tuple[Path, str]) -> dict[str, Entry]:
    """Of the compiled system and its two twins; none of them stays registered."""
    folder, _ = built
    sys.path.insert(0, str(folder))
    try:
        compiled = import_module("buffer_hybrid")
        entries = [compiled.ENTRY]
        del SYSTEMS[NAME]
        interpreted = loaded("interpreted_buffer_hybrid", folder / "buffer_hybrid.py")
        entries.append(replace(interpreted.ENTRY, name=TWINS[0]))
        del SYSTEMS[NAME]
        entries.append(import_module("quick").ENTRY)
        del SYSTEMS[TWINS[1]]
    finally:
        sys.path.remove(str(folder))
    assert str(compiled.__file__).endswith(".so")
    assert str(interpreted.__file__).endswith(".py")
    return {entry.name: entry for entry in entries}


def loaded(name: str, path: Path) -> ModuleType:
    spec = util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def registered(entries: dict[str, Entry], monkeypatch: pytest.MonkeyPatch) -> None:
    for name, entry in entries.items():
        monkeypatch.setitem(SYSTEMS, name, entry)


MANY_ROOTS, ONE_ROOT = (Variant(NAME, (("single_root", single),)) for single in (False, True))
BOTH = (MANY_ROOTS, ONE_ROOT)

LAWS: list[Callable[[], None]] = [
    *(partial(every.test_all_paths_end_in_exactly_the_intended_trees, v, n) for v in BOTH for n in range(5)),
    *(partial(every.test_cost_is_the_exhaustive_loss_difference, v, n) for v in BOTH for n in range(1, 5)),
    *(partial(every.test_labelled_cost_is_the_exhaustive_loss_difference, v, n) for v in BOTH for n in range(1, 4)),
    *(partial(every.test_static_derivation_rebuilds_the_tree_at_no_cost, v, n) for v in BOTH for n in range(6)),
    *(partial(every.test_static_derivation_carries_the_gold_labels, v) for v in BOTH),
    *(
        partial(every.test_costs_of_longer_sentences_against_memoised_search, variant=v, inventory=labels, most=most)
        for v in BOTH
        for labels, most in ((None, 7), (LABELS, 4))
    ),
    *(
        partial(partial_trees.test_cost_is_the_exhaustive_loss_difference_of_what_is_known, v, n)
        for v in BOTH
        for n in (1, 2, 3)
    ),
    *(partial(off_the_path.test_approximate_costs_always_come_and_cover_what_is_legal, v) for v in BOTH),
    *(
        partial(given_arcs.test_possible_parts_come_out_and_impossible_ones_are_refused, NAME, width)
        for width in (1, 4)
    ),
    partial(beams.test_a_beam_that_holds_everything_finds_every_tree_and_no_more, NAME),
    partial(beams.test_no_beam_ends_better_than_the_one_that_holds_everything_and_scores_fall, NAME),
    partial(beams.test_a_beam_of_one_is_greedy, NAME),
    partial(beams.test_the_room_of_a_beam_leaves_no_trace, NAME),
    *(partial(beams.test_every_system_learns_with_a_beam, NAME, oracle) for oracle in ("static", "nondeterministic")),
]


def told(law: Any) -> str:
    values = [*law.args, *law.keywords.values()]
    return " ".join([law.func.__name__.removeprefix("test_"), *map(str, values)])


@pytest.mark.usefixtures("registered")
@pytest.mark.parametrize("law", LAWS, ids=told)
def test_what_holds_for_every_system_holds_for_a_new_one(law: Callable[[], None]) -> None:
    law()


def test_the_three_commands_of_the_readme(built: tuple[Path, str]) -> None:
    _, shown = built
    assert len(commands_of_the_readme()) == 3
    assert "buffer-hybrid · static oracle" in shown
    assert "BUFFER:nsubj" in shown
    assert "11 transitions, the gold tree: 2 0 2 5 2 2" in shown  # arc-hybrid takes 13


@pytest.mark.usefixtures("registered")
@pytest.mark.parametrize("twin", TWINS)
@pytest.mark.parametrize("single_root", [False, True])
def test_python_and_compiled_system_agree_on_costs_and_derivations(twin: str, single_root: bool) -> None:
    one, other = (dodona.system(name, LABELS, single_root=single_root) for name in (NAME, twin))
    variant = Variant(NAME, (("single_root", single_root),))
    compared = 0
    for n in (1, 2, 3):
        configurations = explore(one, n).configurations
        for tree, labels in product(variant.trees(n), product(LABELS, repeat=n)):
            gold = one.gold(tree, labels)
            assert one.static(gold) == other.static(gold)
            for c in configurations:
                same = c.copy()
                same.entry, same.system_key = other.entry, other.initial(0).system_key
                assert one.legal(c) == other.legal(same)
                assert one.costs(c, gold) == other.costs(same, gold)
                compared += 1
    assert compared > 1_000


@pytest.mark.usefixtures("registered")
@pytest.mark.parametrize(
    "options",
    [{"oracle": "static"}, {"oracle": "nondeterministic"}, {"oracle": "dynamic", "update": "pa"}, {"beam": 4}],
    ids=str,
)
def test_python_and_compiled_system_train_the_same_models(options: dict[str, Any]) -> None:
    one, *others = (train_parser(treebank(60), ParserOptions(name, iterations=3, **options)) for name in (NAME, *TWINS))
    for other in others:
        assert all((other.parts()[1][name] == values).all() for name, values in one.parts()[1].items())
        for sentence in treebank(5, seed=5):
            assert one.ends(sentence) == other.ends(sentence)
    assert one.scores(treebank(40, seed=2))[1] > 97


def pipeline(**options: Any) -> Pipeline:
    return dodona.train(treebank(60), system=NAME, iterations=3, components=["parser"], **options)


@pytest.mark.usefixtures("registered")
def test_the_best_trees_and_given_arcs() -> None:
    parser: Parser = pipeline(beam=8).parser
    sentence = treebank(1, seed=4)[0]
    trees = parser.analyses(sentence, Request(nbest=4, confidence=True))
    assert len({(*tree.heads, *tree.labels) for tree in trees}) == len(trees) == 4
    assert [tree.score for tree in trees] == sorted((tree.score for tree in trees), reverse=True)
    words = sentence.words
    given = Sentence.from_words(words, heads=[3, *[None] * (len(words) - 1)], labels=["obj", *["_"] * (len(words) - 1)])
    for beam in (1, 8):
        (tree,) = parser.analyses(given, Request(beam=beam, constrained=True))
        assert (tree.heads[0], tree.labels[0]) == (3, "obj")


def test_models_and_the_command_line(built: tuple[Path, str], tmp_path: Path) -> None:
    """Training, saving, loading and parsing, also in several processes; nothing but `--import` imports anything."""
    folder, _ = built
    write(treebank(60), tmp_path / "train.conllu")
    write(treebank(500, seed=2), tmp_path / "text.conllu")
    data, text, model = (str(tmp_path / name) for name in ("train.conllu", "text.conllu", "my.model"))
    own = ("--import", "buffer_hybrid")
    assert NAME in command_line(folder, *own, "oracle", "--list").stdout
    options = ("--components", "parser", "--iterations", "3", "--system", NAME)
    trained = command_line(folder, *own, "train", data, "-o", model, *options)
    assert trained.returncode == 0, trained.stderr
    assert f"system:         {NAME}" in command_line(folder, *own, "info", model).stdout
    one, two = (command_line(folder, *own, "parse", model, text, "--jobs", jobs) for jobs in ("1", "2"))
    assert one.returncode == two.returncode == 0, two.stderr
    assert one.stdout == two.stdout
    assert one.stdout.count("\troot\t") == 500
    stranger = command_line(folder, "parse", model, text)
    assert stranger.returncode == 1
    assert f"my.model, parser: the parser's description is not valid: unknown system '{NAME}'" in stranger.stderr
    assert "--import MODULE" in stranger.stderr
    nobody = command_line(folder, "--import", "no_such_module", "oracle", "--list")
    assert (nobody.returncode, nobody.stderr) == (
        2,
        "dodona: --import no_such_module: No module named 'no_such_module'\n",
    )


@pytest.mark.usefixtures("registered")
def test_a_model_of_an_unregistered_system_is_refused(
    tmp_path: Path, built: tuple[Path, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Although its module could be imported."""
    nlp = pipeline()
    nlp.save(tmp_path / "my.model")
    (again,) = dodona.load(tmp_path / "my.model").parse(treebank(1, seed=9))
    assert again.heads == treebank(1, seed=9)[0].heads
    monkeypatch.delitem(SYSTEMS, NAME)
    monkeypatch.delitem(sys.modules, "buffer_hybrid")
    monkeypatch.syspath_prepend(built[0])
    with pytest.raises(FormatError, match=f"my.model, parser: .*unknown system '{NAME}'.*registers it"):
        dodona.load(tmp_path / "my.model")
    assert "buffer_hybrid" not in sys.modules


def test_names_are_taken_once(entries: dict[str, Entry], monkeypatch: pytest.MonkeyPatch) -> None:
    entry = entries[NAME]
    monkeypatch.setitem(SYSTEMS, NAME, entry)
    register(entry)
    with pytest.raises(OptionError, match="there is a system 'buffer-hybrid' already"):
        register(replace(entry))
    monkeypatch.setitem(SYSTEMS, "nameless", replace(entry, name="nameless", move_names={}))
    with pytest.raises(OptionError, match="nameless: move 7 has no name"):
        dodona.system("nameless")


def test_a_python_class_below_a_compiled_system_of_ones_own(entries: dict[str, Entry]) -> None:
    class Shy(entries[NAME].make):  # type: ignore[misc]
        def legal(self, s: State, move: int, site: int) -> bool:
            return bool(super().legal(s, move, site)) and move != 7

    core = Shy(1)
    assert derivations.legal_moves(entries[NAME].make(1), derivations.start(core, 2), 0) == [SHIFT]
    s = derivations.start(core, 2)
    core.apply(s, SHIFT, 0, 0)
    assert derivations.legal_moves(entries[NAME].make(1), s, 0) == [SHIFT, 7]
    assert derivations.legal_moves(core, s, 0) == [SHIFT]


def test_arc_swift(monkeypatch: pytest.MonkeyPatch) -> None:
    """The paper's point: one transition instead of several. And all costs are exact."""
    monkeypatch.syspath_prepend(EXAMPLES / "new_system")
    entry: Entry = loaded("arc_swift", EXAMPLES / "new_system" / "arc_swift.py").ENTRY
    monkeypatch.delitem(SYSTEMS, entry.name)
    monkeypatch.setitem(SYSTEMS, entry.name, entry)
    for single_root in (False, True):
        for labels, words in ((None, 4), (LABELS, 2)):
            for n in range(1, words + 1):
                result = verify(dodona.system(entry.name, labels, single_root=single_root), n)
                assert result.comparisons > 0
                assert not result.wrong + result.faults
    heads = [0, 1, 2, 3, 1]
    assert dodona.system(entry.name).static(heads) == [
        "SHIFT", "RARC[1]", "RARC[1]", "RARC[1]", "RARC[4]", "LARC",
    ]  # fmt: skip
    assert len(dodona.system("arc-eager").static(heads)) == 10
    for options in ({"oracle": "static"}, {"oracle": "dynamic"}, {"beam": 4}):
        parser = train_parser(treebank(60), ParserOptions(entry.name, iterations=3, **options))
        assert parser.scores(treebank(40, seed=2))[1] > 95


def test_the_page(tmp_path: Path, entries: dict[str, Entry], monkeypatch: pytest.MonkeyPatch) -> None:
    write(treebank(60), tmp_path / "train.conllu")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(SYSTEMS, TWINS[1], entries[TWINS[1]])  # what `import quick` does for the first time
    names = run_blocks(PAGE)
    assert names["quick"].ENTRY is entries[TWINS[1]]
    assert (tmp_path / "quick.model").exists()


def test_the_commands_of_the_page(built: tuple[Path, str]) -> None:
    folder, _ = built
    blocks = re.sub(r"^```.*?^```", "", PAGE.read_text(encoding="utf-8"), flags=re.M | re.S)
    commands = INDENTED.findall(blocks)
    compiling, using = commands[:2], commands[2:]
    assert compiling == commands_of_the_readme()[:2]
    write(detokenize(treebank(30)), folder / "train.conllu")
    (folder / "text.txt").write_text("The oak answers the priest.\n")
    printed = shell(using, folder)
    assert "11 transitions, the gold tree: 2 0 2 5 2 2" in printed
    assert "# text = The oak answers the priest." in printed


def test_the_page_shows_what_the_files_say() -> None:
    shown = excerpts(PAGE)
    assert len(shown) == 3
    for file, text in shown:
        assert text in (ROOT / file).read_text(encoding="utf-8")
