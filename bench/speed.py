"""How fast Dodona is, stage by stage; and how fast beside another build of it, in turns.

    python bench/speed.py                                     all stages of this source tree
    python bench/speed.py --stages search,text                some of them
    python bench/speed.py --compare ~/other/dodona            beside another source tree, compiled in place
    python bench/speed.py --compare main --tolerance 5        beside a commit, which is built first; fails if slower
    python bench/speed.py --list                              what the stages are

A stage is work on UD English EWT that a user could ask for through the public API or the command line, so trees whose
modules have other names can be compared. Each tree has a process of its own, started several times, because where
things come to lie in memory makes a difference; the trees take turns, so that a busy machine disturbs all alike. The
figures are words per second of processor time on one core, the best of all rounds. `ratio` is how many times as fast
as the other tree this one is; `quartile` is that too, by the lower quartile of all rounds: if the two are apart, the
machine was too busy, and `--seconds` and `--starts` should be larger. If the trees do not compute the same, it is said.
"""

import argparse
import gc
import hashlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from treebank_folder import treebank_folder

HERE = Path(__file__).resolve().parent.parent
SYSTEMS = ("arc-eager", "arc-standard", "arc-hybrid", "easy-first", "nonmonotonic", "covington", "swap-standard")
WITHOUT_DYNAMIC = ("swap-standard",)
MAX_ROUNDS = 100  # of a process
SENTENCE = "Oak leaves rustle."


@dataclass(frozen=True)
class Setting:
    """What all processes are told."""

    treebank: str
    model: str = "en-fast"
    neural: str = "en"
    beam: int = 20
    threads: int = 2


@dataclass(frozen=True)
class Work:
    """What is done once in a stage: `run` is measured, with what `prepare` has made for it, and its result shown to be
    the same in both trees."""

    words: int
    prepare: Callable[[], Any]
    run: Callable[[Any], Any]
    clock: Callable[[], float] = time.process_time


