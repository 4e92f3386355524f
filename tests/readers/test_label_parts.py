"""``map``, ``union``, ``components`` and ``min_size``: against definitions over Python sets, in the stated order."""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

import segmetry as sm
from segmetry.errors import NegativeLabelError, OptionError
from segmetry.kernels.pairs import label_run_lengths
from segmetry.readers.label_reading import read_labels
from segmetry.readers.reader import ReadOptions
from segmetry.readers.source import read_items
from segmetry.segmentation.label_parts import (
    components,
    label_sizes,
    overlap_in_labels,
    overlapping_regions,
    united,
    without_border,
    without_small,
)
from segmetry.segmentation.labels import LabelArray, RunLengthLabels
from segmetry.segmentation.masks import Masks
from segmetry.storage.stored_arrays import READ_AT_ONCE
from tests.kernels.test_components import flood_fill
from tests.profiles import examples

Segments = list[tuple[Hashable, frozenset[tuple[int, ...]]]]


def segments_of(read: LabelArray | Masks) -> Segments:
    """The segments with their classes, whatever their ids."""
    if isinstance(read, Masks):
        stack, classes = read.dense(), read.classes or {}
        return [(classes[int(n)], places(mask)) for n, mask in zip(read.ids, stack, strict=True)]
    skipped = {*read.outside, *read.void}
    values = sorted(set(read.labels.ravel().tolist()) - skipped)
    return [(None if read.classes is None else read.classes[v], places(read.labels == v)) for v in values]


def places(mask: NDArray[np.bool_]) -> frozenset[tuple[int, ...]]:
    return frozenset(map(tuple, np.argwhere(mask).tolist()))


def by_definition(labels: NDArray[Any], options: dict[str, Any]) -> tuple[Segments, frozenset[tuple[int, ...]], int]:
    """The segments, the void elements and the number of removed segments, step by step."""
    new = options.get("map", {})
    values = {place: new.get(int(labels[place]), int(labels[place])) for place in np.ndindex(labels.shape)}
    void = frozenset(place for place, value in values.items() if value == options.get("void"))
    groups: list[tuple[Hashable, set[int]]]
    if "union" in options:
        groups = [(name, set(members)) for name, members in options["union"].items()]
    else:
        named = options.get("labels") == "classes"
        groups = [(v if named else None, {v}) for v in sorted(set(values.values()) - {0, options.get("void")})]
    found: Segments = []
    for name, members in groups:
        elements = frozenset(place for place, value in values.items() if value in members)
        if "components" in options:
            mask = np.zeros(labels.shape, np.uint8)
            for place in elements:
                mask[place] = 1
            numbers = flood_fill(mask, options["components"], (0,))
            found += [(name, places(numbers == at)) for at in range(1, int(numbers.max()) + 1)]
        elif elements:
            found.append((name, elements))
    kept = [(name, elements) for name, elements in found if len(elements) >= options.get("min_size", 1)]
    return kept, void, len(found) - len(kept)


@st.composite
def readings(draw: st.DrawFn) -> tuple[NDArray[Any], dict[str, Any]]:
    volume = draw(st.booleans())
    shape = draw(st.tuples(*[st.integers(1, 5)] * (3 if volume else 2)))
    dtype = draw(st.sampled_from([np.uint8, np.int16, np.uint64]))
    size = int(np.prod(shape))
    labels = np.array(draw(st.lists(st.integers(0, 5), min_size=size, max_size=size)), dtype).reshape(shape)
    options: dict[str, Any] = {}
    if draw(st.booleans()):
        options["map"] = draw(st.dictionaries(st.integers(0, 5), st.integers(0, 6), min_size=1))
    if draw(st.booleans()):
        members = st.sets(st.integers(1, 4), min_size=1).map(sorted)
        options["union"] = draw(st.dictionaries(st.sampled_from(["WT", "TC", "ET"]), members, min_size=1))
    elif draw(st.booleans()):
        options["labels"] = "classes"
    overlap = "union" in options and len({m for r in options["union"].values() for m in r}) < sum(
        map(len, options["union"].values())
    )
    if not overlap and draw(st.booleans()):
        options["void"] = 5
    if draw(st.booleans()):
        options["components"] = draw(st.sampled_from([6, 18, 26] if volume else [4, 8]))
    if draw(st.booleans()):
        options["min_size"] = draw(st.integers(1, 5))
    return labels, options


