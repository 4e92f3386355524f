"""The error budget and the ranking under several rules go into the page as Python computes them, or say why not."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import segmetry as sm
from segmetry.report import comparison_data as ranking
from segmetry.report.analysis_data import budget_facts
from segmetry.report.comparison_data import ranking_facts
from segmetry.report.error_data import error_facts
from segmetry.report.page_data import report_data

TRUE = {"a": [[1, 1, 1, 1, 2, 2, 2, 3, 3, 3, 0]], "b": [[1, 1, 1, 1, 1, 2, 2, 2, 2, 0, 0]]}
PRED = {"a": [[1, 1, 2, 2, 3, 3, 3, 3, 3, 3, 4]], "b": [[1, 1, 1, 0, 0, 2, 2, 2, 2, 2, 3]]}


@pytest.fixture(scope="module")
def run() -> sm.Run:
    return sm.evaluate(TRUE, PRED, metrics="pq")


def test_the_budget_is_that_of_diagnose(run: sm.Run) -> None:
    facts, data = budget_facts(run), sm.diagnose(run).to_dict()
    assert facts["problem"] is None and facts["confusion"] is None
    states = [(facts["base"], data["base"])]
    before = data["base"]
    for kind in data["order"]:
        shown = facts["kinds"][kind]
        assert {name: shown[name] for name in data["kinds"][kind]} == data["kinds"][kind]
        states += [(shown["individually"], data["individually"][kind]), (shown["cumulative"], data["cumulative"][kind])]
        for word in ("by_item", "pooled"):
            base, alone, last, after = (
                state["scores"]["pq"][word]["value"]
                for state in (data["base"], data["individually"][kind], before, data["cumulative"][kind])
            )
            assert (shown["gain_individually"][word], shown["gain_cumulative"][word]) == (alone - base, after - last)
        before = data["cumulative"][kind]
    for values, state in states:
        for key, row in values.items():
            assert row == {word: state["scores"][key][word]["value"] for word in ("by_item", "pooled")}


def test_parts_are_those_of_diagnose() -> None:
    labels = np.array([[1, 1, 1, 2, 2, 2, 3, 3, 3, 3]])
    true = {"a": sm.LabelArray(labels, classes={1: "sky", 2: "car", 3: "car"})}
    pred = {"a": sm.LabelArray([[1, 1, 1, 0, 0, 0, 3, 3, 3, 4]], classes={1: "sky", 3: "car", 4: "dog"})}
    run = sm.evaluate(true, pred, metrics="pq")
    facts, diagnosis = budget_facts(run), sm.diagnose(run)
    rows = {row["name"]: row for row in facts["by_class"]}
    assert list(rows) == ["car", "dog", "sky"]  # a missed one, a spurious one, none
    # PQ of car is 3/4 of one pair over 1 + 1/2; finding the missed one adds a second pair with IoU 1.
    assert rows["car"]["pq"] == 0.5 and rows["car"]["individually"][3] == 1.75 / 2 - 0.5
    assert rows["dog"]["individually"][4] is None  # nothing of the class is left once the spurious one is dropped
    for level, parts in (("size", facts["by_size"]), ("class", facts["by_class"])):
        for part in parts:
            gains = [diagnosis.gain(kind, level=level, name=part["name"]) for kind in diagnosis.individually]
            assert part["individually"] == gains
            steps = [
                state.part(level, part["name"]).get("pq") for state in (diagnosis.base, *diagnosis.cumulative.values())
            ]
            values = [None if score is None or not score.is_defined else score.value for score in steps]
            assert part["pq"] == values[0]
            assert part["cumulative"] == [
                None if before is None or after is None else after - before for before, after in pairwise(values)
            ]


def test_confused_classes_are_called_what_the_data_set_calls_them() -> None:
    labels = np.array([[1, 1, 2, 2]])
    true = {"a": sm.LabelArray(labels, classes={1: 7, 2: "7"})}
    pred = {"a": sm.LabelArray(labels, classes={1: "8", 2: "7"})}
    assert budget_facts(sm.evaluate(true, pred, metrics="pq"))["confusion"] == [("7", "8", 1)]


def test_what_diagnose_rejects_is_said_in_one_line(run: sm.Run) -> None:
    assert "decides on each pair alone" in budget_facts(run.rescore("greedy"))["problem"]
    both = sm.Masks.from_dense(np.array([[[1, 1, 0]], [[0, 1, 1]]], dtype=bool))
    overlapping = sm.evaluate({"x": both}, {"x": both}, metrics="pq", rule="theta_plus")
    problem = report_data([overlapping])[0]["runs"][0]["budget"]["problem"]
    assert "segments overlap in 1 of 1 items (x)" in problem and "\n" not in problem


def test_overlapping_turns_are_called_turns_and_get_no_advice_on_masks() -> None:
    both = {"call": sm.TimeIntervals([0, 1], [2, 3], classes=["A", "B"])}
    problem = budget_facts(sm.evaluate(both, both, protocol="diarization"))["problem"]
    assert "turns overlap in 1 of 1 recordings (call)" in problem and "masks" not in problem


def test_runs_of_very_many_items_have_neither(run: sm.Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert budget_facts(run, most_items=1)["problem"].startswith("Left out: the run has 2 items")
    monkeypatch.setattr(ranking, "MANY_TO_ASSIGN", 3)
    runs = [run, sm.evaluate(TRUE, TRUE, metrics="pq")]
    facts = ranking_facts(runs)
    assert [row["rule"] for row in facts["by"]["by_item"]["rows"]][-1] == "dice(above=4/5)"
    assert "Assignment is left out" in facts["words"]
    monkeypatch.setattr(ranking, "MANY_TO_RANK", 3)
    assert ranking_facts(runs)["problem"].startswith("Left out: the runs have 4 items together")


def test_the_ranking_is_that_of_rule_sensitivity(run: sm.Run) -> None:
    perfect = sm.evaluate(TRUE, TRUE, metrics="pq")
    data, _ = report_data([run, perfect])
    facts = data["comparison"]["ranking"]["by"]
    for word in ("by_item", "pooled"):
        sensitivity = sm.rule_sensitivity(run, perfect, average=word, resamples=1000)
        assert facts[word]["changes"] == sensitivity.ranking_changes
        assert [(row["rule"], row["ranks"], row["tau"], row["stable"]) for row in facts[word]["rows"]] == [
            (row.rule, list(row.ranks), row.tau, row.stable) for row in sensitivity.by_rule
        ]
        assert [row["values"] for row in facts[word]["rows"]] == [
            [score.value for score in row.values] for row in sensitivity.by_rule
        ]


def test_runs_that_cannot_be_ranked_say_why() -> None:
    runs = [sm.evaluate(TRUE, pred, metrics="sq") for pred in (PRED, TRUE)]
    assert ranking_facts(runs)["problem"].startswith("Rules are not compared: ")


def test_the_example_of_error_facts() -> None:
    import segmetry as sm

    facts = error_facts(sm.evaluate({"a": [[1, 1, 2, 0]]}, {"a": [[1, 1, 0, 3]]}, metrics="pq"), 10)
    assert (facts["n"], facts["kinds"][3:5], facts["headline"]) == (2, ["missed", "spurious"], "pq (mean over items)")


def test_the_ranks_by_every_metric_are_those_of_the_comparison() -> None:
    others = ({**PRED, "a": TRUE["a"]}, {**PRED, "b": TRUE["b"]})
    runs = [sm.evaluate(TRUE, pred, metrics="pq,sq,n_missed") for pred in (PRED, *others)]
    data, _ = report_data(runs, names=["x", "y", "z"])
    across = sm.compare(dict(zip("xyz", runs, strict=True)), resamples=1000).across()
    facts = data["comparison"]["across"]
    assert [(tuple(row["ranks"]), row["tau"]) for row in facts["rows"]] == [
        (row.ranks, row.tau) for row in across.by_metric
    ]
    assert [row["metric"] for row in facts["rows"]] == ["pq ↑", "sq ↑", "n_missed ↓"]
    assert facts["rows"][0]["intervals"][0] == "2-3"
    assert report_data(runs[:1])[0]["comparison"] is None
    one = [sm.evaluate(TRUE, pred, metrics="pq") for pred in (PRED, *others)]
    assert report_data(one)[0]["comparison"]["across"] is None
