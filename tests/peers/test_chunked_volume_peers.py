"""N5 and precomputed volumes that tensorstore writes are read with the same values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from segmetry.readers.source import read_items

tensorstore = pytest.importorskip("tensorstore")
pytestmark = pytest.mark.peers
VOLUME = (np.random.default_rng(1).integers(0, 5, (6, 5, 4)).repeat(2, 0).repeat(3, 1) * 7).astype(np.uint64)


def labels_of(path: Path) -> Any:
    (item,) = read_items(path)
    return item.load()


@pytest.mark.parametrize("packer", ["raw", "gzip", "bzip2", "xz", "blosc", "zstd"])
def test_n5(packer: str, tmp_path: Path) -> None:
    compression: dict[str, Any] = {"type": packer}
    if packer == "blosc":
        compression |= {"cname": "lz4", "clevel": 5, "shuffle": 1}
    metadata = {
        "dimensions": VOLUME.shape[::-1],
        "blockSize": [3, 4, 5],
        "dataType": "uint64",
        "compression": compression,
    }
    spec = {"driver": "n5", "kvstore": {"driver": "file", "path": f"{tmp_path}/a.n5/"}, "metadata": metadata}
    tensorstore.open(spec, create=True).result().write(VOLUME.transpose(2, 1, 0)).result()
    assert np.array_equal(labels_of(tmp_path / "a.n5").labels, VOLUME)


@pytest.mark.parametrize("encoding", ["raw", "compressed_segmentation"])
@pytest.mark.parametrize("dtype", ["uint32", "uint64"])
def test_precomputed(encoding: str, dtype: str, tmp_path: Path) -> None:
    scale: dict[str, Any] = {
        "size": VOLUME.shape[::-1], "chunk_size": [3, 8, 5], "encoding": encoding, "resolution": [4, 4, 40], "key": "a"
    }  # fmt: skip
    if encoding != "raw":
        scale["compressed_segmentation_block_size"] = [2, 4, 3]
    spec = {
        "driver": "neuroglancer_precomputed",
        "kvstore": {"driver": "file", "path": f"{tmp_path}/a/"},
        "multiscale_metadata": {"data_type": dtype, "num_channels": 1, "type": "segmentation"},
        "scale_metadata": scale,
    }
    tensorstore.open(spec, create=True).result()[..., 0].write(VOLUME.transpose(2, 1, 0).astype(dtype)).result()
    labels = labels_of(tmp_path / "a")
    assert np.array_equal(labels.labels, VOLUME) and labels.spacing == (40, 4, 4)