def child_time() -> float:
    """Of the processor, of all child processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Bench:
    """The stages, in the order in which they are listed. Each method makes the work of one."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.test = str(Path(setting.treebank) / "test.conllu.gz")
        self.training = str(Path(setting.treebank) / "train.conllu.gz")

    @cached_property
    def linear(self) -> Any:
        import dodona

        return dodona.load(self.setting.model)

    @cached_property
    def network(self) -> Any:
        import dodona

        return dodona.load(self.setting.neural)

    def sentences(self, part: slice = slice(None)) -> list[Any]:
        import dodona

        return list(dodona.read(self.test))[part]

    @cached_property
    def words(self) -> int:
        return sum(map(len, self.sentences()))

    @cached_property
    def text(self) -> str:
        """With an empty line between paragraphs."""
        pieces: list[str] = []
        for sentence in self.sentences():
            begins = any(comment.startswith(("# newpar", "# newdoc")) for comment in sentence.comments)
            pieces += ("\n\n" if begins else " ", sentence.text)
        return "".join(pieces[1:]) + "\n"

    def search(self) -> Work:
        """trees of tagged sentences, greedy"""
        return Work(self.words, self.sentences, lambda sentences: list(self.linear.parse(sentences)))

    def tag_parse(self) -> Work:
        """tags, lemmas and trees of words"""
        return Work(self.words, self.sentences, lambda sentences: list(self.linear.parse(sentences, retag=True)))

    def text_to_conllu(self) -> Work:
        """a text to a file of CoNLL-U"""
        return Work(self.words, lambda: self.text, lambda text: self._write(self.linear.parse(self._tokenize(text))))

    def _tokenize(self, text: str) -> Any:
        return self.linear.sentences([text])

    def _write(self, sentences: Any) -> bytes:
        import dodona

        with tempfile.TemporaryDirectory() as folder:
            dodona.write(sentences, Path(folder) / "out.conllu")
            return (Path(folder) / "out.conllu").read_bytes()

    def beam(self) -> Work:
        """trees of tagged sentences with a beam"""
        import dodona

        some, request = slice(0, None, 5), dodona.Request(beam=self.setting.beam)
        words = sum(map(len, self.sentences(some)))
        return Work(words, lambda: self.sentences(some), lambda ours: list(self.linear.parse(ours, request)))

    def neural(self) -> Work:
        """trees of tagged sentences with a network"""
        some = slice(0, None, 2)
        words = sum(map(len, self.sentences(some)))
        return Work(words, lambda: self.sentences(some), lambda ours: list(self.network.parse(ours)))

    def train(self) -> Work:
        """learning to parse: one parser, two iterations"""
        return self._training(1200, components=["parser"], tags="gold", iterations=2)

    def train_beam(self) -> Work:
        """learning to parse with a beam, one iteration"""
        return self._training(300, components=["parser"], tags="gold", iterations=1, beam=8)

    def train_all(self) -> Work:
        """learning tokenizer, tagger, lemmatizer and parser"""
        return self._training(500, tags="gold", iterations=1)

    def _training(self, count: int, **options: Any) -> Work:
        import dodona

        def some() -> list[Any]:
            return list(dodona.read(self.training))[:count]

        return Work(sum(map(len, some())), some, lambda sentences: dodona.train(sentences, **options))

    def read(self) -> Work:
        """reading CoNLL-U, with all checks"""
        import dodona

        words = sum(map(len, dodona.read(self.training)))
        return Work(words, lambda: None, lambda _: sum(map(len, dodona.read(self.training))))

    def write(self) -> Work:
        """writing CoNLL-U with new trees"""

        def with_trees() -> list[Any]:
            sentences = self.sentences()
            for sentence in sentences:
                sentence.set_tree(list(range(len(sentence))), ["dep"] * len(sentence))
            return sentences

        return Work(self.words, with_trees, self._write)

    def tokenizer(self) -> Work:
        """a text to words and sentences"""
        return Work(self.words, lambda: self.text, lambda text: list(self._tokenize(text)))

    def tagger(self) -> Work:
        """tags and lemmas of words"""

        def tag(sentences: list[Any]) -> list[Any]:
            self.linear.tag(sentences, retag=True)
            return sentences

        return Work(self.words, self.sentences, tag)

    def oracles(self) -> Work:
        """static and dynamic oracles of all systems, through the API for research"""
        import dodona

        trees = [(list(s.heads), list(s.labels)) for s in self.sentences(slice(0, 120)) if is_projective(list(s.heads))]
        labels = sorted({label for _, names in trees for label in names})
        systems = [dodona.system(name, labels) for name in SYSTEMS]

        def derive(_: None) -> list[list[str]]:
            return [one for system in systems for tree in trees for one in derive_twice(system, *tree)]

        return Work(len(systems) * sum(len(heads) for heads, _ in trees), lambda: None, derive)

    def trees(self) -> Work:
        """the training part from its file, searched for trees with two nodes and an edge"""
        return self._search_trees("pattern { V [upos=VERB]; V -[nsubj]-> S }")

    def trees_of_four(self) -> Work:
        """the training part from its file, searched for trees with four nodes"""
        return self._search_trees("pattern { V [upos=VERB]; V -[nsubj]-> S; V -[obj]-> O; O -[det]-> D }")

    def _search_trees(self, pattern: str) -> Work:
        import dodona

        words = sum(map(len, dodona.read(self.training)))
        return Work(
            words,
            lambda: None,
            lambda _: [match.describe() for match in dodona.search(pattern, dodona.read(self.training))],
        )

    def threads(self) -> Work:
        """a text to a file of CoNLL-U in several threads, by the clock on the wall"""
        return Work(
            self.words,
            lambda: self.text,
            lambda text: self._write(self.linear.parse(self._tokenize(text), jobs=self.setting.threads)),
            time.perf_counter,
        )

    def start(self) -> Work:
        """`dodona parse` from its start to its end, with one sentence"""
        command = [sys.executable, "-m", "dodona", "parse", self.setting.model, SENTENCE]

        def parse(_: None) -> bytes:
            return subprocess.run(command, check=True, stdin=subprocess.DEVNULL, capture_output=True).stdout

        return Work(0, lambda: None, parse, child_time)


STAGES: dict[str, Callable[[Bench], Work]] = {
    "search": Bench.search,
    "tag+parse": Bench.tag_parse,
    "text": Bench.text_to_conllu,
    "beam": Bench.beam,
    "neural": Bench.neural,
    "train": Bench.train,
    "train-beam": Bench.train_beam,
    "train-all": Bench.train_all,
    "read": Bench.read,
    "write": Bench.write,
    "tokenizer": Bench.tokenizer,
    "tagger": Bench.tagger,
    "oracles": Bench.oracles,
    "trees": Bench.trees,
    "trees-of-four": Bench.trees_of_four,
    "threads": Bench.threads,
    "start": Bench.start,
}


def is_projective(heads: list[int]) -> bool:
    arcs = [(min(head, word), max(head, word)) for word, head in enumerate(heads, 1)]
    return not any(a < c < b < d for a, b in arcs for c, d in arcs)


