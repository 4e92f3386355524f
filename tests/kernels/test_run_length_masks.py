"""Masks as runs: native code against the numpy twins against sets of elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

from segmetry.kernels import run_length_masks as runs
from segmetry.kernels.backend import native, numpy_twin
from segmetry.kernels.run_length_masks import (
    RunLengthMasks,
    boxes_of_run_lengths,
    run_lengths_of_boxes,
)
from tests.coco_strings import encode_coco_counts
from tests.profiles import examples

needs_native = pytest.mark.skipif(native is None, reason="the native kernels are not in use here")

Masks = list[set[int]]


def both(name: str) -> list[Callable[..., Any]]:
    """The function in use, and its numpy twin."""
    function = getattr(runs, name)
    return [function, numpy_twin(function)]


def runs_of(masks: Masks, scale: int = 1) -> RunLengthMasks:
    """Runs made element by element, without the code under test. ``scale`` stretches the domain."""
    offsets, starts, stops = [0], [], []
    for mask in masks:
        starts += [scale * i for i in sorted(mask) if i - 1 not in mask]
        stops += [scale * (i + 1) for i in sorted(mask) if i + 1 not in mask]
        offsets.append(len(starts))
    return RunLengthMasks(*(np.array(column, np.int64) for column in (offsets, starts, stops)))


def lists(result: Any) -> list[list[int]]:
    for column in result:
        assert column.dtype == np.int64
    return [column.tolist() for column in result]


def counts_of(mask: set[int], size: int) -> list[int]:
    counts, inside = [0], False
    for element in range(size):
        if (element in mask) != inside:
            counts.append(0)
            inside = not inside
        counts[-1] += 1
    return counts


def masks_strategy(size: int = 40) -> st.SearchStrategy[Masks]:
    return st.lists(st.sets(st.integers(0, size - 1)), max_size=6)


@given(masks_strategy(), masks_strategy(), st.sampled_from([1, 2**20, 2**57]))
def test_intersections(true: Masks, pred: Masks, scale: int) -> None:
    expected = [(i, j, scale * len(t & p)) for i, t in enumerate(true) for j, p in enumerate(pred) if t & p]
    for intersect in both("intersect_run_lengths"):
        found = lists(intersect(runs_of(true, scale), runs_of(pred, scale)))
        assert list(zip(*found, strict=True)) == expected


@needs_native
@given(
    masks_strategy(), masks_strategy(), st.sampled_from([1, 2**47, 2**57]), st.integers(0, 45), st.sampled_from([0, 99])
)
def test_intersections_by_sweep_and_by_boxes(true: Masks, pred: Masks, scale: int, line: int, steps: int) -> None:
    """No steps are allowed for boxes, or all; lines of any length, that runs may cross."""
    expected = [(i, j, scale * len(t & p)) for i, t in enumerate(true) for j, p in enumerate(pred) if t & p]
    columns = (*runs_of(true, scale), *runs_of(pred, scale))
    found = native.intersect_run_lengths(*columns, line=line * scale, steps_per_stretch=steps)
    assert list(zip(*lists(found), strict=True)) == expected


@given(masks_strategy(), st.sampled_from([1, 2**20, 2**57]))
def test_union_overlap_and_sizes_of_one_side(masks: Masks, scale: int) -> None:
    union = set().union(*masks)
    overlapping = sum(map(len, masks)) != len(union)
    given_runs = runs_of(masks, scale)
    for unite in both("union_run_lengths"):
        assert lists(unite(given_runs)) == lists(runs_of([union], scale))
    for overlaps in both("self_overlaps"):
        assert overlaps(given_runs) is overlapping
    for sizes in both("sizes"):
        assert sizes(given_runs).tolist() == [scale * len(mask) for mask in masks]
        assert sizes(given_runs).dtype == np.int64


@pytest.mark.parametrize("masks", [600, 3])
def test_many_masks_disjoint_and_overlapping(masks: int) -> None:
    """600 x 600 masks are too many for a matrix; both ways of adding up are used, with and without overlaps."""
    rng = np.random.default_rng(0)
    owner = np.repeat(rng.integers(0, masks, 2500), rng.integers(1, 6, 2500))
    disjoint = [set(np.flatnonzero(owner == m).tolist()) for m in range(masks)]
    shifted = [{e + 2 for e in mask} for mask in disjoint]
    overlapping = [mask | {e + 1 for e in mask} for mask in disjoint]
    for true in (disjoint, overlapping):
        for pred in (shifted, overlapping):
            expected = [(i, j, len(t & p)) for i, t in enumerate(true) for j, p in enumerate(pred) if t & p]
            for intersect in both("intersect_run_lengths"):
                assert list(zip(*lists(intersect(runs_of(true), runs_of(pred))), strict=True)) == expected
            if native is not None:
                swept = native.intersect_run_lengths(*runs_of(true), *runs_of(pred), steps_per_stretch=0)
                assert list(zip(*lists(swept), strict=True)) == expected


@given(masks_strategy(70))
def test_run_lengths_from_dense(masks: Masks) -> None:
    stack = np.zeros((len(masks), 70), bool)
    for row, mask in zip(stack, masks, strict=True):
        row[list(mask)] = True
    for from_dense in both("run_lengths_from_dense"):
        for layout in (stack, np.asfortranarray(stack), np.repeat(stack, 2, axis=1)[:, ::2]):
            assert lists(from_dense(layout)) == lists(runs_of(masks))


def test_run_lengths_from_dense_across_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("segmetry.kernels.run_length_masks._DENSE_BLOCK", 50_000)
    rng = np.random.default_rng(1)
    stack = np.repeat(rng.random((7, 4000)) < 0.5, 6, axis=1)
    expected = lists(runs_of([set(np.flatnonzero(row).tolist()) for row in stack]))
    for from_dense in both("run_lengths_from_dense"):
        assert lists(from_dense(stack)) == expected
        assert lists(from_dense(np.ones((2, 20_000), bool))) == [[0, 1, 2], [0, 0], [20_000, 20_000]]
        for shape in ((0, 5), (3, 0), (0, 0)):
            assert lists(from_dense(np.zeros(shape, bool))) == [[0] * (shape[0] + 1), [], []]


@pytest.mark.parametrize("stack", [np.zeros((2, 3), np.uint8), np.zeros(3, bool), np.zeros((1, 2, 3), bool)])
def test_run_lengths_from_dense_rejects_other_arrays(stack: NDArray[Any]) -> None:
    for from_dense in both("run_lengths_from_dense"):
        with pytest.raises(ValueError, match="bool"):
            from_dense(stack)


@given(masks_strategy(50))
def test_run_lengths_from_counts_and_from_strings(masks: Masks) -> None:
    counts = [counts_of(mask, 50) for mask in masks]
    assert lists(runs.run_lengths_from_counts([np.array(c) for c in counts], 50)) == lists(runs_of(masks))
    texts = [encode_coco_counts(c) for c in counts]
    for decode in both("decode_coco_masks"):
        assert lists(decode(texts, 50)) == lists(runs_of(masks))


def test_counts_of_nothing_are_merged() -> None:
    counts = [[0, 2, 0, 3, 1, 0, 4], [0, 0, 0, 0, 10], [10], [0, 10, 0], [3, 0, 2, 5]]
    expected: Masks = [{0, 1, 2, 3, 4}, set(), set(), set(range(10)), {5, 6, 7, 8, 9}]
    assert lists(runs.run_lengths_from_counts([np.array(c) for c in counts], 10)) == lists(runs_of(expected))
    for decode in both("decode_coco_masks"):
        assert lists(decode([encode_coco_counts(c) for c in counts], 10)) == lists(runs_of(expected))


def test_an_empty_domain_and_no_masks() -> None:
    nothing = [[0], [], []]
    assert lists(runs.run_lengths_from_counts([], 5)) == nothing
    for decode in both("decode_coco_masks"):
        assert lists(decode([], 5)) == nothing
        assert lists(decode([b"", b"0", b"00"], 0)) == [[0, 0, 0, 0], [], []]
    for intersect in both("intersect_run_lengths"):
        assert lists(intersect(runs_of([]), runs_of([{1}]))) == [[], [], []]


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([3, 3], "mask 1: counts add up to 6; expected 7"),
        ([3, 5], "mask 1: counts add up to 8; expected 7"),
        ([], "mask 1: counts add up to 0; expected 7"),
        ([9, -2], "mask 1: count 1 is -2; expected 0 or more"),
        ([2**62, 2**62, 2**62, 2**62 + 7], f"mask 1: counts add up to {2**64 + 7}; expected 7"),
    ],
)
def test_counts_that_do_not_fit_name_the_mask(counts: list[int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        runs.run_lengths_from_counts([np.array([7]), np.array(counts, np.int64)], 7)


@given(st.lists(st.one_of(st.integers(0, 40), st.integers(0, 2**59 - 1)), max_size=30))
def test_strings_there_and_back(counts: list[int]) -> None:
    for decode in both("decode_coco_counts"):
        found = decode(encode_coco_counts(counts))
        assert found.tolist() == counts
        assert found.dtype == np.int64


MALFORMED = {
    b"52P": "byte 3: the string ends inside a number",
    b"5\x00": "byte 1: b'\\\\x00' is none of the characters",
    b"52/": "byte 2: b'/' is none of the characters",
    b"5p": "byte 1: b'p' is none of the characters",
    b"P" * 12 + b"0": "byte 0: overflow, a number of more than 12 characters",
    b"1" + b"P" * 40: "byte 1: overflow, a number of more than 12 characters",
    b"5O": "byte 1: the count becomes -1; expected 0 or more",
    b"111N": "byte 3: the count becomes -1; expected 0 or more",
    b"0" + (b"o" * 11 + b"?") + b"0" + b"1": f"byte 14: overflow, the count becomes {2**59}",
    b"O/": "byte 0: the count becomes -1",
}


@pytest.mark.parametrize("text", MALFORMED, ids=repr)
def test_malformed_strings_are_rejected_with_a_position(text: bytes) -> None:
    for decode in both("decode_coco_counts"):
        with pytest.raises(ValueError, match=MALFORMED[text]):
            decode(text)
    for decode_masks in both("decode_coco_masks"):
        with pytest.raises(ValueError, match="mask 1: " + MALFORMED[text]):
            decode_masks([b"7", text, b"///"], 7)


def test_strings_of_another_size_are_rejected_by_mask() -> None:
    for decode_masks in both("decode_coco_masks"):
        for text in (b"6", b"8", b"43", b"45", b""):
            with pytest.raises(
                ValueError, match=r"mask 1: counts add up to \d+; expected 7" if text != b"43" else "mask 2"
            ):
                decode_masks([b"7", text, b"1"], 7)


def test_text_is_not_bytes() -> None:
    for decode in both("decode_coco_counts"):
        with pytest.raises(TypeError, match="a compressed mask is str; expected bytes"):
            decode("52")
    for decode_masks in both("decode_coco_masks"):
        with pytest.raises(TypeError, match="mask 0: a compressed mask is str; expected bytes"):
            decode_masks(["7"], 7)


@given(st.binary(max_size=40))
@examples(2)
def test_any_bytes_are_read_alike(text: bytes) -> None:
    """Native code and numpy accept the same strings and give the same counts."""
    outcomes = []
    for decode in both("decode_coco_counts"):
        try:
            outcomes.append(decode(text).tolist())
        except ValueError as error:
            outcomes.append(str(error))
    assert outcomes[0] == outcomes[1]


@given(st.lists(st.integers(48, 111), max_size=60))
@examples(2)
def test_any_string_of_the_alphabet_is_read_alike(codes: list[int]) -> None:
    test_any_bytes_are_read_alike.hypothesis.inner_test(bytes(codes))  # type: ignore[attr-defined]


def random_counts(rng: np.random.Generator, longest: int) -> NDArray[np.int64]:
    """Counts that change by numbers of one to ``longest`` characters, so that some number ends at every place."""
    steps = rng.integers(0, 2 ** (5 * rng.integers(1, longest, 400, endpoint=True) - 1))
    return np.asarray(steps[: rng.integers(1, 400)], np.int64)


@pytest.mark.parametrize("longest", [1, 2, 3, 4, 6, 11])
def test_long_strings_are_read_alike(longest: int) -> None:
    """Strings of many machine words, with numbers of every length across every border between two words."""
    rng = np.random.default_rng(longest)
    for _ in range(60):
        counts = random_counts(rng, longest)
        text, size = encode_coco_counts(counts), int(counts.sum())
        assert runs.decode_coco_counts(text).tolist() == counts.tolist()
        expected = lists(numpy_twin(runs.decode_coco_masks)([text, text], size))
        assert lists(runs.decode_coco_masks([text, text], size)) == expected


def test_damage_to_long_strings_is_rejected_alike() -> None:
    rng = np.random.default_rng(3)
    for _ in range(300):
        counts = random_counts(rng, 4)
        text, size = bytearray(encode_coco_counts(counts)), int(counts.sum())
        text[rng.integers(len(text))] = rng.choice([*range(48, 112), 47, 112, 0, 255])
        outcomes = []
        for decode in both("decode_coco_masks"):
            try:
                outcomes.append(lists(decode([bytes(text)], size)))
            except ValueError as error:
                outcomes.append(str(error))
        assert outcomes[0] == outcomes[1]


def test_counts_too_large_for_the_format_are_rejected_in_domains_that_are_larger() -> None:
    text = b"0" + b"o" * 11 + b"?" + b"0" + b"1"  # 0, 2^59 - 1, 0, and one more than two before
    for decode in both("decode_coco_masks"):
        with pytest.raises(ValueError, match="overflow"):
            decode([text], 2**60 - 1)


@needs_native
@pytest.mark.parametrize("offsets", [[], [0, 2], [1, 1], [0, 2, 1], [0, -1, 1]])
def test_native_code_rejects_offsets_that_lead_outside(offsets: list[int]) -> None:
    assert native is not None
    bad = (np.array(offsets, np.int64), np.array([0], np.int64), np.array([1], np.int64))
    for call in (native.union_run_lengths, native.self_overlaps):
        with pytest.raises(ValueError, match="offsets"):
            call(*bad)
    with pytest.raises(ValueError, match="offsets"):
        native.intersect_run_lengths(*runs_of([{0}]), *bad)


def test_the_example_of_boxes_of_run_lengths() -> None:
    one = RunLengthMasks(np.array([0, 1]), np.array([3]), np.array([5]))
    assert (boxes_of_run_lengths(one, 2).tolist(), boxes_of_run_lengths(one, 6).tolist()) == (
        [[1.0, 0.0, 2.0, 2.0]],
        [[0.0, 3.0, 1.0, 2.0]],
    )


def test_the_example_of_run_lengths_of_boxes() -> None:
    runs = run_lengths_of_boxes(np.array([[0.0, 0.0, 2.0, 1.0], [0.0, 0.0, 2.0, 3.0]]), (3, 4))
    assert (runs.offsets.tolist(), runs.starts.tolist(), runs.stops.tolist()) == ([0, 2, 3], [0, 3, 0], [1, 4, 6])
