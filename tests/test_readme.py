"""What the README shows is what the command prints."""

from __future__ import annotations

import re
import shutil
from importlib.resources import files
from pathlib import Path

import pytest

import segmetry as sm
from segmetry.protocols.protocol import PROTOCOLS
from tests.cli.running import Runner

README = Path(__file__).parents[1] / "README.md"
DATA = Path(__file__).parent / "data"


def lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip().splitlines()]


CONSOLE = re.findall(r"```console\n\$ segmetry ([^\n]+)\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
ECHOED = re.findall(r"^echo '(.+)' > (\S+)$", README.read_text("utf-8"), re.MULTILINE)
SHIPPED = {"truth.png": "street_true.png", "prediction.png": "street_pred.png"}


@pytest.mark.parametrize(("command", "shown"), CONSOLE, ids=[command for command, _ in CONSOLE])
def test_the_examples_print_what_they_show(
    command: str,
    shown: str,
    tmp_path: Path,
    request: pytest.FixtureRequest,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for content, name in ECHOED:
        (tmp_path / name).write_text(f"{content}\n", encoding="utf-8")
    for name, source in SHIPPED.items():
        shutil.copy(str(files("segmetry.samples") / source), tmp_path / name)
    own = [folder for folder in (tmp_path, DATA) if (folder / command.split()[1]).exists()]
    monkeypatch.chdir(own[0] if own else request.getfixturevalue("shared_data"))
    outcome = Runner(capsys, monkeypatch)(*command.split())
    messages = [line for line in lines(outcome.err) if "items/s" not in line]  # a slow machine reports progress
    assert (outcome.code, lines(outcome.out), messages) == (0, lines(shown), [])


def test_one_example_needs_nothing_but_the_package() -> None:
    assert sum("truth.png" in command for command, _ in CONSOLE) == 1 < len(CONSOLE)


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
