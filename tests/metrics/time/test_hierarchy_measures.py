"""T-measures and L-measures against a count of every triple of frames, and hierarchies of JAMS files."""

from __future__ import annotations

import json
from itertools import pairwise, permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.cli.main import main
from segmetry.errors import KindError, OptionError, SegmetryError
from segmetry.segmentation.spans import Spans
from segmetry.segmentation.time_intervals import TimeIntervals
from tests.profiles import examples

N = 8
Levels = list[list[tuple[int, int, str]]]


@st.composite
def hierarchies(draw: st.DrawFn) -> Levels:
    levels = []
    for _ in range(draw(st.integers(1, 3))):
        cuts = [0, *sorted(draw(st.sets(st.integers(1, N - 1), max_size=3))), N]
        levels.append([(low, high, draw(st.sampled_from("ab"))) for low, high in pairwise(cuts)])
    return levels


def line(levels: Levels) -> TimeIntervals:
    rows = [(*row, depth) for depth, level in enumerate(levels) for row in level]
    starts, stops, names, depths = zip(*rows, strict=True)
    return TimeIntervals(starts, stops, N, classes=names, tracks=depths)


def depth(levels: Levels, first: int, second: int, *, by_label: bool) -> int:
    deepest = 0
    for number, level in enumerate(levels, 1):
        own = [next(row for row in level if row[0] <= frame < row[1]) for frame in (first, second)]
        if own[0] == own[1] or (by_label and own[0][2] == own[1][2]):
            deepest = number
    return deepest


def agreement(true: Levels, pred: Levels, *, by_label: bool, full: bool, window: int) -> float | None:
    shares = []
    for q in range(N):
        near = [i for i in range(N) if i != q and q - window <= i < q + window]
        total = right = 0
        for i, j in permutations(near, 2):
            difference = depth(true, q, i, by_label=by_label) - depth(true, q, j, by_label=by_label)
            if difference == 1 or (full and difference > 1):
                total += 1
                right += depth(pred, q, i, by_label=by_label) > depth(pred, q, j, by_label=by_label)
        if total:
            shares.append(right / total)
    return sum(shares) / len(shares) if shares else None


@pytest.mark.slow
@examples(2)
@given(hierarchies(), hierarchies(), st.sampled_from([2, 5, N]))
def test_every_triple_of_frames_is_counted(true: Levels, pred: Levels, window: int) -> None:
    sides = line(true), line(pred)
    for kind, by_label, full in (("t_%s_reduced", False, False), ("t_%s_full", False, True), ("l_%s", True, True)):
        options: dict[str, Any] = {"frame": 1} if by_label else {"frame": 1, "window": window}
        width = N if by_label else window
        expected = [
            agreement(first, second, by_label=by_label, full=full, window=width)
            for first, second in ((pred, true), (true, pred))
        ]
        for name, value in zip(("precision", "recall"), expected, strict=True):
            score = getattr(sm, kind % name)(*sides, **options)
            assert score.is_defined == (value is not None)
            assert value is None or score.value == pytest.approx(value, abs=1e-12)
        together = getattr(sm, kind % "measure")(*sides, **options)
        assert together.is_defined == (None not in expected)
        if together.is_defined:
            precision, recall = map(float, expected)  # type: ignore[arg-type]
            assert together.value == pytest.approx(2 * precision * recall / (precision + recall or 1), abs=1e-12)


def test_spans_are_one_level_and_levels_are_numbers() -> None:
    halves = Spans.from_masses([4, 4])
    assert sm.t_measure_full(halves, halves, frame=1).value == 1
    named = TimeIntervals([0, 0], [8, 8], tracks=["coarse", "fine"])
    with pytest.raises(KindError, match="expected the levels of a hierarchy"):
        sm.t_measure_full(named, named)
    with pytest.raises(OptionError, match="expected at least one frame"):
        sm.t_measure_full(halves, halves, frame=1, window="1/2")
    with pytest.raises(OptionError, match="expected a positive number of seconds"):
        sm.l_measure(halves, halves, frame=0)


def jams(levels: Levels) -> str:
    data = [
        {"time": start, "duration": stop - start, "value": {"label": name, "level": depth}, "confidence": None}
        for depth, level in enumerate(levels)
        for start, stop, name in level
    ]
    return json.dumps({"annotations": [{"namespace": "multi_segment", "data": data}]})


def test_the_hierarchy_of_a_jams_file_is_scored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    true: Levels = [[(0, 30, "A"), (30, 60, "B")], [(0, 15, "a"), (15, 30, "b"), (30, 45, "a"), (45, 60, "c")]]
    pred: Levels = [[(0, 45, "A"), (45, 60, "B")], [(0, 15, "a"), (15, 30, "a"), (30, 45, "b"), (45, 60, "b")]]
    paths = []
    for name, levels in (("true", true), ("pred", pred)):
        paths.append(str(tmp_path / f"{name}.jams"))
        Path(paths[-1]).write_text(jams(levels))
    assert main(["score", *paths, "--protocol", "music-hierarchy"]) == 0
    assert "L-Measure            0.6861" in capsys.readouterr().out
    Path(paths[0]).write_text(jams(true).replace('"level": 1', '"level": -1'))
    with pytest.raises(SegmetryError, match="expected a label and a level from 0 on"):
        sm.read(paths[0])
