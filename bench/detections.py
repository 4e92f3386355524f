"""AP of COCO from two files on the disk to the twelve printed numbers, against the references in their ordinary use.

300 images with 7 true masks and 100 predictions each. Every row is a public call or a command: what is timed begins
with paths. Results of boxes state boxes alone, near those of true masks.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import json
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import segmetry as sm
from bench.cases import Call, Contest, Limit, case, optional
from bench.start import program
from segmetry.protocols.instances.coco_instances import VALUES
from tests.coco_strings import encode_coco_counts

PYCOCOTOOLS, FASTER, HOTCOCO = "pycocotools COCOeval", "faster-coco-eval", "hotcoco"
COLD = "hotcoco in a new interpreter"
SHAPE = (480, 640)
N_IMAGES, N_TRUE, N_PRED, N_CLASSES = 300, 7, 100, 80
Ellipse = NDArray[np.float64]
"""x, y and both radii."""


def _segment(ellipse: Ellipse) -> tuple[dict[str, Any], int, list[float]]:
    """Return an ellipse with rough edges as a compressed string, its area and its box."""
    x, y, a, b = ellipse.tolist()
    left, right = max(int(x - a), 0), min(int(x + a) + 2, SHAPE[1])
    columns = np.arange(left, right)
    half = b * np.sqrt(np.maximum(1 - ((columns - x) / a) ** 2, 0)) + (columns % 3)
    top = np.clip(np.ceil(y - half), 0, SHAPE[0] - 1).astype(int)
    bottom = np.clip(np.floor(y + half) + 1, top + 1, SHAPE[0])
    edges = np.stack((columns * SHAPE[0] + top, columns * SHAPE[0] + bottom), axis=1).ravel()
    counts = np.diff(np.concatenate(([0], edges, [SHAPE[0] * SHAPE[1]])))
    area = int((bottom - top).sum())
    box = [float(left), float(top.min()), float(right - left), float(bottom.max() - top.min())]
    return {"size": list(SHAPE), "counts": encode_coco_counts(counts).decode()}, area, box


def _near(ellipse: Ellipse) -> list[float]:
    """Return the box of an ellipse, as a detector writes it."""
    x, y, a, b = ellipse.tolist()
    return [round(length, 2) for length in (x - a, y - b, 2 * a, 2 * b)]


@cache
def _files(kind: str) -> tuple[str, str]:
    """Return the paths of the truth and of results of a kind, ``segm`` or ``bbox``."""
    rng = np.random.default_rng(0)
    images: list[dict[str, Any]] = []
    annotations: list[dict[str, Any]] = []
    results: list[dict[str, Any]] = []
    for image in range(1, N_IMAGES + 1):
        images.append({"id": image, "height": SHAPE[0], "width": SHAPE[1]})
        radii = np.exp(rng.uniform(1.5, 5, (N_TRUE, 2)))
        trues = np.concatenate((rng.uniform((20, 20), (620, 460), (N_TRUE, 2)), radii), axis=1)
        classes = rng.integers(1, N_CLASSES + 1, N_TRUE)
        for ellipse, name in zip(trues, classes.tolist(), strict=True):
            segment, area, box = _segment(ellipse)
            annotations.append(
                {
                    "id": len(annotations) + 1,
                    "image_id": image,
                    "category_id": name,
                    "segmentation": segment,
                    "area": area,
                    "bbox": box,
                    "iscrowd": int(rng.random() < 0.02),
                }
            )
        for _ in range(N_PRED):
            at = int(rng.integers(N_TRUE))
            ellipse = trues[at] * np.exp(rng.normal(0, 0.08, 4))
            name = int(classes[at]) if rng.random() < 0.7 else int(rng.integers(1, N_CLASSES + 1))
            segment, _, _ = _segment(np.clip(ellipse, (5, 5, 4, 4), (634, 474, 300, 300)))
            score = round(float(rng.random()), 6)
            found = {"segmentation": segment} if kind == "segm" else {"bbox": _near(ellipse)}
            results.append({"image_id": image, "category_id": name, "score": score, **found})
    categories = [{"id": at + 1, "name": f"class {at + 1}"} for at in range(N_CLASSES)]
    folder = Path(tempfile.mkdtemp())
    truth = {"images": images, "annotations": annotations, "categories": categories}
    for name, data in (("truth", truth), ("results", results)):
        (folder / f"{name}.json").write_text(json.dumps(data))
    return str(folder / "truth.json"), str(folder / "results.json")


def _ours(kind: str) -> Call:
    truth, results = _files(kind)
    options = {key: {"iou_type": kind} for key in VALUES.values()}

    def call() -> str:
        return str(sm.evaluate(truth, results, protocol="coco-instances", options=options).protocol_table())

    return call


def evaluation_of(module: str, name: str, evaluation: str, kind: str) -> Call | None:
    modules = ("pycocotools.coco", "pycocotools.cocoeval") if module == "pycocotools" else (module, module)
    coco, evaluator = optional(modules[0], name), optional(modules[1], evaluation)
    if coco is None or evaluator is None:
        return None
    truth, results = _files(kind)

    def call() -> None:
        with contextlib.redirect_stdout(io.StringIO()):
            loaded = coco(truth)
            run = evaluator(loaded, loaded.loadRes(results), kind)
            run.evaluate()
            run.accumulate()
            run.summarize()

    return call


def _contest(kind: str) -> Contest:
    peers = {
        HOTCOCO: evaluation_of("hotcoco", "COCO", "COCOeval", kind),
        FASTER: evaluation_of("faster_coco_eval", "COCO", "COCOeval_faster", kind),
        PYCOCOTOOLS: evaluation_of("pycocotools", "COCO", "COCOeval", kind),
    }
    return Contest(_ours(kind), peers)


@case(
    "AP of masks from COCO's files, 300 images, 30,000 predictions",
    Limit(HOTCOCO),
    Limit(FASTER, at_least=5),
    Limit(PYCOCOTOOLS, at_least=15),
    from_files=True,
)
def masks() -> Contest:
    return _contest("segm")


@case(
    "AP of boxes from COCO's files, 300 images, 30,000 predictions",
    Limit(HOTCOCO),
    Limit(FASTER, at_least=4),
    Limit(PYCOCOTOOLS, at_least=10),
    from_files=True,
)
def boxes() -> Contest:
    return _contest("bbox")


@case(
    "segmetry score of COCO's files with masks, as a command with the interval of AP",
    Limit(COLD),
    quick=False,
    from_files=True,
)
def command() -> Contest:
    """The command prints the interval of the headline, the worst classes and the worst items as well."""
    truth, results = _files("segm")
    arguments = ["segmetry", "score", truth, results, "--protocol", "coco-instances"]
    ours = f"import sys; sys.argv = {arguments}; from segmetry.cli.main import main; sys.exit(main())"
    theirs = (
        f"import hotcoco; truth = hotcoco.COCO({truth!r}); run = hotcoco.COCOeval(truth, truth.loadRes({results!r}), "
        "'segm'); run.evaluate(); run.accumulate(); run.summarize()"
    )
    return Contest(program(ours), {COLD: program(theirs) if importlib.util.find_spec("hotcoco") else None})
