"""The server under load: `python bench/server.py [TREEBANKS] [--model en] [--seconds 60] [--clients 64] [--cores 2]`.

Clients send pages of about 500 words, taken from the test part of English EWT, one after the other, for a minute; all
answers to a page must be the same. Prints requests and words a second, the times of requests, the memory of the server
over time, and the same text through `dodona parse` before and after, on as many cores. Words a CPU second are those of
the server's processes alone; on a machine that does other things too, they are the ones to compare.
"""

import argparse
import asyncio
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote_plus, urlsplit

from treebank_folder import treebank_folder

from dodona import FormatWarning, read
from dodona.data.spacing import raw_text

PAGE = 500  # words, at least
WORD = re.compile(rb"^[0-9]+\t", re.M)
GAUGE = re.compile(r"^dodona_(\w+) ([0-9.e+-]+)$", re.M)


def read_pages(treebank: Path) -> list[str]:
    """The text of a treebank, in pages."""
    warnings.simplefilter("ignore", FormatWarning)
    texts, page, words = [], [], 0
    for sentence in read(treebank):
        page.append(sentence)
        words += len(sentence)
        if words >= PAGE:
            texts.append(raw_text(page))
            page, words = [], 0
    return texts


class Load:
    """Clients that ask for one page after the other."""

    def __init__(self, address: str, texts: Sequence[str]) -> None:
        place = urlsplit(address)
        self.host, self.port = place.hostname or "", place.port or 0
        self.requests = [self._request(text) for text in texts]
        self.answers: dict[int, bytes] = {}
        self.words: dict[int, int] = {}
        self.times: list[float] = []
        self.done = 0
        self.errors: list[str] = []

    def _request(self, text: str) -> bytes:
        body = f"tokenizer=&tagger=&parser=&data={quote_plus(text)}".encode()
        head = f"POST /process HTTP/1.1\r\nHost: {self.host}\r\nContent-Type: application/x-www-form-urlencoded\r\n"
        return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body

    async def client(self, number: int, end: float) -> None:
        reader, writer = await asyncio.open_connection(self.host, self.port)
        page = number
        while time.perf_counter() < end:
            page = (page + 1) % len(self.requests)
            begin = time.perf_counter()
            writer.write(self.requests[page])
            head = await reader.readuntil(b"\r\n\r\n")
            length = re.search(rb"content-length: ([0-9]+)", head)
            body = await reader.readexactly(int(length[1]) if length else 0)
            self.times.append(time.perf_counter() - begin)
            self.check(page, head, body)
        writer.close()

    def check(self, page: int, head: bytes, body: bytes) -> None:
        if not head.startswith(b"HTTP/1.1 200 "):
            self.errors.append(head.decode().partition("\r\n")[0])
            return
        if page not in self.answers:
            self.answers[page] = body
            self.words[page] = len(WORD.findall(json.loads(body)["result"].encode()))
        elif self.answers[page] != body:
            self.errors.append(f"another answer to page {page}")
        self.done += self.words[page]

    async def read_gauges(self) -> dict[str, float]:
        """What the server counts of itself."""
        reader, writer = await asyncio.open_connection(self.host, self.port)
        writer.write(f"GET /metrics HTTP/1.1\r\nHost: {self.host}\r\nConnection: close\r\n\r\n".encode())
        text = (await reader.read()).decode()
        writer.close()
        return {name: float(value) for name, value in GAUGE.findall(text)}

    async def run(self, clients: int, seconds: float) -> list[dict[str, float]]:
        """Return the server's gauges at the beginning, every few seconds, and at the end."""
        gauges = [await self.read_gauges()]
        end = time.perf_counter() + seconds
        load = asyncio.gather(*(self.client(k, end) for k in range(clients)))
        while time.perf_counter() < end - 1:
            await asyncio.sleep(min(5, seconds / 10))
            gauges.append(await self.read_gauges())
        await load
        return [*gauges, await self.read_gauges()]


def time_command_line(model: str, text: Path, cores: int) -> tuple[float, float]:
    """Seconds by the clock and of the processor that `dodona parse` takes for a text, once on each core; without those
    of its start."""
    times = []
    for source in (text, "Oaks grow."):
        command = [sys.executable, "-m", "dodona", "parse", model, str(source), "-o", os.devnull]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        begin = time.perf_counter()
        processes = [subprocess.Popen(command, stdin=subprocess.DEVNULL) for _ in range(cores)]
        if any(process.wait() for process in processes):
            raise SystemExit("dodona parse has failed")
        clock = time.perf_counter() - begin
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append((clock, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime))
    return times[0][0] - times[1][0], times[0][1] - times[1][1]


def measure_load(options: argparse.Namespace, texts: Sequence[str]) -> tuple[float, float]:
    """Print what the server does under load; return its words a second, by the clock and of the processor."""
    command = [sys.executable, "-m", "dodona", "serve", options.model, "--port", "0", *options.serve]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stderr is not None
            load = Load(server.stderr.readline().split()[-1], texts)
            asyncio.run(load.run(options.clients, 2))  # each thread has a workspace, which is set up once
            load.times, load.done = [], 0
            begin = time.perf_counter()
            gauges = asyncio.run(load.run(options.clients, options.seconds))
            clock = time.perf_counter() - begin
        finally:
            server.terminate()
            server.wait(60)
    cpu = gauges[-1]["cpu_seconds_total"] - gauges[0]["cpu_seconds_total"]
    times = sorted(load.times)
    quantiles = ", ".join(f"{q}% {times[int(q / 100 * (len(times) - 1))] * 1000:,.0f} ms" for q in (50, 90, 99, 100))
    print(
        f"{options.clients} clients: {len(times):,} requests in {clock:.0f} s, {len(load.errors)} errors; {quantiles}"
    )
    for error in load.errors[:5]:
        print(f"  {error}")
    memory = [f"{gauge['resident_memory_bytes'] / 1e6:.0f}" for gauge in gauges]
    print(f"  memory: {' '.join(memory)} MB")
    return load.done / clock, load.done / cpu


def main() -> None:
    parser = argparse.ArgumentParser(description="The server under load.")
    parser.add_argument("treebanks", nargs="?")
    parser.add_argument("--model", default="en")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=4, help="of the text, for the command line")
    options, serve = parser.parse_known_args()
    options.serve = serve  # what `dodona serve` gets
    folder = treebank_folder([options.treebanks] if options.treebanks else [])
    texts = read_pages(folder / "en_ewt" / "test.conllu.gz")
    with tempfile.TemporaryDirectory() as temporary:
        text = Path(temporary) / "text.txt"
        text.write_text("\n\n".join(texts * options.repeat), encoding="utf-8")
        counted = subprocess.run(
            [sys.executable, "-m", "dodona", "parse", options.model, str(text)],
            check=True,
            capture_output=True,
            stdin=subprocess.DEVNULL,
        )
        words = len(WORD.findall(counted.stdout))
        runs = [time_command_line(options.model, text, options.cores)]
        served = measure_load(options, texts)
        runs.append(time_command_line(options.model, text, options.cores))
    for name, mine, taken in zip(("second", "CPU second"), served, zip(*runs, strict=True), strict=True):
        theirs = options.cores * len(runs) * words / sum(taken)
        print(f"  words a {name}: server {mine:,.0f}, dodona parse {theirs:,.0f}; {mine / theirs:.0%}")


if __name__ == "__main__":
    main()
