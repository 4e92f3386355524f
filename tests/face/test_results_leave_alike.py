"""Every result leaves in the same forms: ``to_dict``, ``to_json``, and its rows as a data frame."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import segmetry as sm
from segmetry.comparison import two_alignments

TRUE = {name: [[1, 1, 2, 0]] for name in "abc"}
PRED = {name: [[1, 1, 0, 3]] for name in "abc"}
KEYS = "pq,sq,rq,n_matched"


def _run(pred: dict[str, Any] = PRED, metrics: str = KEYS) -> sm.Run:
    return sm.evaluate(TRUE, pred, metrics=metrics)


def _comparison() -> sm.Comparison:
    others = {"b": _run({**PRED, "a": TRUE["a"]}), "c": _run({**PRED, "b": TRUE["b"]})}
    return sm.compare({"a": _run(), **others}, resamples=100, by=[sm.ByItem("x", {"a": 1, "b": 1, "c": 2})])


RESULTS: dict[str, Callable[[], Any]] = {
    "Score": lambda: sm.pq(TRUE["a"], PRED["a"]),
    "undefined Score": lambda: sm.sq(TRUE["a"], [[0, 0, 0, 4]]),
    "Counts": lambda: sm.score(TRUE["a"], PRED["a"], "pair_counts")["pair_counts"],
    "Scores": lambda: sm.score(TRUE["a"], PRED["a"], "pq,pair_counts"),
    "ProtocolScores": lambda: sm.score(TRUE["a"], PRED["a"], protocol="stardist"),
    "SeveralScores": lambda: sm.against_all([TRUE["a"], TRUE["b"]], PRED["a"], "pq"),
    "BatchScores": lambda: sm.score_batch(np.array(list(TRUE.values())), np.array(list(PRED.values())), ["pq"]),
    "OverlapTable": lambda: sm.overlap(TRUE["a"], PRED["a"]),
    "Alignment": lambda: sm.align(sm.overlap(TRUE["a"], PRED["a"])),
    "Curves": lambda: sm.curves(TRUE["a"], PRED["a"]),
    "Hierarchy": lambda: sm.hierarchy(TRUE["a"], {"fine": PRED["a"], "coarse": [[1, 1, 1, 1]]}),
    "Run": _run,
    "Summary": lambda: _run().summary(),
    "Averages": lambda: _run().summary()["pq"],
    "Intervals": lambda: _run().intervals(resamples=100),
    "Interval": lambda: _run().interval("pq", resamples=100),
    "ResultTable": lambda: sm.evaluate(TRUE, PRED, protocol="stardist").protocol_table(),
    "Table": lambda: _run().items(),
    "RunErrors": lambda: _run().errors(),
    "Comparison": _comparison,
    "Difference": lambda: _comparison().difference("pq"),
    "AcrossMetrics": lambda: _comparison().across(),
    "RankStability": lambda: _comparison().ranks[0],
    "RuleSensitivity": lambda: sm.rule_sensitivity(_run(), _run(TRUE), names=["a", "b"], resamples=100),
    "TwoOfRun": lambda: two_alignments(_run()),
    "AgreementMatrix": lambda: sm.agreement_matrix({"A": TRUE, "B": PRED}),
    "Diagnosis": lambda: sm.diagnose(_run()),
    "Sensitivity": lambda: sm.sensitivity({"a": np.ones((4, 4), int)}, {"a": np.ones((4, 4), int)}),
}


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_leaves_as_plain_data_and_json(name: str) -> None:
    result = RESULTS[name]()
    plain = result.to_dict()
    assert json.loads(result.to_json()).keys() == {str(key) for key in plain}
    assert len(result.records()) > 0


@pytest.mark.peers
@pytest.mark.parametrize("name", RESULTS)
def test_a_result_leaves_as_a_data_frame(name: str) -> None:
    result = RESULTS[name]()
    frame = result.to_pandas()
    assert len(frame) == len(result.records())
    assert list(frame.columns) == list(result.records().columns)


@pytest.mark.peers
def test_the_rows_of_scores_are_their_values() -> None:
    rows = sm.score(TRUE["a"], PRED["a"], "pq,n_matched").to_pandas()
    assert rows["value"].tolist() == [sm.pq(TRUE["a"], PRED["a"]).value, 1.0]
    assert rows["numerator"].tolist() == ["2.0", "1"]


def test_no_result_calls_it_otherwise() -> None:
    results = [getattr(sm, name) for name in sm.__all__]
    assert not [name for name in sm.__all__ if hasattr(getattr(sm, name), "as_dict")]
    declared = {one for one in results if isinstance(one, type) and hasattr(one, "to_dict")}
    assert {type(make()) for make in RESULTS.values()} >= declared - {sm.ClassConfusions, sm.RunLengths}
