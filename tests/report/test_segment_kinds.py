"""Every segment has the kinds of errors that the error analysis counts, and a single list of segments bears them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.diagnosis.diagnosis_result import WORDS
from segmetry.diagnosis.error_budget import run_reasons
from segmetry.diagnosis.error_reasons import KIND_BITS, KINDS
from segmetry.report.column_blocks import ColumnBlock
from segmetry.report.script_bundle import module_sources
from segmetry.report.segment_columns import PAIRS, add_segment_kinds
from tests.profiles import examples

COUNTED_ON = {"class": 0, "split": 0, "merge": 1, "missed": 0, "spurious": 1, "boundary": 0}


@st.composite
def data_sets(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any]]:
    sides: tuple[dict[str, Any], dict[str, Any]] = ({}, {})
    with_classes = draw(st.booleans())
    for item in range(draw(st.integers(1, 3))):
        for side in sides:
            lengths = draw(st.lists(st.tuples(st.integers(0, 6), st.integers(1, 4)), min_size=1, max_size=8))
            labels = np.concatenate([np.full(length, label) for label, length in lengths])[:12]
            labels = np.pad(labels, (0, 12 - labels.size))[None]
            classes = {label: "ab"[label % 2] for label in range(1, 7)} if with_classes else None
            side[f"item {item}"] = sm.LabelArray(labels, classes=classes)
    return sides


@examples(1)
@given(data_sets(), st.sampled_from(["theta_plus", "theta_and", "iou(above=3/4)"]))
def test_kinds_add_up_to_the_counts_of_the_error_analysis(sides: Any, rule: str) -> None:
    run = sm.evaluate(*sides, metrics="pq", rule=rule, engine="serial")
    kinds = run_reasons(run).kinds_of_segments()
    counts = sm.diagnose(run).counts
    missed = [column & KIND_BITS["matched"] == 0 for column in kinds]
    for kind in KINDS:
        bearing = [column & KIND_BITS[kind] != 0 for column in kinds]
        assert bearing[COUNTED_ON[kind]].sum() == counts[kind]["errors"]
        # Segments without a partner count for the first kind that they bear.
        assert [int((lone & has).sum()) for lone, has in zip(missed, bearing, strict=True)] == [
            counts[kind]["missed"],
            counts[kind]["spurious"],
        ]
        missed = [lone & ~has for lone, has in zip(missed, bearing, strict=True)]
    assert not missed[0].any() and not missed[1].any()


def test_pairs_and_bits_of_a_worked_example() -> None:
    # Segment 1 is cut in two halves; 2 and 3 become one; 4 has another class; 5 lacks an element; 6 is missed.
    true = np.repeat([1, 2, 3, 4, 5, 6, 0], [4, 3, 3, 2, 4, 1, 2])
    pred = np.repeat([1, 2, 3, 4, 5, 0, 6], [2, 2, 6, 2, 3, 2, 2])
    names = [dict.fromkeys(range(1, 7), "a"), dict.fromkeys(range(1, 7), "a") | {4: "b"}]
    sides = [{"x": sm.LabelArray(labels[None], classes=of)} for labels, of in zip((true, pred), names, strict=True)]
    run, columns = sm.evaluate(*sides, metrics="pq"), ColumnBlock()
    assert add_segment_kinds(run, columns) == {"problem": None, "rule": "theta_plus", "bits": KIND_BITS}
    reasons = run_reasons(run)
    words = [
        [[kind for kind in KIND_BITS if bits & KIND_BITS[kind]] for bits in column.tolist()]
        for column in reasons.kinds_of_segments()
    ]
    boundary = ["boundary", "matched"]
    assert words[0] == [["split"], ["merge"], ["merge"], ["class"], boundary, ["missed"]]
    assert words[1] == [["split"], ["split"], ["merge"], ["class"], boundary, ["spurious"]]
    lists = {name: list(zip(*(getattr(reasons, name)[:2]), strict=True)) for name in PAIRS}
    assert lists == {"confused": [(3, 3)], "fragments": [(0, 0), (0, 1)], "swallowed": [(1, 2), (2, 2)]}
    assert set(columns.directory) == {"true_kinds", "pred_kinds"} | {
        f"{a}_{b}" for a in PAIRS for b in ("true", "pred")
    }


def test_ignored_segments_bear_no_kind() -> None:
    true = {"a": sm.LabelArray([[1, 1, 9, 9, 9]], void=9)}
    run = sm.evaluate(true, {"a": [[1, 1, 2, 2, 2]]}, metrics="pq", policy="coco")
    assert [column.tolist() for column in run_reasons(run).kinds_of_segments()] == [[64], [64, 0]]


@pytest.mark.parametrize("options", [{"rule": "iou(above=1/4)", "resolve": "assign"}, {"rule": "iou(at_least=1/2)"}])
def test_a_rule_that_may_clash_has_no_kinds(options: dict[str, str]) -> None:
    run, columns = sm.evaluate({"a": [[1, 1, 2]]}, {"a": [[1, 1, 2]]}, metrics="pq", **options), ColumnBlock()
    assert "never gives a segment two partners" in add_segment_kinds(run, columns)["problem"]
    assert not columns.directory


def test_the_scripts_know_the_same_kinds() -> None:
    source = dict(module_sources())["data/segment_kinds.js"]
    listed = ", ".join(f'"{kind}"' for kind in KINDS)
    assert f"KINDS = [{listed}];" in source
    assert list(KIND_BITS) == [*KINDS, "matched"] and list(WORDS) == list(KINDS)
    for kind, side in COUNTED_ON.items():
        assert f'{kind}: "{("true", "pred")[side]}",' in source
