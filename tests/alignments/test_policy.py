"""Every policy against its definition over Python sets: classes, void on both sides, crowd segments."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.alignments.policy import POLICIES
from segmetry.errors import ClassesError, OptionError, UnknownNameError
from tests.oracle import as_sets, void_elements

VOID = 9
CLASS_OF = {1: "car", 2: "car", 3: "sky", 4: "car", 5: "sky", 6: "car"}


@dataclass
class Expected:
    pairs: dict[tuple[int, int], Fraction]
    missed: set[int]
    spurious: set[int]


@st.composite
def inputs(draw: st.DrawFn) -> tuple[sm.LabelArray, sm.LabelArray]:
    n = draw(st.integers(1, 24))

    def labels() -> Any:
        cuts = sorted(draw(st.lists(st.integers(0, n), max_size=6)))
        line: list[int] = []
        for start, stop in zip([0, *cuts], [*cuts, n], strict=True):
            line += [draw(st.sampled_from([0, 1, 2, 3, 4, 5, 6, VOID]))] * (stop - start)
        return np.array(line)

    crowd = draw(st.lists(st.sampled_from(list(CLASS_OF)), max_size=4, unique=True))
    return (
        sm.LabelArray(labels(), void=VOID, classes=CLASS_OF, crowd=crowd),
        sm.LabelArray(labels(), void=VOID, classes=CLASS_OF),
    )


def by_definition(true: sm.LabelArray, pred: sm.LabelArray, policy: str, rule: str) -> Expected:
    """Return the expected result, computed from sets by the definition of the policy."""
    trues, preds = dict(as_sets(true)), dict(as_sets(pred))
    true_void, pred_void = void_elements(true), void_elements(pred)
    crowd = set(true.crowd) if policy.startswith("coco") else set()
    kept = set({CLASS_OF[t]: t for t in true.crowd}.values()) if policy == "coco" else crowd
    if policy == "strict-void":
        trues = {t: e - pred_void for t, e in trues.items() if e - pred_void}
        preds = {h: e - true_void for h, e in preds.items() if e - true_void}
    pairs = {}
    for t, t_elements in trues.items():
        for h, h_elements in preds.items():
            if t in crowd or CLASS_OF[t] != CLASS_OF[h]:
                continue
            s = len(t_elements & h_elements)
            m = len(t_elements - h_elements - (pred_void if policy == "torchmetrics" else set()))
            p = len(
                h_elements
                - t_elements
                - (true_void if policy in ("coco", "coco-all-crowds", "torchmetrics") else set())
            )
            if (s > m + p) if rule == "theta_plus" else (s > m and s > p):
                pairs[t, h] = Fraction(s, s + m + p)
    missed, spurious = set(trues) - crowd - {t for t, _ in pairs}, set(preds) - {h for _, h in pairs}
    if policy == "torchmetrics":
        missed = {t for t in missed if 2 * len(trues[t] & pred_void) <= len(trues[t])}
    if policy in ("coco", "coco-all-crowds", "torchmetrics"):
        for h in list(spurious):
            ignorable = set(true_void).union(*(trues[t] for t in kept if t in trues and CLASS_OF[t] == CLASS_OF[h]))
            if 2 * len(preds[h] & ignorable) > len(preds[h]):
                spurious.discard(h)
    return Expected(pairs, missed, spurious)


@pytest.mark.parametrize("rule", ["theta_plus", "theta_and"])
@pytest.mark.parametrize("policy", sorted(POLICIES))
@given(pair=inputs())
def test_policy_is_its_definition(policy: str, rule: str, pair: tuple[sm.LabelArray, sm.LabelArray]) -> None:
    expected = by_definition(*pair, policy, rule)
    alignment = sm.align(sm.overlap(*pair), rule, policy=policy)
    assert {(p.true_id, p.pred_id): p.iou for p in alignment.pairs()} == expected.pairs
    assert set(alignment.table.true.ids[alignment.missed_true].tolist()) == expected.missed
    assert set(alignment.table.pred.ids[alignment.spurious_pred].tolist()) == expected.spurious


def test_every_policy_has_the_published_rule_by_default() -> None:
    table = sm.overlap([[1, 1, 2]], [[1, 1, 2]])
    rules = {name: sm.align(table, policy=name).rule.name for name in POLICIES}
    assert rules == dict.fromkeys(POLICIES, "theta_plus")
    assert sm.align(table, "theta_and", policy="coco").rule.name == "theta_and"


CROWDS = np.array([[1, 1, 1, 2, 2, 2, 3]])


def crowds(**options: Any) -> sm.LabelArray:
    return sm.LabelArray(CROWDS, classes={1: "car", 2: "car", 3: "car"}, crowd=[1, 2], **options)


def test_the_last_crowd_of_a_class_counts_as_in_the_reference_or_all_of_them() -> None:
    """A pred in the first of two crowds is spurious in the reference, which remembers one crowd of each class."""
    pred = sm.LabelArray(np.array([[8, 8, 8, 0, 0, 0, 9]]), classes={8: "car", 9: "car"})
    across = sm.LabelArray(np.array([[0, 8, 8, 8, 8, 0, 9]]), classes={8: "car", 9: "car"})
    for policy, spurious in (("coco", 1), ("coco-all-crowds", 0)):
        alignment = sm.align(sm.overlap(crowds(), pred), policy=policy)
        assert (alignment.n_pairs, alignment.n_unmatched_true, alignment.n_unmatched_pred) == (1, 0, spurious)
        assert sm.align(sm.overlap(crowds(), across), policy=policy).n_unmatched_pred == spurious
    listed_otherwise = sm.LabelArray(CROWDS, classes={1: "car", 2: "car", 3: "car"}, crowd=[2, 1])
    assert sm.align(sm.overlap(listed_otherwise, pred), policy="coco").n_unmatched_pred == 0
    other_classes = sm.LabelArray(CROWDS, classes={1: "car", 2: "sky", 3: "car"}, crowd=[1, 2])
    assert sm.align(sm.overlap(other_classes, pred), policy="coco").n_unmatched_pred == 0
    other_class = sm.LabelArray(np.array([[8, 8, 8, 0, 0, 0, 9]]), classes={8: "sky", 9: "car"})
    assert sm.align(sm.overlap(crowds(), other_class), policy="coco").n_unmatched_pred == 1
    ignoring = sm.align(sm.overlap(crowds(), other_class), policy="coco-all-crowds", classes="ignore")
    assert ignoring.n_unmatched_pred == 0


def test_a_crowd_without_class_is_an_error_where_the_class_matters() -> None:
    bare, pred = sm.LabelArray(CROWDS, crowd=[1]), sm.LabelArray(CROWDS)
    with pytest.raises(ClassesError, match="segment 1 is a crowd but has no class"):
        sm.pq(bare, pred, policy="coco")
    assert sm.pq(bare, pred, policy="coco", classes="ignore").value == 1
    assert sm.pq(bare, pred).value == 1


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"policy": "cityscapes"}, UnknownNameError, "there is no policy 'cityscapes'; known: none, coco"),
        ({"classes": "both"}, OptionError, "classes is 'both'"),
        ({"resolve": "best"}, OptionError, "resolve is 'best'"),
        ({"rule": "theta"}, UnknownNameError, "there is no rule 'theta'"),
    ],
)
def test_unknown_choices_are_named(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        sm.pq([[1]], [[1]], **options)


@pytest.mark.parametrize(
    ("true", "pred", "message"),
    [
        ({1: "car"}, {1: "car", 2: "car"}, "true: segment 2 has no class; classes= names 1"),
        ({1: "car", 2: "car"}, {}, "pred: segment 1 has no class; classes= names no segment"),
        ({1: "car", 2: "car"}, None, "pred has no classes but the other side does"),
        (None, {1: "car", 2: "car"}, "true has no classes but the other side does"),
    ],
)
def test_missing_classes_are_named(true: Any, pred: Any, message: str) -> None:
    labels = np.array([[1, 2]])
    with pytest.raises(ClassesError, match=message):
        sm.pq(sm.LabelArray(labels, classes=true), sm.LabelArray(labels, classes=pred))


def test_a_class_on_one_side_only_matches_nothing() -> None:
    labels = np.array([[1, 2]])
    true, pred = sm.LabelArray(labels, classes={1: "car", 2: "sky"}), sm.LabelArray(labels, classes={1: "car", 2: 7})
    assert sm.n_matched(true, pred).value == 1
    assert sm.n_matched(true, pred, classes="ignore").value == 2
