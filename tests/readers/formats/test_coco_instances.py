"""COCO instances and results: masks as pycocotools has them, sizes counted, images without results are empty."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.errors import DataWarning, SegmetryError
from segmetry.readers.formats.data_sets.coco_masks import box_of, decoded_together, encoded_mask, number_of
from segmetry.readers.pairing import read_pairs
from segmetry.readers.source import find_sources, read_items
from segmetry.segmentation.masks import Masks
from tests.coco_strings import encode_coco_counts
from tests.profiles import examples
from tests.readers.data_sets import INSTANCES, RESULTS


def write(folder: Path, data: Any, name: str = "a.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(data))
    return path


def masks(path: Path, at: int = 0) -> Masks:
    found = list(read_items(path))[at].load()
    assert isinstance(found, Masks)
    return found


@pytest.mark.filterwarnings("ignore:__array__:DeprecationWarning")  # pycocotools under numpy 2
def test_annotations_come_back(tmp_path: Path) -> None:
    drawing = pytest.importorskip("pycocotools.mask")
    path = write(tmp_path, INSTANCES)
    found = masks(path)
    polygon = drawing.decode(drawing.merge(drawing.frPyObjects([[0, 0, 2, 0, 2, 3, 0, 3]], 4, 3)))
    runs = np.array([0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0], dtype=bool).reshape(3, 4).T
    assert np.array_equal(found.dense(), np.stack([runs, polygon.astype(bool)]))
    assert found.ids.tolist() == [5, 9]
    assert (found.classes, found.crowd) == ({5: 3, 9: 4}, (9,))
    empty = masks(path, 1)
    assert empty.ids.size == 0 and empty.domain == (4, 3)


def test_results_have_scores_and_say_nothing_about_other_images(tmp_path: Path) -> None:
    pytest.importorskip("pycocotools")
    true, pred = write(tmp_path, INSTANCES), write(tmp_path, RESULTS, "b.json")
    pairs = list(read_pairs(*find_sources(true, pred)))
    assert [name for name, _, _ in pairs] == ["1", "2"]
    first, second = (pair[2].load() for pair in pairs)
    assert isinstance(first, Masks) and isinstance(second, Masks)
    assert first.scores is not None and first.scores.tolist() == [0.5, 1]
    assert first.sizes.tolist() == [4, 12] and second.ids.size == 0
    for _, one, other in pairs:
        assert sm.score(one.load(), other.load(), ["n_missed", "n_spurious"], resolve="keep")
    stray = write(tmp_path, [{**RESULTS[0], "image_id": 77}], "c.json")
    with pytest.raises(SegmetryError, match="1 only in pred: 77"):
        list(read_pairs(*find_sources(true, stray)))


@pytest.mark.filterwarnings("ignore:__array__:DeprecationWarning")
@examples(1 / 2)
@given(st.lists(st.lists(st.integers(-40, 100), min_size=6, max_size=12).filter(lambda p: len(p) % 2 == 0), min_size=1))
def test_polygons_are_drawn_as_pycocotools_draws_them(polygons: list[list[int]]) -> None:
    drawing = pytest.importorskip("pycocotools.mask")
    expected = drawing.decode(drawing.merge(drawing.frPyObjects(polygons, 50, 60))).astype(bool)
    found = Masks.from_rle([encoded_mask(polygons, (50, 60), "it")]).dense()[0]
    assert np.array_equal(found, expected)


def compressed(counts: list[int], size: Any = (4, 3)) -> dict[str, Any]:
    return {"size": list(size), "counts": encode_coco_counts(counts).decode()}


def test_compressed_masks_are_those_of_lists_of_counts(tmp_path: Path) -> None:
    """All compressed masks of an image are decoded at once, others one by one."""
    lists = [[2, 4, 6], [0, 12], [5, 1, 1, 1, 4]]
    for make in (compressed, lambda counts: {"size": [4, 3], "counts": counts}):
        listed = [{**INSTANCES["annotations"][0], "id": at, "segmentation": make(c)} for at, c in enumerate(lists)]
        for one in listed:
            one.pop("area", None)
        found = masks(write(tmp_path, {**INSTANCES, "annotations": listed}))
        assert found.sizes.tolist() == [4, 12, 2] and found.ids.tolist() == [0, 1, 2]
        assert [row.T.ravel().astype(int).tolist() for row in found.dense()] == [
            [0] * 2 + [1] * 4 + [0] * 6,
            [1] * 12,
            [0] * 5 + [1, 0, 1] + [0] * 4,
        ]


def test_a_size_of_compressed_masks_that_is_not_of_integers_is_named(tmp_path: Path) -> None:
    """4.0 equals 4: what decodes all masks at once must look at the type, too."""
    mask = compressed([2, 4, 6], (4.0, 3.0))
    words = r"size is '\[4.0, 3.0\]'; expected \[height, width\]"
    with pytest.raises(SegmetryError, match=f"annotation 5: {words}"):
        masks(write(tmp_path, {**INSTANCES, "annotations": changed(segmentation=mask)["annotations"][:1]}))
    good = {**RESULTS[0], "segmentation": compressed([2, 4, 6])}
    with pytest.raises(SegmetryError, match=f"result 1: {words}"):
        masks(write(tmp_path, [good, {**good, "segmentation": mask}]))


def changed(**fields: Any) -> dict[str, Any]:
    data: dict[str, Any] = copy.deepcopy(INSTANCES)
    data["annotations"][0] |= fields
    return data


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"segmentation": {"size": [4, 4], "counts": [16]}}, r"its mask has size \(4, 4\), its image \(4, 3\)"),
        ({"segmentation": {"size": [4, 3], "counts": [3, 4]}}, r"expected run lengths that sum to|sum"),
        ({"segmentation": {"size": [4, 3], "counts": [10**30]}}, r"counts are not a list of run lengths from 0 to 12"),
        ({"segmentation": {"size": [4, 3], "counts": [[1]]}}, r"counts are not a list of run lengths"),
        ({"segmentation": {"size": [4, 3], "counts": "zzzzzzzz"}}, r"annotation|mask"),
        ({"segmentation": {"size": 3}}, r"size is '3'; expected \[height, width\]"),
        ({"segmentation": []}, r"segmentation is an empty list"),
        ({"segmentation": [[0, 0, 1, 1]]}, r"expected x and y of at least three points"),
        ({"segmentation": [[0, 0, 1e9, 1, 1, 1]]}, r"a polygon goes to '1000000000.0', far from"),
        ({"segmentation": [[0, 0, 3, 4] * 1000]}, r"the outline of a polygon is 8000 long"),
        ({"segmentation": "x"}, r"annotation 5 is 'x'; expected an object"),
        ({"id": 9}, r"annotation 9 is listed twice"),
        ({"image_id": 3}, r"annotation 5: image_id is '3', which is not among the images"),
        ({"category_id": 8}, r"annotation 5: category_id is 8, not among"),
        ({"iscrowd": "no"}, r"annotation 5: iscrowd is 'no'"),
    ],
)  # fmt: skip
def test_contradictions_are_named(change: dict[str, Any], words: str, tmp_path: Path) -> None:
    pytest.importorskip("pycocotools")
    path = write(tmp_path, changed(**change))
    with pytest.raises(SegmetryError, match=words) as caught:
        masks(path)
    assert str(path) in str(caught.value)


def test_areas_of_run_lengths_are_counted(tmp_path: Path) -> None:
    pytest.importorskip("pycocotools")
    with pytest.warns(DataWarning, match=r"\.json: annotation 5: area is 7, counted 4"):
        assert masks(write(tmp_path, changed(area=7))).sizes[0] == 4


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"score": None}, "result 0: score is 'None'"),
        ({"score": True}, "result 0: score is 'True'"),
        ({"score": 10**400}, "result 0: score is"),
        ({"segmentation": [[0, 0, 1, 1, 1, 0]]}, "the file does not state the size of its images"),
        ({"segmentation": {"size": [2**40, 2**40], "counts": [1]}}, "more than the budget"),
        ({"category_id": -1}, "category_id is '-1'"),
    ],
)
def test_odd_results_are_named(change: dict[str, Any], words: str, tmp_path: Path) -> None:
    path = write(tmp_path, [{**RESULTS[0], **change}])
    with pytest.raises(SegmetryError, match=words):
        masks(path)


def test_the_example_of_number_of() -> None:
    assert number_of(3, "area", "annotation 7", least=0) == 3.0


def test_the_example_of_box_of() -> None:
    assert box_of([1, 2.5, 3, 4], "result 0") == [1.0, 2.5, 3.0, 4.0]


def test_the_example_of_encoded_mask() -> None:
    assert encoded_mask({"size": [2, 2], "counts": [1, 2, 1]}, (2, 2), "annotation 7") == {
        "size": (2, 2),
        "counts": [1, 2, 1],
    }


def test_the_example_of_decoded_together() -> None:
    assert decoded_together([{"segmentation": {"size": [4, 4], "counts": "52203"}}], (4, 4)).starts.tolist() == [5, 9]
