"""diarization against pyannote.metrics, and its options against md-eval and dscore, which are transcribed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from pyannote.core import Annotation, Segment, Timeline
from pyannote.metrics.diarization import DiarizationErrorRate, JaccardErrorRate
from scipy.optimize import linear_sum_assignment

import segmetry as sm
from segmetry.segmentation.time_intervals import TimeIntervals
from tests.protocols.references.table_values import DATA_SETS, same, shown

pytestmark = [pytest.mark.peers, pytest.mark.filterwarnings("ignore")]

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


def degenerate() -> Iterator[list[Recording]]:
    one: list[Turn] = [(0, 10, "a")]
    yield [(one, [], None)]
    yield [(one, [(0, 10, "1")], None)]
    yield [(one, [(20, 30, "1")], None)]
    yield [(one, [(0, 1, "1")], [(0, 1)])]
    yield [(one, [(0, 10, "1")], None), ([], [(0, 5, "1")], None)]
    yield [([(0, 10, "a"), (0, 10, "b")], [(0, 10, "1")], None)]


def side(listed: list[Turn], parts: list[tuple[int, int]] | None = None) -> TimeIntervals:
    return TimeIntervals(
        [start for start, _, _ in listed],
        [stop for _, stop, _ in listed],
        400,
        classes=[name for _, _, name in listed],
        tick="0.1",
        scored=parts,
    )


def annotation(listed: list[Turn]) -> Annotation:
    made = Annotation()
    for number, (start, stop, name) in enumerate(listed):
        made[Segment(start / 10, stop / 10), number] = name
    return made


def ours(data: list[Recording], **options: Any) -> dict[str, float | None]:
    sides = (
        {f"{at}": side(true, parts) for at, (true, _, parts) in enumerate(data)},
        {f"{at}": side(pred) for at, (_, pred, _) in enumerate(data)},
    )
    run = sm.evaluate(*sides, protocol="diarization", options=options, engine="serial")
    return shown(run)["all recordings"]


def close(value: float | None, expected: float) -> bool:
    return value is not None and abs(value - expected) < 1e-9


def speakers_at(listed: list[Turn], at: int) -> set[str]:
    return {name for start, stop, name in listed if start <= at < stop}


def turn_ticks(turn: Turn) -> np.ndarray[Any, Any]:
    ticks = np.zeros(400, dtype=bool)
    ticks[turn[0] : turn[1]] = True
    return ticks


def has_one_best_map(true: list[Turn], pred: list[Turn], parts: list[tuple[int, int]] | None) -> bool:
    """Whether only one map of speakers has the longest common time; between several JER depends on rounding."""
    start, stop = parts[0] if parts else (0, 400)
    names, others = sorted({turn[2] for turn in true}), [*sorted({turn[2] for turn in pred}), *"wxyz"]
    inside = np.isin(np.arange(400), np.arange(start, stop))
    spoken, heard = (
        {name: sum((turn_ticks(turn) for turn in listed if turn[2] == name), start=~inside & inside) for name in names}
        for listed, names in ((true, names), (pred, others))
    )
    common = {(name, other): int((spoken[name] & heard[other] & inside).sum()) for name in names for other in others}
    totals: dict[frozenset[tuple[str, str]], int] = {}
    for chosen in permutations(others, len(names)):
        pairs = [pair for pair in zip(names, chosen, strict=True) if common[pair]]
        totals[frozenset(pairs)] = sum(common[pair] for pair in pairs)
    return list(totals.values()).count(max(totals.values())) == 1


def check_pyannote(data: list[Recording], collar: float = 0, *, skip: bool = False) -> None:
    rates = [made(collar=collar, skip_overlap=skip) for made in (DiarizationErrorRate, JaccardErrorRate)]
    for true, pred, parts in data:
        uem = None if parts is None else Timeline([Segment(start / 10, stop / 10) for start, stop in parts])
        for rate in rates:
            rate(annotation(true), annotation(pred), uem=uem)
    how = {"collar": collar, "collar_width": "whole", "overlap": "skipped" if skip else "scored"}
    table = ours(data, der=how, jer=how)
    total = rates[0]["total"]
    if total < 1e-9:
        assert table["DER"] is None and table["JER"] is None
        return
    assert close(table["DER"], abs(rates[0])), (data, table, abs(rates[0]))
    for heading, name in (("missed", "missed detection"), ("false alarm", "false alarm"), ("confusion", "confusion")):
        assert close(table[heading], rates[0][name] / total), (heading, data)
    if not (collar or skip) and all(has_one_best_map(*recording) for recording in data):
        assert close(table["JER"], abs(rates[1])), (data, table, abs(rates[1]))


def test_the_protocol_equals_pyannote() -> None:
    rng = np.random.default_rng(51)
    for at in range(DATA_SETS):
        check_pyannote(recordings(rng), collar=(0, 0, 0.5, 0.2)[at % 4], skip=at % 8 > 5)


@pytest.mark.parametrize("at", range(len(list(degenerate()))))
def test_the_protocol_equals_pyannote_on_degenerate_recordings(at: int) -> None:
    check_pyannote(list(degenerate())[at])


def test_named_exception_turns_of_one_speaker_that_overlap() -> None:
    true, pred = [(0, 10, "a"), (5, 15, "a")], [(0, 15, "1")]
    rate = DiarizationErrorRate()
    rate(annotation(true), annotation(pred))
    assert abs(rate) == pytest.approx(5 / 20)
    assert ours([(true, pred, None)])["DER"] == 0


# --- md-eval and dscore, transcribed


def md_eval(true: list[Turn], pred: list[Turn], collar: int, *, skip: bool) -> np.ndarray[Any, Any]:
    """Missed, false alarm, error and scored speaker time, counted at each tick.

    Speakers are mapped by their overlap in the whole evaluated region, from the first to the last true turn; then the
    collar on each side and, if asked, overlapped speech are not scored.
    """
    first, last = min(turn[0] for turn in true), max(turn[1] for turn in true)
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
        missed, false_alarm, error, scored = md_eval(true, pred, collar, skip=skip)
        score = sm.der(
            side(true),
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
