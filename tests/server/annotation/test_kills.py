"""A server that dies at any moment: nothing that it has answered as saved is lost."""

import http.client
import json
import random
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from samples.annotated import make_folder
from samples.signals import hearing_interrupts
from samples.small_models import whole

from dodona import read
from dodona.data.marks import ASPECTS

ADDRESS = re.compile(r"http://127\.0\.0\.1:([0-9]+)/")
MOST_FIRST = 6  # actions before somebody thinks of killing the server
LONGEST = 0.3  # seconds that it takes then
KINDS = (
    "arc", "arc", "set", "set", "confirm", "release", "accept", "done", "reopen", "split_token", "merge_tokens",
    "split_sentence", "join_sentence", "undo", "undo", "redo",
)  # fmt: skip


class Client:
    """Annotates at random, and knows what it was told."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.saved: dict[int, dict[str, Any]] = {}  # the last view of each sentence that was answered
        self.asked: set[int] = set()  # the sentences that the last request may have changed, if it was not answered
        self.answers = self.dead = 0

    def connect(self, port: int) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)

    def call(self, name: str, **request: Any) -> tuple[int, Any]:
        self.connection.request("POST", f"/api/{name}", json.dumps(request), {"Content-Type": "application/json"})
        response = self.connection.getresponse()
        return response.status, json.loads(response.read())

    def annotate(self) -> None:
        """Do a random action; a connection that ends raises an error."""
        _, listed = self.call("queue", order="file")
        numbers = [item["sentence"] for item in listed["items"]]
        number = self.random.choice(numbers)
        _, view = self.call("open", sentence=number, page="client")
        if self.random.random() < 0.1:
            self.call("save")
        touched = set(numbers)  # undo may be about others, too
        self.asked = set(touched)
        status, answer = self.call(
            "act", sentence=number, version=view["version"], page="client", action=self.choose(len(view["words"]))
        )
        if status == 200:
            self.answers += 1
            self.saved[answer["sentence"]] = summarize(answer)
            self.asked.discard(answer["sentence"])
            for other in touched & self.saved.keys() - {answer["sentence"]}:
                status, view = self.call("open", sentence=other, page="client")
                if status == 200:
                    self.saved[other] = summarize(view)
                else:
                    del self.saved[other]  # joined to another one
        self.asked = set()

    def choose(self, n: int) -> dict[str, Any]:
        word, other = self.random.randint(1, n), self.random.randint(1, n)
        kind = self.random.choice(KINDS)
        fields: dict[str, dict[str, Any]] = {
            "arc": {"word": word, "head": other % (n + 1), "label": self.random.choice(["obj", "nsubj", None])},
            "set": {"word": word, "column": self.random.choice(["upos", "lemma", "form"]), "value": f"v{other}"},
            "confirm": {"words": [word], "columns": ["arc"]},
            "release": {"words": [word], "columns": []},
            "accept": {"threshold": 0.5},
            "split_token": {"word": word, "at": 1},
            "merge_tokens": {"first": word, "last": word + 1},
            "split_sentence": {"word": word},
        }
        return {"kind": kind, **fields.get(kind, {})}

    def check(self) -> None:
        """Compare all that was answered with what there is now; one request may have come through unanswered."""
        for number, known in self.saved.copy().items():
            status, view = self.call("open", sentence=number, page="client")
            if number in self.asked and (status == 400 or view["version"] == known["version"] + 1):
                self.saved.pop(number)
                if status == 200:
                    self.saved[number] = summarize(view)
                continue
            assert status == 200, view
            assert summarize(view) == known
        self.asked = set()


def summarize(view: dict[str, Any]) -> dict[str, Any]:
    """What people have decided about a sentence; guesses may be others after a restart."""
    columns = {
        "arc": ("head", "label"),
        "upos": ("upos", "xpos"),
        "feats": ("feats",),
        "lemma": ("lemma",),
        "token": (),
    }
    words = [
        (word["form"], word["marks"], [[word[name] for name in columns[a]] for a in ASPECTS if word["marks"][a]])
        for word in view["words"]
    ]
    return {"version": view["version"], "status": view["status"], "text": view["text"], "words": words}


@contextmanager
def running(folder: Path, model: Path) -> Iterator[tuple["subprocess.Popen[str]", int]]:
    """A server in a process of its own, and its port."""
    command = [sys.executable, "-m", "dodona", "annotate", str(folder), "--model", str(model), "--port", "0"]
    with subprocess.Popen(
        hearing_interrupts([*command, "--name", "ana"]), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, text=True, start_new_session=True,
    ) as process:  # fmt: skip
        limit = threading.Timer(60, process.kill)
        limit.start()
        try:
            assert process.stderr is not None
            lines = []
            for line in process.stderr:
                lines.append(line)
                if match := ADDRESS.search(line):
                    yield process, int(match[1])
                    break
            else:
                raise AssertionError("".join(lines))
        finally:
            limit.cancel()
            process.kill()


@pytest.mark.parametrize("kills", [2, pytest.param(200, marks=[pytest.mark.slow, pytest.mark.timeout(1800)])])
def test_nothing_that_was_answered_is_lost(kills: int, tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "project")
    model = tmp_path / "small.model"
    whole().save(model)
    client = Client(kills)
    for _ in range(kills):
        with running(folder, model) as (process, port):
            client.connect(port)
            client.check()
            for _ in range(client.random.randint(0, MOST_FIRST)):
                client.annotate()
            killer = threading.Timer(client.random.uniform(0, LONGEST), process.kill)
            killer.start()
            try:
                while True:
                    client.annotate()
            except (OSError, http.client.HTTPException):
                client.dead += 1
            finally:
                killer.cancel()
    assert client.dead == kills
    assert client.answers
    with running(folder, model) as (process, port):
        client.connect(port)
        client.check()
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        rest = process.stderr.read()
        assert process.wait(30) == 130, rest
    assert rest.endswith("dodona: interrupted\n")
    texts = [sentence.text for path in sorted(folder.glob("*.conllu")) for sentence in read(path)]
    assert set(texts) >= {known["text"] for known in client.saved.values()}
    print(f"{kills} kills, {client.answers} actions answered, none lost")
