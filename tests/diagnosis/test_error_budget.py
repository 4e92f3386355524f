"""The budget of a run against runs of predictions that were really repaired."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.alignments.breakdown import BySize
from segmetry.diagnosis.error_budget import overlap_problem, run_reasons
from segmetry.diagnosis.error_reasons import KINDS
from segmetry.diagnosis.scored_state import COUNTS, KEYS, State
from segmetry.errors import ClassesError, FormatError, InputError, KindError, OptionError
from segmetry.metrics.score import Score
from segmetry.metrics.statistics import Statistics
from segmetry.metrics.tally_quotient import segments_by
from segmetry.statistics.data_set import DataSet
from segmetry.statistics.summary import Summary, summarise
from tests.diagnosis.oracle import Brute, Scene
from tests.diagnosis.strategies import hows, scenes
from tests.profiles import examples

SIZES = BySize((3, 6))
Items = dict[str, Scene]


def value(score: Score | None) -> float | None:
    return None if score is None or not score.is_defined else score.value


def evaluated(items: Items, how: tuple[str, str, str]) -> sm.Run:
    sides: list[dict[str, Any]] = [{}, {}]
    for name, scene in items.items():
        for side, segmentation in zip(sides, scene.segmentations(), strict=True):
            side[name] = segmentation
    return sm.evaluate(*sides, rule=how[0], policy=how[1], classes=how[2], metrics=(*KEYS, *COUNTS), engine="serial")


def by_size(items: Items, how: tuple[str, str, str]) -> Summary:
    tables = {name: sm.overlap(*scene.segmentations()) for name, scene in items.items()}
    aligned = {name: sm.align(table, how[0], policy=how[1], classes=how[2]) for name, table in tables.items()}
    segments = Statistics.concatenate([segments_by(alignment, SIZES) for alignment in aligned.values()])
    return summarise(DataSet.of_segments(list(aligned), segments, "segments", how[1], (*KEYS, *COUNTS)))


def assert_state(state: State, items: Items, how: tuple[str, str, str]) -> None:
    summary, sizes = evaluated(items, how).summary(), by_size(items, how)
    for key in (*KEYS, *COUNTS):
        expected, aggregated = summary[key], state.scores[key]
        assert aggregated.to_dict() == expected.to_dict()
        for parts, mine in ((summary.parts, state.classes), (sizes.parts, state.sizes)):
            assert {name: value(row[key]) for name, row in mine.items()} == {
                name: value(row[key]["pooled"]) for name, row in parts.items()
            }


@examples(1 / 5)
@given(st.lists(scenes(), min_size=1, max_size=3), hows, st.sampled_from(KINDS))
def test_a_run_is_repaired_as_its_items_are(listed: list[Scene], how: tuple[str, str, str], kind: str) -> None:
    items = {f"item {at}": scene for at, scene in enumerate(listed)}
    diagnosis = sm.diagnose(evaluated(items, how), sizes=SIZES)
    assert_state(diagnosis.base, items, how)
    alone = {name: Brute(scene, *how).repaired(kind) for name, scene in items.items()}
    assert_state(diagnosis.individually[kind], alone, how)
    for at, step in enumerate(KINDS[: KINDS.index(kind) + 1]):
        items = {name: Brute(scene, *how).repaired(step, KINDS[:at]) for name, scene in items.items()}
    assert_state(diagnosis.cumulative[kind], items, how)


@pytest.fixture(scope="module")
def run() -> sm.Run:
    """A street: a car taken for a van, a split road, two merged trees, a missed sign, a spurious sign, a loose sky."""
    true = [[1] * 8 + [2] * 4 + [3] * 10 + [4] * 3 + [5] * 3 + [6] * 2 + [0] * 5]
    pred = [[1] * 6 + [0] * 2 + [2] * 4 + [3] * 5 + [7] * 5 + [4] * 6 + [0] * 4 + [8] * 3]
    of_true = {1: "sky", 2: "car", 3: "road", 4: "tree", 5: "tree", 6: "sign"}
    of_pred = {1: "sky", 2: "van", 3: "road", 7: "road", 4: "tree", 8: "sign"}
    return sm.evaluate({"a": sm.LabelArray(true, classes=of_true)}, {"a": sm.LabelArray(pred, classes=of_pred)})


def test_worked_numbers(run: sm.Run) -> None:
    diagnosis = sm.diagnose(run)
    assert {kind: row["errors"] for kind, row in diagnosis.counts.items()} == dict.fromkeys(KINDS, 1)
    # Six classes occur; only the sky is matched, with IoU 6/8.
    assert diagnosis.base.scores["pq"]["by_item_of_classes"].value == 0.75 / 6
    after = {kind: state.scores["pq"]["by_item_of_classes"].value for kind, state in diagnosis.individually.items()}
    assert after == {
        "class": 1.75 / 5,  # no van is left
        "split": 1.75 / 6,
        "merge": 1.75 / 6,
        "missed": pytest.approx((0.75 + 1 / 1.5) / 6),  # a sign is found, another one is still spurious
        "spurious": 0.75 / 6,
        "boundary": 1 / 6,
    }
    whole = {kind: state.scores["pq"]["pooled"] for kind, state in diagnosis.individually.items()}
    assert {kind: score.value for kind, score in whole.items() if score is not None} == {
        "class": 1.75 / 6,
        "split": 1.75 / 5.5,
        "merge": 2.75 / 6.5,
        "missed": 1.75 / 6.5,
        "spurious": 0.75 / 5.5,
        "boundary": 1 / 6,
    }
    assert diagnosis.gain("merge", average="pooled") == 2.75 / 6.5 - 0.75 / 6
    assert diagnosis.gain("merge", level="class", name="tree") == 1
    assert diagnosis.gain("class", level="class", name="van") is None, "nothing of the class is left"
    assert diagnosis.cumulative["boundary"].scores["pq"]["by_item_of_classes"].value == 1
    assert [(confusion.true_class, confusion.pred_class, confusion.pairs) for confusion in diagnosis.confusion] == [
        ("car", "van", 1)
    ]


def test_plain_rows_and_data(run: sm.Run) -> None:
    diagnosis = sm.diagnose(run)
    data = json.loads(json.dumps(diagnosis.to_dict(), allow_nan=False))
    assert data["order"] == list(KINDS) and data["confusion"] == [
        {"true_class": "car", "pred_class": "van", "pairs": 1}
    ]
    assert data["individually"]["class"]["scores"]["pq"]["by_item_of_classes"]["value"] == 1.75 / 5
    rows = {(r["level"], r["name"], r["mode"], r["repair"], r["key"]): r for r in diagnosis.rows()}
    assert rows["data set", None, "base", None, "pq"]["by_item"] == 0.75 / 6
    last = rows["data set", None, "cumulative", "boundary", "pq"]
    assert last["by_item"] == 1 and last["gain_by_item"] == pytest.approx(
        1 - rows["data set", None, "cumulative", "spurious", "pq"]["by_item"]
    )
    assert rows["class", "tree", "individually", "merge", "pq"]["gain_pooled"] == 1
    assert (
        "error analysis of 1 item: gain in PQ if fixed, IoU &gt; 0.5 (θ⁺)" in diagnosis._repr_html_()
        and "<td>boundary</td><td>1</td>" in diagnosis._repr_html_()
    )
    assert sm.diagnose(run, classes="ignore").to_dict()["confusion"] is None


def test_classes_that_look_alike_stay_apart() -> None:
    true = sm.LabelArray([[1, 1, 2, 2]], classes={1: 3, 2: "3"})
    data = sm.diagnose(sm.evaluate({"a": true}, {"a": true})).to_dict()
    assert [part["name"] for part in data["base"]["classes"]] == [3, "3"]


def test_a_run_file_and_its_rule(tmp_path: Path) -> None:
    path = tmp_path / "run.segm"
    sm.evaluate({"a": [[1, 1, 1, 2]]}, {"a": [[3, 4, 4, 4]]}, out=path)
    assert sm.diagnose(path).base.scores["pq"]["by_item"].value == 0
    under = sm.diagnose(str(path), rule="theta_and")
    assert (under.rule, under.base.scores["pq"]["by_item"].value) == ("theta_and", 0.25)
    with pytest.raises(FormatError, match="no such file"):
        sm.diagnose(tmp_path / "other.segm")


def test_items_without_segments() -> None:
    diagnosis = sm.diagnose(sm.evaluate({"a": [[0, 0]], "b": [[0, 0]]}, {"a": [[0, 0]], "b": [[1, 0]]}))
    assert diagnosis.base.scores["pq"]["by_item"].value == 0
    assert not diagnosis.individually["spurious"].scores["pq"]["by_item"].is_defined
    assert diagnosis.gain("spurious") is None
    assert "undefined" not in repr(diagnosis) and "–" in diagnosis._repr_html_()


def test_bad_input_is_rejected(run: sm.Run) -> None:
    with pytest.raises(KindError, match="run is a dict; expected a Run"):
        sm.diagnose({})  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="rule is largest_overlap; the error analysis needs a rule"):
        sm.diagnose(run, rule="largest_overlap")
    stack = np.ones((2, 2, 2), dtype=bool)
    masks = {"a": sm.Masks.from_dense(stack), "b": sm.Masks.from_dense(stack[:1])}
    overlapping = sm.evaluate(masks, masks, resolve="keep")
    with pytest.raises(InputError, match=r"segments overlap in 1 of 2 items \(a\).*by_score"):
        sm.diagnose(overlapping)
    plain, classed = [[1, 1]], sm.LabelArray([[1, 1]], classes={1: "x"})
    mixed = sm.evaluate({"a": plain, "b": classed}, {"a": plain, "b": classed}, metrics="rand_index")
    with pytest.raises(ClassesError, match="item b has classes and item a has none"):
        sm.diagnose(mixed)
    crowd = sm.LabelArray([[1, 1]], crowd=1)
    with pytest.raises(ClassesError, match="item b: true: segment 1 is a crowd"):
        sm.diagnose(sm.evaluate({"a": plain, "b": crowd}, {"a": plain, "b": [[1, 1]]}, policy="none"), policy="coco")


def test_an_unfinished_run_is_rejected_unless_a_part_will_do(tmp_path: Path) -> None:
    path = tmp_path / "run.segm"
    with pytest.raises(InputError):
        sm.evaluate({"a": [[1, 2]], "b": [[1, 1]]}, {"a": [[1, 2]], "b": [[1]]}, out=path, engine="serial")
    with pytest.raises(InputError, match="1 of 2 items are done"):
        sm.diagnose(path)
    assert sm.diagnose(path, partial=True).n_items == 1


def test_the_example_of_run_reasons() -> None:
    import segmetry as sm

    reasons = run_reasons(sm.evaluate({"a": [[1, 1, 1, 1, 2, 2]]}, {"a": [[1, 1, 2, 2, 3, 0]]}, metrics="pq"))
    assert (reasons.fragments.true.tolist(), reasons.fragments.pred.tolist()) == ([0, 0], [0, 1])


def test_the_example_of_overlap_problem() -> None:
    import segmetry as sm

    both = {"call": sm.TimeIntervals([0, 1], [2, 3])}
    assert (
        overlap_problem(sm.evaluate(both, both).tables_together, "recordings", "turns")
        == "turns overlap in 1 of 1 recordings (call): the elements of their union are not in the run"
    )
