"""Pictures of error budgets and sensitivities: lengths of bars are numbers, names are escaped."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import segmetry as sm
from segmetry.diagnosis.diagnosis_result import Diagnosis
from segmetry.errors import InputError
from segmetry.outputs.plots.budget_plot import budget_plot, confusion_plot, move_words, sensitivity_plot, sizes_plot
from segmetry.outputs.plots.picture import Rectangle


@pytest.fixture(scope="module")
def diagnosis() -> Diagnosis:
    true = sm.LabelArray([[1, 1, 1, 2, 2, 0, 0]], classes={1: "<car>", 2: "tree"})
    pred = sm.LabelArray([[3, 3, 3, 4, 0, 5, 0]], classes={3: "van & lorry", 4: "tree", 5: "tree"})
    return sm.diagnose(sm.evaluate({"a": true}, {"a": pred}))


def test_bars_are_as_long_as_the_gains(diagnosis: Diagnosis) -> None:
    picture = budget_plot(diagnosis, "by_item_of_classes")
    bars = {shape.note: shape.width for shape in picture.shapes if isinstance(shape, Rectangle) and shape.note}
    before = diagnosis.base.scores["pq"]["by_item_of_classes"].value
    assert before == 0
    gain = diagnosis.individually["class"].scores["pq"]["by_item_of_classes"].value
    assert bars[f"class individually: {gain:+.4f}"] == pytest.approx(470 * gain)
    last = diagnosis.cumulative["spurious"].scores["pq"]["by_item_of_classes"].value
    assert bars[f"boundary cumulative: {last:.4f} to 1.0000"] == pytest.approx(max(470 * (1 - last), 0.5))


def test_pictures_are_well_formed(diagnosis: Diagnosis) -> None:
    labels = np.zeros((6, 6), dtype=int)
    labels[1:5, 1:5] = 1
    moved = sensitivity_plot(sm.sensitivity(labels, labels))
    for picture in (budget_plot(diagnosis), sizes_plot(diagnosis), confusion_plot(diagnosis), moved):
        assert ET.fromstring(picture.svg).tag.endswith("svg")  # noqa: S314 - our own text
        assert picture.png()[1:4] == b"PNG"
    assert "&lt;car&gt; predicted as van &amp; lorry: 1" in confusion_plot(diagnosis).svg


def test_changes_point_to_their_side() -> None:
    labels = np.zeros((1, 9), dtype=int)
    labels[0, 2:7] = 1
    picture = sensitivity_plot(sm.sensitivity(labels, np.roll(labels, 1, axis=1), rules="theta_and"))
    bars = {shape.note: shape for shape in picture.shapes if isinstance(shape, Rectangle)}
    up, down = bars["left, θ&: +0.3333"], bars["right, θ&: -0.2381"]
    assert up.x == pytest.approx(down.x + down.width) and up.width / down.width == pytest.approx(
        0.3333 / 0.2381, rel=1e-3
    )


def test_without_confusion_there_is_nothing_to_draw() -> None:
    with pytest.raises(InputError, match="no pair of segments differs in class only"):
        confusion_plot(sm.diagnose(sm.evaluate({"a": [[1]]}, {"a": [[1]]})))


def test_many_classes_are_cut() -> None:
    labels = np.arange(1, 41)[None]
    true = sm.LabelArray(labels, classes={k: f"class {k}" for k in range(1, 41)})
    pred = sm.LabelArray(labels, classes={k: f"class {k % 40 + 1}" for k in range(1, 41)})
    picture = confusion_plot(sm.diagnose(sm.evaluate({"a": true}, {"a": pred})))
    assert re.search("and 16 more classes", picture.svg)


def test_the_example_of_move_words() -> None:
    moves = ["dilate", "shift_0-", "shift_0+", "shift_1-", "shift_1+"]
    assert ([move_words(move, moves) for move in moves], move_words("shift_2+", ["shift_2+"])) == (
        ["grow", "up", "down", "left", "right"],
        "axis 2 +",
    )
