"""Scoring with several metrics at once, and what the package promises on import."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

import segmetry as sm
from segmetry.metrics.metric_names import select_metrics

TRUE, PRED = [[1, 1, 1, 2]], [[3, 4, 4, 4]]


def test_overlaps_are_counted_once_and_alignments_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from segmetry.metrics import metric_inputs as comparison

    calls = {"count": 0, "align": 0}

    def counting(name: str, real: object) -> object:
        def call(*arguments: object, **options: object) -> object:
            calls[name] += 1
            return real(*arguments, **options)  # type: ignore[operator]

        return call

    monkeypatch.setattr(comparison, "count_overlaps", counting("count", comparison.count_overlaps))
    monkeypatch.setattr(comparison, "align", counting("align", comparison.align))
    sm.score(TRUE, PRED, "panoptic,alignments")
    assert calls == {"count": 1, "align": 2}, "two rules: that of most metrics, and that of false hits"


def test_results_say_how_they_were_computed() -> None:
    found = sm.score(TRUE, PRED, ["pq"], rule="theta_and", policy="strict-void")
    assert (found.rule, found.policy, found["pq"].value) == ("theta_and", "strict-void", 0.25)
    assert sm.score(TRUE, PRED, ["pq"], policy="coco").rule == "theta_plus"
    json.dumps(found.to_dict(), allow_nan=False)


def test_undefined_stays_undefined_unless_a_peer_is_reproduced() -> None:
    nothing = np.zeros((2, 2), dtype=int)
    found = sm.score(nothing, nothing, ["pq", "sq", "precision"])
    assert all(np.isnan(found[key].value) and found[key].reason for key in found)
    assert found.to_dict()["scores"]["pq"] == {
        "value": None,
        "reason": "no true and no pred segments",
        "numerator": 0.0,
        "denominator": 0,
    }
    zero = sm.score(nothing, nothing, ["sq"], undefined=0)
    assert zero["sq"].value == 0.0 and zero["sq"].reason == "no matched pair"


def test_segments_on_one_side_only() -> None:
    nothing = np.zeros(3, dtype=int)
    assert sm.pq([1, 1, 1], nothing).value == sm.rq(nothing, [1, 1, 1]).value == 0.0
    assert not sm.precision([1, 1, 1], nothing).is_defined
    assert not sm.recall(nothing, [1, 1, 1]).is_defined
    assert sm.recall([1, 1, 1], nothing).value == 0.0


def test_tables_and_alignments_can_be_scored() -> None:
    table = sm.overlap(TRUE, PRED)
    assert sm.pq(table) == sm.pq(table.align()) == sm.pq(TRUE, PRED)
    assert sm.score(table, metrics=["pq"], rule="theta_and")["pq"].value == 0.25
    assert sm.score(table.align("theta_and"), metrics=["pq"]).rule == "theta_and"
    with pytest.raises(sm.SegmetryError, match="was made with rule theta_plus"):
        sm.pq(table.align(), rule="theta_and")


def test_metrics_by_key_and_family() -> None:
    assert [found.key for found in select_metrics(["rq", "pq"], "labels")] == ["pq", "rq"]
    assert {found.family for found in select_metrics("alignments", "labels")} == {"alignments"}
    assert {"pq", "n_matched"} <= {found.key for found in select_metrics(None, "labels")}
    every = {found.key for found in select_metrics("all", "labels", 2)}
    assert every >= {found.key for found in select_metrics("panoptic,regions,clustering,geometry", "labels", 2)}
    assert "window_diff" not in every and "surface_dice" not in every, "only what fits, without required options"
    assert "surface_dice" in {found.key for found in select_metrics("all,surface_dice", "labels", 2)}


def test_options_reach_their_metric() -> None:
    spans = sm.Spans.from_masses([7, 3]), sm.Spans.from_masses([3, 7])
    found = sm.score(*spans, ["false_hits", "pq"], rule="theta_and", options={"false_hits": {"pi": "0.76"}})
    assert found["false_hits"].value == 0
    assert sm.score(*spans, ["false_hits"], rule="theta_and")["false_hits"].value == 1


def test_classes_must_agree_unless_ignored() -> None:
    true = sm.LabelArray([1, 1, 2], classes={1: "car", 2: "car"})
    pred = sm.LabelArray([1, 1, 2], classes={1: "truck", 2: "car"})
    assert sm.n_matched(true, pred).value == 1
    assert sm.n_matched(true, pred, classes="ignore").value == 2


def test_panoptic_quality_is_an_alias() -> None:
    assert sm.panoptic_quality is sm.pq
    assert "pq" in dir(sm) and "overlap" in dir(sm)
    with pytest.raises(AttributeError, match="has no attribute or metric 'pqq'"):
        _ = sm.pqq
    with pytest.raises(AttributeError, match="has no attribute or metric 'pqq'"):
        _ = sm.overlap(TRUE, PRED).align().pqq


def test_import_brings_in_numpy_at_most() -> None:
    heavy = ("scipy", "PIL", "rich", "click", "hypothesis")
    code = f"import sys, segmetry; print(' '.join(m for m in {heavy} if m in sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == ""


def test_scoring_arrays_needs_no_scipy() -> None:
    code = "import sys, segmetry as sm; sm.pq([[1, 1]], [[1, 0]]); print('scipy' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"
