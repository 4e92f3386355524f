"""Small made-up data sets for the pages of the book: each function writes the files a page then evaluates.

Drawn with fixed seeds, so a page shows the same numbers in every build.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

Labels = NDArray[np.int64]
CATEGORIES = [
    {"id": 1, "name": "person", "isthing": 1},
    {"id": 3, "name": "car", "isthing": 1},
    {"id": 149, "name": "road", "isthing": 0},
    {"id": 187, "name": "sky", "isthing": 0},
]


def coco_panoptic(folder: Path, *, images: int = 12, seed: int = 1) -> None:
    """``truth.json`` and two systems, ``first.json`` and ``second.json``, each with its folder of PNG files."""
    rng = np.random.default_rng(seed)
    scenes = {f"{at:012d}": _street(rng) for at in range(1, images + 1)}
    _write_panoptic(folder / "truth", scenes)
    for name, noise in (("first", 2), ("second", 4)):
        found = {image: _blurred(labels, classes, noise, rng) for image, (labels, classes) in scenes.items()}
        _write_panoptic(folder / name, found)


def cells(folder: Path, *, images: int = 6, seed: int = 2) -> None:
    """Folders ``truth`` and ``prediction`` of label images, one grey value per nucleus."""
    rng = np.random.default_rng(seed)
    for at in range(images):
        true = _discs((128, 128), 25, (5, 10), rng)
        pred = _shifted(true, 2, rng)
        for name, labels in (("truth", true), ("prediction", pred)):
            (folder / name).mkdir(exist_ok=True, parents=True)
            Image.fromarray(labels.astype(np.uint16)).save(folder / name / f"slide_{at}.png")


def volume(seed: int = 3) -> tuple[Labels, Labels]:
    """A row of vertebrae, true and predicted: the prediction joins two of them."""
    rng = np.random.default_rng(seed)
    true = np.zeros((40, 40, 96), np.int64)
    for at in range(6):
        true[10:30, 8:32, 4 + 15 * at : 15 + 15 * at] = at + 1
    pred = np.roll(true, 1, axis=2)
    pred[pred == 5] = 4
    pred[rng.random(pred.shape) < 0.01] = 0
    return true, pred


def parcels(folder: Path, seed: int = 4) -> None:
    """``map_truth.png`` and ``map_prediction.png``: a sheet of parcels, some cut and some joined by the prediction."""
    rng = np.random.default_rng(seed)
    rows, columns = np.sort(rng.choice(np.arange(8, 192, 8), 7, replace=False)), np.arange(25, 200, 25)
    true = 1 + np.searchsorted(rows, np.arange(200))[:, None] * 8 + np.searchsorted(columns, np.arange(200))[None, :]
    pred = true.copy()
    for one in rng.choice(np.unique(true), 6, replace=False):
        pred[pred == one] = one + 1  # joined with its neighbour
    for one in rng.choice(np.unique(true), 8, replace=False):
        pred[(true == one) & (np.arange(200)[:, None] % 2 == 0) & (np.arange(200)[None, :] > 100)] = one + 1000
    for name, labels in (("truth", true), ("prediction", pred)):
        Image.fromarray(labels.astype(np.uint16)).save(folder / f"map_{name}.png")


def streams(folder: Path, seed: int = 5) -> None:
    """``truth.json`` and ``prediction.json``: first-page bits of scanned streams."""
    rng = np.random.default_rng(seed)
    true = {f"box {at}": [1, *(rng.random(60) < 0.2).astype(int).tolist()] for at in range(1, 6)}
    pred = {name: [1, *(bit ^ int(rng.random() < 0.06) for bit in bits[1:])] for name, bits in true.items()}
    for name, bits in (("truth", true), ("prediction", pred)):
        (folder / f"{name}.json").write_text(json.dumps(bits))


def _street(rng: np.random.Generator) -> tuple[Labels, dict[int, int]]:
    labels = np.full((120, 160), 1, np.int64)
    labels[60 + int(rng.integers(-10, 10)) :] = 2
    classes = {1: 187, 2: 149}
    for at in range(3, 3 + int(rng.integers(3, 8))):
        high, wide = rng.integers(12, 40, 2)
        top, left = rng.integers(20, 110 - high), rng.integers(0, 160 - wide)
        labels[top : top + high, left : left + wide] = at
        classes[at] = 1 if high > wide else 3
    return labels, {one: classes[one] for one in np.unique(labels).tolist()}


def _blurred(
    labels: Labels, classes: dict[int, int], noise: int, rng: np.random.Generator
) -> tuple[Labels, dict[int, int]]:
    """Every segment shifted a little; now and then one is lost, or takes another class."""
    pred = np.where(np.isin(labels, [1, 2]), labels, 0)
    found = dict(classes)
    for one in [label for label in classes if label > 2]:
        if rng.random() < 0.05 * noise:
            continue
        moved = np.roll(labels == one, tuple(rng.integers(-noise, noise + 1, 2)), axis=(0, 1))
        pred[moved] = one
        if rng.random() < 0.04 * noise:
            found[one] = 4 - found[one]  # a person for a car, a car for a person
    pred[pred == 0] = 2
    return pred, {one: found.get(one, 149) for one in np.unique(pred).tolist()}


def _write_panoptic(place: Path, scenes: dict[str, tuple[Labels, dict[int, int]]]) -> None:
    place.mkdir(parents=True, exist_ok=True)
    document: dict[str, Any] = {"images": [], "annotations": [], "categories": CATEGORIES}
    for image, (labels, classes) in scenes.items():
        colours = np.stack((labels % 256, labels // 256 % 256, labels // 65536), axis=-1).astype(np.uint8)
        Image.fromarray(colours).save(place / f"{image}.png")
        height, width = labels.shape
        document["images"].append({"id": int(image), "file_name": f"{image}.jpg", "height": height, "width": width})
        segments = [
            {"id": one, "category_id": kind, "iscrowd": 0, "area": int((labels == one).sum())}
            for one, kind in classes.items()
        ]
        document["annotations"].append({"image_id": int(image), "file_name": f"{image}.png", "segments_info": segments})
    place.with_suffix(".json").write_text(json.dumps(document))


def _discs(shape: tuple[int, int], count: int, radii: tuple[int, int], rng: np.random.Generator) -> Labels:
    labels = np.zeros(shape, np.int64)
    rows, columns = np.indices(shape)
    for one in range(1, count + 1):
        row, column, radius = rng.integers(0, shape[0]), rng.integers(0, shape[1]), rng.integers(*radii)
        labels[((rows - row) ** 2 + (columns - column) ** 2 <= radius**2) & (labels == 0)] = one
    return labels


def _shifted(labels: Labels, most: int, rng: np.random.Generator) -> Labels:
    pred = np.zeros_like(labels)
    for one in np.unique(labels)[1:]:
        if rng.random() < 0.1:
            continue
        pred[np.roll(labels == one, tuple(rng.integers(-most, most + 1, 2)), axis=(0, 1))] = one
    return pred


def davis_videos(folder: Path, *, frames: int = 8, seed: int = 2) -> None:
    """Two videos of palette PNG frames, ``truth`` and ``prediction``: disks that move, and their boundaries wobble."""
    rng = np.random.default_rng(seed)
    for name, count in (("bear", 1), ("dogs", 2)):
        for side, wobble in (("truth", 0), ("prediction", 3)):
            for at, frame in enumerate(_disks(rng, frames, (60, 90), count, wobble)):
                image = Image.fromarray(frame.astype(np.uint8))
                image.putpalette([0, 0, 0, 128, 0, 0, 0, 128, 0])
                _save(image, folder / side / name / f"{at:05}.png")


def mots_videos(folder: Path, *, frames: int = 8, seed: int = 3) -> None:
    """Two videos as MOTS text files: three tracks each, and a prediction that loses one of them."""
    rng = np.random.default_rng(seed)
    for name in ("0002", "0006"):
        for side, wobble in (("truth", 0), ("prediction", 2)):
            lines = []
            for at, frame in enumerate(_disks(rng, frames, (60, 90), 3, wobble)):
                for number in np.unique(frame[frame > 0]).tolist():
                    track = 1000 * (1 + number % 2) + number + (50 if wobble and at > 4 and number == 1 else 0)
                    lines.append(f"{at} {track} {track // 1000} 60 90 {_run_lengths(frame == number)}\n")
            path = folder / side / f"{name}.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("".join(lines))


def step_videos(folder: Path, *, frames: int = 6, seed: int = 4) -> None:
    """A video of KITTI-STEP: cars on a road below the sky; red is the class, green and blue the instance."""
    rng = np.random.default_rng(seed)
    for side, wobble in (("truth", 0), ("prediction", 2)):
        for at, frame in enumerate(_disks(rng, frames, (60, 90), 2, wobble)):
            pixels = np.zeros((*frame.shape, 3), np.uint8)
            pixels[:20, :, 0] = 10
            pixels[frame > 0, 0], pixels[..., 2] = 13, frame
            _save(Image.fromarray(pixels), folder / side / "0002" / f"{at:06}.png")


def lidar_scans(folder: Path, *, scans: int = 3, seed: int = 5) -> None:
    """Scans of SemanticKITTI: cars, road and vegetation, and a prediction that confuses some points."""
    rng = np.random.default_rng(seed)
    for at in range(scans):
        true = np.repeat([10 | 1 << 16, 10 | 2 << 16, 40, 70, 0], [120, 60, 900, 500, 40]).astype("<u4")
        pred = np.where(rng.random(true.size) < 0.1, rng.permutation(true), true).astype("<u4")
        pred[true == 10 | 2 << 16] = 40
        for side, kind, values in (("truth", "labels", true), ("prediction", "predictions", pred)):
            path = folder / side / "sequences" / "08" / kind / f"{at:06}.label"
            path.parent.mkdir(parents=True, exist_ok=True)
            values.tofile(path)


def _disks(rng: np.random.Generator, frames: int, shape: tuple[int, int], count: int, wobble: int) -> Labels:
    rows, columns = np.mgrid[: shape[0], : shape[1]]
    video = np.zeros((frames, *shape), np.int64)
    for at in range(frames):
        for number in range(1, count + 1):
            shift, grow = rng.integers(-wobble, wobble + 1, 2) if wobble else (0, 0)
            near = (rows - 30) ** 2 + (columns - 24 * number - at - shift) ** 2 < (9 + grow) ** 2
            video[at][near & (video[at] == 0)] = number
    return video


def _run_lengths(mask: NDArray[np.bool_]) -> str:
    flat = mask.ravel(order="F").astype(int)
    edges = np.flatnonzero(np.diff(flat, prepend=0, append=0))
    counts, text = np.diff([0, *edges.tolist(), flat.size]).tolist(), ""
    for at, count in enumerate(counts):  # five bits a character, as COCO compresses them
        number, more = count - counts[at - 2] if at > 2 else count, True
        while more:
            digit, number = number & 31, number >> 5
            more = number != (-1 if digit & 16 else 0)
            text += chr(48 + digit + 32 * more)
    return text


def _save(image: Image.Image, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    image.save(path)


def streets(folder: Path, n: int = 6) -> None:
    """Write a small data set as Cityscapes lays it out: ``gtFine/val/ulm``, and predictions in ``results``.

    Road, sidewalk, buildings, vegetation and sky with cars and persons; the prediction moves objects, misses small
    persons, and takes some sidewalk for road and a bus for a truck.
    """
    truth, results = folder / "gtFine" / "val" / "ulm", folder / "results"
    for place in (truth, results):
        place.mkdir(parents=True, exist_ok=True)
    for at in range(n):
        numbers = np.random.default_rng(at)
        ids = np.full((128, 256), 23, dtype=np.uint16)
        ids[30:80], ids[50:80, 150:], ids[80:92], ids[92:] = 11, 21, 8, 7
        ids[120:] = 1  # the hood of the car
        pred = ids.copy()
        pred[120:], pred[88:92, 60:] = 7, 7
        for number, kind, count, height, width in ((26, 26, 4, 14, 30), (28, 27, 1, 24, 50), (24, 24, 5, 18, 6)):
            for instance in range(count):
                size = int(height * numbers.uniform(0.4, 1.2)), int(width * numbers.uniform(0.4, 1.2))
                top, left = int(numbers.integers(70, 95)), int(numbers.integers(0, 200))
                ids[top : top + size[0], left : left + size[1]] = 1000 * number + instance
                if size[0] * size[1] > 45:
                    moved = left + int(numbers.integers(0, 4))
                    pred[top : top + size[0], moved : moved + size[1]] = kind
        name = f"ulm_000000_{at:06}"
        Image.fromarray(ids).save(truth / f"{name}_gtFine_instanceIds.png")
        classes = np.where(ids >= 1000, ids // 1000, ids).astype(np.uint8)
        Image.fromarray(classes).save(truth / f"{name}_gtFine_labelIds.png")
        Image.fromarray(pred.astype(np.uint8)).save(results / f"{name}_leftImg8bit.png")


def nuscenes_scans(folder: Path, *, scans: int = 4, seed: int = 6) -> None:
    """A scene of Panoptic nuScenes: class · 1000 + instance of every point, in an npz file for each scan."""
    rng = np.random.default_rng(seed)
    for at in range(scans):
        true = np.repeat([4001, 4002, 7001, 11000, 16000], [150, 90, 60, 700, 400]).astype(np.uint16)
        pred = np.where(rng.random(true.size) < 0.08, rng.permutation(true), true).astype(np.uint16)
        for side, values in (("truth", true), ("prediction", pred)):
            (folder / side / "scene-0001").mkdir(parents=True, exist_ok=True)
            np.savez_compressed(folder / side / "scene-0001" / f"scan{at}_panoptic.npz", data=values)