@examples(20)
@given(reading=readings(), compressed=st.booleans())
def test_options_apply_in_their_order(reading: tuple[NDArray[Any], dict[str, Any]], compressed: bool) -> None:
    labels, options = reading
    stored: Any = RunLengthLabels(label_run_lengths(labels), labels.shape, labels.dtype) if compressed else labels
    read = read_labels(stored, ReadOptions(**options))
    expected, void, removed = by_definition(labels, options)
    assert sorted(segments_of(read), key=repr) == sorted(expected, key=repr)
    assert read.n_removed == removed
    if isinstance(read, LabelArray):
        assert places(np.isin(read.labels, read.void)) == void
    table = sm.overlap(read, read)
    assert sorted(table.true.sizes.tolist()) == sorted(len(elements) for _, elements in expected)


def test_a_map_is_applied_at_once_and_may_name_the_rest() -> None:
    labels = np.array([[0, 1, 2, 7, 9]], np.uint8)
    assert read_labels(labels, ReadOptions(map="1:2,2:1")).labels.tolist() == [[0, 2, 1, 7, 9]]
    rest = read_labels(labels, ReadOptions(map={1: 0, "*": 300}))
    assert rest.labels.tolist() == [[300, 0, 300, 300, 300]]
    assert read_labels(labels, ReadOptions(map={9: -1}, outside=-1)).labels.tolist() == [[0, 1, 2, 7, -1]]


def test_a_large_stored_array_is_mapped_and_united_block_by_block(tmp_path: Path) -> None:
    array = np.zeros((64, READ_AT_ONCE // 16), dtype=np.uint8)
    array[:8], array[8:16], array[16:20] = 7, 8, 9
    np.save(tmp_path / "a.npy", array)
    (item,) = read_items(tmp_path / "a.npy", options=ReadOptions(map="7:1,8:2,9:255", union=["x=1,2"], void=255))
    read = item.load()
    assert isinstance(read, LabelArray) and read.stored is not None
    table = sm.overlap(read, read)
    assert table.class_names == ("x",) and table.true.sizes.tolist() == [16 * array.shape[1]]
    assert table.background.void_void == 4 * array.shape[1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"7": 0, "8": 1}', "7:0,8:1"),
        ("[[7, 0], [8, 1]]", "7:0,8:1"),
        ("old,new\n7,0\n8,1\n", "7:0,8:1"),
        ("7:0\n*:255\n", "7:0,*:255"),
        ("7\t0\n", "7:0"),
    ],
)
def test_a_map_from_a_file(tmp_path: Path, text: str, expected: str) -> None:
    (tmp_path / "map").write_text(text)
    for path in (tmp_path / "map", str(tmp_path / "map")):
        assert ReadOptions(map=path).as_plain() == {"map": expected}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"map": "7:x"}, r"map contains '7:x'; expected OLD:NEW"),
        ({"map": "7:0,7:1"}, "map names label 7 twice"),
        ({"map": {7: 0.5}}, "map contains 0.5; expected an integer label"),
        ({"map": {}}, "map is empty"),
        ({"map": 7}, "map is 7; expected pairs such as 7:0,8:1"),
        ({"map": "no such file"}, "no such file"),
        ({"union": "WT"}, "union is 'WT'; expected NAME=LABEL"),
        ({"union": "WT="}, "region 'WT' has no labels"),
        ({"union": ["a=1", "a=2"]}, "union names region 'a' twice"),
        ({"union": "a=1,x"}, "union contains 'x'; expected an integer label"),
        ({"components": 5}, "components is 5; expected 4 or 8"),
        ({"components": True}, "components is True"),
        ({"min_size": -1}, "min_size is -1; expected an integer of at least 0"),
    ],
)
def test_senseless_values_are_rejected(options: dict[str, Any], words: str) -> None:
    with pytest.raises(OptionError, match=words):
        ReadOptions(**options)


