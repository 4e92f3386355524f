"""Betti numbers against the homology of small complexes: ranks of boundary matrices over two elements."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

import segmetry as sm
from segmetry.errors import OptionError
from segmetry.metrics.geometry.betti_error import betti_numbers, euler_characteristic
from tests.profiles import examples

Cell = tuple[int, ...]
"""Doubled coordinates: an odd one spans an interval, an even one is a point."""


def faces(cell: Cell) -> list[Cell]:
    spans = [axis for axis, at in enumerate(cell) if at % 2]
    return [(*cell[:axis], cell[axis] + step, *cell[axis + 1 :]) for axis in spans for step in (-1, 1)]


def closed_cubes(mask: NDArray[np.bool_]) -> set[Cell]:
    """Every element is a closed square or cube: connected by corners."""
    cells = {tuple(2 * at + 1 for at in place) for place in map(tuple, np.argwhere(mask).tolist())}
    while new := {face for cell in cells for face in faces(cell)} - cells:
        cells |= new
    return cells


def spanned_cubes(mask: NDArray[np.bool_]) -> set[Cell]:
    """Every element is a point; edges, squares and cubes exist where all their corners do: connected by faces."""
    inside = set(map(tuple, np.argwhere(mask).tolist()))
    cells = set()
    for cell in product(*(range(2 * size - 1) for size in mask.shape)):
        corners = product(*((at // 2, at // 2 + 1) if at % 2 else (at // 2,) for at in cell))
        if all(corner in inside for corner in corners):
            cells.add(cell)
    return cells


def rank(rows: list[int]) -> int:
    """The rank of a matrix over two elements; a row is an integer."""
    basis: dict[int, int] = {}
    for row in rows:
        while row:
            lead = row.bit_length()
            if lead not in basis:
                basis[lead] = row
                break
            row ^= basis[lead]
    return len(basis)


def homology(cells: set[Cell], ndim: int) -> tuple[int, ...]:
    by_dimension = [sorted(cell for cell in cells if sum(at % 2 for at in cell) == k) for k in range(ndim + 1)]
    ranks = [0]
    for k in range(1, ndim + 1):
        position = {cell: at for at, cell in enumerate(by_dimension[k - 1])}
        ranks.append(rank([sum(1 << position[face] for face in faces(cell)) for cell in by_dimension[k]]))
    ranks.append(0)
    return tuple(len(by_dimension[k]) - ranks[k] - ranks[k + 1] for k in range(ndim))


@examples(3)
@given(st.integers(0, 2**32), st.sampled_from([(6, 6), (4, 9), (3, 4, 3), (3, 3, 5)]))
def test_betti_numbers_are_those_of_the_homology(seed: int, shape: tuple[int, ...]) -> None:
    noise = np.random.default_rng(seed).random(shape)
    for share in (0.3, 0.6, 0.85):
        mask = noise < share
        corners, edges = (8, 4) if mask.ndim == 2 else (26, 6)
        for neighbours, cells, closed in ((corners, closed_cubes(mask), True), (edges, spanned_cubes(mask), False)):
            expected = homology(cells, mask.ndim)
            assert betti_numbers(mask, neighbours) == expected
            euler = sum((-1) ** k * number for k, number in enumerate(expected))
            assert euler_characteristic(mask, closed=closed) == euler


def test_known_shapes() -> None:
    shell = np.ones((3, 3, 3), dtype=bool)
    shell[1, 1, 1] = False
    ring = shell[:, :, 1:2]
    assert betti_numbers(shell, 26) == betti_numbers(shell, 6) == (1, 0, 1)
    assert betti_numbers(ring, 26) == betti_numbers(ring, 6) == (1, 1, 0)
    diagonal = np.eye(3, dtype=bool)
    assert (betti_numbers(diagonal, 8), betti_numbers(diagonal, 4)) == ((1, 0), (3, 0))


def test_patches_and_dimensions() -> None:
    true, pred = np.zeros((8, 8), dtype=int), np.zeros((8, 8), dtype=int)
    true[1:4, 1:4] = 1
    true[2, 2] = 0  # a ring in the first patch
    pred[5:7, 5:7] = 1  # a block in the last one
    assert sm.betti_error(true, pred, dimension=0).value == 0  # one part each, at different places
    assert sm.betti_error(true, pred).value == 1
    assert sm.betti_error(true, pred, dimension=0, patch=4).value == 2 / 4
    assert sm.betti_error(true, pred, patch=4).value == 3 / 4


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"dimension": 2}, "dimension is 2 and the labels have 2 axes; expected 0 to 1"),
        ({"patch": 0}, "patch is 0; expected a number of elements"),
        ({"connectivity": 26}, "connectivity is 26 and the labels have 2 axes; expected 4 or 8"),
    ],
)
def test_bad_options_are_errors(options: dict[str, int], words: str) -> None:
    with pytest.raises(OptionError, match=words):
        sm.betti_error([[1, 0]], [[1, 0]], **options)
