"""Arrays the zarr package opened are read from their files with the numbers zarr gives, or by zarr itself."""

from __future__ import annotations

import gzip
import json
import math
import pickle
import tempfile
import warnings
import zlib
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

import segmetry as sm
from segmetry.errors import InputError
from segmetry.storage.opened_arrays import IndexedArray, as_stored
from segmetry.storage.stored_arrays import Region
from segmetry.storage.zarr_arrays import ChunkLayout, Step, ZarrFiles, decoded
from tests.profiles import examples
from tests.readers.memory import at_most
from tests.stored_arrays import small_blocks

pytestmark = pytest.mark.filterwarnings("ignore:Numcodecs codecs")
zarr = pytest.importorskip("zarr")
numcodecs = pytest.importorskip("numcodecs")
numcodecs_3 = pytest.importorskip("zarr.codecs.numcodecs")
codecs = zarr.codecs
FOUR_BYTES = ("filters", "narrower", "differences", "scaled", "transposed", "shuffled")
"""Words in the names of those that are for three axes of integers of four bytes."""

SECOND: dict[str, Any] = {"zarr_format": 2}
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # zarr warns of codecs that other packages may not know
    DIRECT: dict[str, dict[str, Any]] = {
        "default": {},
        "plain": {"compressors": None},
        "gzip": {"compressors": codecs.GzipCodec()},
        "zstd with checksum": {"compressors": codecs.ZstdCodec(level=3, checksum=True)},
        "blosc": {"compressors": codecs.BloscCodec(cname="lz4", shuffle="shuffle")},
        "big": {"serializer": codecs.BytesCodec(endian="big")},
        "names with points": {"chunk_key_encoding": {"name": "default", "separator": "."}},
        "names of version 2": {"chunk_key_encoding": {"name": "v2", "separator": "/"}},
        "version 2": SECOND,
        "version 2, plain": SECOND | {"compressors": None},
        "version 2, zlib": SECOND | {"compressors": numcodecs.Zlib()},
        "version 2, gzip": SECOND | {"compressors": numcodecs.GZip()},
        "version 2, blosc": SECOND | {"compressors": numcodecs.Blosc()},
        "version 2, first axis fastest": SECOND | {"order": "F"},
        "two packers": {"compressors": [codecs.GzipCodec(), codecs.ZstdCodec()]},
        "checksum": {"compressors": [codecs.Crc32cCodec()]},
        "packed with a checksum": {"compressors": [codecs.BloscCodec(), codecs.Crc32cCodec()]},
        "transposed": {"filters": [codecs.TransposeCodec(order=(1, 2, 0))]},
        "of numcodecs": {"compressors": [numcodecs_3.LZ4()]},
        "of numcodecs, shuffled": {"compressors": [numcodecs_3.Shuffle(elementsize=4), numcodecs_3.BZ2()]},
        "of numcodecs, checked": {"compressors": [numcodecs_3.LZMA(), numcodecs_3.CRC32()]},
        "version 2, filters": SECOND | {"filters": [numcodecs.Delta(dtype="<i4")]},
        "version 2, filters, first axis fastest": SECOND | {"filters": [numcodecs.Delta(dtype="<i4")], "order": "F"},
        "version 2, smaller differences": SECOND | {"filters": [numcodecs.Delta(dtype="<i4", astype="<i2")]},
        "version 2, scaled": SECOND | {"filters": [numcodecs.FixedScaleOffset(0, 2, "<i4", "<i2")]},
        "version 2, narrower": SECOND | {"filters": [numcodecs.AsType("<u1", "<i4")]},
        "version 2, bz2": SECOND | {"compressors": numcodecs.BZ2()},
        "version 2, lzma": SECOND | {"compressors": numcodecs.LZMA()},
        "version 2, lz4": SECOND | {"compressors": numcodecs.LZ4()},
        "version 2, checked": SECOND | {"filters": [numcodecs.Adler32()], "compressors": numcodecs.Zstd()},
        "version 2, folders": SECOND | {"chunk_key_encoding": {"name": "v2", "separator": "/"}},
    }
BY_ZARR: dict[str, dict[str, Any]] = {
    "version 2, Fletcher": SECOND | {"filters": [numcodecs.Fletcher32()]},
    "version 2, Jenkins": SECOND | {"compressors": numcodecs.JenkinsLookup3()},
}
DTYPES = ["?", "u1", "i2", "u4", "i8", "u8", "f4", "f8"]


def created(folder: Any, array: NDArray[Any], facts: dict[str, Any]) -> Any:
    found = zarr.create_array(folder, shape=array.shape, dtype=array.dtype, **facts)
    found[...] = array
    return found


