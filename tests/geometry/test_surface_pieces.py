"""Pieces of surfaces against polygons and polyhedra whose length and area are known."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.errors import OptionError
from segmetry.geometry.matched_shapes import matched_shapes
from segmetry.geometry.surface_statistics import corner_codes, piece_areas, weighted_distances, weighted_percentile

STEPS = st.sampled_from([0.5, 1.0, 2.5])


@given(sides=st.tuples(*[st.integers(2, 5)] * 2), spacing=st.tuples(STEPS, STEPS))
def test_a_rectangle_has_the_length_of_an_octagon(sides: tuple[int, int], spacing: tuple[float, float]) -> None:
    mask = np.ones(sides, dtype=bool)
    lengths = piece_areas(spacing)[corner_codes(mask)]
    straight = sum(2 * (side - 1) * step for side, step in zip(sides, spacing, strict=True))
    assert lengths.sum() == pytest.approx(straight + 4 * math.hypot(*spacing) / 2)


@given(sides=st.tuples(*[st.integers(2, 4)] * 3), spacing=st.tuples(STEPS, STEPS, STEPS))
def test_a_box_has_the_area_of_a_box_with_cut_edges_and_corners(
    sides: tuple[int, int, int], spacing: tuple[float, float, float]
) -> None:
    areas = piece_areas(spacing)[corner_codes(np.ones(sides, dtype=bool))]
    inner = [(side - 1) * step for side, step in zip(sides, spacing, strict=True)]
    faces = 2 * sum(inner[a] * inner[b] for a, b in ((0, 1), (0, 2), (1, 2)))
    edges = 4 * sum(inner[c] * math.hypot(spacing[a], spacing[b]) / 2 for a, b, c in ((0, 1, 2), (0, 2, 1), (1, 2, 0)))
    a, b, c = spacing
    corners = 8 * math.sqrt((a * b) ** 2 + (a * c) ** 2 + (b * c) ** 2) / 8
    assert areas.sum() == pytest.approx(faces + edges + corners)


def test_all_256_cases_have_a_piece_that_inside_and_outside_share() -> None:
    areas = piece_areas((1.0, 2.0, 0.7))
    assert areas[0] == areas[255] == 0
    assert np.all(areas[1:255] > 0)
    assert areas.tolist() == areas[::-1].tolist()


@given(data=st.data(), axes=st.integers(1, 3))
def test_distances_are_between_corners_with_a_piece(data: st.DataObject, axes: int) -> None:
    shape = tuple(data.draw(st.tuples(*[st.integers(1, 3)] * axes)))
    spacing = tuple(data.draw(st.tuples(*[STEPS] * axes)))
    bits = st.lists(st.booleans(), min_size=math.prod(shape), max_size=math.prod(shape)).filter(any)
    masks = [np.array(data.draw(bits)).reshape(shape) for _ in range(2)]
    corners = []
    for mask in masks:
        padded = np.pad(mask, 1)
        places = product(*(range(size + 1) for size in shape))
        around = [(place, padded[tuple(slice(at, at + 2) for at in place)]) for place in places]
        corners.append([np.array(place) * spacing for place, part in around if part.any() and not part.all()])
    found = weighted_distances(masks[0], masks[1], spacing).distances
    for here, there, distances in ((*corners, found.true_to_pred), (*corners[::-1], found.pred_to_true)):
        expected = [min(float(np.linalg.norm(a - b)) for b in there) for a in here]
        assert distances == pytest.approx(expected)


def test_the_percentile_is_the_first_distance_that_reaches_the_share() -> None:
    distances, areas = np.array([0.0, 1.0, 2.0]), np.array([94.0, 1.0, 5.0])
    assert weighted_percentile(distances, areas, 95) == 1.0
    assert weighted_percentile(distances, areas, 95.5) == 2.0
    assert weighted_percentile(distances, areas, 100) == 2.0


def test_four_axes_count_elements() -> None:
    ones = np.ones((2, 2, 2, 2), dtype=np.int64)
    assert sm.surface_dice(ones, ones, tolerance=0, weights="elements").value == 1
    with pytest.raises(OptionError, match="measures surfaces in 1 to 3 axes; found 4: choose weights='elements'"):
        sm.surface_dice(ones, ones, tolerance=0)
    with pytest.raises(OptionError, match="weights is 'length'; expected 'area' or 'elements'"):
        sm.surface_dice(ones, ones, tolerance=0, weights="length")
    with pytest.raises(OptionError, match="weights='area' needs percentile='directed' and points='surface'"):
        matched_shapes([[1]], [[1]]).hausdorff95("pooled", weights="area")
