"""What the fuzzer calls: each target takes any bytes, and returns or raises an error of segmetry, nothing else.

``found`` beside this file holds, in a folder for each target, all inputs on which the fuzzer found something else.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path

from segmetry.errors import SegmetryError
from segmetry.evaluation.evaluate_items import evaluate
from segmetry.readers.reader import ReadOptions
from segmetry.readers.source import Source
from segmetry.run.run import Run
from segmetry.segmentation.labels import LabelArray
from tests.readers.attacks import JSON_FILES, instances
from tests.readers.data_sets import DATA_SETS
from tests.readers.samples import SAMPLES

FOUND = Path(__file__).with_name("found")
IN_MEMORY = "/dev/shm"  # noqa: S108 - a folder in it gets a new name
BUDGET = 10**5
JSON_FORMATS = sorted(set(JSON_FILES) - {"zarr", "n5", "precomputed"})


@cache
def scratch() -> Path:
    """A folder of this process, in memory where there is one."""
    folder = Path(tempfile.mkdtemp(dir=IN_MEMORY if os.access(IN_MEMORY, os.W_OK) else None))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _read(path: Path, name: str, **options: object) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            for item in Source(path, ReadOptions(most_elements=BUDGET, isolate=False, **options), name).items():
                item.load()
        except SegmetryError:
            return


def fuzz_png(data: bytes) -> None:
    """A PNG image."""
    path = scratch() / "a.png"
    path.write_bytes(data)
    _read(path, "png")


def fuzz_run_lengths(data: bytes) -> None:
    """The compressed string of a COCO mask."""
    path = scratch() / "a.json"
    path.write_bytes(instances({"size": [7, 9], "counts": data.decode("latin-1")}, (7, 9)))
    _read(path, "coco-instances")


def fuzz_zarr_metadata(data: bytes) -> None:
    """The metadata of a zarr array beside one chunk."""
    folder = scratch() / "a.zarr"
    if not folder.exists():
        DATA_SETS["zarr"].write(scratch())
    (folder / "zarr.json").write_bytes(data)
    _read(folder, "zarr")


def fuzz_run_file(data: bytes) -> None:
    """A run file."""
    path = scratch() / "a.segm"
    path.write_bytes(data)
    try:
        with Run.open(path) as run:
            run.summary()
    except SegmetryError:
        return


def fuzz_json(data: bytes) -> None:
    """A file of one of the formats of JSON, which the first byte chooses."""
    name = JSON_FORMATS[data[0] % len(JSON_FORMATS)] if data else JSON_FORMATS[0]
    sample = {**SAMPLES, **DATA_SETS}[name]
    path = scratch() / f"{name}.json"
    path.write_bytes(data[1:])
    _read(path, name, **sample.options)


TARGETS: Mapping[str, Callable[[bytes], None]] = {
    "png": fuzz_png,
    "run-lengths": fuzz_run_lengths,
    "zarr-metadata": fuzz_zarr_metadata,
    "run-file": fuzz_run_file,
    "json": fuzz_json,
}


def seeds(target: str) -> Iterator[bytes]:
    """Yield valid inputs of a target, from which the fuzzer starts."""
    if target == "png":
        yield SAMPLES["png"].content
        yield from (content for name, content in DATA_SETS["cityscapes"].files.items() if name.endswith(".png"))
    elif target == "run-lengths":
        yield from (b"52203", b"06l0O1", b"0o1", b"Q1000")
    elif target == "zarr-metadata":
        yield from (content for name, content in DATA_SETS["zarr"].files.items() if name.endswith("zarr.json"))
    elif target == "run-file":
        labels = {
            "a": LabelArray([[1, 1, 2, 0]], classes={1: "car", 2: 5}, crowd=2),
            "b": LabelArray([[0]], classes={}),
        }
        for name, metrics in (("counts", "pq"), ("scores", "pq,covering,mean_iou")):
            evaluate(labels, labels, metrics=metrics, out=scratch() / f"{name}.segm", force=True).close()
            yield (scratch() / f"{name}.segm").read_bytes()
    else:
        for number, name in enumerate(JSON_FORMATS):
            content = SAMPLES[name].content if name in SAMPLES else DATA_SETS[name].files[DATA_SETS[name].entry]
            yield bytes([number]) + content


def found(target: str) -> list[Path]:
    """Return the inputs that were found, by target."""
    return sorted(path for path in (FOUND / target).glob("*") if path.is_file())
