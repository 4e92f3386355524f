"""Repairs on tables against repairs on elements: the repaired segmentation is built and scored again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.diagnosis.error_budget import fix
from segmetry.diagnosis.error_reasons import KINDS, MatchSettings, Reasons
from segmetry.diagnosis.table_cells import TableCells
from segmetry.errors import InputError, OptionError, UnknownNameError
from segmetry.overlaps.table import OverlapTable
from tests.diagnosis.oracle import Brute, Scene
from tests.diagnosis.strategies import hows, scenes
from tests.profiles import examples

KEYS = ("pq", "sq", "rq", "precision", "recall", "n_matched", "n_missed", "n_spurious")


def values(alignment: Any) -> dict[str, Any]:
    scores = {key: alignment[key] if isinstance(alignment, sm.Scores) else getattr(alignment, key) for key in KEYS}
    return {key: score.value if score.is_defined else None for key, score in scores.items()}


def scored(scene: Scene, rule: str, policy: str, classes: str) -> dict[str, Any]:
    return values(sm.score(*scene.segmentations(), KEYS, rule=rule, policy=policy, classes=classes))


def without_ids(table: OverlapTable) -> Any:
    """What a table says about its pred segments, whatever they are called."""
    names = table.class_names or ()
    columns: list[Any] = [
        (
            int(table.pred.sizes[h]),
            int(table.pred.outside[h]),
            int(table.pred.void[h]),
            None if table.pred.classes is None else names[int(table.pred.classes[h])],
            tuple((int(table.row_true[r]), int(table.shared[r])) for r in np.flatnonzero(table.row_pred == h)),
        )
        for h in range(len(table.pred))
    ]
    true = [getattr(table.true, name).tolist() for name in ("ids", "sizes", "outside", "void")]
    return sorted(columns, key=repr), true, table.background, table.n_elements


@examples(4)  # six kinds share them
@given(scenes(), hows, st.sampled_from(KINDS))
def test_each_repair_alone_is_the_repair_of_the_elements(scene: Scene, how: tuple[str, str, str], kind: str) -> None:
    expected = Brute(scene, *how).repaired(kind)
    table = fix(sm.overlap(*scene.segmentations()), kind, MatchSettings.of(*how)).table
    assert without_ids(table) == without_ids(sm.overlap(*expected.segmentations()))
    assert values(MatchSettings.of(*how).align(table)) == scored(expected, *how)


@given(scenes(), hows)
def test_one_after_the_other_ends_at_one(scene: Scene, how: tuple[str, str, str]) -> None:
    table, chosen = sm.overlap(*scene.segmentations()), MatchSettings.of(*how)
    for at, kind in enumerate(KINDS):
        scene = Brute(scene, *how).repaired(kind, KINDS[:at])
        table = fix(table, kind, chosen, KINDS[:at]).table
        assert values(chosen.align(table)) == scored(scene, *how)
    last = chosen.align(table)
    assert last.n_unmatched_true == last.n_unmatched_pred == 0
    assert last.pq.value == 1 or (len(last) == 0 and not last.pq.is_defined)


@given(scenes(), hows, st.sampled_from(KINDS))
def test_no_repair_lowers_pq_where_every_element_counts(scene: Scene, how: tuple[str, str, str], kind: str) -> None:
    chosen = MatchSettings.of(how[0], "none", how[2])
    table = sm.overlap(*scene.segmentations())
    before, after = chosen.align(table), chosen.align(fix(table, kind, chosen).table)
    for name, part in sm.break_down(before).items():
        later = sm.break_down(after).get(name)
        assert later is None or not later.pq.is_defined or later.pq.value >= part.pq.value
    assert not after.pq.is_defined or after.pq.value >= before.pq.value
    assert kind != "boundary" or not len(after) or after.sq.value == 1


@given(scenes(), hows)
def test_every_segment_without_a_partner_has_one_reason(scene: Scene, how: tuple[str, str, str]) -> None:
    brute, reasons = Brute(scene, *how), Reasons.of(sm.overlap(*scene.segmentations()), MatchSettings.of(*how))
    counts = reasons.counts()
    assert sum(row["missed"] for row in counts.values()) == len(brute.missed)
    assert sum(row["spurious"] for row in counts.values()) == len(brute.spurious)
    missed, spurious = brute.unexplained(())
    assert {kind: row["errors"] for kind, row in counts.items()} == {
        "class": len(brute.confused()),
        "split": len(brute.splits()),
        "merge": len(brute.merges()),
        "missed": len(missed),
        "spurious": len(spurious),
        "boundary": sum(1 for t, h in brute.matched if sum(brute.smp(t, h)[1:])),
    }


def test_a_repaired_boundary_makes_sq_one() -> None:
    how = MatchSettings.of("theta_and")
    table = sm.overlap([[1, 1, 1, 2, 2, 2, 3]], [[1, 1, 2, 2, 2, 3, 3]])
    assert how.align(table).sq.value < 1
    assert how.align(fix(table, "boundary", how).table).sq.value == 1


def test_a_stricter_rule_asks_more_of_fragments_and_of_what_is_swallowed() -> None:
    table = sm.overlap([[0] * 2 + [1] * 8], [[1] * 6 + [2] * 4])  # 4 of 6 elements of one piece lie in the segment
    for one, kind in ((table, "split"), (table.swapped(), "merge")):
        for rule, errors in (("theta_and", 1), ("theta_plus", 1), ("iou(above=3/4)", 0)):
            assert Reasons.of(one, MatchSettings.of(rule)).counts()[kind]["errors"] == errors


def test_segments_the_policy_ignores_are_neither_split_nor_merge() -> None:
    mostly_void, two = [255] * 6 + [1] * 2 + [2] * 2, sm.LabelArray([[7] * 10])
    split = sm.overlap(two, sm.LabelArray([mostly_void], void=255))
    for policy, kind, errors in (("none", "split", 1), ("torchmetrics", "split", 0), ("torchmetrics", "spurious", 2)):
        assert Reasons.of(split, MatchSettings.of("theta_plus", policy)).counts()[kind]["errors"] == errors
    merge = sm.overlap(sm.LabelArray([mostly_void], void=255), two)
    for policy, kind, errors in (("none", "merge", 1), ("coco", "merge", 0), ("coco", "missed", 2)):
        assert Reasons.of(merge, MatchSettings.of("theta_plus", policy)).counts()[kind]["errors"] == errors


def test_a_neighbour_that_finds_its_partner_by_the_repair_is_repaired_too() -> None:
    how = MatchSettings.of("theta_and")
    table = sm.overlap([[1] * 6 + [2] * 3], [[1] * 4 + [2] * 4 + [0]])
    assert len(how.align(table)) == 1
    assert how.align(fix(table, "boundary", how).table).pq.value == 1
    rows = [(k, k + one, 51 - k - one) for k in range(1, 50) for one in (0, 1)]  # each pred waits for the one before
    chain = OverlapTable.from_rows(rows)
    assert len(how.align(chain)) == 1 and how.align(fix(chain, "boundary", how).table).pq.value == 1


def test_the_rest_of_a_cut_segment_stays_with_the_largest_piece_or_alone() -> None:
    how = MatchSettings.of("theta_and")
    true = [1, 1, 1, 2, 2] + [0] * 10
    narrow = fix(sm.overlap([true], [[9] * 7 + [0] * 8]), "merge", how).table
    assert how.align(narrow).n_unmatched_pred == 0 and sorted(narrow.pred.sizes.tolist()) == [2, 5]
    wide = fix(sm.overlap([true], [[9] * 12 + [0] * 3]), "merge", how).table
    assert how.align(wide).n_unmatched_pred == 1 and sorted(wide.pred.sizes.tolist()) == [2, 3, 7]


def test_empty_segments_stay_until_they_are_dropped() -> None:
    stack = np.zeros((2, 1, 3), dtype=bool)
    stack[0, 0, :2] = True
    table, how = sm.overlap(sm.Masks.from_dense(stack[:1]), sm.Masks.from_dense(stack)), MatchSettings.of("theta_and")
    assert len(fix(table, "split", how).table.pred) == 2
    assert len(fix(table, "spurious", how).table.pred) == 1


def test_where_repaired_segments_come_from() -> None:
    how = MatchSettings.of("theta_and")
    fixed = fix(sm.overlap([[1, 1, 1, 2, 3]], [[9, 9, 5, 5, 0]]), "missed", how)
    assert fixed.origin.tolist() == [0, 1, -2, -3] and fixed.table.pred.sizes.tolist() == [1, 2, 1, 1]


def test_what_cannot_be_repaired_is_rejected() -> None:
    how = MatchSettings.of("theta_and")
    overlapping = sm.overlap(sm.Sets([{1, 2}, {2, 3}]), sm.Sets([{1, 2}]))
    with pytest.raises(InputError, match="overlap"):
        fix(overlapping, "merge", how)
    table = sm.overlap([[1, 1]], [[1, 0]])
    with pytest.raises(UnknownNameError, match="'splits'; known: class, split"):
        fix(table, "splits", how)
    with pytest.raises(OptionError, match="largest_overlap; the error analysis needs"):
        MatchSettings.of("largest_overlap")
    with pytest.raises(OptionError, match="iou\\(above=1/4\\)"):
        MatchSettings.of("iou(above=0.25)")
    with pytest.raises(InputError, match="segment 1 has 3 elements, but its overlaps, outside and void have 2"):
        fix(replace(table, true=replace(table.true, sizes=np.array([3]))), "merge", how)


def test_the_example_of_match_settings_of() -> None:
    assert MatchSettings.of("iou(above=0.75)").rule.name == "iou(above=3/4)"


def test_the_example_of_reasons_of() -> None:
    import segmetry as sm

    reasons = Reasons.of(sm.overlap([[1, 1, 1, 1, 2, 0]], [[1, 1, 2, 2, 0, 3]]), MatchSettings.of("theta_and"))
    assert {kind: count["errors"] for kind, count in reasons.counts().items()} == {
        "class": 0,
        "split": 1,
        "merge": 0,
        "missed": 1,
        "spurious": 1,
        "boundary": 0,
    }


def test_the_example_of_table_cells_of() -> None:
    import segmetry as sm

    cells = TableCells.of(sm.overlap([[1, 1, 0]], [[5, 0, 0]]))
    assert np.stack([cells.true, cells.pred, cells.count], axis=1).tolist() == [
        [0, 0, 1],
        [0, -1, 1],
        [-1, -1, 1],
    ]
