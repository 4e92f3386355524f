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
    assert base["by_item"] == expected.value("theta_and", "base") == {"nan": 1.0, "0": 0.5, "1": 1.0}[word]
    assert base["n"] == (1 if word == "nan" else 2)


def test_progress_that_shows_nothing_cannot_be_made() -> None:
    class Silent(Report):
        """Forgets to say how a standing is shown."""

    with pytest.raises(TypeError, match="show"):
        Silent()  # type: ignore[abstract]


def test_a_rule_at_least_a_threshold_reaches_the_table_the_options_file_and_the_run(
    segmetry: Runner, tmp_path: Path
) -> None:
    """A segment in two halves: at IoU ≥ 1/2 it has two partners, which is an error until somebody resolves it."""
    for side, labels in (("true", [[1, 1, 2]]), ("pred", [[1, 3, 2]])):
        np.save(tmp_path / f"{side}.npy", np.array(labels))
    files = tmp_path / "true.npy", tmp_path / "pred.npy"
    clash = segmetry("score", *files, "--rule", "iou(at_least=1/2)", "--metrics", "pq")
    assert clash.code == 2 and "has several partners" in clash.err and "maximum_weight(…), greedy(…)" in clash.err
    options = tmp_path / "options.toml"
    options.write_text('rule = "iou(at_least=1/2)"\nresolve = "assign"\nmetrics = "pq"\n')
    out = tmp_path / "run.segm"
    shown = segmetry("score", *files, "--config", options, "--out", out)
    assert shown.code == 0 and "IoU ≥ 1/2" in shown.out
    run = sm.Run.open(out)
    assert run.settings.rule == "iou(at_least=1/2)"
    assert run.items()[0]["pq"] == pytest.approx((1 + 1 / 2) / (2 + 1 / 2))
    for rule, expected in (("greedy(at_least=1/2)", 0.6), ("iou(at_least=1)", 0.4)):
        assert run.rescore(rule).items()[0]["pq"] == pytest.approx(expected)
    both = segmetry("score", *files, "--rule", "iou(above=1/2, at_least=1/2)")
    assert both.code == 2 and "both above and at_least are given" in both.err
