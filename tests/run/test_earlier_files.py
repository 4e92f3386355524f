"""Run files written by the version before the modules were rearranged: they open, and every number is the same.

``files/expected.json`` was written by that version, too: digests, the summary, and the summary under IoU > ½.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import segmetry as sm

FILES = Path(__file__).parent / "files"
EXPECTED: dict[str, dict[str, Any]] = json.loads((FILES / "expected.json").read_text(encoding="utf-8"))


def plain(value: Any) -> Any:
    """What JSON makes of it: NaN compares equal as text."""
    return json.loads(json.dumps(value), parse_constant=str)


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_digests_are_the_same(name: str) -> None:
    run = sm.Run.open(FILES / f"{name}.segm")
    digests = {"content": run.content_digest(), "results": run.results_digest(), "truth": run.truth_digests()}
    assert digests == {key: EXPECTED[name][key] for key in digests}


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_numbers_are_the_same(name: str) -> None:
    run = sm.Run.open(FILES / f"{name}.segm")
    assert plain(run.summary().as_dict()) == plain(EXPECTED[name]["summary"])
    assert plain(run.rescore(rule="theta_plus").summary().as_dict()) == plain(EXPECTED[name]["plus"])


def test_there_are_three_files() -> None:
    assert {path.stem for path in FILES.glob("*.segm")} == set(EXPECTED) and len(EXPECTED) == 3
