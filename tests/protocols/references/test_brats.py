"""The protocols of BraTS against a transcription of the published script, with scipy.

The script needs files, cc3d and a pandas of before 2023, so its arithmetic is written down here. Distances need the
package surface-distance: :mod:`tests.peers.protocols.test_brats` compares them too.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.ndimage import binary_dilation, gaussian_filter, generate_binary_structure, label

import segmetry as sm
from segmetry.segmentation.label_parts import overlapping_regions
from tests.protocols.references.table_values import DATA_SETS, same, shown

pytestmark = [pytest.mark.generated, pytest.mark.filterwarnings("ignore")]

Volume = NDArray[np.uint8]
Case = tuple[Volume, Volume]
Mask = NDArray[np.bool_]
Distance = Callable[[Mask, Mask, tuple[float, ...]], float]
REGIONS = {"WT": (1, 2, 3), "TC": (1, 3), "ET": (3,)}
CHALLENGES = {"brats": (3, 50), "brats-men": (1, 50), "brats-met": (1, 2)}
CORNERS, EDGES = np.ones((3, 3, 3), dtype=bool), generate_binary_structure(3, 2)


def volume(rng: np.random.Generator, shape: tuple[int, ...]) -> Volume:
    """Nested blobs of the three labels, now and then single voxels or another label."""
    field = gaussian_filter(rng.standard_normal(shape), rng.choice([0.8, 1.2]))
    levels = np.quantile(field, np.sort(rng.uniform(0.6, 1, 3)))
    values = np.array([0, 2, 1, 3])[np.searchsorted(levels, field)]
    if rng.random() < 0.3:
        values = np.where(rng.random(shape) < 0.02, rng.integers(1, 5, shape), values)
    return values.astype(np.uint8)


def random_cases(rng: np.random.Generator) -> list[Case]:
    cases = []
    for _ in range(rng.integers(1, 3)):
        shape = tuple(rng.integers(3, 11, 3).tolist())
        true, other = volume(rng, shape), volume(rng, shape)
        pred = np.where(rng.random(shape) < rng.choice([0.1, 0.9]), true, other)
        cases.append((true * (rng.random() < 0.95), pred * (rng.random() < 0.95)))
    return [(true.astype(np.uint8), pred.astype(np.uint8)) for true, pred in cases]


def degenerate_cases() -> list[list[Case]]:
    """Empty sides, one voxel, only small lesions, a component that serves two lesions, lesions merged by dilation."""
    blank, whole = np.zeros((4, 4, 4), np.uint8), np.full((4, 4, 4), 3, np.uint8)
    point, line, dots, pair = (np.zeros((4, 4, 12), np.uint8) for _ in range(4))
    point[0, 0, 0], line[0, 0], dots[0, 0, [0, 11]], pair[:, :, [0, 1, 5, 6]] = 3, 3, 3, 3
    return [
        [(whole, blank)],
        [(blank, whole)],
        [(whole, whole), (blank, blank)],
        [(np.full((1, 1, 1), 3, np.uint8), np.full((1, 1, 1), 3, np.uint8))],
        [(point, line), (whole, whole)],
        [(dots, line), (dots, point), (line, dots)],
        [(pair, np.where(pair > 0, line, 0).astype(np.uint8)), (pair, line)],
        [(np.full((2, 2, 2), 4, np.uint8), np.full((2, 2, 2), 9, np.uint8)), (whole, whole)],
    ]


def components(mask: Mask) -> NDArray[np.int32]:
    numbers: NDArray[np.int32] = label(mask, structure=CORNERS)[0]
    return numbers


def dice(true: Mask, pred: Mask) -> float:
    return 2.0 * float((true & pred).sum()) / float(true.sum() + pred.sum())


def reference(
    true: Mask,
    pred: Mask,
    spacing: tuple[float, ...],
    dilation: int,
    floor: float,
    hd95: Distance | None = None,
) -> dict[str, float]:
    """One region of one case, as the script computes it; without distances if there is no function for them."""
    true_parts, pred_parts = components(true), components(pred)
    merged = components(binary_dilation(true, EDGES, iterations=dilation)) * (true_parts > 0)
    touched: set[int] = set()
    rows = []
    for number in range(1, int(merged.max()) + 1):
        lesion = merged == number
        grown = binary_dilation(lesion, EDGES, iterations=dilation)
        members = set(np.unique(pred_parts[grown]).tolist()) - {0}
        touched |= members
        together = np.isin(pred_parts, list(members))
        volume = float(lesion.sum()) * math.prod(spacing)
        distance = hd95(lesion, together, spacing) if members and hd95 is not None else math.inf
        rows.append((volume, bool(members), dice(lesion, together), 374.0 if math.isinf(distance) else distance))
    spurious = len(set(np.unique(pred_parts).tolist()) - touched - {0})
    kept = [row for row in rows if row[0] > floor]
    n = len(kept) + spurious
    found = sum(row[1] for row in kept)
    values = {
        "Dice": sum(row[2] for row in kept) / n if n else 1.0,
        "F1": 2 * found / (found + n) if n else 1.0,
        "TP": found,
        "FN": len(kept) - found,
        "FP": spurious,
        "whole Dice": dice(true, pred) if true.any() or pred.any() else 1.0,
    }
    if hd95 is not None:
        values["HD95"] = (sum(row[3] for row in kept) + 374 * spurious) / n if n else 0.0
        is_empty = not (true.any() and pred.any())
        values["whole HD95"] = 374.0 * (true.any() or pred.any()) if is_empty else hd95(true, pred, spacing)
    return values


def check(cases: list[Case], protocol: str, spacing: tuple[float, ...], hd95: Distance | None = None) -> None:
    regions = {
        name: [(np.isin(true, labels), np.isin(pred, labels)) for true, pred in cases]
        for name, labels in REGIONS.items()
    }
    true, pred = (
        {
            f"{at}": overlapping_regions(sm.LabelArray(case[side], spacing=spacing), REGIONS)
            for at, case in enumerate(cases)
        }
        for side in (0, 1)
    )
    rows = shown(sm.evaluate(true, pred, protocol=protocol, engine="serial"))
    for name, sides in regions.items():
        if not any(first.any() or second.any() for first, second in sides):
            assert name not in rows  # a named exception
            continue
        columns = [reference(*pair, spacing, *CHALLENGES[protocol], hd95) for pair in sides]
        for heading in columns[0]:
            total = math.fsum(column[heading] for column in columns)
            expected = total if heading in ("TP", "FN", "FP") else total / len(columns)
            assert same(rows[name][heading], expected), (name, heading, rows, columns, cases)


def test_brats_equals_the_script() -> None:
    rng = np.random.default_rng(61)
    for at in range(DATA_SETS):
        spacing = ((1.0, 1.0, 1.0), (1.0, 0.5, 2.0))[at % 4 == 0]
        check(random_cases(rng), list(CHALLENGES)[at % 3], spacing)


@pytest.mark.parametrize("protocol", CHALLENGES)
@pytest.mark.parametrize("at", range(len(degenerate_cases())))
def test_brats_equals_the_script_on_degenerate_cases(at: int, protocol: str) -> None:
    check(degenerate_cases()[at], protocol, (1.0, 1.0, 1.0))
