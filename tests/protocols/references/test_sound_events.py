"""sound-events against the definitions of sed_eval, transcribed; its package needs dcase_util, which is heavy.

Times are multiples of 1/8 s, so that the floats of the reference are exact, too.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

import segmetry as sm
from segmetry.segmentation.time_intervals import TimeIntervals
from tests.protocols.references.table_values import DATA_SETS, same, shown

pytestmark = [pytest.mark.generated, pytest.mark.filterwarnings("ignore")]

COLLAR, SHARE = 0.25, 0.5
Event = tuple[float, float, str]
Recording = tuple[list[Event], list[Event]]


def events(rng: np.random.Generator, near: list[Event] = []) -> list[Event]:  # noqa: B006 - never changed
    made = [
        (at / 8, (at + int(rng.integers(1, 30))) / 8, str(rng.choice(list("abc"))))
        for at in rng.integers(0, 60, rng.integers(0, 6)).tolist()
    ]
    for onset, offset, label in near:
        if rng.random() < 0.7:
            onset = max(0.0, onset + int(rng.integers(-3, 4)) / 8)
            offset = max(onset + 1 / 8, offset + int(rng.integers(-5, 6)) / 8)
            made.append((onset, offset, label if rng.random() < 0.8 else str(rng.choice(list("abcd")))))
    return sorted(made)


def degenerate() -> Iterator[list[Recording]]:
    one: list[Event] = [(0, 1, "a")]
    yield [(one, one)]
    yield [(one, [(0, 1, "b")])]
    yield [(one, [])]
    yield [(one, one), ([], [(2, 3, "b")])]
    yield [([(0, 0.125, "a")], [(0.25, 0.375, "a")])]


def agrees(true: Event, pred: Event) -> bool:
    reach = max(COLLAR, SHARE * (true[1] - true[0]))
    return abs(true[0] - pred[0]) <= COLLAR and abs(true[1] - pred[1]) <= reach


def matched(true: list[Event], pred: list[Event], how: str) -> list[tuple[int, int]]:
    """Pairs (true, pred) of equal labels: the most, or one after the other."""
    fits = [[agrees(t, p) and t[2] == p[2] for p in pred] for t in true]
    if how == "optimal":
        if not (true and pred):
            return []
        of_pred = maximum_bipartite_matching(csr_array(np.array(fits, dtype=np.int8)), perm_type="column")
        return [(j, i) for j, i in enumerate(of_pred.tolist()) if i >= 0]
    pairs: list[tuple[int, int]] = []
    for j in range(len(true)):
        i = next((i for i in range(len(pred)) if fits[j][i] and i not in {p for _, p in pairs}), None)
        if i is not None:
            pairs.append((j, i))
    return pairs


def substitutions(true: list[Event], pred: list[Event], pairs: list[tuple[int, int]]) -> int:
    left_true = [t for j, t in enumerate(true) if j not in {pair[0] for pair in pairs}]
    left_pred = [p for i, p in enumerate(pred) if i not in {pair[1] for pair in pairs}]
    count = 0
    for t in left_true:
        other = next((p for p in left_pred if agrees(t, p)), None)
        if other is not None:
            left_pred.remove(other)
            count += 1
    return count


def event_reference(data: list[Recording], how: str) -> tuple[dict[str, list[int]], list[int]]:
    """tp, true and pred by label, and S, D, I of all recordings."""
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    errors = [0, 0, 0]
    for true, pred in data:
        pairs = matched(true, pred, how)
        for name in {event[2] for event in (*true, *pred)}:
            counts[name][0] += sum(true[j][2] == name for j, _ in pairs)
            counts[name][1] += sum(event[2] == name for event in true)
            counts[name][2] += sum(event[2] == name for event in pred)
        swapped = substitutions(true, pred, pairs)
        errors[0] += swapped
        errors[1] += len(true) - len(pairs) - swapped
        errors[2] += len(pred) - len(pairs) - swapped
    return counts, errors


def segment_reference(data: list[Recording]) -> tuple[dict[str, list[int]], list[int]]:
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    errors = [0, 0, 0]

    def active(listed: list[Event]) -> dict[int, set[str]]:
        found: dict[int, set[str]] = defaultdict(set)
        for onset, offset, label in listed:
            for at in range(math.floor(onset), math.ceil(offset)):
                found[at].add(label)
        return found

    for true, pred in data:
        first, second = active(true), active(pred)
        for at in {*first, *second}:
            for name in first[at] | second[at]:
                counts[name][0] += name in first[at] & second[at]
                counts[name][1] += name in first[at]
                counts[name][2] += name in second[at]
            errors[0] += min(len(first[at]), len(second[at])) - len(first[at] & second[at])
            errors[1] += max(0, len(first[at]) - len(second[at]))
            errors[2] += max(0, len(second[at]) - len(first[at]))
    return counts, errors


def mean(values: list[float]) -> float:
    kept = [value for value in values if not math.isnan(value)]
    return sum(kept) / len(kept) if kept else math.nan


def expected(counts: dict[str, list[int]], errors: list[int]) -> tuple[dict[str, float], dict[str, float]]:
    def f1(tp: int, true: int, pred: int) -> float:
        if not (true and pred):
            return math.nan
        precision, recall = tp / pred, tp / true
        return 2 * precision * recall / (precision + recall) if tp else 0.0

    tp, true, pred = (sum(count[at] for count in counts.values()) for at in range(3))
    rates = [(of + found - 2 * hits) / of if of else math.nan for hits, of, found in counts.values()]
    return (
        {
            "overall": f1(tp, true, pred) if true and pred else 0.0 if true or pred else math.nan,
            "class-wise": mean([f1(*count) for count in counts.values()]),
        },
        {"overall": sum(errors) / true if true else math.nan, "class-wise": mean(rates)},
    )


def side(listed: list[Event]) -> TimeIntervals:
    return TimeIntervals.from_seconds([event[:2] for event in listed], classes=[event[2] for event in listed], end=100)


def check(data: list[Recording], how: str = "optimal") -> None:
    options: dict[str, Any] = {
        "event_based_f1": {"collar": COLLAR, "matching": how},
        "event_based_error_rate": {"collar": COLLAR, "matching": how},
    }
    sides = [{f"{at}": side(pair[number]) for at, pair in enumerate(data)} for number in (0, 1)]
    table = shown(sm.evaluate(*sides, protocol="sound-events", options=options, engine="serial"))
    for kind, (counts, errors) in (("event", event_reference(data, how)), ("segment", segment_reference(data))):
        scores, rates = expected(counts, errors)
        for heading, value in scores.items():
            assert same(table[f"{kind}-based F1"][heading], value), (kind, heading, data, table, scores)
        for heading, value in rates.items():
            if kind == "segment" or how == "greedy" or heading != "overall" or one_matching(data):
                assert same(table[f"{kind}-based error rate"][heading], value), (kind, heading, data, table, rates)


def one_matching(data: list[Recording]) -> bool:
    """Whether no event has a choice, so that all best matchings leave over the same events."""
    return all(
        sum(agrees(t, p) and t[2] == p[2] for p in pred) < 2 and sum(agrees(t, p) and t[2] == p[2] for t in true) < 2
        for true, pred in data
        for t in true
        for p in pred
        if agrees(t, p)
    )


@pytest.mark.parametrize("how", ["optimal", "greedy"])
def test_the_protocol_equals_the_reference(how: str) -> None:
    rng = np.random.default_rng(61)
    for _ in range(DATA_SETS if how == "optimal" else DATA_SETS // 3):
        truths = [events(rng) for _ in range(rng.integers(1, 4))]
        check([(true, events(rng, true)) for true in truths], how)


@pytest.mark.parametrize("at", range(len(list(degenerate()))))
def test_the_protocol_equals_the_reference_on_degenerate_recordings(at: int) -> None:
    check(list(degenerate())[at])


def test_named_exception_two_tenths_are_two_tenths() -> None:
    assert abs(0.7 - 0.9) > 0.2
    true, pred = (TimeIntervals.from_seconds([(onset, 3)], classes=["a"]) for onset in (0.7, 0.9))
    assert sm.event_based_f1(true, pred, collar=0.2).value == 1


def test_named_exception_no_true_events() -> None:
    pred = TimeIntervals.from_seconds([(0, 1)], classes=["a"])
    assert not sm.event_based_error_rate(TimeIntervals([], [], classes=[]), pred).is_defined


def test_a_label_of_one_side_counts_or_not() -> None:
    true = TimeIntervals.from_seconds([(0, 1), (2, 3)], classes=["a", "b"])
    pred = TimeIntervals.from_seconds([(0, 1), (5, 6)], classes=["a", "c"])
    values = [
        sm.event_based_f1(true, pred, one_sided=word).value for word in ("undefined", "zero_without_output", "zero")
    ]
    assert values == [1, 1 / 2, 1 / 3]
