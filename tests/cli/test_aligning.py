"""Options that several commands share are the same options, and reach what they promise to change."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import segmetry as sm
from segmetry.cli.commands import score, sensitivity
from segmetry.cli.progress import Report
from tests.cli.running import Runner

SHARED = ("policy", "missing", "resolve", "undefined", "classes", "threads")


@pytest.mark.parametrize("name", SHARED)
def test_both_commands_offer_the_same(name: str) -> None:
    first, second = (
        next(param for param in module.command.params if param.name == name).to_info_dict()
        for module in (score, sensitivity)
    )
    assert first == second


@pytest.mark.parametrize(("word", "value"), [("nan", None), ("0", 0.0), ("1", 1.0)])
def test_what_stands_for_undefined(word: str, value: float | None, segmetry: Runner, tmp_path: Path) -> None:
    for side in ("true", "pred"):  # the second item is empty on both sides: PQ is 0/0
        np.savez(tmp_path / f"{side}.npz", a=np.array([[1, 1, 1, 0]]), b=np.zeros((1, 4), dtype=int))
    files = tmp_path / "true.npz", tmp_path / "pred.npz"
    data = json.loads(segmetry("sensitivity", *files, "--undefined", word, "--json", "-").out)
    expected = sm.sensitivity(*files, undefined=value)
    base = next(row for row in data["rows"] if (row["move"], row["key"]) == ("base", "pq"))
    assert base["mean"] == expected.value("theta_and", "base") == {"nan": 1.0, "0": 0.5, "1": 1.0}[word]
    assert base["n"] == (1 if word == "nan" else 2)


def test_progress_that_shows_nothing_cannot_be_made() -> None:
    class Silent(Report):
        """Forgets to say how a standing is shown."""

    with pytest.raises(TypeError, match="show"):
        Silent()  # type: ignore[abstract]
