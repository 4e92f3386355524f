"""music-hierarchy against mir_eval.hierarchy.evaluate, from random hierarchies with late starts and other ends."""

from __future__ import annotations

import warnings
from typing import Any

import mir_eval
import numpy as np
import pytest

import segmetry as sm
from segmetry.segmentation.time_intervals import TimeIntervals
from tests.protocols.references.table_values import shown

pytestmark = [pytest.mark.peers, pytest.mark.filterwarnings("ignore")]

Level = list[tuple[int, int, str]]
Hierarchy = list[Level]


def level(rng: np.random.Generator, start: int, end: int, most: int) -> Level:
    cuts = sorted({start, end, *rng.integers(start + 1, end, rng.integers(0, most)).tolist()})
    names = rng.choice(list("ABCabx"), len(cuts))
    return [(low, high, str(name)) for low, high, name in zip(cuts, cuts[1:], names, strict=False)]


def hierarchy(rng: np.random.Generator, end: int, *, same_end: bool) -> Hierarchy:
    """Levels with more and more sections; those of a truth end together, as mir_eval demands."""
    made = []
    for depth in range(int(rng.integers(1, 4))):
        start = int(rng.integers(0, 4) * rng.integers(0, 2))
        made.append(level(rng, start, end if same_end else end + int(rng.integers(-5, 6)), 2 + 3 * depth))
    return made


def tracks(rng: np.random.Generator) -> tuple[Hierarchy, Hierarchy]:
    end = int(rng.integers(12, 26))
    while True:
        true, pred = hierarchy(rng, end, same_end=True), hierarchy(rng, end, same_end=False)
        if all(section[0] < end for sections in pred for section in sections):
            return true, pred


def reference(track: tuple[Hierarchy, Hierarchy], tick: float) -> dict[str, float]:
    sides: list[Any] = []
    for listed in track:
        sides.append([np.array([[float(f"{at * tick:.6g}") for at in row[:2]] for row in rows]) for rows in listed])
        sides.append([[row[2] for row in rows] for rows in listed])
    return dict(mir_eval.hierarchy.evaluate(*sides))


def line(listed: Hierarchy, n: int, tick: str) -> TimeIntervals:
    rows = [(*row, depth) for depth, rows in enumerate(listed) for row in rows]
    starts, stops, names, depths = zip(*rows, strict=True)
    return TimeIntervals(starts, stops, n, classes=names, tracks=depths, tick=tick)


def check(tracks: list[tuple[Hierarchy, Hierarchy]], tick: str) -> None:
    """Compare the mean over some tracks, and the values of each."""
    ends = [max(row[1] for side in track for rows in side for row in rows) for track in tracks]
    sides = [{f"{at}": line(track[side], ends[at], tick) for at, track in enumerate(tracks)} for side in (0, 1)]
    run = sm.evaluate(*sides, protocol="music-hierarchy", engine="serial")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = [reference(track, float(tick)) for track in tracks]
    keys = dict(zip(shown(run), run.settings.metrics or (), strict=True))
    for heading, row in shown(run).items():
        assert row["mean"] == pytest.approx(np.mean([scores[heading] for scores in expected]), abs=1e-12), heading
        for item, scores, track in zip(run.items(), expected, tracks, strict=True):
            assert item[keys[heading]] == pytest.approx(scores[heading], abs=1e-12), (heading, track, tick)


def test_the_protocol_equals_mir_eval() -> None:
    rng = np.random.default_rng(37)
    check([tracks(rng)], "0.9")  # longer than the window
    for at in range(50):
        check([tracks(rng) for _ in range(10)], ("0.05", "0.03", "0.06")[at % 3])


@pytest.mark.parametrize(
    "track",
    [
        ([[(0, 40, "A")]], [[(0, 40, "x")]]),
        ([[(0, 40, "A")]], [[(0, 20, "x"), (20, 40, "y")]]),
        ([[(0, 20, "A"), (20, 40, "A")]], [[(0, 40, "x")]]),
        ([[(0, 40, "A")], [(0, 20, "a"), (20, 40, "b")]], [[(5, 20, "x"), (20, 60, "y")]]),
        ([[(0, 2, "A")]], [[(0, 2, "x")]]),
    ],
)
def test_the_protocol_equals_mir_eval_on_degenerate_tracks(track: Any) -> None:
    check([track], "0.125")


def test_named_exception_true_levels_may_end_at_different_times() -> None:
    levels: Hierarchy = [[(0, 40, "A")], [(0, 20, "a"), (20, 36, "b")]]
    with pytest.raises(ValueError, match="End times do not match"):
        reference((levels, levels), 0.125)
    true = line(levels, 40, "0.125")
    assert sm.l_measure(true, true).value == 1


def test_named_exception_a_track_of_one_frame() -> None:
    levels: Hierarchy = [[(0, 1, "A")]]
    with pytest.raises(IndexError):
        reference((levels, levels), 0.125)
    true = line(levels, 1, "0.125")
    run = sm.evaluate({"a": true}, {"a": true}, protocol="music-hierarchy", engine="serial")
    assert shown(run)["L-Measure"]["mean"] == 0
