"""Run files written by the version before the modules were rearranged: they open, and every number is the same.

``files/expected.json`` was written by that version, too: digests, the summary, and the summary under IoU > ½. It knew
two averages: ``mean`` is by item, of all segments of an item; ``pooled`` is by class where there are classes, else of
all segments. Its means of groups were means over classes and have no counterpart.
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
    run = sm.Run.open(FILES / f"{name}.segm").rescore(average="segments")
    assert run.settings.rule == "theta_and", "a run keeps the rule that it stores"
    check(run.summary(), EXPECTED[name]["summary"])
    check(run.rescore(rule="theta_plus").summary(), EXPECTED[name]["plus"])


def check(summary: sm.Summary, expected: dict[str, Any]) -> None:
    found = summary.as_dict()
    levels = [(found["scores"], expected["scores"], True)]
    levels += [(found["parts"][name], row, True) for name, row in expected["parts"].items()]
    levels += [(found["groups"][name], row, False) for name, row in expected["groups"].items()]
    assert (set(found["parts"]), set(found["groups"])) == (set(expected["parts"]), set(expected["groups"]))
    for now, before, with_means in levels:
        assert "pq" in now
        for key, row in ((key, before[key]) for key in now if key in before):  # families have more metrics by now
            total = "by_class" if now[key]["by_class"] is not None else "all_segments"
            assert plain(now[key][total]) == plain(row["pooled"]), key
            if with_means:
                assert (plain(now[key]["by_item"]), now[key]["n"]) == (plain(row["mean"]), row["n"]), key


def test_there_are_three_files() -> None:
    assert {path.stem for path in FILES.glob("*.segm")} == set(EXPECTED) and len(EXPECTED) == 3
