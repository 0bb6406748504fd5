"""The files in deploy/: they call the server with options that it has, and give it no more than it needs."""

import configparser
import re
import shlex
from pathlib import Path

import click
import pytest

from dodona.cli.commands.serve import serve

DEPLOY = Path(__file__).parents[1] / "deploy"
PROGRAM = ["/opt/dodona/bin/dodona", "serve"]


def read_unit(name: str) -> configparser.RawConfigParser:
    unit = configparser.RawConfigParser(strict=False)
    unit.optionxform = str  # type: ignore[assignment, method-assign]
    unit.read(DEPLOY / name, encoding="utf-8")
    return unit


def read_options(arguments: list[str]) -> click.Context:
    return serve.make_context("serve", arguments)


def test_the_unit_of_systemd() -> None:
    unit = read_unit("dodona.service")["Service"]
    command = shlex.split(unit["ExecStart"])
    assert command[:2] == PROGRAM
    options = read_options(command[2:]).params
    assert int(unit["TimeoutStopSec"]) > options["timeout"]
    assert int(unit["MemoryMax"].removesuffix("M")) > 2 * options["max_memory"]
    assert int(unit["LimitNOFILE"]) > 1000 + options["connections"]
    assert (unit["DynamicUser"], unit["ProtectSystem"], unit["Type"]) == ("yes", "strict", "notify")
    assert read_unit("dodona.socket")["Socket"]["ListenStream"].startswith("127.0.0.1:")


def test_the_file_of_compose() -> None:
    yaml = pytest.importorskip("yaml")
    server = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))["services"]["dodona"]
    options = read_options(server["command"]).params
    assert (server["read_only"], server["cap_drop"]) == (True, ["ALL"])
    assert not server["user"].startswith("0")
    assert "ports" not in server
    assert int(server["stop_grace_period"].removesuffix("s")) > options["timeout"]
    assert int(server["deploy"]["resources"]["limits"]["memory"].removesuffix("M")) > 2 * options["max_memory"]


def test_proxies_allow_what_the_server_allows() -> None:
    options = read_options([]).params
    for name, pattern in (("Caddyfile", r"max_size (\d+)MiB"), ("nginx.conf", r"client_max_body_size (\d+)m")):
        (size,) = re.findall(pattern, (DEPLOY / name).read_text(encoding="utf-8"))
        assert float(size) == options["max_size"]
