"""Mean IoU by its definition over sets of elements: one item, a data set, items that count several times."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.errors import ClassesError
from segmetry.metrics.semantic.mean_iou import class_counts
from segmetry.metrics.statistics import Statistics
from segmetry.overlaps.item_tables import ItemTables
from tests.metrics.samples import sampled

CLASSES = {1: "a", 2: "a", 3: "b", 4: "c"}
VOID = 9
Row = list[int]
Item = tuple[Row, Row]


@st.composite
def data_sets(draw: st.DrawFn) -> list[Item]:
    n = draw(st.integers(1, 8))
    rows = st.lists(st.sampled_from([0, 1, 2, 3, 4]), min_size=n, max_size=n)
    trues = st.lists(st.sampled_from([0, 1, 2, 3, 4, VOID]), min_size=n, max_size=n)
    return draw(st.lists(st.tuples(trues, rows), min_size=1, max_size=4))


def sides(item: Item) -> tuple[sm.LabelArray, sm.LabelArray]:
    return sm.LabelArray([item[0]], void=VOID, classes=CLASSES), sm.LabelArray([item[1]], classes=CLASSES)


def by_definition(items: list[Item]) -> dict[str, Fraction]:
    """IoU of every class that occurs, over sets of (item, place)."""
    ious = {}
    for name in "abc":
        true, pred = (
            {
                (number, place)
                for number, item in enumerate(items)
                for place, label in enumerate(item[side])
                if CLASSES.get(label) == name and item[0][place] != VOID
            }
            for side in (0, 1)
        )
        if true | pred:
            ious[name] = Fraction(len(true & pred), len(true | pred))
    return ious


def mean(values: list[Fraction]) -> float:
    return float(sum(values) / len(values)) if values else math.nan


def same(value: float) -> object:
    return pytest.approx(value, rel=1e-14, nan_ok=True)


@pytest.mark.filterwarnings("ignore::segmetry.errors.DataWarning")  # sides without a class in common are tried, too
@given(data_sets())
def test_one_item_and_a_data_set(items: list[Item]) -> None:
    of_items = [mean(list(by_definition([item]).values())) for item in items]
    for item, value in zip(items, of_items, strict=True):
        assert sm.score(*sides(item), ["mean_iou"])["mean_iou"].value == same(value)
    true, pred = ({str(at): sides(item)[side] for at, item in enumerate(items)} for side in (0, 1))
    summary = sm.evaluate(true, pred, metrics="mean_iou", groups={"some": ["a", "b"]}).summary()
    classes = by_definition(items)
    pooled = summary["mean_iou"].over_data_set
    assert pooled is not None and pooled.value == same(mean(list(classes.values())))
    defined = [value for value in of_items if not math.isnan(value)]
    assert summary["mean_iou"]["by_item_of_classes"].value == same(
        math.fsum(defined) / len(defined) if defined else math.nan
    )
    for name, row in summary.parts.items():
        value = row["mean_iou"].over_data_set
        assert value is not None and value.value == same(float(classes.get(str(name), math.nan)))
        own = [float(ious[str(name)]) for item in items if str(name) in (ious := by_definition([item]))]
        assert row["mean_iou"]["by_item"].value == same(math.fsum(own) / len(own) if own else math.nan)
    if summary.groups:
        some = [value for name, value in classes.items() if name in "ab" and name in summary.parts]
        grouped = summary.groups["some"]["mean_iou"].over_data_set
        assert grouped is not None and grouped.value == same(mean(some))


@given(data_sets(), st.data())
def test_items_that_count_several_times(items: list[Item], data: st.DataObject) -> None:
    times = data.draw(st.lists(st.integers(0, 3), min_size=len(items), max_size=len(items)))
    facts = [class_counts(ItemTables.of(sm.overlap(*sides(item)))) for item in items]
    (drawn,) = sampled("mean_iou", Statistics.concatenate(facts), np.array(times)[:, None])
    repeated = [item for item, count in zip(items, times, strict=True) for _ in range(count)]
    assert drawn == same(mean(list(by_definition(repeated).values())))


def test_without_classes_it_is_undefined() -> None:
    score = sm.mean_iou(sm.LabelArray([[1, 1, 2]]), sm.LabelArray([[1, 2, 2]]))
    assert not score.is_defined and "read labels as classes" in str(score.reason)
    assert not sm.score([[1, 1, 2]], [[1, 2, 2]], "semantic")["mean_iou"].is_defined, "its family was asked for"
    for asked in ("mean_iou", ["pq", sm.mean_iou]):
        with pytest.raises(ClassesError, match=r"mean_iou compares classes, and the segments carry none.*--labels cla"):
            sm.score([[1, 1, 2]], [[1, 2, 2]], asked)


@given(st.data())
def test_labels_of_plain_arrays_are_classes_as_for_dice(data: st.DataObject) -> None:
    rows = st.lists(st.integers(0, 3), min_size=6, max_size=6)
    true, pred = data.draw(rows), data.draw(rows)
    found = sorted((set(true) | set(pred)) - {0})
    iou, dice = [], []
    for label in found:
        first, second = ({at for at, value in enumerate(side) if value == label} for side in (true, pred))
        iou.append(len(first & second) / len(first | second))
        dice.append(2 * len(first & second) / (len(first) + len(second)))
    for metric, values in ((sm.mean_iou, iou), (sm.iou, iou), (sm.dice, dice)):
        score = metric([true], np.array([pred]))
        assert score.value == pytest.approx(sum(values) / len(values)) if values else not score.is_defined