def derive_twice(system: Any, heads: list[int], labels: list[str]) -> Iterator[list[str]]:
    """By the static oracle, and by the first transition that costs nothing, with the costs of all others."""
    yield system.static(heads, labels)
    if system.name not in WITHOUT_DYNAMIC:
        gold, c = system.gold(heads, labels), system.initial(len(heads))
        taken = []
        while not system.is_terminal(c):
            taken.append(system.zero_cost(c, gold)[0])
            system.apply(c, taken[-1])
        yield taken


def digest(result: Any) -> str:
    """Of what a stage has computed: sentences and models by what would be written to a file."""
    if type(result).__name__ == "Pipeline":
        with tempfile.TemporaryDirectory() as folder:
            result.save(Path(folder) / "model")
            result = (Path(folder) / "model").read_bytes()
    elif isinstance(result, list) and hasattr(result[0], "to_bytes"):
        result = b"".join(sentence.to_bytes() for sentence in result)
    elif not isinstance(result, bytes):
        result = repr(result).encode()
    return hashlib.sha256(result).hexdigest()


def serve(setting: Setting) -> None:
    """Answer each line, the name of a stage, with a line of JSON: words, seconds, digest; or an error."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever else is printed does not belong to the answers
    warnings.simplefilter("ignore")
    import dodona

    bench, works, digests = Bench(setting), dict[str, Work](), dict[str, str]()
    print(dodona.__file__, file=answers, flush=True)
    for line in sys.stdin:
        name = line.rstrip("\n")
        try:
            work = works.get(name) or STAGES[name](bench)
            works[name] = work
            given = work.prepare()
            gc.collect()
            gc.disable()
            begin = work.clock()
            result = work.run(given)
            seconds = work.clock() - begin
            gc.enable()
            if name not in digests:
                digests[name] = digest(result)
            answer: dict[str, Any] = {"words": work.words, "seconds": seconds, "digest": digests[name]}
        except Exception as error:  # the other stages can be measured
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=answers, flush=True)


class Build:
    """A source tree, and the process that runs its code."""

    def __init__(self, tree: Path, setting: Setting) -> None:
        source = tree / "src"
        environment = os.environ | {"PYTHONPATH": str(source), "PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1"}
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--serve", json.dumps(asdict(setting))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
            cwd=tree,
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.questions, self.answers = self.process.stdin, self.process.stdout
        file = self.answers.readline().strip()
        if not file or not Path(file).is_relative_to(source):
            self.close()
            sys.exit(f"{tree}: expected a compiled source tree, found {file or 'none that can be imported'}")

    def measure(self, stage: str) -> dict[str, Any]:
        with suppress(BrokenPipeError):
            self.questions.write(f"{stage}\n")
            self.questions.flush()
        line = self.answers.readline()
        if not line:
            return {"error": f"the process has ended with {self.process.wait()}"}
        answer: dict[str, Any] = json.loads(line)
        return answer

    def close(self) -> None:
        with suppress(BrokenPipeError):
            self.questions.close()
        self.answers.close()
        if self.process.wait():
            print(f"a process has ended with {self.process.returncode}", file=sys.stderr)


@dataclass
class Figures:
    """Of one stage in one tree."""

    words: int = 0
    seconds: list[float] = field(default_factory=list)
    digest: str = ""
    error: str = ""

    def add(self, answer: dict[str, Any]) -> None:
        self.error = answer.get("error", self.error)
        if "error" not in answer:
            self.words, self.digest = answer["words"], answer["digest"]
            self.seconds.append(answer["seconds"])

    def __str__(self) -> str:
        if not self.seconds:
            return "–"
        return f"{self.words / min(self.seconds):,.0f}" if self.words else f"{min(self.seconds):.3f} s"


def measure(trees: Sequence[Path], stages: Sequence[str], setting: Setting, starts: int, seconds: float) -> "Results":
    """Work for so many seconds on each stage of each tree, in so many processes."""
    results: Results = {stage: [Figures() for _ in trees] for stage in stages}
    for turn in range(starts):
        builds = [Build(tree, setting) for tree in trees]
        try:
            for stage in stages:
                if sys.stderr.isatty():
                    print(f"\r\033[K{turn + 1} of {starts}: {stage}", end="", file=sys.stderr, flush=True)
                row = results[stage]
                for repeat in range(MAX_ROUNDS):
                    order = list(zip(builds, row, strict=True))
                    for build, figures in order if repeat % 2 == 0 else reversed(order):
                        if not figures.error:
                            figures.add(build.measure(stage))
                    if repeat > 0 and min(sum(one.seconds) for one in row) > seconds * (turn + 1) / starts:
                        break
        finally:
            for build in builds:
                build.close()
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr, flush=True)
    return results


Results = dict[str, list[Figures]]


def compare(now: Figures, before: Figures, share: float) -> float:
    """How many times as fast as before, by the round that this share of all rounds was faster than."""
    later, earlier = (sorted(figures.seconds)[int(share * len(figures.seconds))] for figures in (now, before))
    return earlier / later


def show(results: Results, tolerance: float | None) -> bool:
    """Print the table; whether all is well."""
    well = True
    both = len(next(iter(results.values()))) > 1
    print(
        f"{'words per CPU second':<20} {'now':>12}" + (f" {'before':>12} {'ratio':>7} {'quartile':>8}" if both else "")
    )
    for stage, row in results.items():
        line = f"{stage:<20} " + " ".join(f"{figures!s:>12}" for figures in row)
        if both and all(figures.seconds for figures in row):
            now, before = row
            ratio = compare(now, before, 0.0)
            line += f" {ratio:7.3f} {compare(now, before, 0.25):8.3f}"
            if row[0].digest != row[1].digest:
                line += "  not the same result"
            if tolerance is not None and ratio < 1 - tolerance / 100:
                line, well = f"{line}  slower", False
        print(line, flush=True)
        for figures in row:
            if figures.error:
                print(f"{stage}: {figures.error}", file=sys.stderr)
                well = False
    return well


@contextmanager
def find_tree(name: str) -> Iterator[Path]:
    """A source tree; or that of a commit, compiled in a folder that is removed in the end."""
    if (Path(name) / "src" / "dodona").is_dir():
        yield Path(name).resolve()
        return
    git = ["git", "-C", str(HERE)]
    if subprocess.run([*git, "rev-parse", "--quiet", "--verify", f"{name}^{{commit}}"], capture_output=True).returncode:
        sys.exit(f"{name}: expected a source tree (with src/dodona) or a commit")
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home) / "tree"
        try:
            subprocess.run([*git, "worktree", "add", "--quiet", "--detach", str(folder), name], check=True)
            print(f"compiling {name} …", file=sys.stderr, flush=True)
            subprocess.run([sys.executable, "setup.py", "--quiet", "build_ext", "--inplace"], cwd=folder, check=True)
            yield folder.resolve()
        finally:
            subprocess.run([*git, "worktree", "remove", "--force", str(folder)], check=False)


def parse_stages(text: str) -> list[str]:
    names = text.split(",")
    unknown = [name for name in names if name not in STAGES]
    if unknown:
        raise argparse.ArgumentTypeError(f"unknown stage {unknown[0]!r}; expected some of {', '.join(STAGES)}")
    return names


def arguments() -> argparse.Namespace:
    cores = len(os.sched_getaffinity(0))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("treebanks", nargs="?", help="the folder with en_ewt [default: $DODONA_TREEBANKS]")
    parser.add_argument("--stages", type=parse_stages, default=list(STAGES), metavar="LIST", help="separated by commas")
    parser.add_argument("--compare", metavar="TREE", help="another source tree, or a commit")
    parser.add_argument("--tolerance", type=float, metavar="PERCENT", help="exit code 1 if a stage is so much slower")
    parser.add_argument("--starts", type=int, default=5, metavar="N", help="processes of each tree [default: 5]")
    parser.add_argument("--seconds", type=float, default=8.0, metavar="N", help="to work on each stage [default: 8]")
    parser.add_argument("--model", default=Setting.model, help=f"one with a linear parser [default: {Setting.model}]")
    parser.add_argument("--neural", default=Setting.neural, help=f"one with a network [default: {Setting.neural}]")
    parser.add_argument("--beam", type=int, default=Setting.beam, metavar="WIDTH", help="its width [default: 20]")
    parser.add_argument("--threads", type=int, default=cores, metavar="N", help=f"how many [default: {cores}]")
    parser.add_argument("--list", action="store_true", help="say what the stages are")
    return parser.parse_args()


def main() -> int:
    if sys.argv[1:2] == ["--serve"]:
        serve(Setting(**json.loads(sys.argv[2])))
        return 0
    asked = arguments()
    if asked.list:
        for name, stage in STAGES.items():
            print(f"{name:<14} {stage.__doc__}")
        return 0
    folder = treebank_folder([asked.treebanks] if asked.treebanks else [])
    setting = Setting(str((folder / "en_ewt").resolve()), asked.model, asked.neural, asked.beam, asked.threads)
    with find_tree(str(HERE)) as now:
        if asked.compare is None:
            return 0 if show(measure([now], asked.stages, setting, asked.starts, asked.seconds), None) else 1
        with find_tree(asked.compare) as before:
            results = measure([now, before], asked.stages, setting, asked.starts, asked.seconds)
            return 0 if show(results, asked.tolerance) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
