"""How quickly `dodona annotate` answers: `python bench/annotation.py [TREEBANKS] [--model en-fast] [--actions 200]`.

The sentences of about 40 words in the development part of English EWT are open; others are a treebank of --sentences.
A client sets arcs in them over HTTP, one after the other, and each time all other arcs are parsed again. Prints the
times of these actions as a page would see them, on disk included; then the same while a model is trained on the
treebank beside it, and how long that takes. Where the clock tells nothing, because the machine has other work, too, the
processor time of the server and of its training is what counts; it is printed where the system tells it (Linux).
"""

import argparse
import http.client
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from treebank_folder import treebank_folder

from dodona import Sentence, read, write
from dodona.data.marks import write_status

LENGTHS = range(36, 45)
ADDRESS = re.compile(r"http://127\.0\.0\.1:([0-9]+)/")


def measure_work(process: int) -> float:
    """Return the seconds of processor time that a process has taken; 0 where nobody says."""
    with suppress(OSError, OverflowError):
        return time.clock_gettime((~process << 3) | 2)  # the clock of another process: clock_getcpuclockid of Linux
    return 0.0


def measure_ended(process: int) -> float:
    """Return the seconds of processor time of the processes that a process has started, and that have ended."""
    try:
        columns = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, columns[13:15])) / float(os.sysconf("SC_CLK_TCK"))


class Client:
    """Sets arcs at random, and undoes them when a sentence is full."""

    def __init__(self, port: int, server: int, seed: int = 1) -> None:
        self.server = server
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=100)
        self.random = random.Random(seed)
        self.times: list[float] = []
        self.work_times: list[float] = []

    def call(self, name: str, **request: Any) -> Any:
        self.connection.request("POST", f"/api/{name}", json.dumps(request), {"Content-Type": "application/json"})
        response = self.connection.getresponse()
        answer = json.loads(response.read())
        if response.status != 200:
            raise SystemExit(f"{name}: {answer['error']}")
        return answer

    def act(self, number: int) -> None:
        view = self.call("open", sentence=number, page="bench")
        n = len(view["words"])
        free = [k for k, word in enumerate(view["words"], start=1) if word["marks"]["arc"] is None]
        word = self.random.choice(free or range(1, n + 1))
        head = self.random.choice([k for k in range(max(1, word - 4), min(n, word + 4) + 1) if k != word])
        action = {"kind": "arc", "word": word, "head": head, "label": None} if len(free) > n // 2 else {"kind": "undo"}
        worked, begin = measure_work(self.server), time.perf_counter()
        self.call("act", sentence=number, version=view["version"], page="bench", action=action)
        self.times.append(time.perf_counter() - begin)
        self.work_times.append(measure_work(self.server) - worked)

    def work(self, numbers: list[int], goes_on: Callable[[], bool]) -> None:
        self.times, self.work_times = [], []
        while goes_on():
            self.act(self.random.choice(numbers))

    def show(self, what: str) -> None:
        print(f"{what}: {len(self.times)} actions")
        shares = {"median": 0.5, "95th percentile": 0.95, "99th": 0.99, "longest": 1.0}
        for clock, taken in (("clock", self.times), ("processor time of the server", self.work_times)):
            times = sorted(taken)
            places = {name: int(share * (len(times) - 1)) for name, share in shares.items()}
            shown = ", ".join(f"{name} {1000 * times[place]:.0f} ms" for name, place in places.items())
            print(f"    {clock}: {shown}", flush=True)


def make_project(folder: Path, treebank: Path, count: int) -> None:
    sentences = list(read(treebank / "train.conllu.gz"))[:count]
    write(sentences, folder / "treebank.conllu")
    opened: list[Sentence] = [each for each in read(treebank / "dev.conllu.gz") if len(each) in LENGTHS]
    for sentence in opened:
        sentence.set_comments(write_status(sentence.comments, "open"))
    write(opened, folder / "open.conllu")


def measure(port: int, server: int, actions: int) -> None:
    client = Client(port, server)
    items = client.call("queue", order="file", count=500)
    numbers = [item["sentence"] for item in items["items"] if item["status"] == "open"]
    client.work(numbers, lambda: len(client.times) < actions)
    client.show(f"{len(numbers)} sentences of {LENGTHS.start} to {LENGTHS.stop - 1} words")
    worked, begin = measure_ended(server), time.monotonic()
    client.call("retrain")
    client.work(numbers, lambda: client.call("learning")["state"] == "training")
    client.show("while a model is trained")
    print(f"trained in {time.monotonic() - begin:.1f} seconds: {client.call('learning')['message']}")
    print(f"    processor time of the training: {measure_ended(server) - worked:.1f} seconds")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("treebanks", nargs="*")
    parser.add_argument("--model", default="en-fast")
    parser.add_argument("--actions", type=int, default=200)
    parser.add_argument("--sentences", type=int, default=2000)
    given = parser.parse_args()
    treebanks = treebank_folder(given.treebanks)
    with tempfile.TemporaryDirectory() as name:
        make_project(Path(name), treebanks / "en_ewt", given.sentences)
        command = [sys.executable, "-m", "dodona", "annotate", name, "--model", given.model, "--port", "0"]
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
            try:
                assert process.stderr is not None
                for line in process.stderr:
                    if match := ADDRESS.search(line):
                        measure(int(match[1]), process.pid, given.actions)
                        break
            finally:
                process.terminate()


if __name__ == "__main__":
    main()