@pytest.mark.parametrize("content", ["7,0\nx,1\n", '{"7": null}', "[[7]]", ""])
def test_a_damaged_file_of_a_map_is_one_error(tmp_path: Path, content: str) -> None:
    (tmp_path / "map").write_text(content)
    with pytest.raises(OptionError, match="map"):
        ReadOptions(map=tmp_path / "map")


def test_contradictions_are_rejected() -> None:
    labels = [[1, 2, 0]]
    for options, words in (
        ({"union": "a=0,1"}, "region a contains label 0, which is outside"),
        ({"union": "a=1", "void": 1}, "region a contains label 1, which is void"),
        ({"union": ["a=1,2", "b=1"], "void": 9}, "void labels and regions that overlap exclude each other"),
        ({"union": "a=1", "labels": "instances"}, "union makes classes of labels, but labels is 'instances'"),
        ({"components": 6}, "components is 6 and the labels have 2 axes; expected 4, 8"),
    ):
        with pytest.raises(OptionError, match=words):
            read_labels(labels, ReadOptions(**options))
    with pytest.raises(NegativeLabelError, match="true: label -1 is negative"):
        read_labels([[-1, 2]], ReadOptions(components=4))


def test_small_segments_need_an_outside() -> None:
    read = read_labels(np.array([[0, 1, 1, 255]], np.uint8), ReadOptions(outside=None, min_size=2))
    assert isinstance(read, LabelArray) and segments_of(read) == [(None, frozenset({(0, 1), (0, 2)}))]
    assert read.n_removed == 2 and read.outside == (256,)


def test_the_example_of_overlap_in_labels() -> None:
    assert (overlap_in_labels({"WT": [1, 2, 3], "TC": [1, 3]}), overlap_in_labels({"a": [1], "b": [2]})) == (
        True,
        False,
    )


def test_the_example_of_united() -> None:
    assert united(LabelArray([[1, 2, 3, 4]]), {"left": [1, 2], "right": [4]}).labels.tolist() == [[1, 1, 0, 2]]


def test_the_example_of_overlapping_regions() -> None:
    masks = overlapping_regions(LabelArray([[1, 2, 0, 1]]), {"all": [1, 2], "one": [1]}, neighbours=4)
    assert (masks.sizes.tolist(), list(masks.classes.values())) == ([2, 1, 1, 1], ["all", "all", "one", "one"])


def test_the_example_of_components() -> None:
    split = components(LabelArray([[5, 0, 5], [7, 0, 5]], classes={5: "car", 7: "sky"}), 4)
    assert (split.labels.tolist(), split.classes) == ([[1, 0, 2], [3, 0, 2]], {1: "car", 2: "car", 3: "sky"})


def test_the_example_of_without_small() -> None:
    kept = without_small(LabelArray([[1, 1, 2], [3, 3, 0]]), 2)
    assert (kept.labels.tolist(), kept.n_removed) == ([[1, 1, 0], [3, 3, 0]], 1)


def test_the_example_of_label_sizes() -> None:
    assert label_sizes(np.array([[7, 7, 0], [9, 7, 0]])) == {0: 2, 7: 3, 9: 1}


def test_the_example_of_without_border() -> None:
    kept = without_border(LabelArray([[0, 0, 0, 0], [1, 1, 2, 0], [0, 0, 0, 0]]), 1)
    assert (kept.labels.tolist(), kept.n_removed) == ([[0, 0, 0, 0], [0, 0, 2, 0], [0, 0, 0, 0]], 1)
