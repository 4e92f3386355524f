"""Plots of comparisons: what they say is in the picture, and odd data do not break them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from defusedxml import ElementTree

import segmetry as sm
from segmetry.metrics.average import AVERAGES
from segmetry.outputs.plots.comparison_plots import (
    _broken_lines,
    comparison_plots,
    density,
    rules_plot,
    two_rules_plots,
)
from segmetry.outputs.plots.picture import Dot, Line, Picture, Rectangle, Scale, Words, scale_of
from segmetry.results.number_format import number, signed
from tests.comparison.made import systems


def words(picture: Picture) -> list[str]:
    ElementTree.fromstring(picture.svg)
    assert picture.png()[:4] == b"\x89PNG"
    return [shape.text for shape in picture.shapes if isinstance(shape, Words)]


def test_every_difference_has_a_dot_at_its_value() -> None:
    comparison = sm.compare(*systems(12), names=["a", "b"], resamples=200)
    picture = comparison_plots(comparison)["differences"]
    shown = [row for row in comparison.differences if row.level == "data set" and row.key != "n_missed"]
    headings = ("(by class)", "(by item of classes)", "(pooled)")
    assert [text for text in words(picture) if text.endswith(headings)] == [
        f"{row.key} ({AVERAGES[row.average].heading})" for row in shown
    ]
    dots = [shape for shape in picture.shapes if isinstance(shape, Dot)]
    values = [row.value for row in shown]
    assert np.argsort([dot.x for dot in dots]).tolist() == np.argsort(values).tolist()
    assert [dot.note.split()[0] for dot in dots] == [signed(value) for value in values]
    lines = [shape for shape in picture.shapes if isinstance(shape, Line) and shape.width == 2.2]
    assert len(lines) == sum(row.interval.best is not None for row in shown)


def test_ranks_fill_their_bars() -> None:
    comparison = sm.compare(*systems(10, (0.2, 0.2, 0.25)), resamples=200)
    picture = comparison_plots(comparison)["ranks_by_item_of_classes"]
    words(picture)
    bars = [shape for shape in picture.shapes if isinstance(shape, Rectangle) and shape.note]
    by_row: dict[float, float] = {}
    for bar in bars:
        by_row[bar.y] = by_row.get(bar.y, 0) + bar.width
    assert len(by_row) == 3 and len({round(width, 6) for width in by_row.values()}) == 1


def test_rules_are_drawn_and_undefined_ones_left_out() -> None:
    sensitivity = sm.rule_sensitivity(*systems(8), resamples=100)
    picture = rules_plot(sensitivity)
    assert "majority overlap" in words(picture)
    assert sum(isinstance(shape, Dot) and bool(shape.note) for shape in picture.shapes) == 2 * len(sensitivity.by_rule)
    nothing = sm.Interval(float("nan"), reason="undefined")
    rows = tuple(replace(row, values=(nothing, nothing)) for row in sensitivity.by_rule)
    assert "undefined everywhere" in words(rules_plot(replace(sensitivity, by_rule=rows)))


def test_pairs_of_two_rules_are_drawn_even_if_there_are_none() -> None:
    loose = {name: np.roll(np.repeat([1, 2, 3], 9), 3) for name in "ab"}
    run = sm.evaluate({name: np.repeat([1, 2, 3], 9) for name in "ab"}, loose, metrics="pq")
    result = sm.two_alignments(run)
    plots = two_rules_plots(result)
    assert "no pairs" in words(plots["iou"])
    bars = [shape for shape in plots["additional"].shapes if isinstance(shape, Rectangle)]
    assert sum(int(bar.note.split()[-2]) for bar in bars) == result.summary.n_additional > 0
    same = sm.evaluate({"a": [1, 1, 2]}, {"a": [1, 1, 2]}, metrics="pq")
    for picture in two_rules_plots(sm.two_alignments(same)).values():
        words(picture)


def test_density_is_highest_where_most_values_are() -> None:
    at = np.linspace(0, 1, 101)
    densities = density(np.array([0.2] * 3 + [0.7] * 9), at)
    assert at[densities.argmax()] == pytest.approx(0.7, abs=0.02)
    assert density(np.array([0.5, 0.5]), at).argmax() == 50


@pytest.mark.parametrize(("low", "high"), [(0, 1), (-0.3, 0.001), (0.5, 0.500001), (-7, 12345)])
def test_ticks_are_round_and_few(low: float, high: float) -> None:
    ticks = Scale(low, high, 0, 1).ticks()
    assert 2 <= len(ticks) <= 8
    assert all(low - 1e-9 <= tick <= high + 1e-9 for tick in ticks)
    steps = np.diff(ticks)
    assert steps == pytest.approx(np.full(steps.size, steps[0]))


def test_scales_show_everything() -> None:
    for values in ([0.0], [3.0, 3.0], [-1.0, 5.0]):
        scale = scale_of(values, 0, 100)
        assert all(0 < scale.at(value) < 100 for value in values)
    assert [number(value) for value in (None, 9.99996, 123.45)] == ["–", "10.0000", "123.5"]


def test_the_example_of_broken_lines() -> None:
    assert (_broken_lines("theta_and"), _broken_lines("iou(above=3/4)")) == (
        ["majority overlap", "(θ&)"],
        ["IoU > 3/4"],
    )
