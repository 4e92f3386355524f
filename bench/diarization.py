"""DER of one-hour recordings against pyannote.metrics, both from turns in memory.

A thousand recordings would keep the peer busy for minutes, so it gets ten of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import segmetry as sm
from bench.cases import Call, Contest, Limit, case, optional
from segmetry.segmentation.time_intervals import TimeIntervals

PYANNOTE = "pyannote.metrics DiarizationErrorRate"
PYANNOTE_TEN = "pyannote.metrics on ten of them"
N_RECORDINGS = 10
Turns = tuple[list[int], list[int], list[str]]
"""Starts and stops in milliseconds, and speakers."""


def _hour(rng: np.random.Generator, speakers: int) -> Turns:
    """Return about 900 turns of four seconds in an hour, a tenth of which overlap the next one."""
    lengths = rng.integers(500, 7500, 900)
    gaps = rng.integers(-300, 500, 900)
    starts = np.maximum(np.cumsum(lengths + gaps) - lengths, 0)
    names = [f"speaker {at}" for at in rng.integers(0, speakers, 900).tolist()]
    return starts.tolist(), (starts + lengths).tolist(), names


def _noisy(rng: np.random.Generator, turns: Turns, speakers: int) -> Turns:
    starts, stops = (np.maximum(np.array(ends) + rng.integers(-200, 200, len(ends)), 0) for ends in turns[:2])
    kept = stops > starts + 50
    wrong = rng.random(starts.size) < 0.1
    names = [
        f"s{rng.integers(0, speakers)}" if other else name.replace("speaker ", "s")
        for name, other in zip(turns[2], wrong.tolist(), strict=True)
    ]
    return starts[kept].tolist(), stops[kept].tolist(), [name for name, keep in zip(names, kept, strict=True) if keep]


def _ours(recordings: list[tuple[Turns, Turns]]) -> float:
    sides = [
        {
            f"{at}": TimeIntervals(*pair[number][:2], classes=pair[number][2], tick="0.001")
            for at, pair in enumerate(recordings)
        }
        for number in (0, 1)
    ]
    return sum(sm.der(sides[0][name], sides[1][name]).value for name in sides[0])


def _pyannote(recordings: list[tuple[Turns, Turns]]) -> Call | None:
    rate = optional("pyannote.metrics.diarization", "DiarizationErrorRate")
    annotation, segment = optional("pyannote.core", "Annotation"), optional("pyannote.core", "Segment")
    if rate is None:
        return None

    def made(turns: Turns) -> Any:
        found = annotation()
        for number, (start, stop, name) in enumerate(zip(*turns, strict=True)):
            found[segment(start / 1000, stop / 1000), number] = name
        return found

    def call() -> float:
        total = rate()
        for true, pred in recordings:
            total(made(true), made(pred))
        return float(abs(total))

    return call


@case("DER of ten one-hour recordings of 900 turns, from lists of turns", Limit(PYANNOTE, at_least=20))
def recordings() -> Contest:
    rng = np.random.default_rng(1)
    hours = [_hour(rng, 6) for _ in range(N_RECORDINGS)]
    data = [(hour, _noisy(rng, hour, 6)) for hour in hours]
    return Contest(lambda: _ours(data), {PYANNOTE: _pyannote(data)})


@case("the same of 1,000 recordings, against pyannote.metrics on ten", Limit(PYANNOTE_TEN, at_most=5), quick=False)
def many_recordings() -> Contest:
    """At most five times as long for a hundred times as many recordings: at least 20 times as fast."""
    rng = np.random.default_rng(2)
    hours = [_hour(rng, 6) for _ in range(N_RECORDINGS)]
    data = [(hour, _noisy(rng, hour, 6)) for hour in hours]
    return Contest(lambda: _ours(data * 100), {PYANNOTE_TEN: _pyannote(data)})
