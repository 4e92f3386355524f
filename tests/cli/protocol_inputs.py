"""Small inputs of every protocol as files: the two sides, and the options that the command line needs."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from tests.coco_strings import encode_coco_counts

Labels = NDArray[np.int64]
Call = list[str]
SIDES = ("true", "pred")
ITEMS = 5
SHAPE = (24, 32)


def _instances(rng: np.random.Generator, side: str, shape: tuple[int, ...] = SHAPE) -> Labels:
    """A grid of blocks; the prediction is moved by one and loses some of them."""
    labels = np.zeros(shape, np.int64)
    for number, (top, left) in enumerate(
        (y, x) for y in range(1, shape[-2] - 7, 8) for x in range(1, shape[-1] - 7, 8)
    ):
        if side == "pred" and rng.random() < 0.2:
            continue
        move = int(rng.integers(0, 2)) if side == "pred" else 0
        labels[..., top : top + 6, left + move : left + 6 + move] = number + 1
    return labels


def _classes(rng: np.random.Generator, side: str, shape: tuple[int, ...] = SHAPE, n: int = 4) -> Labels:
    return np.where(_instances(rng, side, shape) > 0, _instances(rng, "true", shape) % n, 0)


def _images(
    folder: Path, make: Callable[..., Labels], names: str = "{side}/slide_{at}.png", dtype: Any = np.uint16
) -> Call:
    for side in SIDES:
        for at in range(ITEMS):
            image = Image.fromarray(make(np.random.default_rng(at), side).astype(dtype))
            if dtype == np.uint8:
                image.putpalette([0, 0, 0, 200, 0, 0, 0, 200, 0])
            _save(image, folder / names.format(side=side, at=at))
    return [str(folder / side) for side in SIDES]


def _save(image: Image.Image, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    image.save(path)


def _texts(folder: Path, make: Callable[[np.random.Generator, str], str], name: str = "{side}.txt") -> Call:
    for side in SIDES:
        path = folder / name.format(side=side)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(make(np.random.default_rng(3), side), encoding="utf-8")
    return [str(folder / name.format(side=side)) for side in SIDES]


def instance_images(folder: Path) -> Call:
    return _images(folder, _instances)


def class_images(folder: Path) -> Call:
    return _images(folder, _classes)


def palette_images(folder: Path) -> Call:
    return _images(folder, _classes, dtype=np.uint8)


def scene_labels(folder: Path) -> Call:
    return _images(folder, lambda rng, side: _classes(rng, side) + 1)


def volumes(folder: Path) -> Call:
    for side in SIDES:
        (folder / side).mkdir()
        for at in range(ITEMS):
            np.save(folder / side / f"case_{at}.npy", _classes(np.random.default_rng(at), side, (4, 16, 24)))
    return [str(folder / side) for side in SIDES]


def neurons(folder: Path) -> Call:
    for side in SIDES:
        np.save(folder / f"{side}.npy", _instances(np.random.default_rng(1), side, (4, 16, 24)))
    return [str(folder / f"{side}.npy") for side in SIDES]


def cell_tracking(folder: Path) -> Call:
    _images(folder, _instances, "{side}/SEG/man_seg00{at}.png")
    for at in range(ITEMS):
        path = folder / "pred" / "SEG" / f"man_seg00{at}.png"
        path.rename(folder / "pred" / f"mask00{at}.png")
    (folder / "pred" / "SEG").rmdir()
    return [str(folder / "true" / "SEG"), str(folder / "pred"), "--true-format", "folder", "--pair", r"(\d+)"]


def leaves(folder: Path) -> Call:
    return _images(folder, _instances, "{side}/plant00{at}_label.png")


def sheets(folder: Path) -> Call:
    return _images(folder, _instances, "{side}/30{at}-OUTPUT-GT.png")


def nuclei(folder: Path) -> Call:
    for side in SIDES:
        instances = np.stack([_instances(np.random.default_rng(at), side) for at in range(ITEMS)])
        np.save(folder / f"{side}.npy", np.stack([instances, np.where(instances > 0, instances % 3 + 1, 0)], -1))
    return [str(folder / f"{side}.npy") for side in SIDES]


def channels(folder: Path) -> Call:
    for side in SIDES:
        masks = np.zeros((ITEMS, *SHAPE, 6))
        for at in range(ITEMS):
            labels = _instances(np.random.default_rng(at), side)
            for channel in range(5):
                masks[at, ..., channel] = np.where(labels % 5 == channel, labels, 0)
        np.save(folder / f"{side}.npy", masks)
    return [str(folder / f"{side}.npy") for side in SIDES]


def panoptic(folder: Path) -> Call:
    categories = [{"id": at, "name": f"class {at}", "isthing": at % 2} for at in range(4)]
    for side in SIDES:
        annotations = []
        for at in range(ITEMS):
            ids = _instances(np.random.default_rng(at), side)
            _save(Image.fromarray(np.stack([ids, 0 * ids, 0 * ids], -1).astype(np.uint8)), folder / side / f"{at}.png")
            present = np.unique(ids[ids > 0]).tolist()
            segments = [
                {"id": it, "category_id": it % 4, "iscrowd": 0, "area": int((ids == it).sum())} for it in present
            ]
            annotations.append({"image_id": at, "file_name": f"{at}.png", "segments_info": segments})
        images = [{"id": at, "height": SHAPE[0], "width": SHAPE[1]} for at in range(ITEMS)]
        document = {"images": images, "annotations": annotations, "categories": categories}
        (folder / f"{side}.json").write_text(json.dumps(document))
    return [str(folder / f"{side}.json") for side in SIDES]


def _counts(mask: NDArray[np.bool_]) -> str:
    flat = mask.ravel(order="F").astype(int)
    edges = np.flatnonzero(np.diff(flat, prepend=0, append=0))
    return encode_coco_counts(np.diff([0, *edges.tolist(), flat.size])).decode()


def _detections(side: str, kind: str) -> list[dict[str, Any]]:
    made = []
    for at in range(ITEMS):
        ids = _instances(np.random.default_rng(at), side)
        for it in np.unique(ids[ids > 0]).tolist():
            mask = {"size": list(SHAPE), "counts": _counts(ids == it)}
            area = int((ids == it).sum())
            facts: dict[str, Any] = {"id": len(made) + 1, f"{kind}_id": at + 1, "category_id": it % 2 + 1, "iscrowd": 0}
            facts |= (
                {"segmentations": [mask, None], "areas": [area, None]}
                if kind == "video"
                else {"segmentation": mask, "area": area}
            )
            made.append(facts | ({"score": 1 - it / 50} if side == "pred" else {"bbox": [0, 0, 1, 1]}))
    return made


def _objects(folder: Path, kind: str, **facts: Any) -> Call:
    size = {"height": SHAPE[0], "width": SHAPE[1]}
    places = [{"id": at + 1, **size, **facts} for at in range(ITEMS)]
    categories = [{"id": 1, "name": "cat", "frequency": "r"}, {"id": 2, "name": "dog", "frequency": "c"}]
    document = {f"{kind}s": places, "categories": categories, "annotations": _detections("true", kind)}
    (folder / "true.json").write_text(json.dumps(document))
    (folder / "pred.json").write_text(json.dumps(_detections("pred", kind)))
    return [str(folder / f"{side}.json") for side in SIDES]


def coco_instances(folder: Path) -> Call:
    return _objects(folder, "image")


def lvis(folder: Path) -> Call:
    return _objects(folder, "image", neg_category_ids=[], not_exhaustive_category_ids=[])


def youtube_vis(folder: Path) -> Call:
    return _objects(folder, "video", length=2)


def streets(folder: Path) -> Call:
    ids = np.array([7, 8, 11, 24, 26])
    for side, ending in (("true", "gtFine_labelIds"), ("pred", "leftImg8bit")):
        for at in range(ITEMS):
            classes = ids[_classes(np.random.default_rng(at), side)]
            _save(Image.fromarray(classes.astype(np.uint8)), folder / side / f"ulm_000000_{at:06}_{ending}.png")
    for at in range(ITEMS):
        classes = ids[_classes(np.random.default_rng(at), "true")].astype(np.uint16)
        _save(Image.fromarray(classes), folder / "true" / f"ulm_000000_{at:06}_gtFine_instanceIds.png")
    return [str(folder / side) for side in SIDES]


def videos(folder: Path) -> Call:
    for side in SIDES:
        for name in "abcde":
            for frame in range(4):
                rng = np.random.default_rng(frame + ord(name))
                image = Image.fromarray(np.minimum(_instances(rng, side), 2).astype(np.uint8))
                image.putpalette([0, 0, 0, 200, 0, 0, 0, 200, 0])
                _save(image, folder / side / name / f"{frame:05}.png")
    return [str(folder / side) for side in SIDES]


def step_videos(folder: Path) -> Call:
    for side in SIDES:
        for name in "abcde":
            for frame in range(4):
                ids = _instances(np.random.default_rng(frame + ord(name)), side)
                pixels = np.stack([np.where(ids > 0, 13, 10), 0 * ids, ids], -1)
                _save(Image.fromarray(pixels.astype(np.uint8)), folder / side / name / f"{frame:06}.png")
    return [str(folder / side) for side in SIDES]


def mots(folder: Path) -> Call:
    for side in SIDES:
        (folder / side).mkdir()
        for name in range(ITEMS):
            lines = []
            for frame in range(4):
                ids = _instances(np.random.default_rng(frame + name), side)
                for it in np.unique(ids[ids > 0]).tolist():
                    kind = 1 + it % 2
                    lines.append(f"{frame} {1000 * kind + it} {kind} {SHAPE[0]} {SHAPE[1]} {_counts(ids == it)}\n")
            (folder / side / f"000{name}.txt").write_text("".join(lines))
    return [str(folder / side) for side in SIDES]


def lidar(folder: Path) -> Call:
    for side in SIDES:
        for at in range(ITEMS):
            ids = _instances(np.random.default_rng(at), side).ravel()
            points = np.where(ids > 0, 10 | ids << 16, 40).astype("<u4")
            path = (
                folder / side / "sequences" / "08" / ("labels" if side == "true" else "predictions") / f"{at:06}.label"
            )
            path.parent.mkdir(parents=True, exist_ok=True)
            points.tofile(path)
    return [str(folder / side) for side in SIDES]


def nuscenes(folder: Path) -> Call:
    for side in SIDES:
        for at in range(ITEMS):
            ids = _instances(np.random.default_rng(at), side).ravel()
            path = folder / side / "scene" / f"{at}_panoptic.npz"
            path.parent.mkdir(parents=True, exist_ok=True)
            np.savez(path, data=np.where(ids > 0, 4000 + ids, 11000).astype(np.uint16))
    return [str(folder / side) for side in SIDES]


def _cuts(rng: np.random.Generator, side: str, n: int = 40) -> list[int]:
    cuts = np.arange(0, n + 1, 5)
    if side == "pred":
        cuts[1:-1] += rng.integers(-1, 2, cuts.size - 2)
    return cuts.tolist()


def masses(folder: Path) -> Call:
    def text(rng: np.random.Generator, side: str) -> str:
        return json.dumps({f"text {at}": {"ann": np.diff(_cuts(rng, side)).tolist()} for at in range(ITEMS)})

    return _texts(folder, text, "{side}.json")


def frames(folder: Path) -> Call:
    for side in SIDES:
        (folder / side).mkdir()
        for at in range(ITEMS):
            lengths = np.diff(_cuts(np.random.default_rng(at), side))
            labels = np.repeat(["background", "pour", "stir", "pour"] * 2, lengths)
            (folder / side / f"video{at}.txt").write_text("\n".join(labels) + "\n")
    return [str(folder / side) for side in SIDES]


def change_points(folder: Path) -> Call:
    def text(rng: np.random.Generator, side: str) -> str:
        cuts = {f"series {at}": _cuts(rng, side)[1:-1] for at in range(ITEMS)}
        if side == "pred":
            return json.dumps(cuts)
        return json.dumps({name: {"n": 40, "annotations": {"1": own, "2": own[:-1]}} for name, own in cuts.items()})

    return [*_texts(folder, text, "{side}.json"), "--format", "change-points"]


def speakers(folder: Path) -> Call:
    def text(rng: np.random.Generator, side: str) -> str:
        lines = []
        for at in range(ITEMS):
            cuts = _cuts(rng, side)
            for number, (start, stop) in enumerate(pairwise(cuts)):
                lines.append(f"SPEAKER call{at} 1 {start / 2} {(stop - start) / 2} <NA> <NA> s{number % 2} <NA> <NA>\n")
        return "".join(lines)

    return _texts(folder, text, "{side}.rttm")


def sounds(folder: Path) -> Call:
    def text(rng: np.random.Generator, side: str) -> str:
        lines = ["filename\tonset\toffset\tevent_label\n"]
        for at in range(ITEMS):
            cuts = _cuts(rng, side)
            for number, (start, stop) in enumerate(zip(cuts[::2], cuts[1::2], strict=False)):
                lines.append(f"street{at}.wav\t{start / 2}\t{stop / 2}\t{('dog', 'car')[number % 2]}\n")
        return "".join(lines)

    return _texts(folder, text, "{side}.tsv")


def songs(folder: Path) -> Call:
    def text(rng: np.random.Generator, side: str) -> str:
        return _jams("segment_open", [(*ends, "ABA"[at % 3]) for at, ends in enumerate(pairwise(_cuts(rng, side)))])

    return _texts(folder, text, "{side}/song.jams")


def hierarchies(folder: Path) -> Call:
    def text(rng: np.random.Generator, side: str) -> str:
        cuts = _cuts(rng, side)
        values = [
            (*ends, {"label": "AB"[at % 2], "level": level})
            for level, step in enumerate((4, 1))
            for at, ends in enumerate(pairwise(cuts[::step]))
        ]
        return _jams("multi_segment", values)

    return _texts(folder, text, "{side}/song.jams")


def _jams(namespace: str, sections: list[tuple[int, int, Any]]) -> str:
    data = [
        {"time": start, "duration": stop - start, "value": value, "confidence": None} for start, stop, value in sections
    ]
    return json.dumps({"annotations": [{"namespace": namespace, "data": data}], "file_metadata": {"duration": 40}})


def entities(folder: Path) -> Call:
    def text(rng: np.random.Generator, side: str) -> str:
        lines = []
        for _ in range(ITEMS):
            tags = ["B-PER", "I-PER", "O", "B-LOC", "O", "B-ORG", "I-ORG", "O"]
            if side == "pred":
                tags[int(rng.integers(0, 8))] = "O"
            lines += [f"word{at} {tag}" for at, tag in enumerate(tags)] + [""]
        return "\n".join(lines)

    return _texts(folder, text, "{side}.conll")


INPUTS: dict[str, Callable[[Path], Call]] = {
    **dict.fromkeys(("cellpose", "dsb2018", "hover-net", "stardist", "neurips-cellseg", "sorted-ap"), instance_images),
    **dict.fromkeys(("superpixels", "fg-ari", "panoptica", "spacenet"), instance_images),
    **dict.fromkeys(("semantic", "torchmetrics-miou", "metrics-reloaded", "monai", "nnunet"), class_images),
    **dict.fromkeys(("brats", "brats-men", "brats-met"), volumes),
    **dict.fromkeys(("cremi", "cremi-background", "snemi3d", "skimage-voi"), neurons),
    **dict.fromkeys(("davis", "davis-unsupervised"), videos),
    **dict.fromkeys(("kitti-step", "vpq"), step_videos),
    **dict.fromkeys(("text", "page-streams"), masses),
    **dict.fromkeys(("ner", "semeval13"), entities),
    "ade20k": scene_labels,
    "voc": palette_images,
    "ctc-seg": cell_tracking,
    "cvppp": leaves,
    "mapseg": sheets,
    "conic": nuclei,
    "pannuke": channels,
    "coco-panoptic": panoptic,
    "coco-instances": coco_instances,
    "lvis": lvis,
    "youtube-vis": youtube_vis,
    "cityscapes-semantic": streets,
    "mots": mots,
    "semantic-kitti": lidar,
    "panoptic-nuscenes": nuscenes,
    "action": frames,
    "change-points": change_points,
    "diarization": speakers,
    "sound-events": sounds,
    "music": songs,
    "music-hierarchy": hierarchies,
}
"""What writes the files of each protocol, and returns the arguments of ``segmetry score``."""
