"""Files whose elements go through decoders of other packages in each of their ways: compressors, filters, layouts.

The samples of ``data_sets`` are as small as a format allows; these have enough data that a decoder has work to do.
"""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from tests.readers.data_sets import DataSet

LABELS = (np.arange(48 * 64).reshape(48, 64) // 37 % 23).astype(np.uint16)


def tiff_file(**settings: Any) -> bytes:
    """A TIFF image of stripes."""
    import tifffile

    target = io.BytesIO()
    tifffile.imwrite(target, LABELS, photometric="minisblack", **settings)
    return target.getvalue()


def hdf5_file(**settings: Any) -> bytes:
    """An HDF5 file of one array."""
    import h5py

    target = io.BytesIO()
    with h5py.File(target, "w") as file:
        file.create_dataset("labels", data=LABELS, **settings)
    return target.getvalue()


def folder_files(write: Callable[[Path], object]) -> dict[str, bytes]:
    """The files that a function writes into a folder."""
    with tempfile.TemporaryDirectory() as home:
        write(Path(home) / "a.zarr")
        return {
            str(path.relative_to(home)): path.read_bytes() for path in sorted(Path(home).rglob("*")) if path.is_file()
        }


def zarr_files(version: int, **settings: Any) -> dict[str, bytes]:
    """A zarr array of four chunks."""
    import zarr

    def write(path: Path) -> None:
        array = zarr.create_array(
            path, shape=LABELS.shape, dtype=LABELS.dtype, chunks=(24, 32), zarr_format=version, **settings
        )
        array[:] = LABELS

    return folder_files(write)


def _tiff() -> Iterator[tuple[str, DataSet]]:
    layouts: dict[str, dict[str, Any]] = {
        "LZW": {"compression": "lzw"},
        "deflate and predictor": {"compression": "zlib", "predictor": True},
        "PackBits": {"compression": "packbits"},
        "Zstandard": {"compression": "zstd"},
        "tiles": {"compression": "lzw", "tile": (16, 16)},
        "BigTIFF": {"bigtiff": True, "compression": "zlib"},
        "plain": {},
    }
    for name, settings in layouts.items():
        yield f"tiff, {name}", DataSet({"a.tif": tiff_file(**settings)}, "a.tif", LABELS.shape, needs="tifffile")


def _hdf5() -> Iterator[tuple[str, DataSet]]:
    layouts: dict[str, dict[str, Any]] = {
        "contiguous": {},
        "chunks": {"chunks": (16, 16)},
        "deflate": {"chunks": (16, 16), "compression": "gzip"},
        "deflate, shuffle, checksum": {
            "chunks": (16, 16),
            "compression": "gzip",
            "shuffle": True,
            "fletcher32": True,
        },
    }
    for name, settings in layouts.items():
        yield f"hdf5, {name}", DataSet({"a.h5": hdf5_file(**settings)}, "a.h5", LABELS.shape, needs="h5py")


def _zarr() -> Iterator[tuple[str, DataSet]]:
    from zarr.codecs import BloscCodec, ZstdCodec

    layouts: dict[str, tuple[int, dict[str, Any]]] = {
        "Zstandard": (3, {"compressors": ZstdCodec()}),
        "Blosc LZ4": (3, {"compressors": BloscCodec(cname="lz4", shuffle="shuffle")}),
        "Blosc blosclz": (3, {"compressors": BloscCodec(cname="blosclz", shuffle="bitshuffle")}),
        "Blosc zstd": (3, {"compressors": BloscCodec(cname="zstd", shuffle="shuffle")}),
        "Blosc zlib": (3, {"compressors": BloscCodec(cname="zlib")}),
        "shards": (3, {"compressors": ZstdCodec(), "shards": (48, 64)}),
    }
    for name, (version, settings) in layouts.items():
        yield f"zarr, {name}", DataSet(zarr_files(version, **settings), "a.zarr", LABELS.shape, needs="zarr")
    import numcodecs

    for name, codec in (("LZ4", numcodecs.LZ4()), ("bz2", numcodecs.BZ2()), ("LZMA", numcodecs.LZMA())):
        yield (
            f"zarr, {name}",
            DataSet(zarr_files(2, compressors=codec), "a.zarr", LABELS.shape, needs="zarr"),
        )


@cache
def decoder_samples() -> Mapping[str, DataSet]:
    """The samples, by format and way of storing: ``"tiff, LZW"``."""
    return {name: sample for make in (_tiff, _hdf5, _zarr) for name, sample in make()}
