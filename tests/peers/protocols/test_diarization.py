"""diarization against pyannote.metrics."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from pyannote.core import Annotation, Segment, Timeline
from pyannote.metrics.diarization import DiarizationErrorRate, JaccardErrorRate

from tests.protocols.references.table_values import DATA_SETS
from tests.protocols.references.test_diarization import Recording, Turn, ours, recordings

pytestmark = [pytest.mark.peers, pytest.mark.filterwarnings("ignore")]


def degenerate() -> Iterator[list[Recording]]:
    one: list[Turn] = [(0, 10, "a")]
    yield [(one, [], None)]
    yield [(one, [(0, 10, "1")], None)]
    yield [(one, [(20, 30, "1")], None)]
    yield [(one, [(0, 1, "1")], [(0, 1)])]
    yield [(one, [(0, 10, "1")], None), ([], [(0, 5, "1")], None)]
    yield [([(0, 10, "a"), (0, 10, "b")], [(0, 10, "1")], None)]


def annotation(listed: list[Turn]) -> Annotation:
    made = Annotation()
    for number, (start, stop, name) in enumerate(listed):
        made[Segment(start / 10, stop / 10), number] = name
    return made


def close(value: float | None, expected: float) -> bool:
    return value is not None and abs(value - expected) < 1e-9


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
