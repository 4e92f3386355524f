"""The reference pages leave nothing out and name nothing that is not there."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

import segmetry as sm

DOCS = Path(__file__).resolve().parent.parent / "docs"


@pytest.fixture
def docs(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(DOCS))
    sys.modules.pop("_reference", None)
    import _reference

    return _reference  # type: ignore[no-any-return]


def test_every_public_name_has_its_room(docs: ModuleType) -> None:
    listed = [name for _, names in docs.ROOMS.values() for name in names]
    assert len(listed) == len(set(listed))
    assert set(listed) == {*sm._HOMES, "list_metrics", *(f"rules.{rule}" for rule in sm.rules.__all__)}


def test_every_command_is_shown(docs: ModuleType) -> None:
    from segmetry.cli.main import COMMANDS, cli

    page = docs.cli_page(cli)
    assert [line for line in page.splitlines() if line.startswith("## segmetry ")] == [
        f"## segmetry {name}" for name in COMMANDS
    ]


def test_peers_are_told_of_metrics_that_exist() -> None:
    rows = tomllib.loads((DOCS / "peers.toml").read_text("utf-8"))["peer"]
    assert rows and {key for row in rows for key in row["keys"]} <= set(sm.list_metrics())
