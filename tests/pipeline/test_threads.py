"""One pipeline, and one system, shared by many threads: always right, whatever the others do."""

import asyncio
import inspect
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from samples import shared_work
from samples.small_models import whole
from samples.treebank import treebank

import dodona
from dodona import Document, Request, Sentence
from dodona.data.spacing import detokenize
from dodona.pipeline import threads
from dodona.pipeline.pipeline import Pipeline
from dodona.systems.registry import SYSTEMS

THREADS = 16


@pytest.fixture(autouse=True)
def _quick_switches() -> Iterator[None]:
    with shared_work.quick_switches():
        yield


def in_threads(work: Callable[[int], object], times: int) -> list[list[object]]:
    """What each of the threads gets, doing its work that often, all at the same time."""
    results: list[list[object]] = [[] for _ in range(THREADS)]
    barrier = threading.Barrier(THREADS)

    def run(number: int) -> None:
        barrier.wait(timeout=60)
        for _ in range(times):
            results[number].append(work(number))

    running = [threading.Thread(target=run, args=(number,), daemon=True) for number in range(THREADS)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join(timeout=100)
        assert not thread.is_alive()
    return results


def bare(count: int, seed: int) -> list[Sentence]:
    return [
        Sentence.from_words(sentence.words, sentence.upos, xpos=sentence.xpos) for sentence in treebank(count, seed)
    ]


@pytest.fixture(scope="module")
def nlp() -> Pipeline:
    return dodona.train(detokenize(treebank(80)), iterations=3, folds=2)


def test_text_to_trees(nlp: Pipeline) -> None:
    texts = [" ".join(word for s in treebank(20, seed) for word in s.words) for seed in range(THREADS)]

    def parsed(number: int) -> bytes:
        return b"".join(sentence.to_bytes() for sentence in nlp(texts[number]))

    alone = [parsed(number) for number in range(THREADS)]
    for number, found in enumerate(in_threads(parsed, 5)):
        assert found == [alone[number]] * 5


@pytest.mark.parametrize(
    ("name", "beam"), [(e.name, b) for e in SYSTEMS.values() for b in (1, 4) if b == 1 or e.has_beam]
)
def test_every_system_parses(name: str, beam: int) -> None:
    nlp = dodona.train(treebank(30), components=["parser"], tags="gold", system=name, beam=beam, iterations=2)
    given = [sentence.copy() for sentence in treebank(6, 3, crossing=0.0)]
    for sentence in given:
        sentence.set_tree([*sentence.gold_heads()], sentence.labels)

    def parsed(number: int) -> bytes:
        free = b"".join(s.to_bytes() for s in nlp.parse(bare(6, number % 4)))
        kept = b"".join(
            s.to_bytes() for s in nlp.parse([s.copy() for s in given], Request(beam=beam, constrained=True))
        )
        return free + kept

    alone = [parsed(number) for number in range(THREADS)]
    for number, found in enumerate(in_threads(parsed, 2)):
        assert found == [alone[number]] * 2


@pytest.mark.parametrize("name", list(SYSTEMS))
def test_a_system_and_a_gold_tree_are_shared(name: str) -> None:
    system = dodona.system(name, ["a", "root"])
    gold = system.gold([2, 0, 2, 3, 4], ["a", "root", "a", "a", "a"])
    oracles = system.entry.static_oracles

    def derived(number: int) -> list[str]:
        oracle = oracles[number % len(oracles)]
        c = system.initial(5)
        names = system.static(gold, oracle=oracle)
        for transition in names:
            if "dynamic" in system.entry.oracles:
                assert transition in system.zero_cost(c, gold)
            else:
                assert transition in system.correct(c, gold)
            system.apply(c, transition)
        return names

    alone = [derived(number) for number in range(THREADS)]
    for number, found in enumerate(in_threads(derived, 5)):
        assert found == [alone[number]] * 5


def test_training_beside_parsing(nlp: Pipeline) -> None:
    before = b"".join(sentence.to_bytes() for sentence in nlp.parse(bare(20, 7)))

    def work(number: int) -> bytes:
        if number % 4 == 0:
            other = dodona.train(treebank(10, number), components=["parser"], tags="gold", iterations=1)
            return b"".join(sentence.to_bytes() for sentence in other.parse(bare(5, 1)))
        return b"".join(sentence.to_bytes() for sentence in nlp.parse(bare(20, 7)))

    for number, found in enumerate(in_threads(work, 3)):
        assert len(set(map(str, found))) == 1
        if number % 4:
            assert found[0] == before


def test_everything_at_once() -> None:
    """All systems, searches, scorers and components, training and files; `make stress` does it ten thousand times."""
    work = shared_work.all_work()
    assert shared_work.in_threads(work, [*work] * 2, THREADS) == []


def test_a_difference_between_threads_is_noticed() -> None:
    calls = iter(range(1000))
    work: dict[str, shared_work.Work] = {"same": lambda number: number, "other": lambda number: next(calls)}
    found = shared_work.in_threads(work, ["same", "other"] * 5, 3)
    assert [each.name for each in found] == ["other"] * 5


def test_asyncio() -> None:
    nlp = whole()
    texts = ["the oak answers.", "the priest asks the dove slowly. the dove hears.", "the"]
    alone = [b"".join(s.to_bytes() for s in nlp(text)) for text in texts]

    async def parsed() -> list[Document]:
        loop = asyncio.get_running_loop()
        with ThreadPoolExecutor(THREADS) as pool:
            return await asyncio.gather(*(loop.run_in_executor(pool, nlp, text) for text in texts * 10))

    found = [b"".join(s.to_bytes() for s in sentences) for sentences in asyncio.run(parsed())]
    assert found == alone * 10


FORKS = """
import multiprocessing
from samples.small_models import neural, whole
from samples.treebank import treebank

def parsed(number):
    sentences = whole()("the oak answers. the dove hears the priest.")
    return [s.to_bytes() for s in [*sentences, *neural("covington").parse(treebank(3, number))]]

if __name__ == "__main__":
    alone = list(map(parsed, range(4)))  # models are loaded and at work before the process is copied
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(parsed, range(4)) == alone
    assert list(map(parsed, range(4))) == alone
    print("the same")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="processes are not copied on Windows")
def test_a_process_is_copied_after_models_were_at_work(tmp_path: Path) -> None:
    program = tmp_path / "forks.py"
    program.write_text(f"import sys; sys.path.insert(0, {str(Path(__file__).parents[1])!r})\n{FORKS}", encoding="utf-8")
    command = [sys.executable, "-W", "ignore::DeprecationWarning", str(program)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=100)
    assert (done.stdout, done.stderr) == ("the same\n", "")


def interrupt(place: int, jobs: int) -> bool:
    """Parse in threads, with Ctrl-C before the line that is number `place` of those that are executed there; returns
    whether there are so many. What ends the work is left alone: it can be disturbed, but not for ever."""
    lines, begin = inspect.getsourcelines(threads.work_in_threads)
    cleaning = begin + next(k for k, line in enumerate(lines) if line.strip() == "finally:")
    left = place

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal left
        if frame.f_code.co_filename != threads.__file__ or frame.f_code.co_name == "end":
            return None
        if event == "line" and not (frame.f_code.co_name == "work_in_threads" and frame.f_lineno >= cleaning):
            left -= 1
            if left == 0:
                sys.settrace(None)
                raise KeyboardInterrupt
        return trace

    sentences: list[Any] = treebank(12)
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        assert len(list(threads.work_in_threads(list, sentences, jobs, 2))) == 12
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False


def test_ctrl_c_at_any_moment_leaves_no_thread_and_no_setting() -> None:
    sys.setswitchinterval(0.005)
    place = 1
    while interrupt(place, jobs=4):
        assert sys.getswitchinterval() == 0.005
        for thread in threading.enumerate():
            if thread.name.startswith("dodona-"):
                thread.join(timeout=60)
                assert not thread.is_alive()
        place += 1
    assert place > 40
