"""Polygons: areas against cells in Python sets, crossings against clipping in fractions, and what is refused."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.errors import ClassesError, DataWarning, InputError, KindError, MissingExtraError, SegmetryError
from segmetry.overlaps.table import OverlapTable
from segmetry.segmentation.polygon_areas import doubled_areas

shapely = pytest.importorskip("shapely")
box = shapely.box

SIDE = 6
rectangles = st.tuples(*(st.integers(0, SIDE - 1) for _ in range(2)), *(st.integers(1, SIDE) for _ in range(2))).map(
    lambda found: (found[0], found[1], min(found[0] + found[2], SIDE), min(found[1] + found[3], SIDE))
)
families = st.lists(st.lists(rectangles, min_size=1, max_size=3), max_size=4)


def cells(parts: list[tuple[int, int, int, int]]) -> set[tuple[int, int]]:
    return {(x, y) for left, low, right, top in parts for x in range(left, right) for y in range(low, top)}


def drawn(family: list[list[tuple[int, int, int, int]]], scale: float) -> list[Any]:
    """Unions of rectangles: several parts, holes and corners that touch."""
    return [shapely.union_all([box(*(scale * edge for edge in one)) for one in parts]) for parts in family]


def facts(table: OverlapTable, unit: int) -> tuple[Any, ...]:
    """Everything a table holds, in cells."""
    sides = [
        (side.ids.tolist(), (side.sizes / unit).tolist(), (side.outside / unit).tolist(), side.disjoint)
        for side in (table.true, table.pred)
    ]
    return sides, [(t, h, shared / unit) for t, h, shared in table.rows()], table.n_elements / unit


@given(families, families, st.sampled_from([(1, 2), (0.5, 50), (0.25, 1250), (4, 32)]))
def test_areas_are_the_numbers_of_cells(true: Any, pred: Any, scale: tuple[float, int]) -> None:
    size, unit = scale
    sides = [sm.Polygons(drawn(one, size), precision=Fraction(1, 100) if size < 1 else 1) for one in (true, pred)]
    unit = 2 * round(size * 100) ** 2 if size < 1 else 2 * int(size) ** 2
    counted = sm.overlap(sm.Sets([cells(one) for one in true]), sm.Sets([cells(one) for one in pred]))
    assert facts(sm.overlap(*sides), unit) == facts(counted, 1)


def exact_shared(one: list[tuple[int, int]], other: list[tuple[int, int]]) -> Fraction:
    """The doubled area of the intersection of two triangles, clipped edge by edge in fractions."""
    shape = [(Fraction(x), Fraction(y)) for x, y in counter_clockwise(one)]
    closed = [*counter_clockwise(other), counter_clockwise(other)[0]]
    for (x1, y1), (x2, y2) in pairwise(closed):

        def side(point: tuple[Fraction, Fraction]) -> Fraction:
            return (x2 - x1) * (point[1] - y1) - (y2 - y1) * (point[0] - x1)  # noqa: B023

        kept: list[tuple[Fraction, Fraction]] = []
        for a, b in zip(shape, shape[1:] + shape[:1], strict=True):
            if side(a) >= 0:
                kept.append(a)
            if side(a) * side(b) < 0:
                part = side(a) / (side(a) - side(b))
                kept.append((a[0] + part * (b[0] - a[0]), a[1] + part * (b[1] - a[1])))
        shape = kept
    return doubled(shape)


def doubled(shape: list[Any]) -> Fraction:
    return sum((a[0] * b[1] - b[0] * a[1] for a, b in zip(shape, shape[1:] + shape[:1], strict=True)), Fraction(0))


def counter_clockwise(shape: list[tuple[int, int]]) -> list[tuple[int, int]]:
    return shape if doubled(shape) > 0 else shape[::-1]


def triangles(largest: int) -> Any:
    corner = st.tuples(st.integers(-largest, largest), st.integers(-largest, largest))
    return st.lists(corner, min_size=3, max_size=3, unique=True).filter(lambda found: doubled(found) != 0)


@pytest.mark.parametrize("largest", [6, 2**20, 2**22])
def test_what_crossing_polygons_share_is_rounded_down(largest: int) -> None:
    @given(triangles(largest), triangles(largest), st.integers(-(2**28), 2**28))
    def check(one: Any, other: Any, far: int) -> None:
        sides = [sm.Polygons([shapely.Polygon([(x + far, y) for x, y in found])]) for found in (one, other)]
        table = sm.overlap(*sides)
        assert [side.sizes.tolist() for side in sides] == [[abs(doubled(one))], [abs(doubled(other))]]
        expected, found = exact_shared(one, other), int(table.shared.sum())
        assert found == math.floor(expected) or (largest > 6 and math.floor(expected + Fraction(1, 4)) == found)

    check()


def test_a_field_and_its_digitised_copy() -> None:
    """10 × 4 against the same moved by 2: 32 of 40 shared, 48 together, IoU 2/3; halves are 2 per unit square."""
    table = sm.overlap(sm.Polygons([box(0, 0, 10, 4)]), sm.Polygons([box(2, 0, 12, 4)]))
    assert list(table.rows()) == [(1, 1, 64)] and table.n_elements == 96
    assert sm.pq(sm.Polygons([box(0, 0, 10, 4)]), sm.Polygons([box(2, 0, 12, 4)])).value == 2 / 3
    halves = sm.Polygons([box(0, 0, 3, 1)]), sm.Polygons([box(0, 0, 1.5, 1)])
    assert sm.score(*halves, "pq", rule="theta_plus")["pq"].value == 0, "IoU 1/2 exactly is no match"


def test_half_of_a_half_is_rounded_down() -> None:
    """Two triangles that share 2¼ squares: 4½ halves, or 4,500,000 of a thousandth."""
    sides = [shapely.Polygon([(0, 0), (3, 0), third]) for third in ((0, 3), (3, 3))]
    for precision, shared in ((1, 4), ("0.001", 4_500_000)):
        one, other = (sm.Polygons([side], precision=precision) for side in sides)
        assert sm.overlap(one, other).shared.tolist() == [shared]


def test_areas_are_shapelys() -> None:
    shared = 40
    chance = np.random.default_rng(3)
    blobs = [shapely.Point(*chance.integers(0, 60, 2)).buffer(int(chance.integers(3, 12))) for _ in range(2 * shared)]
    true, pred = sm.Polygons(blobs[:shared], precision="0.001"), sm.Polygons(blobs[shared:], precision="0.001")
    table = sm.overlap(true, pred)
    assert not table.is_disjoint and len(table) > 100
    for t, h, found in table.rows():
        area = blobs[t - 1].intersection(blobs[shared + h - 1]).area
        assert found / 2e6 == pytest.approx(area, abs=0.1)
    assert table.n_elements / 2e6 == pytest.approx(shapely.union_all(blobs).area, rel=1e-3)
    assert true.n_elements / 2e6 == pytest.approx(shapely.union_all(blobs[:shared]).area, rel=1e-3)
    outside = blobs[0].difference(shapely.union_all(blobs[shared:])).area
    assert table.true.outside[0] / 2e6 == pytest.approx(outside, abs=0.1)


def test_a_precision_is_the_finest_decimal_or_stated() -> None:
    assert sm.Polygons([box(0, 0, 1, 0.125)]).precision == Fraction(1, 1000)
    assert sm.Polygons([box(0, 0, 0.1 + 0.2, 1)], precision="0.1").sizes.tolist() == [2 * 3 * 10]
    coarse, fine = sm.Polygons([box(0, 0, 5, 5)]), sm.Polygons([box(0, 0, 2.5, 5)])
    assert list(sm.overlap(coarse, fine).rows()) == [(1, 1, 2500)]
    third = Fraction(1, 3)
    assert sm.Polygons([box(0, 0, 1, 1 / 3)], precision=third).sizes.tolist() == [2 * 3]
    assert sm.overlap(sm.Polygons([box(0, 0, 1, 1)], precision=third), fine).true.sizes.tolist() == [2 * 30 * 30]


BOW = [(0, 0), (2, 2), (2, 0), (0, 2)]


@pytest.mark.parametrize(
    ("shapes", "options", "words"),
    [
        ([box(0, 0, 1, 1), shapely.Polygon(BOW)], {}, r"segment 2 is not a valid polygon: Self-intersection\[1 1\]"),
        ([shapely.Polygon(BOW)] * 3, {"ids": [5, 6, 7]}, r"segment 5 is not a valid polygon \(nor are 2 others\)"),
        ([shapely.Point(1, 1)], {}, "segment 1 is a Point; expected a Polygon or MultiPolygon"),
        ([shapely.GeometryCollection([box(0, 0, 1, 1)])], {}, "segment 1 is a GeometryCollection"),
        ([None], {}, "segment 1 is a NoneType"),
        ([shapely.Polygon()], {}, "segment 1 is an empty Polygon"),
        ([shapely.Polygon([(0, 0), (np.inf, 1), (1, 1)])], {}, "segment 1 has a coordinate that is not finite"),
        ([box(0, 0, 1e300, 1)], {}, "segment 1 is not a valid polygon when its coordinates are rounded to 1e"),
        ([box(0, 0, 1e300, 1)], {"precision": 1}, r"coordinates beyond 2\*\*53 steps of 1"),
        ([box(0, 0, 1, 1)], {"precision": 0}, "precision is 0; expected a positive length"),
        (
            [box(0, 0, 0.3, 9)],
            {"precision": 1},
            "segment 1 is not a valid polygon when its coordinates are rounded to 1",
        ),
        ([box(0, 0, 1, 1)], {"classes": []}, "0 classes for 1 polygons"),
        ([box(0, 0, 1, 1)] * 2, {"ids": [1, 1]}, "ids contain a value twice"),
    ],
)
def test_what_is_rejected(shapes: Any, options: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        sm.Polygons(shapes, **options)


def test_a_polygon_too_wide_for_its_precision() -> None:
    wide = sm.Polygons([box(0, 0, 1e7, 0.25)], precision="0.01")
    with pytest.raises(InputError, match=r"segment 1 is 1000000000 steps of 0.01 wide; .*--precision 1\)"):
        sm.overlap(wide, wide)
    assert sm.overlap(*[sm.Polygons([box(0, 0, 1e7, 3)], precision=1)] * 2).shared.tolist() == [2 * 3 * 10**7]
    far = sm.Polygons([box(9e15, 0, 9e15 + 2, 1)])
    with pytest.raises(InputError, match=r"coordinates beyond 2\*\*53 steps of 0.1"):
        sm.overlap(far, sm.Polygons([box(0, 0, 0.1, 1)]))


@pytest.mark.parametrize(("size", "step"), [(1e-4, "1e-11"), (1.0, "1e-7"), (1000.0, "1e-4")])
def test_coordinates_of_many_decimals_are_rounded_to_the_finest_that_can_be_counted(size: float, step: str) -> None:
    corners = [[4 + 0.1 / 3, 52], [4 + 0.1 / 3 + size / 3, 52], [4 + 0.1 / 3, 52 + size / 7]]
    with pytest.warns(DataWarning, match=rf"1 polygons have more decimals than .* rounded to {float(step):g} "):
        found = sm.Polygons([shapely.Polygon(corners)])
    assert found.precision == Fraction(step) and found.rounded
    assert found.sizes[0] * float(step) ** 2 / 2 == pytest.approx(size**2 / 42, rel=1e-5)


@pytest.mark.filterwarnings("ignore:the coordinates of")
def test_sides_of_other_widths_are_compared_in_the_coarser_step() -> None:
    """A polygon of 1000 / 3 m in steps of 0.1 mm, and one of 10 / 3 m in finer ones, which it contains."""
    wide, small = sm.Polygons([box(0, 0, 1000 / 3, 1)]), sm.Polygons([box(0, 0, 10 / 3, 1)])
    assert (wide.precision, small.precision) == (Fraction(1, 10**4), Fraction(1, 10**6))
    for pair in ((wide, small), (small, wide)):
        table = sm.overlap(*pair)
        assert table.shared.tolist() == [2 * 33333 * 10**4]
    exact = sm.Polygons([box(0, 0, 10, 1)])
    assert not exact.rounded and sm.overlap(wide, exact).shared.tolist() == [2 * 10**5 * 10**4]


def test_pairs_that_do_not_belong_together() -> None:
    one = [box(0, 0, 1, 1)]
    with pytest.raises(InputError, match="true has coordinates in EPSG:28992 and pred in an unknown system"):
        sm.overlap(sm.Polygons(one, crs="EPSG:28992"), sm.Polygons(one))
    with pytest.raises(KindError, match="true is polygons and pred is a label array"):
        sm.overlap(sm.Polygons(one), [[1]])
    with pytest.raises(ClassesError, match="pred has no classes"):
        sm.overlap(sm.Polygons(one, classes=["a"]), sm.Polygons(one))
    with pytest.raises(KindError, match="boundary_pq takes labels or masks or spans; found polygons"):
        sm.score(sm.Polygons(one), sm.Polygons(one), "boundary_pq")


def test_every_metric_of_regions_takes_polygons() -> None:
    """The same numbers as on the cells, where the number of elements does not matter."""
    true, pred = [[(0, 0, 3, 2)], [(3, 0, 6, 6)]], [[(0, 0, 2, 2)], [(2, 0, 6, 5)]]
    polygons = [sm.Polygons(drawn(side, 1)) for side in (true, pred)]
    sets = [sm.Sets([cells(one) for one in side]) for side in (true, pred)]
    for key in (
        "pq",
        "npq",
        "hoover_index",
        "covering",
        "partner_f",
        "n_splits",
        "deteval_f",
        "zonemap",
        "vi_split",
        "nmi",
    ):
        assert sm.score(*polygons, key)[key].value == pytest.approx(sm.score(*sets, key)[key].value), key
    over = sm.Polygons([box(0, 0, 4, 6), box(2, 0, 6, 6)])
    cover = sm.Sets([cells([(0, 0, 4, 6)]), cells([(2, 0, 6, 6)])])
    found = sm.score(polygons[0], over, "zonemap")["zonemap"], sm.score(sets[0], cover, "zonemap")["zonemap"]
    assert found[0].value == found[1].value


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "shapely", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'segmetry\[maps\]'"):
        sm.Polygons([])


def test_nothing_on_one_side_or_both() -> None:
    some, none = sm.Polygons([box(0, 0, 1, 1)]), sm.Polygons([])
    assert [sm.overlap(*pair).n_elements for pair in ((some, none), (none, some), (none, none))] == [2, 2, 0]
    assert sm.overlap(some, none).true.outside.tolist() == [2]
    with pytest.raises(SegmetryError, match="expected an integer array"):
        sm.overlap(some, 7)


def test_the_example_of_doubled_areas() -> None:
    from shapely import box

    assert doubled_areas(np.array([box(0, 0, 3, 2)], dtype=object)).tolist() == [12]
