"""The protocols ``cremi`` and ``snemi3d`` against the arithmetic of their scripts, transcribed."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

import segmetry as sm
from tests.protocols.references.table_values import same, shown
from tests.protocols.references.volume_data import Volume, data_sets

pytestmark = [pytest.mark.generated, pytest.mark.filterwarnings("ignore")]


def cells(true: Volume, pred: Volume) -> Counter[tuple[int, int]]:
    """The contingency of the voxels whose true label is not 0."""
    return Counter(pair for pair in zip(true.ravel().tolist(), pred.ravel().tolist(), strict=True) if pair[0])


def sizes(table: Counter[tuple[int, int]], side: int) -> Counter[int]:
    total: Counter[int] = Counter()
    for pair, number in table.items():
        total[pair[side]] += number
    return total


def voi(true: Volume, pred: Volume) -> tuple[float, float]:
    """H(pred | true) and H(true | pred) in bits; true 0 ignored, pred 0 a segment."""
    table = cells(true, pred)
    n, rows, columns = sum(table.values()), sizes(table, 0), sizes(table, 1)
    split = sum(c / n * math.log2(rows[t] / c) for (t, _), c in table.items())
    return split, sum(c / n * math.log2(columns[p] / c) for (_, p), c in table.items())


def arand(true: Volume, pred: Volume, zeros: str) -> float:
    """One minus F over sums of squares; ``zeros``: predicted 0 as the script adds them, as a segment, or singly."""
    table = cells(true, pred)
    outside = sum(number for (_, p), number in table.items() if p == 0)
    added = {"script": outside / true.size, "single": outside, "segment": 0}[zeros]
    kept = Counter({pair: number for pair, number in table.items() if pair[1] or zeros == "segment"})
    both = sum(number**2 for number in kept.values()) + added
    of_true = sum(number**2 for number in sizes(table, 0).values())
    of_pred = sum(number**2 for number in sizes(kept, 1).values()) + added
    return 1 - 2 * both / (of_true + of_pred)


def evaluated(volumes: list[tuple[Volume, Volume]], protocol: str) -> dict[str, float | None]:
    true, pred = ({str(at): pair[side] for at, pair in enumerate(volumes)} for side in (0, 1))
    (row,) = shown(sm.evaluate(true, pred, protocol=protocol, engine="serial")).values()
    return row


def mean(values: list[float]) -> float:
    return math.fsum(values) / len(values) if values else math.nan


def close(value: float | None, expected: float) -> bool:
    return same(value, expected) or (value is not None and abs(value - expected) < 1e-12)


@pytest.mark.parametrize("protocol", ["cremi", "cremi-background"])
def test_cremi_equals_the_script_with_predicted_zeros_as_a_segment(protocol: str) -> None:
    """The term of predicted zeros has the wrong scale in the script: where there are none, the script's own value.

    The transcription leaves out label 0: with all true labels increased by 1, nothing, as in the data there is no
    2⁶⁴ − 1.
    """
    compared = 0
    for drawn in data_sets(51):
        values = evaluated(drawn, protocol)
        volumes = [(true + (protocol == "cremi"), pred) for true, pred in drawn]
        with_truth = [pair for pair in volumes if pair[0].any()]
        splits, merges = zip(*(voi(*pair) for pair in with_truth), strict=True) if with_truth else ((), ())
        errors = [arand(*pair, "segment") for pair in with_truth]
        scores = [math.sqrt((s + m) * max(e, 0)) for s, m, e in zip(splits, merges, errors, strict=True)]
        expected = {"VOI split": splits, "VOI merge": merges, "ARAND": errors, "CREMI": scores}
        for heading, column in expected.items():
            limit = 1e-7 if heading == "CREMI" else 1e-12
            assert (
                close(values[heading], mean(list(column))) or abs((values[heading] or 0) - mean(list(column))) < limit
            )
        if with_truth and not any((pred[true > 0] == 0).any() for true, pred in with_truth):
            assert close(values["ARAND"], mean([arand(*pair, "script") for pair in with_truth]))
            compared += 1
    assert compared >= 3


def test_the_fault_of_the_script_in_one_example() -> None:
    """Two voxels of a segment of four are not predicted: the script's error is no value of any partition."""
    true, pred = np.array([[[1, 1, 1, 1]]]), np.array([[[5, 5, 0, 0]]])
    assert arand(true, pred, "script") == 1 - 2 * (4 + 2 / 4) / (16 + 4 + 2 / 4)
    assert close(sm.adapted_rand_error(true, pred, background="cremi").value, 1 - 2 * 8 / (16 + 8))
    assert close(sm.adapted_rand_error(true, pred, background="snemi").value, 1 - 2 * 6 / (16 + 6))


def test_snemi3d_equals_its_script() -> None:
    for volumes in data_sets(52):
        with_truth = [pair for pair in volumes if pair[0].any()]
        values = evaluated(volumes, "snemi3d")
        assert close(values["ARAND"], mean([arand(*pair, "single") for pair in with_truth]))
