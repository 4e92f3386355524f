"""music against mir_eval.segment.evaluate, from random tracks with gaps, late starts and other ends."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import mir_eval
import numpy as np
import pytest

import segmetry as sm
from segmetry.segmentation.spans import Spans
from tests.protocols.references.table_values import DATA_SETS, shown

pytestmark = [pytest.mark.peers, pytest.mark.filterwarnings("ignore")]

NMI = "Normalized Mutual Information"
Section = tuple[int, int, str]
Track = tuple[list[Section], list[Section]]
"""Sections in ticks, with labels."""


def sections(rng: np.random.Generator, end: int, names: str) -> list[Section]:
    cuts = sorted({*rng.integers(1, end, rng.integers(0, 6)).tolist(), end})
    start = int(rng.integers(0, 3) * rng.integers(0, 2))
    made = []
    for cut in cuts:
        if cut > start:
            made.append((start, cut, str(rng.choice(list(names)))))
            start = cut + (int(rng.integers(1, 5)) if rng.random() < 0.15 else 0)
    return made


def tracks(rng: np.random.Generator) -> list[Track]:
    """Tracks; mir_eval refuses a predicted section that starts where the truth ends, so there are none."""
    found: list[Track] = []
    while len(found) < 1 or rng.random() < 0.5:
        end = int(rng.integers(16, 60))
        pred = sections(rng, max(10, end + int(rng.integers(-9, 9))), "xyzw")
        true = sections(rng, end, "ABCa")
        if all(section[0] != true[-1][1] for section in pred):
            found.append((true, pred))
    return found


def degenerate() -> Iterator[list[Track]]:
    one: list[Section] = [(0, 40, "A")]
    yield [(one, one)]
    yield [(one, [(0, 20, "x"), (20, 40, "y")])]
    yield [([(0, 20, "A"), (20, 40, "B")], one)]
    yield [([(0, 20, "A"), (20, 40, "B")], [(5, 20, "x"), (20, 60, "y")])]
    yield [([(0, 2, "A")], [(0, 2, "x")])]
    yield [(one, [(0, 80, "x")])]


def reference(track: Track, tick: float) -> dict[str, float]:
    sides: list[Any] = []
    for listed in track:
        ends = np.array([[float(f"{at * tick:.6g}") for at in section[:2]] for section in listed]).reshape(-1, 2)
        sides += [ends, [section[2] for section in listed]]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        scores = dict(mir_eval.segment.evaluate(*sides))
    if abs(scores["Mutual Information"]) < 1e-12 and scores[NMI] != 1:
        scores[NMI] = 0.0  # a rounding error over 1e-10: the named exception below
    return scores


def check(data: list[Track], tick: str) -> None:
    sides = [
        {
            f"{at}": Spans(
                [section[0] for section in track[number]],
                [section[1] for section in track[number]],
                max(section[1] for listed in track for section in listed),
                classes=[section[2] for section in track[number]],
                tick=tick,
            )
            for at, track in enumerate(data)
        }
        for number in (0, 1)
    ]
    table = shown(sm.evaluate(*sides, protocol="music", engine="serial"))
    expected = [reference(track, float(tick)) for track in data]
    for heading, row in table.items():
        values = [scores[heading] for scores in expected if not np.isnan(scores[heading])]
        if not values:
            assert row["mean"] is None, (heading, data)
        else:
            assert row["mean"] == pytest.approx(np.mean(values), abs=1e-9), (heading, data, tick)


def test_the_protocol_equals_mir_eval() -> None:
    rng = np.random.default_rng(71)
    for at in range(DATA_SETS):
        check(tracks(rng), "0.7" if at % 30 == 0 else ("0.125", "0.07", "0.037")[at % 3])


@pytest.mark.parametrize("at", range(len(list(degenerate()))))
def test_the_protocol_equals_mir_eval_on_degenerate_tracks(at: int) -> None:
    check(list(degenerate())[at], "0.125")


def test_named_exception_half_a_second_is_half_a_second() -> None:
    """As floats, 1.1 − 0.5 is more than 0.6."""
    true, pred = (Spans.from_seconds([(0, cut), (cut, 9)], classes=["A", "B"]) for cut in (0.6, 1.1))
    assert sm.hit_rate_f_05(true, pred).value == 1
    sides = [np.array([[0, cut], [cut, 9]]) for cut in (0.6, 1.1)]
    assert mir_eval.segment.detection(*sides, window=0.5)[2] == pytest.approx(2 / 3)


def test_named_exception_no_information_is_nothing() -> None:
    """mir_eval divides a rounding error by 1e-10."""
    track: Track = ([(0, 82, "C")], [(2, 73, "z")])
    ends = [np.array([[at / 10 for at in section[:2]] for section in listed]) for listed in track]
    with np.errstate(all="ignore"):
        assert 0 < abs(mir_eval.segment.evaluate(ends[0], ["C"], ends[1], ["z"])[NMI]) < 1e-4
    true, pred = (
        Spans([section[0] for section in listed], [section[1] for section in listed], 82, classes=["s"], tick="0.1")
        for listed in track
    )
    assert sm.label_nmi(true, pred, frame="0.1", if_one_label=1).value == 0


def test_one_label_has_no_v_measure_unless_it_is_stated() -> None:
    song = Spans.from_masses([40], classes=["A"])
    assert not sm.label_v_measure(song, song).is_defined
    assert sm.label_v_measure(song, song, if_one_label=0).value == 0
    assert mir_eval.segment.vmeasure(np.array([[0, 40.0]]), ["A"], np.array([[0, 40.0]]), ["A"])[2] == 0
