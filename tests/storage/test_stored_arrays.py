"""Arrays of zarr, h5py, dask and numpy's memory maps: read in parts, counted in blocks, sent to another process."""

from __future__ import annotations

import math
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

import segmetry as sm
from segmetry.errors import FormatError, InputError
from segmetry.readers.reader import ReadOptions
from segmetry.readers.source import read_items
from segmetry.storage.opened_arrays import PlainFile, as_stored
from segmetry.storage.stored_arrays import FrameStack, StoredArray, overlapped, planes, regular_edges, shifted, words_of
from tests.profiles import examples
from tests.stored_arrays import small_blocks

SHAPE = (9, 10, 11)


def volume(seed: int) -> NDArray[Any]:
    rng = np.random.default_rng(seed)
    return np.kron(rng.integers(0, 5, (3, 5, 11)), np.ones((3, 2, 1), dtype=int)).astype(np.uint16)


def as_zarr(array: NDArray[Any], folder: Path, **facts: Any) -> Any:
    zarr = pytest.importorskip("zarr")
    facts = {"chunks": (4, 4, 4), "dtype": array.dtype, **facts}
    found = zarr.create_array(folder / "a.zarr", shape=array.shape, **facts)
    found[...] = array
    return found


def as_hdf5(array: NDArray[Any], folder: Path, **facts: Any) -> Any:
    h5py = pytest.importorskip("h5py")
    with h5py.File(folder / "a.h5", "w") as file:
        file.create_dataset("labels", data=array, **facts)
    return h5py.File(folder / "a.h5", "r")["labels"]


def as_dask(array: NDArray[Any], folder: Path) -> Any:
    dask = pytest.importorskip("dask.array")
    return dask.from_array(array, chunks=((2, 7), (10,), (5, 1, 5)))


def as_map(array: NDArray[Any], folder: Path, order: Any = "C") -> Any:
    found = np.memmap(folder / "a.bin", array.dtype, "w+", offset=24, shape=array.shape, order=order)
    found[...] = array
    found.flush()
    return np.memmap(folder / "a.bin", array.dtype, "r", offset=24, shape=array.shape, order=order)


