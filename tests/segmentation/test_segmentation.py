"""What the kinds of segmentation accept and know about themselves."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.errors import SpanError
from segmetry.kernels.run_length_masks import RunLengthMasks
from segmetry.segmentation.base import as_crowd, as_ids, classes_of, element_word
from segmetry.segmentation.labels import ValueClasses, without_instances
from segmetry.segmentation.masks import stacked_masks
from segmetry.segmentation.pair import SegmentationPair, as_segmentation
from segmetry.testing.strategies import mask_pairs, spans
from tests.oracle import as_sets


class ArrayLike:
    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
        return self.array


class DlpackOnly:
    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def __dlpack__(self, **options: object) -> object:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.array.__dlpack_device__()


@pytest.mark.parametrize("wrap", [ArrayLike, DlpackOnly, np.ndarray.tolist])
def test_arrays_in_other_clothes(wrap: object) -> None:
    true = np.array([[1, 1, 2], [0, 2, 2]])
    assert sm.overlap(wrap(true), true) == sm.overlap(true, true)  # type: ignore[operator]


def test_memmap_and_views_are_not_copied(tmp_path: Path) -> None:
    array = np.arange(24).reshape(4, 6)
    np.save(tmp_path / "labels.npy", array)
    mapped = np.load(tmp_path / "labels.npy", mmap_mode="r")
    assert sm.LabelArray(mapped).labels is mapped
    view = array[::2, ::-1]
    assert sm.LabelArray(view).labels is view
    assert sm.overlap(mapped, array) == sm.overlap(array, array)


def test_whole_floats_by_permission() -> None:
    assert sm.overlap(sm.LabelArray([[1.0, 2.0]], allow_float=True), [[1, 2]]) == sm.overlap([[1, 2]], [[1, 2]])


def test_negative_labels_by_declaration() -> None:
    labels = np.array([-1, -1, 3])
    assert sm.overlap(sm.LabelArray(labels, outside=-1), sm.LabelArray(labels, outside=-1)).true.ids.tolist() == [3]
    allowed = sm.LabelArray(labels, allow_negative=True)
    assert sm.overlap(allowed, allowed).true.ids.tolist() == [-1, 3]


def test_outside_none_makes_zero_a_segment() -> None:
    found = sm.LabelArray([0, 0, 1], outside=None)
    assert sm.overlap(found, found).true.ids.tolist() == [0, 1]


@given(st.integers(1, 20).flatmap(spans))
def test_spans_of_one_line_in_all_notations(found: sm.Spans) -> None:
    total = sm.Spans.from_masses(found.masses)
    assert total.is_total and total.boundaries.tolist() == found.boundaries.tolist()
    assert sm.Spans.from_boundaries(total.boundaries, n=total.n).masses.tolist() == total.masses.tolist()
    bits = np.zeros(total.n, dtype=int)
    bits[total.starts] = 1
    assert sm.Spans.from_bits(bits).masses.tolist() == total.masses.tolist()
    labels = np.zeros(found.n, dtype=int)
    for number, elements in as_sets(found).items():
        labels[list(elements)] = number
    again = sm.Spans.from_labels(labels)
    assert as_sets(again) == as_sets(found)


@pytest.mark.parametrize(
    ("spans_", "n", "masses"),
    [
        ([(2, 5), (7, 9)], 10, [2, 3, 2, 2, 1]),
        ([], 5, [5]),
        ([(0, 1), (1, 2)], 6, [1, 1, 4]),
        ([], 0, []),
    ],
)
def test_gaps_become_segments_in_p_star(spans_: list[tuple[int, int]], n: int, masses: list[int]) -> None:
    assert sm.Spans.from_spans(spans_, n=n).masses.tolist() == masses


def test_a_leading_zero_bit_is_a_gap_unless_forced() -> None:
    assert sm.Spans.from_bits([0, 0, 1, 0]).starts.tolist() == [2]
    assert sm.Spans.from_bits([0, 0, 1, 0], first="force").masses.tolist() == [2, 2]
    assert sm.Spans.from_bits([0, 0]).starts.size == 0


def test_tags_carry_classes_and_close_segments() -> None:
    found = sm.Spans.from_tags(["B-PER", "B-PER", "I-PER", "O", "B-LOC"])
    assert as_sets(found) == {1: {0}, 2: {1, 2}, 3: {4}}
    assert found.classes == {1: "PER", 2: "PER", 3: "LOC"}
    lenient = sm.Spans.from_tags(["I-PER", "I-LOC"], malformed="keep")
    assert as_sets(lenient) == {1: {0}, 2: {1}}
    assert sm.Spans.from_tags(["B", "I", "O"]).classes is None


def test_frame_labels_of_any_kind_are_classes() -> None:
    spans = sm.Spans.from_frame_labels([None, None, 3, 3, ("a", 1)], outside=3)
    assert (as_sets(spans), spans.classes) == ({1: {0, 1}, 2: {4}}, {1: None, 2: ("a", 1)})
    assert sm.Spans.from_frame_labels([]).n == 0
    with pytest.raises(SpanError, match="the text 'abc'; expected one label per element"):
        sm.Spans.from_frame_labels("abc")
    with pytest.raises(SpanError, match="cannot be hashed"):
        sm.Spans.from_frame_labels([["a"], ["b"]])


@pytest.mark.parametrize(
    ("scheme", "tags", "well_formed", "pieces"),
    [
        ("bio", "B-x I-x B-x I-y O I-x I-x", [(0, 2), (2, 3)], [(0, 2), (2, 3), (3, 4), (5, 7)]),
        ("iob1", "I-x B-x I-x I-y O B-x I-x", [(0, 1), (1, 3), (3, 4), (6, 7)], None),
        ("iobes", "S-x B-x I-x E-x B-y O I-x E-x", [(0, 1), (1, 4)], [(0, 1), (1, 4), (4, 5), (6, 8)]),
        ("bilou", "U-x B-x L-x B-y L-x", [(0, 1), (1, 3)], [(0, 1), (1, 3), (3, 4), (4, 5)]),
    ],
)
def test_each_scheme_says_what_a_segment_is(
    scheme: str, tags: str, well_formed: list[tuple[int, int]], pieces: list[tuple[int, int]] | None
) -> None:
    dropped = sm.Spans.from_tags(tags.split(), scheme=scheme, malformed="drop")
    assert list(zip(dropped.starts.tolist(), dropped.stops.tolist(), strict=True)) == well_formed
    if pieces is not None:
        kept = sm.Spans.from_tags(tags.split(), scheme=scheme, malformed="keep")
        assert list(zip(kept.starts.tolist(), kept.stops.tolist(), strict=True)) == pieces
    with pytest.raises(SpanError, match="malformed='keep' takes such tags as a segment"):
        sm.Spans.from_tags(["O", *tags.split()[-1:], "B-z", "B-q", "I-x"], scheme=scheme)


@pytest.mark.parametrize("tags", [["B-PER", "I-PER"], ["B", "I"], ["O", "O"]])
def test_tags_without_a_segment_fit_any_other_side(tags: list[str]) -> None:
    nothing, other = sm.Spans.from_tags(["O", "O"]), sm.Spans.from_tags(tags)
    assert nothing.classes == {}
    for pair in ((nothing, other), (other, nothing)):
        scores = sm.score(*pair, "n_missed,n_spurious,pq")
        assert scores["n_missed"].value + scores["n_spurious"].value == other.starts.size
        assert set(scores.classes) == set((other.classes or {}).values())


def test_spans_are_a_set_so_their_order_does_not_matter() -> None:
    found = sm.Spans.from_spans([(5, 8), (0, 5)], n=8, classes=["b", "a"])
    assert found.starts.tolist() == [0, 5]
    assert found.classes == {1: "a", 2: "b"}


@given(mask_pairs())
def test_masks_from_rle_equal_masks_from_pixels(pair: tuple[sm.Masks, sm.Masks]) -> None:
    masks, _ = pair
    encoded = []
    for mask in masks.dense():
        flat = np.concatenate(([False], mask.ravel(order="F")))
        edges = np.flatnonzero(flat[1:] != flat[:-1])
        counts = np.diff(np.concatenate(([0], edges, [mask.size]))).tolist()
        encoded.append({"size": list(mask.shape), "counts": counts})
    again = sm.Masks.from_rle(encoded, shape=masks.shape)
    assert as_sets(again) == as_sets(masks)
    assert again.sizes.tolist() == [len(found) for found in as_sets(masks).values()]


@given(mask_pairs(scores=True))
def test_painting_by_falling_score(pair: tuple[sm.Masks, sm.Masks]) -> None:
    masks, _ = pair
    assert masks.scores is not None
    taken: set[int] = set()
    expected = {}
    families = as_sets(masks)
    for _, number in sorted(zip(-masks.scores, masks.ids.tolist(), strict=True)):
        free = set(families[number]) - taken
        taken |= free
        if free:
            expected[number] = free
    painted = masks.painted()
    assert as_sets(painted) == expected
    assert painted.is_disjoint


def test_resolve_by_score_makes_masks_disjoint() -> None:
    true = sm.Masks.from_dense(np.array([[[True, True, False]], [[False, False, True]]]))
    pred = sm.Masks.from_dense(np.array([[[True, True, True]], [[True, True, False]]]), scores=[0.2, 0.9])
    found = sm.align(sm.overlap(true, pred, resolve="by_score"))
    assert [(p.true_id, p.pred_id, p.shared) for p in found.pairs()] == [(1, 2, 2), (2, 1, 1)]
    assert sm.pq(true, pred, resolve="by_score").value == 1.0


def test_resolve_assign_and_keep() -> None:
    true = sm.Masks.from_dense(np.ones((1, 2, 5), dtype=bool))
    both = np.ones((2, 2, 5), dtype=bool)
    both[1, 0, 0] = False
    pred = sm.Masks.from_dense(both)
    assert sm.n_matched(true, pred, resolve="assign").value == 1
    assert sm.n_spurious(true, pred, resolve="assign").value == 1
    kept = sm.align(sm.overlap(true, pred), resolve="keep")
    assert (len(kept), kept.is_one_to_one, kept.clashes()) == (2, False, ([1], []))
    assert kept.precision.value == 1.0


def test_void_and_crowd_are_remembered() -> None:
    found = sm.LabelArray([1, 2, 255], void=255, crowd=[2])
    table = sm.overlap(found, [1, 2, 2])
    assert table.true.crowd is not None
    assert table.true.crowd.tolist() == [False, True]
    assert table.pred.void.tolist() == [0, 1]


def test_the_example_of_classes_of() -> None:
    assert classes_of({1: "car", 2: "road"}, [2, 1], "true") == ["road", "car"]


def test_the_example_of_as_ids() -> None:
    assert (as_ids(0, "outside"), as_ids({255, 3}, "void"), as_ids(None, "outside")) == ((0,), (3, 255), ())


def test_the_example_of_as_crowd() -> None:
    assert (as_crowd([7, 3, 7]), as_crowd({7, 3}), as_crowd(None)) == ((7, 3), (3, 7), ())


def test_the_example_of_element_word() -> None:
    assert (element_word("labels", 2), element_word("labels", 3), element_word("spans", None)) == (
        "pixels",
        "voxels",
        "elements",
    )


def test_the_example_of_value_classes() -> None:
    assert (ValueClasses()[61], ValueClasses(1000)[26_003], ValueClasses(1000, {26: "car"})[26_003]) == (61, 26, "car")


def test_the_example_of_without_instances() -> None:
    assert without_instances(np.array([7002, 255_000, 255_009]), 1000, (255,)).tolist() == [7002, 255000, 255000]


def test_the_example_of_stacked_masks() -> None:
    two = stacked_masks([RunLengthMasks(np.array([0, 1]), np.array([at]), np.array([at + 2])) for at in (1, 4)])
    assert (two.offsets.tolist(), two.starts.tolist()) == ([0, 1, 2], [1, 4])


def test_the_example_of_segmentation_pair_of() -> None:
    assert SegmentationPair.of([[1, 1]], [[1, 2]]).true.kind == "labels"


def test_the_example_of_as_segmentation() -> None:
    assert as_segmentation([[1, 1], [0, 2]]).kind == "labels"
