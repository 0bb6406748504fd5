"""Sends all kinds of requests to a server, and fails if its memory grows by more than it may.

    python scripts/soak_server.py [--minutes M] [--clients N] [--max-memory MIB] [--threads T] [--seed S] [--model NAME]

Starts `dodona serve` on a port of this machine. The clients send short texts and the largest ones: hundreds of
thousands of sentences of one word, one sentence without an end, new words only, lists of nothing, escapes, all of
Unicode, a pattern that fits everywhere. Some read their answer slowly, some leave, some do nothing with a connection,
some send what is no HTTP. Prints a line a minute: requests by status, and how much memory the server has more than when
it began. At the end it must have answered to /health all the time, and ended well. Needs Linux, whose /proc tells the
memory of a process.
"""

import argparse
import http.client
import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

MEBIBYTE = 1 << 20
LARGEST = 4 * MEBIBYTE - 4096  # bytes of a request that the server takes
TIMEOUT = 90.0  # seconds for an answer
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
SHOWN_LINES = 20  # of the log, if there are too many
LETTERS = "abcdefghijklmnopqrstuvwxyzéßλж"


class Soak:
    """Requests of all kinds, each a method that returns the status of the answer."""

    def __init__(self, host: str, port: int, seed: int) -> None:
        self.host, self.port = host, port
        self.seed = seed
        self.counts: Counter[str] = Counter()
        self.is_over = False
        self.kinds: list[Callable[[random.Random], str]] = [
            *[self.send_short] * 10, self.send_text, self.send_sentences, self.send_lists, self.send_conllu,
            self.send_escapes, self.send_words, self.send_page, self.search, self.read_slowly, self.leave,
            self.stay_idle, *[self.send_junk] * 3,
        ]  # fmt: skip

    def work(self, number: int) -> None:
        chance = random.Random(f"{self.seed}-{number}")
        while not self.is_over:
            kind = chance.choice(self.kinds)
            try:
                status = kind(chance)
            except (OSError, http.client.HTTPException) as error:
                status = type(error).__name__
            self.counts[status] += 1

    def post(self, path: str, body: bytes, headers: dict[str, str] | None = None) -> str:
        client = http.client.HTTPConnection(self.host, self.port, timeout=TIMEOUT)
        try:
            client.request("POST", path, body, headers or {})
            answer = client.getresponse()
            while answer.read(MEBIBYTE):
                pass
            return str(answer.status)
        finally:
            client.close()

    def annotate(self, **fields: object) -> str:
        return self.post("/api/annotate", json.dumps(fields, ensure_ascii=False).encode()[:LARGEST])

    def send_short(self, chance: random.Random) -> str:
        return self.annotate(text="Oak trees grow slowly. They rustle. " * chance.randint(1, 100))

    def send_text(self, chance: random.Random) -> str:
        """The largest texts: paragraphs of a word, one paragraph, one word, blanks, all of Unicode."""
        piece = chance.choice(["a\n\n", "a. ", "a ", "word", " ", "\n", "a, ", "é ", "語", "𝒜 ", "don't (can't) "])
        size = len(piece.encode())
        text = piece * ((LARGEST - 200) // size) + chance.choice(["", "𝒜"])
        if chance.random() < 0.5:
            return self.annotate(text=text)
        body = b"tokenizer=&tagger=&parser=&data=" + text.encode().replace(b"\n", b"\r\n")[:LARGEST].replace(b" ", b"+")
        return self.post("/process", body[:LARGEST], FORM)

    def send_sentences(self, chance: random.Random) -> str:
        return self.annotate(words=[["a"]] * chance.choice([1000, 100_000, 400_000]))

    def send_lists(self, chance: random.Random) -> str:
        item = chance.choice([b"[],", b'["a"],', b'"a",', b"{},", b"1,", b"[[]],"])
        return self.post("/api/annotate", b'{"words": [' + item * ((LARGEST - 100) // len(item)) + b'["a"]]}')

    def send_conllu(self, chance: random.Random) -> str:
        """Words with tags and without lemmas, all of them new."""
        count = chance.choice([100, 10_000, 60_000])
        words = ("".join(chance.choices(LETTERS, k=8)) for _ in range(count))
        block = "".join(f"1\t{word}\t_\tNOUN\t_\tNumber=Sing\t_\t_\t_\t_\n\n" for word in words)
        if chance.random() < 0.5:
            return self.annotate(conllu=block)
        return self.post("/process", f"parser=&data={block}".replace("\t", "%09").replace("\n", "%0A").encode(), FORM)

    def send_escapes(self, chance: random.Random) -> str:
        piece = chance.choice(["%41", "%20", "%C3%A9", "&a=b", "+"])
        body = f"tokenizer=&output=horizontal&data={piece * ((LARGEST - 100) // len(piece))}"
        return self.post("/process", body.encode(), FORM)

    def send_words(self, chance: random.Random) -> str:
        """One sentence of new words, as long as it may be."""
        return self.annotate(words=[["".join(chance.choices(LETTERS, k=12)) for _ in range(9_000)]], confidence=True)

    def send_page(self, chance: random.Random) -> str:
        """As the playground does, as much as it may: the best trees of long sentences."""
        text = "\n\n".join(" ".join(["a"] * 390) for _ in range(25))
        return self.post("/api/parse", json.dumps({"text": text, "nbest": chance.choice([1, 10])}).encode())

    def search(self, chance: random.Random) -> str:
        """All words match, in sentences as long as they may be, or each of them is another one."""
        words = ["a", *("".join(chance.choices(LETTERS, k=4)) for _ in range(20_000))]
        text = " ".join(chance.choices(words, k=chance.choice([5_000, 200_000])))
        fields = {"pattern": "pattern { X [] }", "text": text, "limit": 1000, "count": chance.choice([[], ["X.form"]])}
        return self.post("/api/search", json.dumps(fields, ensure_ascii=False).encode()[:LARGEST])

    def read_slowly(self, chance: random.Random) -> str:
        body = json.dumps({"words": [["a"]] * 50_000}).encode()
        with socket.create_connection((self.host, self.port), timeout=TIMEOUT) as line:
            line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            line.sendall(b"POST /api/annotate HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(body))
            line.sendall(body)
            end = time.monotonic() + chance.uniform(0, 15)
            while time.monotonic() < end and not self.is_over and line.recv(4096):
                time.sleep(0.05)
        return "slow"

    def leave(self, chance: random.Random) -> str:
        body = json.dumps({"text": "Oak trees grow slowly. " * 20_000}).encode()
        with socket.create_connection((self.host, self.port), timeout=TIMEOUT) as line:
            line.sendall(b"POST /api/annotate HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(body))
            line.sendall(body[: chance.randint(0, len(body))])
            time.sleep(chance.uniform(0, 0.5))
        return "left"

    def stay_idle(self, chance: random.Random) -> str:
        lines: list[socket.socket] = []
        with suppress(OSError):
            for _ in range(40):
                lines.append(socket.create_connection((self.host, self.port), timeout=TIMEOUT))
                lines[-1].sendall(chance.choice([b"", b"GET", b"GET / HTTP/1.1\r\nHost: " + b"a" * 15_000]))
            time.sleep(chance.uniform(0, 2))
        for line in lines:
            line.close()
        self.counts["idle connections"] += len(lines)
        return "idle"

    def send_junk(self, chance: random.Random) -> str:
        head = b"POST /api/annotate HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
        junk = chance.choice([b"\0\xff\r\n\r\n", head + b'5\r\n{"te\r\nzz\r\n', chance.randbytes(200)])
        with socket.create_connection((self.host, self.port), timeout=TIMEOUT) as line:
            line.sendall(junk)
            line.settimeout(5)
            line.recv(1000)
        return "junk"


class Watcher:
    """The memory of the server, many times a second, and whether it is alive."""

    def __init__(self, process: int, host: str, port: int) -> None:
        self.process, self.host, self.port = process, host, port
        self.begin = self.peak = self.read_memory()
        self.slowest = 0.0
        self.failures: list[str] = []

    def read_memory(self) -> float:
        pages = int(Path(f"/proc/{self.process}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / MEBIBYTE

    def watch(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        asked = 0.0
        while time.monotonic() < end:
            self.peak = max(self.peak, self.read_memory())
            if time.monotonic() > asked + 1.0:
                asked = time.monotonic()
                self.ask_health()
            time.sleep(0.01)

    def ask_health(self) -> None:
        """As whoever watches over a server does, from an address of its own."""
        begin = time.monotonic()
        client = http.client.HTTPConnection(self.host, self.port, timeout=30, source_address=("127.0.0.2", 0))
        try:
            client.request("GET", "/health")
            if (status := client.getresponse().status) != 200:
                self.failures.append(str(status))
        except (OSError, http.client.HTTPException) as error:
            self.failures.append(type(error).__name__)
        finally:
            client.close()
        self.slowest = max(self.slowest, time.monotonic() - begin)


def soak(minutes: float, clients: int, max_memory: int, threads: int, seed: int, model: str) -> bool:
    command = [sys.executable, "-m", "dodona", "serve", model, "--port", "0", "--max-memory", str(max_memory)]
    command += ["--threads", str(threads)]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            place = urlsplit(process.stderr.readline().split()[-1])
            log: list[str] = []
            threading.Thread(target=lambda: log.extend(process.stderr or ()), daemon=True).start()
            host, port = str(place.hostname), place.port or 0
            watcher, sender = Watcher(process.pid, host, port), Soak(host, port, seed)
            senders = [threading.Thread(target=sender.work, args=(number,), daemon=True) for number in range(clients)]
            for thread in senders:
                thread.start()
            left = minutes * 60
            while left > 0:
                watcher.watch(min(60.0, left))
                left -= 60.0
                statuses = ", ".join(f"{status} {count}" for status, count in sorted(sender.counts.items()))
                now = watcher.read_memory() - watcher.begin
                print(f"{now:6.1f} MiB more, at most {watcher.peak - watcher.begin:6.1f}: {statuses}", flush=True)
            sender.is_over = True
            for thread in senders:
                thread.join(TIMEOUT)
            process.send_signal(signal.SIGTERM)
            code = process.wait(TIMEOUT)
        finally:
            process.kill()
    grown = watcher.peak - watcher.begin
    junk = sum(sender.counts[name] for name in ("junk", "left", "idle connections"))
    lines = len(log) - 1
    print(f"memory: {watcher.begin:.1f} MiB with the model, at most {grown:.1f} more; allowed are {max_memory}")
    print(f"/health: {len(watcher.failures)} failures, the slowest answer after {watcher.slowest:.2f} s")
    print(f"log: {lines} lines, with {junk} requests that were no HTTP; exit code {code}")
    for line in log[:-1][:SHOWN_LINES] if lines > junk else ():
        print(f"    {line.rstrip()}")
    return grown <= max_memory and not watcher.failures and lines <= junk and code == 0


def main() -> None:
    parser = argparse.ArgumentParser(description="Send all kinds of requests, and look at the memory of the server.")
    parser.add_argument("--minutes", type=float, default=10.0, help="[default: %(default)s]")
    parser.add_argument("--clients", type=int, default=16, help="at a time [default: %(default)s]")
    parser.add_argument("--max-memory", type=int, default=256, help="MiB [default: %(default)s]")
    parser.add_argument("--threads", type=int, default=0, help="of the server; 0: as many as it likes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--model", default="en-fast")
    given = parser.parse_args()
    if not Path("/proc/self/statm").exists():
        raise SystemExit("soak_server.py: needs /proc, to know how much memory is in use")
    good = soak(given.minutes, given.clients, given.max_memory, given.threads, given.seed, given.model)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