def chunk_files(folder: Path) -> list[Path]:
    return sorted(file for file in folder.rglob("*") if file.is_file() and file.name[-1].isdigit())


def read_by(found: Any, box: Region) -> tuple[NDArray[Any], bool]:
    """What a box holds, and whether zarr read it."""
    asked: list[Region] = []

    class Asked(IndexedArray):
        def read(self, box: Region) -> NDArray[Any]:
            asked.append(box)
            return super().read(box)

    assert isinstance(found, ZarrFiles)
    otherwise = found.otherwise
    assert isinstance(otherwise, IndexedArray)
    watched = Asked(otherwise.array, otherwise.shape, otherwise.dtype, otherwise.edges)
    return ZarrFiles(found.metadata, found.folder, watched).read(box), bool(asked)


def same(one: NDArray[Any], other: NDArray[Any]) -> bool:
    """Equal to the bit, and of one type: fingerprints of runs see both."""
    return one.dtype.str == other.dtype.str and one.shape == other.shape and one.tobytes() == other.tobytes()


@st.composite
def boxes(draw: st.DrawFn, shape: tuple[int, ...]) -> Region:
    ends = [sorted(draw(st.sets(st.integers(0, length), min_size=2, max_size=2))) for length in shape]
    return tuple(slice(start, stop) for start, stop in ends)


@st.composite
def arrays(draw: st.DrawFn) -> tuple[str, NDArray[Any], dict[str, Any]]:
    """How an array is stored, what it holds, and what zarr is told when it is made."""
    kind = draw(st.sampled_from(sorted(DIRECT)))
    is_special = any(word in kind for word in FOUR_BYTES)
    shape = tuple(draw(st.lists(st.integers(1, 9), min_size=3 if is_special else 1, max_size=3)))
    dtype = np.dtype("i4" if is_special else draw(st.sampled_from(DTYPES)))
    facts = dict(DIRECT[kind])
    if facts.get("zarr_format") == 2 and dtype.itemsize > 1 and not is_special:
        dtype = dtype.newbyteorder(draw(st.sampled_from("<>")))
    facts["chunks"] = tuple(draw(st.integers(1, 5)) for _ in shape)
    if facts.get("zarr_format") != 2 and kind != "big" and draw(st.booleans()):
        facts["shards"] = tuple(step * draw(st.integers(1, 3)) for step in facts["chunks"])
    empty: Any = None if facts.get("zarr_format") == 2 else math.nan if dtype.kind == "f" else 0
    facts["fill_value"] = draw(st.sampled_from([0, 1, empty]))
    facts["config"] = {"write_empty_chunks": draw(st.booleans())}
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    return kind, rng.integers(0, 3, shape).astype(dtype), facts


@examples(1 / 2)
@given(st.data(), arrays())
def test_files_are_read_as_zarr_reads_them(data: st.DataObject, case: tuple[str, NDArray[Any], dict[str, Any]]) -> None:
    _, array, facts = case
    with tempfile.TemporaryDirectory() as folder:
        given = created(folder, array, facts)
        files = chunk_files(Path(folder))
        for file in data.draw(st.sets(st.sampled_from(files), max_size=3)) if files else ():
            file.unlink()  # absent chunks are full of the fill value, or of zeros
        found = as_stored(given)
        for box in (tuple(slice(0, length) for length in array.shape), data.draw(boxes(array.shape))):
            elements, asked = read_by(found, box)
            assert not asked and same(elements, np.asarray(given[box]))
            assert found is not None and found.dtype == given.dtype
            assert same(pickle.loads(pickle.dumps(found)).read(box), elements)  # noqa: S301


