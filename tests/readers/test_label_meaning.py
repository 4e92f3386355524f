"""What labels mean: instances, classes or both; per side, from every kind of file, and stated in every way."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import segmetry as sm
from segmetry.errors import InputError, OptionError, UnknownNameError
from segmetry.readers.label_reading import (
    LABEL_OPTIONS,
    LabelMap,
    LabelUnions,
    Neighbours,
    check_range,
    is_ignored,
    label_arguments,
    label_meaning,
    labels_with_classes,
    read_labels,
)
from segmetry.readers.reader import READERS, Option, ReadOptions, known_options
from segmetry.readers.source import find_sources, read_items
from segmetry.segmentation.labels import LabelArray
from segmetry.segmentation.value_map import LabelMeaning, ValueMap, replace_values
from segmetry.storage.stored_arrays import READ_AT_ONCE
from tests.readers.data_sets import nifti, tiff
from tests.readers.png_files import filtered, pixel_bytes, png_file
from tests.readers.samples import npy, npz

SEMANTIC = np.array([[60, 60, 61, 0], [61, 0, 255, 60]], dtype=np.uint8)
PANOPTIC = np.array([[7000, 7000, 26001, 26002], [255000, 255003, 0, 26002]], dtype=np.uint32)


def files(folder: Path, array: np.ndarray[Any, Any]) -> list[Path]:
    """The same labels in every format of one array."""
    contents = {"a.npy": npy(array), "b.npz": npz(a=array), "c.tif": tiff(array), "d.nii": nifti(array[..., None])}
    if array.max() < 2**16:
        contents["e.png"] = png_file(zlib.compress(filtered(pixel_bytes(array), [0] * len(array))), (2, 4), 8, 0)
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    return [folder / name for name in contents]


def loaded(path: Path, **options: Any) -> LabelArray:
    (item,) = read_items(path, options=ReadOptions(**options))
    array = item.load()
    assert isinstance(array, LabelArray)
    return array


def test_classes_are_values_in_every_format(tmp_path: Path) -> None:
    for path in files(tmp_path, SEMANTIC):
        read = loaded(path, labels="classes", void=255)
        table = sm.overlap(read, read)
        assert table.class_names == (60, 61), path
        assert table.true.ids.tolist() == [60, 61] and table.background.void_void == 1
        assert loaded(path, labels="instances").classes is None and loaded(path).classes is None


def test_both_are_class_and_instance_in_every_format(tmp_path: Path) -> None:
    for path in files(tmp_path, PANOPTIC):
        read = loaded(path, labels="both", instances_per_class=1000, void=255)
        table = sm.overlap(read, read)
        assert table.class_names == (7, 26) and table.true.ids.tolist() == [7000, 26001, 26002]
        assert table.true.classes is not None and table.true.classes.tolist() == [0, 1, 1]
        assert (table.background.void_void, table.background.outside_outside) == (2, 1), path


def test_a_stored_array_is_read_block_by_block(tmp_path: Path) -> None:
    array = np.zeros((64, READ_AT_ONCE // 32), dtype=np.uint16)
    array[:8], array[8:16, ::2], array[16:20] = 26_001, 7_002, 25_003
    np.save(tmp_path / "large.npy", array)
    read = loaded(tmp_path / "large.npy", labels="both", instances_per_class=1000, void=25)
    assert read.stored is not None
    table = sm.overlap(read, read)
    assert table.class_names == (7, 26) and table.background.void_void == 4 * array.shape[1]


def test_a_value_below_k_with_an_instance_is_rejected() -> None:
    values = np.array([[7, 26001]])
    with pytest.raises(InputError, match=r"labels contain 7 = 0 · 1000 \+ 7: an instance of class 0, which means outs"):
        read_labels(values, ReadOptions(labels="both", instances_per_class=1000))
    stated = read_labels(values, ReadOptions(labels="both", instances_per_class=1000, outside=0))
    assert sm.overlap(stated, stated).true.ids.tolist() == [26001]
    every = read_labels(values, ReadOptions(labels="both", instances_per_class=1000, outside=None))
    assert sm.overlap(every, every).class_names == (0, 26)


@pytest.mark.parametrize("options", [{"labels": "both"}, {"instances_per_class": 1000}])
def test_both_and_k_belong_together(options: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match="expected both of --labels both and --instances-per-class K"):
        read_labels([[1]], ReadOptions(**options))


def test_from_classes_takes_names_and_rejects_a_senseless_factor() -> None:
    named = LabelArray.from_classes([[1, 2, 255]], names={1: "road"}, void=255)
    assert sm.overlap(named, named).class_names == (2, "road")
    with pytest.raises(OptionError, match="instances_per_class is 1; expected at least 2"):
        LabelArray.from_classes([[1]], instances_per_class=1)
    assert sm.evaluate({"a": named}, {"a": named}, metrics="pq").summary()["pq"].n("by_item_of_classes") == 1


def test_labels_that_are_classes_show_themselves() -> None:
    assert (
        repr(LabelArray.from_classes([[60, 61]]))
        == "LabelArray(shape (1, 2), int64, 2 segments, outside 0, labels are classes)"
    )
    assert "labels contain classes" in repr(LabelArray.from_classes([[7001]], instances_per_class=1000))


def test_options_of_one_side() -> None:
    stated = ReadOptions(void=255, pred_void=None, true_labels="classes", pred_outside=(3, 4))
    true, pred = stated.replaced(side="true"), stated.replaced(side="pred")
    by_name = known_options()
    assert [(side[by_name["void"]], side[by_name["labels"]]) for side in (true, pred)] == [
        (255, "classes"),
        (None, "instances"),
    ]
    assert (true.stated, true.stated_here) == ({"void", "labels"}, {"labels"})
    assert (pred.stated, pred.stated_here) == ({"void", "outside"}, {"void", "outside"})
    assert ReadOptions(**stated.as_plain()) == stated
    with pytest.raises(UnknownNameError, match="no reading option 'true_coder'"):
        ReadOptions(true_coder="ann")


def test_an_option_of_one_side_must_apply_to_that_side(tmp_path: Path) -> None:
    (tmp_path / "a.npy").write_bytes(npy(SEMANTIC))
    (tmp_path / "b.json").write_text("[5, 3]")
    find_sources(tmp_path / "a.npy", tmp_path / "b.json", options=ReadOptions(void=255))
    with pytest.raises(OptionError, match=r"^--pred-void is not supported by format masses"):
        find_sources(tmp_path / "a.npy", tmp_path / "b.json", options=ReadOptions(pred_void=255))


def test_every_format_of_label_arrays_has_all_options() -> None:
    declared: set[Option[Any]] = set(LABEL_OPTIONS)
    for name in ("png", "tiff", "npy", "npz", "nifti", "zarr", "hdf5", "folder"):
        assert declared <= set(READERS[name].options), name


def test_the_example_of_label_map() -> None:
    assert LabelMap().check("7:0,8:1,*:255", "map") == ValueMap(new={7: 0, 8: 1}, rest=255)
    assert LabelMap().plain(ValueMap({7: 0}, rest=255)) == "7:0,*:255"


def test_the_example_of_label_unions() -> None:
    assert LabelUnions().check(["WT=1,2,3", "TC=1,3"], "union") == {"WT": (1, 2, 3), "TC": (1, 3)}


def test_the_example_of_neighbours() -> None:
    assert Neighbours().check("26", "components") == 26


def test_the_example_of_label_arguments() -> None:
    assert label_arguments(ReadOptions(void=255)) == {"void": 255}


def test_the_example_of_is_ignored() -> None:
    assert (
        is_ignored(0, ReadOptions()),
        is_ignored(7, ReadOptions(map={7: 0})),
        is_ignored(0, ReadOptions(map={0: 5})),
    ) == (True, True, False)


def test_the_example_of_labels_with_classes() -> None:
    array = labels_with_classes(np.array([[0, 7, 9]]), {7: 1, 9: 2}.get, ReadOptions())
    assert (array.classes, array.void) == ({7: 1, 9: 2}, (0,))


def test_the_example_of_check_range() -> None:
    with pytest.raises(InputError, match=r"labels contain 3 \(1 element\); expected classes 0 to 2; "):
        check_range(np.array([[0, 3, 255]]), ReadOptions(labels="classes", num_classes=3, void=255, outside=None))


def test_the_example_of_value_map() -> None:
    assert (
        ValueMap({1: 2, 2: 3})(np.array([1, 2, 9])).tolist(),
        ValueMap({1: 2}, rest=0)(np.array([1, 9])).tolist(),
    ) == ([2, 3, 9], [2, 0])


def test_the_example_of_dtype() -> None:
    assert (str(ValueMap({7: 300}).dtype(np.dtype("u1"))), str(ValueMap({7: -1}, rest=0).dtype(np.dtype("u8")))) == (
        "uint16",
        "int16",
    )


def test_the_example_of_value_of() -> None:
    assert (ValueMap({7: 0}).value_of(7), ValueMap({7: 0}).value_of(8), ValueMap({7: 0}, rest=255).value_of(8)) == (
        0,
        8,
        255,
    )


def test_the_example_of_replace_values() -> None:
    assert (
        " ".join(repr(replace_values(LabelArray([[1, 2], [2, 7]]), lambda values: values % 2)).split())
        == "array([[1, 0], [0, 1]])"
    )


def test_the_example_of_label_meaning() -> None:
    meaning = label_meaning(ReadOptions(labels="classes", void=255, num_classes=3), 2)
    assert meaning is not None and (meaning.template.void, meaning.n_classes) == ((255,), 3)
    assert label_meaning(ReadOptions(components=4), 2) is None


def test_the_example_of_replaced() -> None:
    assert LabelMeaning(LabelArray([0]), ValueMap({7: 1}), 2).replaced(np.array([0, 7])).tolist() == [0, 1]
