"""The comparisons with packages once more, on files: what a test hands to ``sm.evaluate`` is written and read again."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from PIL import Image

import segmetry as sm
from segmetry.segmentation.spans import Spans
from tests.peers.protocols import (
    test_ctc_seg,
    test_monai,
    test_music_hierarchy,
    test_panoptica,
    test_protocol_references,
    test_skimage_voi,
    test_torchmetrics_miou,
)
from tests.profiles import count
from tests.protocols.references import cell_images, class_maps, test_cremi, test_page_streams, volume_data

pytestmark = [pytest.mark.peers, pytest.mark.filterwarnings("ignore")]

FILES = count(1 / 4)
"""Data sets of each protocol: 50 in make test-all, and the degenerate ones."""
Side = Mapping[str, Any]
Write = Callable[[Path, Side, Mapping[str, Any]], Path]
EVALUATE = sm.evaluate


def each(suffix: str) -> Callable[[Callable[[Path, Any, Mapping[str, Any]], None]], Write]:
    """Return how a folder with a file for each item is written, from how a file is."""

    def in_folder(write: Callable[[Path, Any, Mapping[str, Any]], None]) -> Write:
        def written(path: Path, side: Side, read: Mapping[str, Any]) -> Path:
            path.mkdir(parents=True)
            for name, item in side.items():
                write(path / f"case_{name}{suffix}", item, read)
            return path

        return written

    return in_folder


@each(".nii.gz")
def nifti(path: Path, labels: Any, read: Mapping[str, Any]) -> None:
    import nibabel

    steps = [*read.get("spacing", ()), 1, 1, 1][:3]
    nibabel.save(nibabel.Nifti1Image(np.asarray(labels).astype(np.uint8), np.diag([*steps, 1])), path)


@each(".png")
def png(path: Path, labels: Any, _read: Mapping[str, Any]) -> None:
    Image.fromarray(labels.astype(np.uint8)).save(path)


@each(".npy")
def npy(path: Path, labels: Any, _read: Mapping[str, Any]) -> None:
    """Ids beyond 2⁵³; 0 stays."""
    np.save(path, np.where(labels == 0, 0, np.asarray(labels).astype(np.int64) + 2**60))


@each(".h5")
def hdf5(path: Path, labels: Any, _read: Mapping[str, Any]) -> None:
    import h5py

    with h5py.File(path, "w") as file:
        file.create_dataset("main", data=labels.astype(np.uint32))


@each(".ref")
def choi(path: Path, spans: Spans, _read: Mapping[str, Any]) -> None:
    """Any number of signs in a separator, newlines of Windows, a byte order mark in some files."""
    ends = zip(spans.starts.tolist(), spans.stops.tolist(), strict=True)
    parts = ["".join(f"unit {at}\r\n" for at in range(*both)) for both in ends]
    text = "=====\r\n" + "==========\r\n".join(parts) + "===\r\n"
    path.write_bytes(b"\xef\xbb\xbf" * (spans.n % 3 == 0) + text.encode())


def bits(path: Path, side: Side, _read: Mapping[str, Any]) -> Path:
    """First pages of documents, as 34 page streams are published."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path = path.with_suffix(".json")
    streams = {}
    for name, spans in side.items():
        starts = np.zeros(spans.n, int)
        starts[spans.starts] = 1
        streams[name] = starts.tolist()
    path.write_text(json.dumps(streams))
    return path


@each(".jams")
def jams(path: Path, line: Any, _read: Mapping[str, Any]) -> None:
    data = [
        {
            "time": float(start * line.tick),
            "duration": float((stop - start) * line.tick),
            "value": {"label": line.classes[at], "level": int(depth)},
            "confidence": None,
        }
        for at, (start, stop, depth) in enumerate(
            zip(line.starts.tolist(), line.stops.tolist(), line.tracks, strict=True), 1
        )
    ]
    annotation = {"namespace": "multi_segment", "data": data}
    document = {"annotations": [annotation], "file_metadata": {"duration": float(line.n_elements * line.tick)}}
    path.write_text(json.dumps(document))


def frames(path: Path, side: Side, _read: Mapping[str, Any]) -> Path:
    """The Cell Tracking Challenge: ``01_GT/SEG/man_seg000.tif`` and ``01_RES/mask000.tif``."""
    import tifffile

    folder, name = (path / "01_GT" / "SEG", "man_seg") if path.name == "true" else (path / "01_RES", "mask")
    folder.mkdir(parents=True)
    for at, labels in side.items():
        tifffile.imwrite(folder / f"{name}{int(at):03}.tif", labels.astype(np.uint16))
    return folder


CASES: list[tuple[str, ModuleType, str, Write]] = [
    ("panoptica", test_panoptica, "test_panoptica_equals_the_package", nifti),
    ("monai", test_monai, "test_monai_equals_its_metrics", nifti),
    ("skimage-voi", test_skimage_voi, "test_skimage_voi_equals_scikit_image", npy),
    ("fg-ari", test_skimage_voi, "test_fg_ari_equals_scikit_learn_on_the_foreground", npy),
    ("snemi3d", test_cremi, "test_snemi3d_equals_its_script", hdf5),
    ("torchmetrics-miou", test_torchmetrics_miou, "test_torchmetrics_miou_equals_torchmetrics", png),
    ("text", test_protocol_references, "test_text_equals_segeval", choi),
    ("page-streams", test_protocol_references, "test_page_streams_equal_nltk_and_scikit_learn", bits),
    ("music-hierarchy", test_music_hierarchy, "test_the_protocol_equals_mir_eval", jams),
    ("ctc-seg", test_ctc_seg, "test_equals_the_package", frames),
]
evaluator = test_panoptica.evaluator


@pytest.mark.parametrize(("protocol", "module", "test", "write"), CASES, ids=[case[0] for case in CASES])
def test_a_package_on_files(
    protocol: str,
    module: ModuleType,
    test: str,
    write: Write,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    evaluator: Any,
) -> None:
    data_sets = 0

    def on_files(true: Side, pred: Side, **options: Any) -> sm.Run:
        nonlocal data_sets
        data_sets += 1
        read = options.pop("read", None) or {}
        paths = [write(tmp_path / str(data_sets) / name, side, read) for name, side in (("true", true), ("pred", pred))]
        stated = {"format": "bits"} if write is bits else {}  # documents of one page could be lengths as well
        return EVALUATE(*paths, **options, **stated)

    for home in (module, cell_images, class_maps, volume_data, test_page_streams):
        monkeypatch.setattr(home, "DATA_SETS", FILES, raising=False)
    monkeypatch.setattr(sm, "evaluate", on_files)
    getattr(module, test)(*[evaluator] * (module is test_panoptica))
    assert data_sets >= FILES
