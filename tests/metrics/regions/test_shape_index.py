"""Shape index against edges counted one by one."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.errors import KindError, OptionError
from segmetry.testing.strategies import label_pairs
from tests.metrics.partner_oracle import partners
from tests.oracle import as_sets


def shape_by_hand(segment: frozenset[object], shape: tuple[int, ...], kind: str) -> float:
    """Look at both neighbours of every element along every axis."""
    if not segment:
        return 0.0
    flat = np.zeros(math.prod(shape), dtype=bool)
    flat[sorted(int(str(e)) for e in segment)] = True
    inside = flat.reshape(shape)
    edges = on_frame = pixels = 0
    for at in product(*map(range, shape)):
        if not inside[at]:
            continue
        open_sides = 0
        for axis, step in product(range(len(shape)), (-1, 1)):
            near = [*at]
            near[axis] += step
            beyond = not 0 <= near[axis] < shape[axis]
            if beyond or not inside[tuple(near)]:
                open_sides += 1
                on_frame += beyond
        edges += open_sides
        pixels += open_sides > 0
    length = {"crack": edges, "inside_frame": edges - on_frame, "pixels": pixels}[kind]
    axes = len(shape)
    return float(length / (2 * axes * len(segment) ** ((axes - 1) / axes)))


@given(
    pair=label_pairs(dimensions=(2, 3)),
    kind=st.sampled_from(("crack", "inside_frame", "pixels")),
    absolute=st.booleans(),
)
def test_against_edges_counted_one_by_one(pair: tuple[sm.LabelArray, sm.LabelArray], kind: str, absolute: bool) -> None:
    true, pred = (dict(as_sets(side)) for side in pair)
    shape = pair[0].domain
    differences = [shape_by_hand(t, shape, kind) - shape_by_hand(h, shape, kind) for t, h in partners(true, pred)]
    terms = [abs(d) for d in differences] if absolute else differences
    result = sm.shape_index(*pair, perimeter=kind, absolute=absolute)
    expected = sum(terms) / len(terms) if terms else math.nan
    assert result.value == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_squares_and_cubes_are_one() -> None:
    square, cube = np.zeros((6, 6), dtype=int), np.zeros((4, 4, 4), dtype=int)
    square[1:5, 2:6] = 1
    cube[:3, :3, 1:] = 1
    nothing = 0 * square, 0 * cube
    assert sm.shape_index(square, nothing[0]).value == 1.0
    assert sm.shape_index(cube, nothing[1]).value == pytest.approx(1.0)
    assert sm.shape_index(square, nothing[0]).details == {"ties": 0, "untouched": 1}


def test_ids_beyond_int64_are_found() -> None:
    labels = np.array([[2**63 + 5, 2**63 + 5], [1, 0]], dtype=np.uint64)
    assert sm.shape_index(labels, labels).value == 0.0
    assert sm.shape_index(labels, np.zeros_like(labels)).value == pytest.approx((6 / (4 * math.sqrt(2)) + 1) / 2)


def test_it_needs_the_pixels() -> None:
    with pytest.raises(KindError, match="shape_index needs the segmentations themselves"):
        sm.shape_index(sm.overlap([[1]], [[1]]))
    with pytest.raises(OptionError, match="perimeter is 'chain'; expected one of crack, inside_frame, pixels"):
        sm.shape_index([[1]], [[1]], perimeter="chain")
    assert "shape_index" not in sm.score(np.array([1, 2]), np.array([1, 1]))
