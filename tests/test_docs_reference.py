"""The reference pages leave nothing out and name nothing that is not there."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import segmetry as sm
from segmetry.metrics.declare import METRICS

DOCS = Path(__file__).resolve().parent.parent / "docs"
PEERS: list[dict[str, Any]] = tomllib.loads((DOCS / "peers.toml").read_text("utf-8"))["peer"]
OPTIONS_OF_PEERS = {"trim", "ignore_labels"}


@pytest.fixture
def docs(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(DOCS))
    sys.modules.pop("_reference", None)
    import _reference

    return _reference  # type: ignore[no-any-return]


def test_every_public_name_has_its_room(docs: ModuleType) -> None:
    listed = [name for _, names in docs.ROOMS.values() for name in names]
    assert len(listed) == len(set(listed))
    modules = {f"{name}.{member}" for name in sm._MODULES for member in getattr(sm, name).__all__}
    assert set(listed) == {*sm._HOMES, "list_metrics", *modules}


def test_every_command_is_shown(docs: ModuleType) -> None:
    from segmetry.cli.main import COMMANDS, cli

    page = docs.cli_page(cli)
    assert [line for line in page.splitlines() if line.startswith("## segmetry ")] == [
        f"## segmetry {name}" for name in COMMANDS
    ]


def test_peers_are_told_of_metrics_that_exist() -> None:
    assert PEERS and {key for row in PEERS for key in row["keys"]} <= set(sm.list_metrics())


@pytest.mark.parametrize("row", PEERS, ids=lambda row: f"{row['keys'][0]}-{row['by']}")
def test_every_claim_about_a_peer_is_shown_by_a_test_or_says_that_it_was_read(row: dict[str, Any]) -> None:
    assert ("test" in row) != ("(read)" in row["differs"])
    if "test" in row:
        file, name = row["test"].split("::")
        functions = ast.parse((DOCS.parent / file).read_text("utf-8")).body
        assert name in {function.name for function in functions if isinstance(function, ast.FunctionDef)}


@pytest.mark.parametrize("row", PEERS, ids=lambda row: f"{row['keys'][0]}-{row['by']}")
def test_the_options_in_a_claim_about_a_peer_exist(row: dict[str, Any]) -> None:
    for name, value in re.findall(r"`(\w+)=([^`]+)`", row["differs"]):
        for metric in (METRICS[key] for key in row["keys"] if name not in OPTIONS_OF_PEERS):
            example = metric.examples[0]
            metric(example.true, example.pred, **{**example.options, name: ast.literal_eval(value)})