ARRAY = (np.arange(7 * 9 * 5).reshape(7, 9, 5) // 4 % 6).astype("i4")
BOX = (slice(1, 6), slice(0, 9), slice(2, 5))


@pytest.mark.parametrize("kind", DIRECT)
def test_every_codec_is_read_from_its_files(kind: str, tmp_path: Path) -> None:
    found = as_stored(created(tmp_path / "a", ARRAY, DIRECT[kind] | {"chunks": (4, 4, 4)}))
    elements, asked = read_by(found, BOX)
    assert not asked and np.array_equal(elements, ARRAY[BOX])


@pytest.mark.parametrize("kind", BY_ZARR)
def test_what_our_reader_does_not_know_is_read_by_zarr(kind: str, tmp_path: Path) -> None:
    found = as_stored(created(tmp_path / "a", ARRAY, BY_ZARR[kind] | {"chunks": (4, 4, 4)}))
    assert isinstance(found, IndexedArray) and np.array_equal(found.read(BOX), ARRAY[BOX])


class Doubled(zarr.Array):  # type: ignore[misc]
    """Reads in its own way."""

    __module__ = "zarr.of_somebody"

    def __getitem__(self, box: Any) -> Any:
        return super().__getitem__(box) * 2


class Counting(zarr.storage.LocalStore):  # type: ignore[misc]
    """A store of its own kind."""

    asked = 0

    async def get(self, *words: Any, **facts: Any) -> Any:
        type(self).asked += 1
        return await super().get(*words, **facts)


def zipped(folder: Path) -> Any:
    with zarr.storage.ZipStore(folder / "a.zip", mode="w") as store:
        created(store, ARRAY, {"chunks": (4, 4, 4)})
    return zarr.open_array(zarr.storage.ZipStore(folder / "a.zip", mode="r"), mode="r")


STORES: dict[str, Callable[[Path], Any]] = {
    "memory": lambda folder: created(zarr.storage.MemoryStore(), ARRAY, {"chunks": (4, 4, 4)}),
    "zip": zipped,
    "a store of another class": lambda folder: created(Counting(folder), ARRAY, {"chunks": (4, 4, 4)}),
}


@pytest.mark.parametrize("kind", STORES)
def test_other_stores_are_read_by_zarr(kind: str, tmp_path: Path) -> None:
    given = STORES[kind](tmp_path)
    before = Counting.asked
    found = as_stored(given)
    assert isinstance(found, IndexedArray) and np.array_equal(found.read(BOX), ARRAY[BOX])
    assert kind != "a store of another class" or Counting.asked > before
    with small_blocks(least=50, most=100):
        assert sm.overlap(given, ARRAY + 1) == sm.overlap(ARRAY, ARRAY + 1)


def test_an_array_of_another_class_reads_in_its_own_way(tmp_path: Path) -> None:
    created(tmp_path, ARRAY, {"chunks": (4, 4, 4)})
    given = Doubled(zarr.open_array(tmp_path).async_array)
    found = as_stored(given)
    assert isinstance(found, IndexedArray) and np.array_equal(found.read(BOX), 2 * ARRAY[BOX])


@pytest.mark.parametrize("consolidated", [False, True])
def test_arrays_of_groups_are_found(consolidated: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    group = zarr.create_group(tmp_path / "g", zarr_format=2)
    made = group.create_group("inner").create_array("a", shape=ARRAY.shape, dtype=ARRAY.dtype, chunks=(4, 4, 4))
    made[...] = ARRAY
    if consolidated:
        zarr.consolidate_metadata(tmp_path / "g")
    monkeypatch.chdir(tmp_path)
    for opened in (made, zarr.open_group("g", mode="r")["inner/a"], zarr.open_array("g", path="inner/a", mode="r")):
        elements, asked = read_by(as_stored(opened), BOX)
        assert not asked and np.array_equal(elements, ARRAY[BOX])


def test_the_array_says_what_there_is_and_not_the_disk(tmp_path: Path) -> None:
    given = created(tmp_path, ARRAY, {"chunks": (4, 4, 4), "fill_value": 3})
    document = json.loads((tmp_path / "zarr.json").read_text())
    document |= {"shape": [1, 1, 1], "fill_value": 5, "data_type": "uint8", "codecs": []}
    (tmp_path / "zarr.json").write_text(json.dumps(document))
    chunk_files(tmp_path)[0].unlink()
    elements, asked = read_by(as_stored(given), BOX)
    assert not asked and same(elements, given[BOX]) and np.all(elements[:3, :4, :2] == 3)


def test_an_array_that_grew_is_read_as_it_is_now(tmp_path: Path) -> None:
    given = created(tmp_path, ARRAY, {"chunks": (4, 4, 4)})
    given.resize((9, 9, 5))
    found = as_stored(given)
    assert found is not None and found.shape == (9, 9, 5)
    elements, asked = read_by(found, (slice(0, 9), slice(0, 9), slice(0, 5)))
    assert not asked and same(elements, given[...]) and not elements[8].any()


def twice(content: bytes) -> bytes:
    """The same bytes, packed as two members of one gzip file: our reader takes one."""
    whole = gzip.decompress(content)
    return gzip.compress(whole[:40], mtime=0) + gzip.compress(whole[40:], mtime=0)


def test_unusual_chunks_are_read_by_zarr(tmp_path: Path) -> None:
    given = created(tmp_path, ARRAY, {"chunks": (4, 4, 4), "compressors": codecs.GzipCodec()})
    first = chunk_files(tmp_path)[0]
    first.write_bytes(twice(first.read_bytes()))
    elements, asked = read_by(as_stored(given), BOX)
    assert asked and np.array_equal(elements, ARRAY[BOX])


def test_a_folder_is_no_chunk_and_links_are_followed_as_zarr_does(tmp_path: Path) -> None:
    given = created(tmp_path / "a", ARRAY, {"chunks": (4, 4, 4)})
    first, second, third, *_ = chunk_files(tmp_path / "a")
    first.unlink()
    first.mkdir()
    second.rename(tmp_path / "elsewhere")
    second.symlink_to(tmp_path / "elsewhere")
    elements, asked = read_by(as_stored(given), BOX)
    assert not asked and same(elements, given[BOX]) and not elements[:3, :4, :2].any()
    third.unlink()
    third.symlink_to(third.name)  # a link to itself: no chunk, and not absent either
    with pytest.raises(InputError, match=r"labels at .* cannot be read"):
        read_by(as_stored(given), BOX)


def test_zarr_that_rejects_absent_chunks_does_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = created(tmp_path, ARRAY, {"chunks": (4, 4, 4)})
    assert isinstance(as_stored(given), ZarrFiles)
    config = SimpleNamespace(read_missing_chunks=False)  # as versions from 3.2 on have it
    monkeypatch.setattr(zarr.Array, "config", config, raising=False)
    assert isinstance(as_stored(given), IndexedArray)


@pytest.mark.parametrize("shards", [None, (2**26,)])
def test_absent_chunks_take_no_memory(shards: tuple[int, ...] | None, tmp_path: Path) -> None:
    """Two arrays of 512 MiB in a few hundred bytes of metadata."""
    sides = []
    for name in ("true", "pred"):
        facts = {"chunks": (2**26,)} if shards is None else {"chunks": (2**24,), "shards": shards}
        found = zarr.create_array(tmp_path / name, shape=(2**26,), dtype="u8", **facts)
        if shards:  # a shard whose chunks are all left out
            index = b"\xff" * 64
            checksum = int(pytest.importorskip("google_crc32c").value(index)).to_bytes(4, "little")
            (tmp_path / name / "c").mkdir()
            (tmp_path / name / "c" / "0").write_bytes(index + checksum)
        sides.append(found)
    expected = sm.overlap(np.zeros(1, int), np.zeros(1, int))
    with at_most(2**27):
        table = sm.overlap(*sides)
    assert len(table.shared) == len(expected.shared) == 0 and table.n_elements == 2**26


def test_metrics_that_look_at_shapes_see_absent_chunks(tmp_path: Path) -> None:
    labels = np.zeros((12, 12), dtype=np.uint16)
    labels[1:5, 2:6] = 1
    other = np.roll(labels, 1, axis=1)
    metrics = "pq,shape_index,rand_index,hausdorff,boundary_iou"
    whole = sm.evaluate({"a": labels}, {"a": other}, metrics=metrics)
    sides = [{"a": created(tmp_path / str(at), side, {"chunks": (4, 4)})} for at, side in enumerate((labels, other))]
    with small_blocks(least=16, most=16):
        run = sm.evaluate(*sides, metrics=metrics, engine="serial")
    assert run.content_digest() == whole.content_digest()


@pytest.mark.parametrize("kind", ["default", *sorted(BY_ZARR)[:1]])
def test_a_folder_that_is_not_there_is_an_error_and_not_full_of_nothing(kind: str, tmp_path: Path) -> None:
    facts = DIRECT[kind] if kind in DIRECT else BY_ZARR[kind]
    found = as_stored(created(tmp_path / "a", ARRAY, facts | {"chunks": (4, 4, 4)}))
    assert found is not None
    (tmp_path / "a").rename(tmp_path / "b")
    with pytest.raises(InputError, match="no such folder on this machine"):
        found.read(BOX)


def test_a_relative_path_leads_to_the_same_array_from_any_folder(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    direct = as_stored(created("direct", ARRAY, {"chunks": (4, 4, 4)}))
    by_zarr = as_stored(created("by zarr", ARRAY, BY_ZARR[sorted(BY_ZARR)[0]] | {"chunks": (4, 4, 4)}))
    assert direct is not None and isinstance(by_zarr, IndexedArray)
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    assert np.array_equal(direct.read(BOX), ARRAY[BOX])
    with pytest.raises(InputError, match="opened by a relative path, which is another folder"):
        by_zarr.read(BOX)


def test_the_example_of_as_stored() -> None:
    assert as_stored(np.zeros(3)) is None


def test_the_example_of_decoded() -> None:
    packed = zlib.compress(np.array([1, 1, 2], dtype="<u2").tobytes())
    steps = [Step("delta", {"dtype": "<u2"}), Step("zlib", {})]
    assert decoded(packed, steps, ChunkLayout((3,), np.dtype("<u2")), "C", "chunk").tolist() == [1, 2, 4]
