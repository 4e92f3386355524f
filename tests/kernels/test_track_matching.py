"""Frames matched by the native kernel and by scipy: the same cells, ties and switches, also where scores are equal."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from segmetry.kernels.backend import native, numpy_twin
from segmetry.kernels.track_matching import FrameCells, TrackMatching, best_assignment, match_tracks
from tests.profiles import examples

needs_native = pytest.mark.skipif(native is None, reason="the native kernels are not built")


def random_cells(rng: np.random.Generator, n_tracks: int, n_frames: int, values: int) -> FrameCells:
    """Frames of some tracks each; few values of IoU make many ties."""
    starts: list[list[int]] = [[0], [0], [0]]
    columns: list[list[float]] = [[], [], [], [], [], []]
    for _ in range(n_frames):
        sides = [np.flatnonzero(rng.random(n_tracks) < 0.7).tolist() for _ in range(2)]
        overlap = rng.integers(0, values + 1, [len(side) for side in sides]) * (rng.random() < 0.9)
        rows, places = np.nonzero(overlap)
        shared = overlap[rows, places]
        columns[0] += sides[0]
        columns[1] += sides[1]
        columns[2] += rows.tolist()
        columns[3] += places.tolist()
        columns[4] += (shared / values).tolist()
        columns[5] += (20 * shared // values).tolist()
        for start, column in zip(starts, (columns[0], columns[1], columns[2]), strict=True):
            start.append(len(column))
    kinds = [np.int64, np.int64, np.int64, np.int64, np.float64, np.int64]
    arrays = [np.array(column, dtype=kind) for column, kind in zip(columns, kinds, strict=True)]
    return FrameCells(*(np.array(start) for start in starts), *arrays)


def same(first: TrackMatching, second: TrackMatching) -> bool:
    arrays = np.array_equal(first.higher, second.higher) and np.array_equal(first.clear, second.clear)
    return arrays and first[2:] == second[2:]


@needs_native
@examples(5)
@given(st.integers(0, 2**32 - 1), st.integers(1, 20), st.integers(0, 6), st.sampled_from([1, 2, 3, 20, 997]))
def test_both_versions_match_the_same(seed: int, n_tracks: int, n_frames: int, values: int) -> None:
    cells = random_cells(np.random.default_rng(seed), n_tracks, n_frames, values)
    assert same(match_tracks(cells, n_tracks, n_tracks), numpy_twin(match_tracks)(cells, n_tracks, n_tracks))


@needs_native
@pytest.mark.parametrize("shape", [(150, 1), (1, 150), (150, 9), (9, 150), (150, 150)])
def test_long_sums_have_the_bits_of_numpy(shape: tuple[int, int]) -> None:
    """The sums of a frame decide between tracks that are nearly alike."""
    rng = np.random.default_rng(1)
    rows, places = (side.ravel() for side in np.indices(shape))
    iou = rng.random(rows.size)
    ends = [np.array([0, size]) for size in (*shape, rows.size)]
    tracks = [np.arange(size) for size in shape]
    cells = FrameCells(*ends, *tracks, rows, places, iou, (20 * iou).astype(np.int64))
    assert same(match_tracks(cells, *shape), numpy_twin(match_tracks)(cells, *shape))


@needs_native
@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"true_start": np.array([0, 5])}, "true detections"),
        ({"pred_track": np.array([9])}, "predicted detections must name tracks"),
        ({"row": np.array([1])}, "cells must name detections of their frame"),
        ({"level": np.array([1, 2])}, "one row, column, IoU and level per cell"),
    ],
)
def test_wrong_columns_are_rejected(change: dict[str, np.ndarray], words: str) -> None:
    one, zero = np.array([0, 1]), np.array([0])
    cells = FrameCells(one, one, one, zero, zero, zero, zero, np.array([0.5]), np.array([10]))
    with pytest.raises(ValueError, match=words):
        match_tracks(cells._replace(**change), 1, 1)


def test_the_example_of_best_assignment() -> None:
    assert [side.tolist() for side in best_assignment(np.array([[1.0, 3.0], [0.0, 3.0]]))] == [[0, 1], [0, 1]]
