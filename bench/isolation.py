"""What a child process costs: formats that are isolated by default, against decoding them in the process itself."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import segmetry as sm
from bench.cases import Contest, Limit, case, optional
from bench.shapes import coarse_volume, shifted

HERE = "the same in the process itself (--no-isolate)"
IMAGES = 32


@cache
def labels() -> tuple[Any, Any]:
    """Volumes of 256³ uint32 with 500 instances."""
    true = coarse_volume(256, 500, seed=2)
    return true, shifted(true, 3)


def contest(call: Callable[[bool | None], Any]) -> Contest:
    call(None)  # the child is started once, and kept
    return Contest(lambda: call(None), {HERE: lambda: call(False)})


@case("256³ uint32 in HDF5, chunks of 64³ with deflate: read and scored", Limit(HERE, at_most=2))
def hdf5() -> Contest:
    folder, open_file = Path(tempfile.mkdtemp()), optional("h5py", "File")
    for name, array in zip(("true", "pred"), labels(), strict=True):
        with open_file(folder / f"{name}.h5", "w") as file:
            file.create_dataset("labels", data=array, chunks=(64, 64, 64), compression="gzip")
    sides = folder / "true.h5", folder / "pred.h5"
    return contest(lambda isolate: sm.evaluate(*sides, metrics="pq", engine="serial", isolate=isolate))


def images(name: str, write: Callable[[Path, Any], Any]) -> Contest:
    folder = Path(tempfile.mkdtemp())
    for at in range(IMAGES):
        write(folder / f"{at}{name}", labels()[0][at])
    files = sorted(folder.iterdir())
    return contest(lambda isolate: [sm.read(file, isolate=isolate) for file in files])


@case(f"{IMAGES} images of 256² in TIFF with deflate: read", Limit(HERE, at_most=2.5))
def tiff() -> Contest:
    imwrite = optional("tifffile", "imwrite")
    settings = {"compression": "zlib", "photometric": "minisblack"}
    return images(".tif", lambda file, image: imwrite(file, image.astype(np.uint16), **settings))


@case(f"{IMAGES} images of 256² in MATLAB files of HoVer-Net: read", Limit(HERE, at_most=2.5))
def matlab() -> Contest:
    savemat = optional("scipy.io", "savemat")
    return images(".mat", lambda file, image: savemat(file, {"inst_map": image.astype(float)}, do_compression=True))
