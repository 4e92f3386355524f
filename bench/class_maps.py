"""Mean IoU of class-index PNG files of 1024 × 2048, from the files to the score, on one core.

The peers count a pair as mmsegmentation (torch.histc) and Hugging Face (np.histogram) do, after Pillow has
decoded it; their loops are rewritten. 60 pairs, not the 500 of a validation set: times grow with their number.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

import segmetry as sm
from bench.cases import Call, Contest, Limit, case
from bench.shapes import cells, shifted

N_PAIRS, SHAPE, N_REGIONS, N_CLASSES, IGNORED = 60, (1024, 2048), 150, 19, 255
DISTINCT = 4
"""Pairs made; the others are these in turn, in files of their own."""
MMSEG, HUGGING_FACE = "Pillow and torch.histc, as mmsegmentation", "Pillow and np.histogram, as Hugging Face"
Areas = Callable[[NDArray[Any], NDArray[Any]], Any]


@cache
def data_set() -> tuple[Path, Path]:
    """Two folders of class maps: irregular regions of 19 classes with ignored ones, and the same moved by 5 pixels."""
    folder = Path(tempfile.mkdtemp())
    for side in ("true", "pred"):
        (folder / side).mkdir()
    made = []
    for seed in range(DISTINCT):
        classes = np.random.default_rng(seed).integers(0, N_CLASSES + 1, N_REGIONS).astype(np.uint8)
        regions = classes[cells(SHAPE, N_REGIONS, seed)]
        made.append(
            (np.where(regions == N_CLASSES, IGNORED, regions).astype(np.uint8), shifted(regions, 5) % N_CLASSES)
        )
    for at in range(N_PAIRS):
        for side, labels in zip(("true", "pred"), made[at % DISTINCT], strict=True):
            Image.fromarray(labels.astype(np.uint8)).save(folder / side / f"{at:06}.png")
    return folder / "true", folder / "pred"


def ours() -> float:
    run = sm.evaluate(*data_set(), protocol="semantic", engine="serial")
    return run.summary()["mean_iou"]["by_class"].value


def _mmseg_areas(pred: NDArray[Any], label: NDArray[Any]) -> Any:
    import torch

    pred_label, true_label = torch.from_numpy(pred), torch.from_numpy(label)
    kept = true_label != IGNORED
    pred_label, true_label = pred_label[kept], true_label[kept]
    parts = (pred_label[pred_label == true_label], pred_label, true_label)
    return torch.stack([torch.histc(part.float(), bins=N_CLASSES, min=0, max=N_CLASSES - 1) for part in parts]).numpy()


def _histogram_areas(pred: NDArray[Any], label: NDArray[Any]) -> NDArray[Any]:
    kept = label != IGNORED
    pred, label = pred[kept], label[kept]
    parts = (pred[pred == label], pred, label)
    return np.stack([np.histogram(part, bins=N_CLASSES, range=(0, N_CLASSES - 1))[0] for part in parts])


def _peer(areas: Areas) -> float:
    true, pred = data_set()
    total = np.zeros((3, N_CLASSES))
    for file in sorted(true.iterdir()):
        total += areas(np.array(Image.open(pred / file.name)), np.array(Image.open(file)))
    shared, predicted, labelled = total
    return float(np.nanmean(shared / (predicted + labelled - shared)))


def _torch_is_installed() -> bool:
    try:
        import torch
    except ImportError:
        return False
    torch.set_num_threads(1)
    return True


@case(
    f"mIoU of {N_PAIRS} pairs of class-index PNG files {SHAPE[0]} × {SHAPE[1]}, {N_CLASSES} classes, one core",
    Limit(MMSEG, at_least=10),
    Limit(HUGGING_FACE, at_least=10),
    quick=False,
    from_files=True,
)
def mean_iou_of_files() -> Contest:
    peers: dict[str, Call | None] = {
        MMSEG: partial(_peer, _mmseg_areas) if _torch_is_installed() else None,
        HUGGING_FACE: partial(_peer, _histogram_areas),
    }
    expected = _peer(_histogram_areas)
    assert abs(ours() - expected) < 1e-12, (ours(), expected)
    return Contest(ours, peers)
