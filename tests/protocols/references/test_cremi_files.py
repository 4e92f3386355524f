"""The protocol ``cremi`` on files in the challenge's layout, against numbers recorded from its program.

cremi_python, commit aa6d211 (``cremi/evaluation/voi.py`` and ``rand.py``, called as ``NeuronIds`` does, with
``np.bool`` replaced by ``bool``), run in place under numpy 2.4.6 and scipy 1.17.1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import segmetry as sm
from segmetry.errors import FormatError
from tests.protocols.references.table_values import shown
from tests.readers.formats.test_chunked_volumes import write_n5 as write_n5_array

RAW, LABELS = "volumes/raw", "volumes/labels/neuron_ids"
RECORDED = [  # VOI split, VOI merge, adapted Rand error
    (1.4336133689712576, 1.5239511046586673, 0.5949290673105946),
    (1.8412292043307095, 1.5390367070020403, 0.6582824290334172),
    (1.6504285306009616, 1.8421964327784033, None),  # predicted zeros: an exception of the protocol
    (1.6270277568922404, 1.5708414742797603, 0.6225448334756618),
]
Volume = NDArray[np.uint64]


def volume(number: int) -> tuple[Volume, Volume]:
    """Blocks, with some voxels of label 0 and 2⁶⁴ − 1; the same on every machine."""
    z, y, x = np.indices((3, 8, 10))
    true = (1 + (y + number) // 3 * 5 + (x + 2 * number) // 4).astype(np.uint64)
    pred = (1 + (y + number + 1) // 3 * 5 + (x + 2 * number + z) // 4).astype(np.uint64)
    at = (7 * x + 11 * y + 13 * z + number) % 17
    true[at == 3] = 0
    if number % 2:
        true[at == 5] = np.uint64(2**64 - 1)
    if number % 3 == 2:
        pred[at == 2] = 0
    return true, pred


def write_hdf5(path: Path, arrays: dict[str, Any]) -> Path:
    h5py = pytest.importorskip("h5py")
    with h5py.File(path.with_suffix(".hdf"), "w") as file:
        for name, array in arrays.items():
            file.create_dataset(name, data=array, compression="gzip")
    return path.with_suffix(".hdf")


def write_zarr(path: Path, arrays: dict[str, Any]) -> Path:
    zarr = pytest.importorskip("zarr")
    group = zarr.open_group(path.with_suffix(".zarr"), mode="w")
    for name, array in arrays.items():
        group.create_array(name, data=array)
    return path.with_suffix(".zarr")


def write_n5(path: Path, arrays: dict[str, Any]) -> Path:
    folder = path.with_suffix(".n5")
    folder.mkdir()
    (folder / "attributes.json").write_text('{"n5": "2.5.1"}')
    for name, array in arrays.items():
        write_n5_array(folder / name, array, (2, 5, 5))
    return folder


def scored(true: Path, pred: Path, **read: Any) -> dict[str, float | None]:
    (row,) = shown(sm.evaluate(true, pred, protocol="cremi", read=read, engine="serial")).values()
    return row


@pytest.mark.parametrize("number", range(len(RECORDED)))
@pytest.mark.parametrize("write", [write_hdf5, write_zarr, write_n5])
def test_a_sample_and_a_submission_score_as_the_program_does(
    write: Callable[[Path, dict[str, Any]], Path], number: int, tmp_path: Path
) -> None:
    true, pred = volume(number)
    raw = (np.arange(true.size) % 251).astype(np.uint8).reshape(true.shape)
    sample = write(tmp_path / "sample_A", {RAW: raw, LABELS: true, "volumes/labels/clefts": true % 2})
    values = scored(sample, write(tmp_path / "submission", {LABELS: pred}))
    split, merge, error = RECORDED[number]
    assert values["volumes"] == 1
    assert values["VOI split"] == pytest.approx(split, rel=1e-12)
    assert values["VOI merge"] == pytest.approx(merge, rel=1e-12)
    if error is not None:
        assert values["ARAND"] == pytest.approx(error, rel=1e-12)
        assert values["CREMI"] == pytest.approx(math.sqrt((split + merge) * error), rel=1e-12)


def test_raw_volumes_on_both_sides_are_not_averaged_in(tmp_path: Path) -> None:
    (true, pred), raw = volume(0), np.ones((3, 8, 10), np.uint8)
    paths = [write_hdf5(tmp_path / name, {RAW: raw, LABELS: side}) for name, side in (("t", true), ("p", pred))]
    assert scored(*paths)["VOI split"] == pytest.approx(RECORDED[0][0], rel=1e-12)


@pytest.mark.parametrize("write", [write_hdf5, write_zarr, write_n5])
def test_an_array_of_another_name_is_stated_for_one_side(
    write: Callable[[Path, dict[str, Any]], Path], tmp_path: Path
) -> None:
    true, pred = volume(0)
    sample = write(tmp_path / "t", {RAW: true % 7, LABELS: true})
    own = write(tmp_path / "p", {"raw": pred % 5, "nets/segments": pred})
    assert scored(sample, own, pred_array="nets/segments")["ARAND"] == pytest.approx(RECORDED[0][2], rel=1e-12)
    with pytest.raises(FormatError, match="segment"):
        scored(sample, own, pred_array="nets/segment")


def test_an_array_of_an_archive_and_of_a_matlab_file_is_stated_by_its_name(tmp_path: Path) -> None:
    from scipy.io import savemat

    true, pred = (side[0].astype(np.int32) for side in volume(0))
    pred[pred > 0] += 50
    np.savez(tmp_path / "t.npz", raw=true % 3, ids=true)
    savemat(tmp_path / "p.mat", {"ids": pred, "raw": pred % 3})
    run = sm.evaluate(tmp_path / "t.npz", tmp_path / "p.mat", read={"array": "ids"}, metrics="pq", engine="serial")
    assert run.summary()["pq"]["by_item"].value == sm.pq(true, pred).value
    with pytest.raises(FormatError, match=r"no array 'id'; found 'raw', 'ids'; state another with --true-array"):
        sm.evaluate(tmp_path / "t.npz", tmp_path / "p.mat", read={"true_array": "id", "pred_array": "ids"})


def test_labels_in_signed_arrays_have_no_ignored_label() -> None:
    """Voxels near a border are marked by 2⁶⁴ − 1, which no array of 32 bits can contain."""
    true, pred = (side.astype(np.int32) for side in volume(0))
    run = sm.evaluate([true], [pred], protocol="cremi", read={"true_section_border": 0}, engine="serial")
    wide = sm.evaluate(
        [true.astype(np.uint64)], [pred], protocol="cremi", read={"true_section_border": 0}, engine="serial"
    )
    assert shown(run) == shown(wide)
