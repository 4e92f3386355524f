"""The options of diarization against md-eval and dscore, transcribed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

import segmetry as sm
from segmetry.segmentation.time_intervals import TimeIntervals
from tests.protocols.references.table_values import DATA_SETS, same, shown

pytestmark = [pytest.mark.generated, pytest.mark.filterwarnings("ignore")]

Turn = tuple[int, int, str]
Recording = tuple[list[Turn], list[Turn], list[tuple[int, int]] | None]
"""True turns, predicted turns and the parts that are evaluated, in tenths of a second."""


def turns(rng: np.random.Generator, names: str) -> list[Turn]:
    """Turns of several speakers that overlap each other, but no turn of the same speaker."""
    found = []
    for name in names[: rng.integers(0, len(names) + 1)]:
        at = int(rng.integers(0, 20))
        for _ in range(rng.integers(1, 4)):
            stop = at + int(rng.integers(1, 25))
            found.append((at, stop, name))
            at = stop + int(rng.integers(0, 2) * rng.integers(0, 30))
    return found


def recordings(rng: np.random.Generator, *, uem: bool = True) -> list[Recording]:
    found: list[Recording] = []
    for _ in range(rng.integers(1, 4)):
        start = int(rng.integers(0, 40))
        parts = [(start, start + int(rng.integers(5, 90)))] if uem and rng.random() < 0.4 else None
        found.append((turns(rng, "abcd"), turns(rng, "1234"), parts))
    return found


def side(listed: list[Turn], parts: list[tuple[int, int]] | None = None) -> TimeIntervals:
    return TimeIntervals(
        [start for start, _, _ in listed],
        [stop for _, stop, _ in listed],
        400,
        classes=[name for _, _, name in listed],
        tick="0.1",
        scored=parts,
    )


def ours(data: list[Recording], **options: Any) -> dict[str, float | None]:
    sides = (
        {f"{at}": side(true, parts) for at, (true, _, parts) in enumerate(data)},
        {f"{at}": side(pred) for at, (_, pred, _) in enumerate(data)},
    )
    run = sm.evaluate(*sides, protocol="diarization", options=options, engine="serial")
    return shown(run)["all recordings"]


def speakers_at(listed: list[Turn], at: int) -> set[str]:
    return {name for start, stop, name in listed if start <= at < stop}


def md_eval(
    true: list[Turn], pred: list[Turn], collar: int, *, skip: bool, parts: list[tuple[int, int]] | None = None
) -> np.ndarray[Any, Any]:
    """Missed, false alarm, error and scored speaker time, counted at each tick.

    Speakers are mapped by their overlap in the whole evaluated region, the part of the UEM or from the first to the
    last true turn; then the collar on each side and, if asked, overlapped speech are not scored. Turns beyond the UEM
    count within it, and so do the collars of their ends.
    """
    first, last = parts[0] if parts else (min(turn[0] for turn in true), max(turn[1] for turn in true))
    names, others = sorted({turn[2] for turn in true}), sorted({turn[2] for turn in pred})
    overlap = np.zeros((len(names), len(others)))
    for at in range(first, last):
        for name in speakers_at(true, at):
            for other in speakers_at(pred, at):
                overlap[names.index(name), others.index(other)] += 1
    mapped = {names[row]: others[column] for row, column in zip(*linear_sum_assignment(-overlap), strict=True)}
    totals = np.zeros(4)
    for at in range(first, last):
        ref, sys = speakers_at(true, at), speakers_at(pred, at)
        near = any(end - collar <= at < end + collar for turn in true for end in turn[:2])
        if near or (skip and len(ref) > 1):
            continue
        correct = sum(mapped.get(name) in sys for name in ref)
        totals += [
            max(len(ref) - len(sys), 0),
            max(len(sys) - len(ref), 0),
            min(len(ref), len(sys)) - correct,
            len(ref),
        ]
    return totals


def test_the_options_of_md_eval_give_its_numbers() -> None:
    rng = np.random.default_rng(52)
    for at in range(DATA_SETS):
        true, pred = turns(rng, "abc"), turns(rng, "123")
        if not true:
            continue
        collar, skip = at % 3, at % 2 == 1
        start = int(rng.integers(0, 40))
        parts = [(start, start + int(rng.integers(5, 90)))] if at % 4 else None
        missed, false_alarm, error, scored = md_eval(true, pred, collar, skip=skip, parts=parts)
        score = sm.der(
            side(true, parts),
            side(pred),
            collar=collar / 10,
            overlap="skipped" if skip else "scored",
            region="true",
            map_within="region",
        )
        if not scored:
            assert not score.is_defined
            continue
        assert score.details["missed_seconds"] == pytest.approx(missed / 10)
        assert score.details["false_alarm_seconds"] == pytest.approx(false_alarm / 10)
        assert score.details["confused_seconds"] == pytest.approx(error / 10), (true, pred)


def test_named_exception_a_recording_without_true_turns_is_false_alarm() -> None:
    """md-eval takes the recordings that have true turns: the second one is not scored."""
    one: list[Turn] = [(0, 40, "a")]
    assert ours([(one, one, None), ([], [(10, 30, "b")], None)])["DER"] == 0.5


def dscore_jer(data: list[Recording]) -> float:
    """The mean over all true speakers; partners are those of the least sum of Jaccard errors."""
    errors: list[float] = []
    for true, pred, _ in data:
        sets = [
            {
                name: {at for at in range(400) if name in speakers_at(listed, at)}
                for name in sorted({t[2] for t in listed})
            }
            for listed in (true, pred)
        ]
        costs = np.array([[1 - len(a & b) / len(a | b) for b in sets[1].values()] for a in sets[0].values()])
        costs = costs.reshape(len(sets[0]), len(sets[1]))
        own = np.ones(len(sets[0]))
        rows, columns = linear_sum_assignment(costs)
        own[rows] = costs[rows, columns]
        errors += own.tolist()
    return float(np.mean(errors)) if errors else float("nan")


def test_the_option_of_dscore_gives_its_jer() -> None:
    rng = np.random.default_rng(53)
    for _ in range(DATA_SETS // 6):
        data = recordings(rng, uem=False)
        assert same(ours(data, jer={"map_by": "jaccard"})["JER"], dscore_jer(data))


def test_named_exception_the_map_of_md_eval_is_made_before_the_collar() -> None:
    true, pred = [(0, 4, "a"), (4, 8, "a"), (8, 12, "a"), (12, 22, "b")], [(0, 22, "1")]
    before, after = (sm.der(side(true), side(pred), collar=0.2, map_within=within) for within in ("region", "scored"))
    assert (before.value, after.value) == (1, 0)