KINDS: dict[str, Callable[[NDArray[Any], Path], Any]] = {
    "zarr": as_zarr,
    "sharded zarr": lambda array, folder: as_zarr(array, folder, chunks=(2, 2, 2), shards=(4, 4, 4)),
    "hdf5": lambda array, folder: as_hdf5(array, folder, chunks=(3, 10, 2), compression="gzip"),
    "hdf5 without chunks": as_hdf5,
    "dask": as_dask,
    "memmap": as_map,
    "memmap, first axis fastest": lambda array, folder: as_map(array, folder, "F"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_parts_blocks_and_another_process_see_the_same_labels(kind: str, tmp_path: Path) -> None:
    array, other = volume(1), volume(2)
    given = KINDS[kind](array, tmp_path)
    stored = as_stored(given)
    assert isinstance(stored, StoredArray) and stored.shape == SHAPE and stored.dtype == array.dtype
    box = (slice(2, 7), slice(0, 10), slice(5, 6))
    assert np.array_equal(stored.read(box), array[box])
    assert np.array_equal(pickle.loads(pickle.dumps(stored)).read(box), array[box])  # noqa: S301
    assert all(cuts[0] == 0 and cuts[-1] == length for cuts, length in zip(stored.edges, SHAPE, strict=True))
    with small_blocks(least=100, most=300):
        labels = sm.LabelArray(given)
        assert labels.stored is not None and np.array_equal(labels.labels, array)
        assert sm.overlap(given, other) == sm.overlap(array, other)
        assert sm.overlap(other, given) == sm.overlap(other, array)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("arrays")


@examples(2)
@given(st.data())
def test_any_part_of_a_plain_file_is_read(folder: Path, data: st.DataObject) -> None:
    shape = tuple(data.draw(st.lists(st.integers(1, 4), max_size=4)))
    order: Any = data.draw(st.sampled_from("CF"))
    array = np.arange(math.prod(shape), dtype=">i4").reshape(shape)
    (folder / "a.bin").write_bytes(b"head" + array.tobytes(order))
    ends = [sorted(data.draw(st.tuples(*[st.integers(0, length)] * 2))) for length in shape]
    box = tuple(
        slice(first, max(first + 1, last)) if first < n else slice(0, n)
        for (first, last), n in zip(ends, shape, strict=True)
    )
    found = PlainFile(folder / "a.bin", 4, shape, array.dtype, order).read(box)
    assert found.dtype == array.dtype and found.shape == array[box].shape and np.array_equal(found, array[box])


def test_chunks_of_a_shard_are_kept_together(tmp_path: Path) -> None:
    found = as_stored(KINDS["sharded zarr"](volume(1), tmp_path))
    assert found is not None and found.edges[0] == (0, 4, 8, 9)


def test_a_part_of_a_memory_map_is_an_array_in_memory(tmp_path: Path) -> None:
    assert as_stored(as_map(volume(1), tmp_path)[2:]) is None


def test_small_stored_arrays_are_read_at_once(tmp_path: Path) -> None:
    assert sm.LabelArray(as_zarr(volume(1), tmp_path)).stored is None


def test_a_dask_array_of_unknown_shape_is_rejected() -> None:
    dask = pytest.importorskip("dask.array")
    array = dask.from_array(np.arange(10), chunks=5)
    with pytest.raises(InputError, match="unknown shape; call compute_chunk_sizes"):
        sm.LabelArray(array[array > 3])


def test_a_damaged_chunk_is_named_by_its_place(tmp_path: Path) -> None:
    given = as_zarr(volume(1), tmp_path)
    chunk = next(file for file in sorted((tmp_path / "a.zarr" / "c").rglob("*")) if file.is_file())
    chunk.write_bytes(b"nonsense")
    with small_blocks(), pytest.raises(InputError, match=r"labels at \[0:.* cannot be read"):
        sm.overlap(given, volume(1))


@pytest.mark.parametrize("kind", ["zarr", "hdf5", "npy", "npy, first axis fastest", "nifti"])
def test_files_are_handed_on_without_being_read(kind: str, tmp_path: Path) -> None:
    array, other = volume(1), volume(2)
    if kind == "nifti":
        nibabel = pytest.importorskip("nibabel")
        path = tmp_path / "a.nii"
        nibabel.save(nibabel.Nifti1Image(array, np.eye(4)), path)
    elif kind.startswith("npy"):
        path = tmp_path / "a.npy"
        np.save(path, np.asfortranarray(array) if "first" in kind else array)
    else:
        path = tmp_path / ("a.zarr" if kind == "zarr" else "a.h5")
        KINDS[kind](array, tmp_path)
    with small_blocks(least=100, most=300):
        (item,) = read_items(path, None, ReadOptions(isolate=False))  # in a child, blocks have their usual sizes
        labels = item.load()
        assert isinstance(labels, sm.LabelArray) and labels.stored is not None
        again = pickle.loads(pickle.dumps(labels.stored))  # noqa: S301
        assert np.array_equal(again.whole(), array)
        assert sm.overlap(sm.LabelArray(labels.stored), other) == sm.overlap(array, other)


def missing_chunk(folder: Path, fill: int) -> Path:
    as_zarr(volume(1), folder, fill_value=fill, config={"write_empty_chunks": True})
    (folder / "a.zarr" / "c" / "1" / "0" / "2").unlink()
    return folder / "a.zarr"


def test_a_missing_chunk_is_outside_or_an_error(tmp_path: Path) -> None:
    (item,) = read_items(missing_chunk(tmp_path, 0))
    expected = volume(1)
    expected[4:8, 0:4, 8:11] = 0
    assert np.array_equal(item.load().labels, expected)  # type: ignore[attr-defined]
    (item,) = read_items(tmp_path / "a.zarr", options=ReadOptions(missing_chunks="refuse"))
    with pytest.raises(FormatError, match=r"chunk c/1/0/2 is missing from the store"):
        _ = item.load()


@pytest.mark.parametrize(("labels", "fine"), [({}, False), ({"void": 7}, True), ({"outside": (0, 7)}, True)])
def test_a_missing_chunk_makes_no_segment(labels: dict[str, Any], fine: bool, tmp_path: Path) -> None:
    (item,) = read_items(missing_chunk(tmp_path, 7), options=ReadOptions(**labels))
    if fine:
        assert 7 in np.unique(item.load().labels)  # type: ignore[attr-defined]
    else:
        with pytest.raises(FormatError, match="missing from the store, which would make its elements 7"):
            _ = item.load()


MEASURE = """
import sys
import segmetry as sm
from segmetry.readers.source import read_items
sides = (next(iter(read_items(path))).load() for path in sys.argv[1:3])
scores = sm.score(*sides, metrics="panoptic")
with open("/proc/self/status") as status:
    peak = next(line for line in status if line.startswith("VmHWM"))
print(scores["n_matched"].value, int(peak.split()[1]))
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peak memory is read from /proc")
@pytest.mark.slow
def test_two_gigabytes_are_compared_in_little_memory(tmp_path: Path) -> None:
    """1024 × 1024 × 512 uint32 on both sides, chunks of 128³: 4 GiB of labels in less than 400 MiB."""
    zarr = pytest.importorskip("zarr")
    for side, shift in (("true", 0), ("pred", 5)):
        found = zarr.create_array(tmp_path / side, shape=(1024, 1024, 512), chunks=(128,) * 3, dtype="u4")
        block = np.zeros((128,) * 3, dtype=np.uint32)
        block[10 + shift : 90, 20:100, 30:110] = 3
        found[:128, :128, :128] = block
        chunks = tmp_path / side / "c"
        first = (chunks / "0" / "0" / "0").read_bytes()
        for place in np.ndindex(8, 8, 4):
            file = chunks.joinpath(*map(str, place))
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(first)
    command = [sys.executable, "-c", MEASURE, str(tmp_path / "true"), str(tmp_path / "pred")]
    matched, peak = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    assert float(matched) == 1
    assert int(peak) < 400 * 1024, f"{int(peak) / 1024:.0f} MiB"


def test_the_example_of_regular_edges() -> None:
    assert regular_edges((5, 4), (2, 4)) == ((0, 2, 4, 5), (0, 4))


def test_the_example_of_planes() -> None:
    assert (planes((6, 2, 3), piece=12), planes((2, 50), piece=12)) == (
        ((0, 2, 4, 6), (0, 2), (0, 3)),
        ((0, 1, 2), (0, 12, 24, 36, 48, 50)),
    )


def test_the_example_of_words_of() -> None:
    assert words_of((slice(0, 2), slice(4, 8))) == "[0:2, 4:8]"


def test_the_example_of_overlapped() -> None:
    assert overlapped((slice(1, 5),), (4,)) == [((0,), (slice(1, 4, None),)), ((1,), (slice(4, 5, None),))]


def test_the_example_of_shifted() -> None:
    assert shifted((slice(4, 6),), [-4]) == (slice(0, 2, None),)


def test_the_example_of_frame_stack() -> None:
    stack = FrameStack((1, 2), lambda frame: np.full((2, 3), frame), (2, 2, 3), np.dtype(int))
    assert stack.read((slice(1, 2), slice(0, 1), slice(0, 3))).tolist() == [[[2, 2, 2]]]
