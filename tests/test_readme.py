"""What the README shows is what the command prints."""

from __future__ import annotations

import re
import runpy
import shlex
from pathlib import Path

import pytest

import segmetry as sm
from segmetry.protocols.protocol import PROTOCOLS
from tests.cli.running import Runner
from tests.conftest import Demo

README = Path(__file__).parents[1] / "README.md"


def lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip().splitlines()]


CONSOLE = re.findall(r"```console\n\$ segmetry ([^\n]+)\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
COMMANDS: list[str] = runpy.run_path(str(README.parent / "tools" / "check_examples.py"))["commands"]()


@pytest.fixture
def beside_demo(demo: Demo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with what ``segmetry demo`` wrote."""
    (tmp_path / "demo").symlink_to(demo.folder)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("beside_demo")
@pytest.mark.parametrize(("command", "shown"), CONSOLE, ids=[command for command, _ in CONSOLE])
def test_the_examples_print_what_they_show(
    command: str, shown: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    outcome = Runner(capsys, monkeypatch)(*shlex.split(command))
    messages = [line for line in lines(outcome.err) if "items/s" not in line]  # a slow machine reports progress
    assert (outcome.code, lines(outcome.out), messages) == (0, lines(shown), [])


@pytest.mark.slow
@pytest.mark.usefixtures("beside_demo")
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_runs_on_the_demo(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    outcome = Runner(capsys, monkeypatch)(*shlex.split(command))
    assert (outcome.code, "warning" in outcome.err, "Traceback" in outcome.err) == (0, False, False), outcome.err


def test_it_is_short_and_its_commands_need_nothing_but_the_demo() -> None:
    assert README.read_text("utf-8").count("\n") <= 150
    assert len(COMMANDS) > 15 and all("demo" in command or command.startswith("explain") for command in COMMANDS)


def test_there_are_as_many_metrics_as_it_says() -> None:
    (least,) = re.findall(r"More than (\d+) metrics", README.read_text("utf-8"))
    assert len(sm.list_metrics()) > int(least)


def test_every_protocol_is_in_the_table_of_its_field() -> None:
    text = README.read_text("utf-8")
    table = text[text.index("## Your field's table") : text.index("## What it computes")]
    assert {name for name in PROTOCOLS if f"`{name}`" not in table} == set()


def test_it_names_the_two_commands() -> None:
    text = README.read_text("utf-8")
    assert "make demo" in text and "make test" in text


def test_it_links_to_files_that_exist_by_whole_addresses() -> None:
    # The package index shows the README alone: a relative link or picture would lead nowhere.
    hosted = re.compile(r"https://(github\.com|raw\.githubusercontent\.com)/segmetry/segmetry/(blob/)?main/(.+)")
    for target in re.findall(r"\]\((?!#)([^)#]+)", README.read_text("utf-8")):
        address = hosted.fullmatch(target)
        assert address is not None, target
        assert (README.parent / address[3]).exists(), target
