"""Small scenes on which the pages of the metrics are computed: one truth, and a few predictions that differ in one way.

Every prediction of a scene shows one kind of error, so the values of a metric under the pictures say what it sees and
what it does not. Truth and predictions are written as files as well, and the page's example reads these.
"""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

import segmetry as sm
from segmetry.metrics.declare import METRICS

Array = NDArray[Any]
INK, SHARED, MISSED, SPURIOUS, EMPTY = (34, 36, 42), (150, 170, 196), (213, 94, 0), (233, 178, 58), (238, 240, 243)
# Paul Tol's light scheme: labels stay distinguishable in every common colour blindness.
COLOURS = ("#77aadd", "#bbcc33", "#ee8866", "#99ddff", "#eedd88", "#44bb99", "#ffaabb", "#aaaa00", "#bb99dd")


@dataclass(frozen=True)
class Scene:
    """One truth and a few predictions by what is wrong with each; all are drawn in the same way."""

    name: str
    title: str
    true: Any
    preds: Mapping[str, Any]
    draw: Callable[[Any, Any], str]
    suffix: str
    write: Callable[[Any], bytes]
    reading: tuple[str, ...] = ()

    def file(self, caption: str = "truth") -> str:
        """Return the name of the file of a side."""
        return f"{self.name}/{caption.replace(' ', '-')}{self.suffix}"

    def picture(self, caption: str = "truth") -> str:
        """Return the name of the picture of a prediction, or of the truth alone."""
        return f"{self.name}/{caption.replace(' ', '-')}.svg"

    def save(self, folder: Path) -> None:
        """Write the files and the pictures of the scene."""
        for caption, side in {"truth": self.true, **self.preds}.items():
            path = folder / self.file(caption)
            path.parent.mkdir(parents=True, exist_ok=True)
            if self.suffix:
                path.write_bytes(self.write(side))
            (folder / self.picture(caption)).write_text(self.draw(self.true, side), encoding="utf-8")


# --- Drawing ---------------------------------------------------------------------------------------------------------


def _svg(width: float, height: float, body: str, words: str = "") -> str:
    title = f"<title>{escape(words)}</title>" if words else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}" font-family="system-ui, sans-serif" font-size="7">{title}{body}</svg>'
    )


def _image(pixels: Array, width: float, height: float, x: float = 0) -> str:
    file = io.BytesIO()
    Image.fromarray(pixels.astype(np.uint8)).save(file, "PNG", optimize=True)
    data = base64.b64encode(file.getvalue()).decode()
    place = f'x="{x:g}" width="{width:g}" height="{height:g}" style="image-rendering:pixelated"'
    return f'<image {place} href="data:image/png;base64,{data}"/>'


def _borders(labels: Array, wide: int) -> NDArray[np.bool_]:
    """Return where an enlarged label image changes, as lines of some pixels inside the segments."""
    found = np.zeros(labels.shape, bool)
    for axis in (0, 1):
        for step in range(1, wide + 1):
            for sign in (-1, 1):
                found |= (labels != np.roll(labels, sign * step, axis)) & (labels != 0)
    return found


def _rgb(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _pixels(true: Array, pred: Array, zoom: int = 4, *, colours: bool = False) -> Array:
    """Return the picture of two label images: missed pixels solid, spurious hatched, outlines of the truth in black."""
    true, pred = (np.kron(side, np.ones((zoom, zoom), np.int64)) for side in (true, pred))
    out = np.empty((*true.shape, 3), np.uint8)
    out[:] = EMPTY
    rows, columns = np.indices(true.shape)
    if colours:
        table = np.array([EMPTY, *map(_rgb, COLOURS)], np.uint8)
        out[:] = table[np.where(pred == 0, 0, 1 + (pred - 1) % len(COLOURS))]
    else:
        out[(true != 0) & (pred != 0)] = SHARED
        out[(true != 0) & (pred == 0)] = MISSED
        out[(true == 0) & (pred != 0)] = SPURIOUS
        out[(true == 0) & (pred != 0) & ((rows + columns) // 5 % 2 == 0)] = (250, 226, 164)
    out[_borders(pred, 1)] = (0, 114, 178)
    out[_borders(true, 1) & (true != 0)] = INK
    return out


def _drawn_labels(true: Array, pred: Array) -> str:
    height, width = np.shape(true)
    return _svg(160, 160 * height / width, _image(_pixels(np.asarray(true), pred), 160, 160 * height / width))


def _drawn_map(true: Any, pred: Any) -> str:
    true, pred = _labels_of(true), _labels_of(pred)
    high = 160 * true.shape[0] / true.shape[1]
    return _svg(160, high, _image(_pixels(true, pred, colours=True), 160, high))


def _labels_of(side: Any) -> Array:
    return np.asarray(getattr(side, "labels", side))


def _drawn_video(true: Any, pred: Any) -> str:
    true, pred = _labels_of(true), _labels_of(pred)
    frames = range(0, len(true), 2)
    high = 80 * true.shape[1] / true.shape[2]
    body = "".join(
        f'<g transform="translate({at % 2 * 82:g},{at // 2 * (high + 2):g})">'
        f"{_image(_pixels(true[frame], pred[frame], 3, colours=True), 80, high)}</g>"
        for at, frame in enumerate(frames)
    )
    return _svg(162, -(-len(frames) // 2) * (high + 2), body)


def _drawn_masks(true: sm.Masks, pred: sm.Masks) -> str:
    height, width = true.shape
    dense, found = true.dense(), pred.dense()
    pixels = np.zeros((height, width), np.int64)
    for at, mask in enumerate(dense, 1):
        pixels[mask] = at
    whole = np.zeros((height, width), np.int64)
    for at, mask in enumerate(found, 1):
        whole[mask] = at
    body, scale = _image(_pixels(pixels, whole, 2), 160, 160 * height / width), 160 / width
    for mask, score in zip(found, [None] * len(found) if pred.scores is None else pred.scores, strict=True):
        y, x = (float(axis.mean()) * scale for axis in np.nonzero(mask))
        if score is not None:
            body += f'<text x="{x:g}" y="{y + 3:g}" text-anchor="middle" font-size="9" fill="#111">{score:g}</text>'
    return _svg(160, 160 * height / width, body)


def _bars(spans: sm.Spans, y: float, numbered: Mapping[Any, int]) -> str:
    scale, body = 160 / spans.n, ""
    for at, (start, stop) in enumerate(zip(spans.starts.tolist(), spans.stops.tolist(), strict=True)):
        name = None if spans.classes is None else spans.classes[at + 1]
        colour = COLOURS[(at if name is None else numbered[name]) % len(COLOURS)] if name is not None else SHARED_HEX
        body += (
            f'<rect x="{start * scale + 0.6:g}" y="{y}" width="{(stop - start) * scale - 1.2:g}" height="22" rx="3" '
            f'fill="{colour}" stroke="#22242a" stroke-width="0.8"/>'
        )
        if name is not None and (stop - start) * scale > 4.4 * len(str(name)):
            middle = (start + stop) / 2 * scale
            body += f'<text x="{middle:g}" y="{y + 14}" text-anchor="middle" fill="#111">{escape(str(name))}</text>'
    return body


SHARED_HEX = "#96aac4"


def _drawn_lines(true: sm.Spans, pred: sm.Spans) -> str:
    names = {} if true.classes is None else {*true.classes.values(), *(pred.classes or {}).values()}
    numbered = {name: at for at, name in enumerate(sorted(names, key=str))}
    ground = f'<rect width="160" height="78" rx="6" fill="rgb{EMPTY}"/>'
    words = '<text x="4" y="11" fill="#444">true</text><text x="4" y="46" fill="#444">pred</text>'
    return _svg(160, 78, ground + words + _bars(true, 14, numbered) + _bars(pred, 49, numbered))


# --- Files -----------------------------------------------------------------------------------------------------------


def _png(labels: Any) -> bytes:
    file = io.BytesIO()
    Image.fromarray(np.asarray(labels).astype(np.uint8)).save(file, "PNG")
    return file.getvalue()


def _npy(labels: Any) -> bytes:
    file = io.BytesIO()
    np.save(file, _labels_of(labels).astype(np.uint8))
    return file.getvalue()


def _masses(spans: sm.Spans) -> bytes:
    return json.dumps({"line": spans.masses.tolist()}).encode()


def _rttm(spans: sm.Spans) -> bytes:
    classes = spans.classes or {}
    rows = zip(spans.starts.tolist(), spans.stops.tolist(), strict=True)
    return "".join(
        f"SPEAKER call 1 {start:.2f} {stop - start:.2f} <NA> <NA> {classes[at]} <NA> <NA>\n"
        for at, (start, stop) in enumerate(rows, 1)
    ).encode()


def _lab(spans: sm.Spans) -> bytes:
    classes = spans.classes or {}
    rows = zip(spans.starts.tolist(), spans.stops.tolist(), strict=True)
    return "".join(f"{start}\t{stop}\t{classes[at]}\n" for at, (start, stop) in enumerate(rows, 1)).encode()


def _conll(spans: sm.Spans) -> bytes:
    tags = ["O"] * spans.n
    for at, (start, stop) in enumerate(zip(spans.starts.tolist(), spans.stops.tolist(), strict=True), 1):
        name = (spans.classes or {})[at]
        tags[start:stop] = [f"B-{name}", *[f"I-{name}"] * (stop - start - 1)]
    return "".join(f"w{at} {tag}\n" for at, tag in enumerate(tags)).encode()


def _coco(masks: sm.Masks) -> bytes:
    """Return COCO's truth, or its results where the masks have confidences."""
    rows: list[dict[str, Any]] = []
    for at, mask in enumerate(masks.dense()):
        flat = mask.ravel(order="F")
        edges = [0, *(np.flatnonzero(flat[1:] != flat[:-1]) + 1).tolist(), flat.size]
        counts = [0] * int(flat[0]) + [stop - start for start, stop in pairwise(edges)]
        y, x = np.nonzero(mask)
        box = [int(x.min()), int(y.min()), int(np.ptp(x)) + 1, int(np.ptp(y)) + 1]
        row = {"image_id": 1, "category_id": 1, "segmentation": {"size": list(mask.shape), "counts": counts}}
        whole = {"id": at + 1, "area": int(mask.sum()), "bbox": box, "iscrowd": 0}
        rows.append(row | (whole if masks.scores is None else {"score": float(masks.scores[at])}))
    height, width = masks.shape
    image = {"id": 1, "file_name": "disks.png", "height": height, "width": width}
    truth = {"images": [image], "categories": [{"id": 1, "name": "disk"}], "annotations": rows}
    return json.dumps(truth if masks.scores is None else rows).encode()


# --- The scenes ------------------------------------------------------------------------------------------------------


def _disc(shape: tuple[int, int], row: float, column: float, radius: float) -> NDArray[np.bool_]:
    rows, columns = np.indices(shape)
    found: NDArray[np.bool_] = (rows - row) ** 2 + (columns - column) ** 2 < radius**2
    return found


def _nearest(free: NDArray[np.bool_], distance: Array, count: int) -> NDArray[np.bool_]:
    """Return the `count` free pixels with the least distances."""
    order = np.argsort(np.where(free, distance, np.inf), axis=None, kind="stable")[:count]
    chosen = np.zeros(free.size, bool)
    chosen[order] = True
    return chosen.reshape(free.shape)


@cache
def shape() -> Scene:
    """One object, and 240 spurious pixels at five places: IoU and Dice are the same for all."""
    true = _disc((64, 64), 32, 29, 17.5)
    rows, columns = np.indices(true.shape)
    middle = np.hypot(rows - 32, columns - 29)
    noise = np.random.default_rng(3).random(true.shape) + (middle < 20)
    places = {
        "rim": middle,
        "bump": np.hypot(rows - 32, columns - 52),
        "spike": abs(rows - 32.5) * 4 + abs(columns - 29) * 0.1,
        "island": np.hypot(rows - 56, columns - 56),
        "dust": noise,
    }
    preds = {name: (true | _nearest(~true, place, 240)).astype(np.int64) for name, place in places.items()}
    words = "Same IoU, five places: each prediction has 240 spurious pixels"
    return Scene("shape", words, true.astype(np.int64), preds, _drawn_labels, ".png", _png)


DISCS = ((15, 14, 10), (15, 40, 9), (14, 57, 8), (40, 14, 11), (38, 40, 10), (53, 47, 9), (55, 68, 9), (33, 68, 11))


def _painted(discs: Iterable[tuple[float, float, float]], shape: tuple[int, int] = (70, 84)) -> Array:
    labels = np.zeros(shape, np.int64)
    for at, disc in enumerate(discs, 1):
        labels[_disc(shape, *disc) & (labels == 0)] = at
    return labels


@cache
def nuclei() -> Scene:
    """Eight objects, two pairs of which touch; five kinds of errors."""
    true = _painted(DISCS)
    split, merged, missed, invented = true.copy(), true.copy(), true.copy(), true.copy()
    split[(true == 4) & (np.indices(true.shape)[1] < 14)] = 9
    merged[true == 6] = 5
    missed[true == 8] = 0
    invented[_disc(true.shape, 61, 24, 8)] = 9
    preds = {
        "outlines one pixel off": _painted((row, column, radius - 1.2) for row, column, radius in DISCS),
        "one missed": missed,
        "one invented": invented,
        "one split": split,
        "two merged": merged,
    }
    return Scene("nuclei", "Eight objects, one kind of error at a time", true, preds, _drawn_labels, ".png", _png)


@cache
def partition() -> Scene:
    """A plane without background, in twelve parts, as neurons, superpixels or a map of parcels."""
    seeds = np.random.default_rng(7).random((12, 2)) * (64, 80)
    rows, columns = np.indices((64, 80))
    distance = np.hypot(rows[..., None] - seeds[:, 0], columns[..., None] - seeds[:, 1])
    true = 1 + distance.argmin(-1).astype(np.int64)
    wave = 1 + np.hypot(rows[..., None] - seeds[:, 0] - 1.5, columns[..., None] - seeds[:, 1] + 1.5).argmin(-1)
    big = int(np.bincount(true.ravel()).argmax())
    near = np.argsort(np.hypot(*(seeds - seeds[big - 1]).T))
    split, merged, three = true.copy(), true.copy(), true.copy()
    split[(true == big) & (rows > seeds[big - 1, 0])] = 13
    merged[true == near[1] + 1] = big
    for other in near[1:4]:
        three[true == other + 1] = big
    preds = {
        "borders off by two": wave,
        "one split": split,
        "two merged": merged,
        "four merged": three,
        "all split": true + 20 * (columns > np.array([0, *seeds[:, 1]])[true]),
    }
    return Scene("partition", "Twelve parts and no background", true, preds, _drawn_map, ".png", _png)


@cache
def classes() -> Scene:
    """A class for every pixel: sky 1, road 2, house 3, car 4, sign 5."""
    rows, columns = np.indices((60, 90))
    true = np.where(rows < 34, 1, 2)
    true[(rows < 36) & (rows > 12) & (columns > 50) & (columns < 82)] = 3
    true[_disc(true.shape, 44, 26, 11) & (rows < 50)] = 4
    true[(rows > 14) & (rows < 42) & (columns > 40) & (columns < 44)] = 5
    true[_disc(true.shape, 14, 42, 5)] = 5
    moved = np.roll(true, (1, 2), (0, 1))
    moved[:, :2], moved[0] = true[:, :2], true[0]
    preds = {
        "edges two pixels off": moved,
        "sign missed": np.where(true == 5, np.where(rows < 34, 1, 2), true),
        "car called house": np.where(true == 4, 3, true),
        "half the car missed": np.where((true == 4) & (columns > 26), 2, true),
        "a band of road called sky": np.where((true == 2) & (rows < 38), 1, true),
    }
    return Scene(
        "classes", "Five classes, one error at a time", true, preds, _drawn_map, ".png", _png, ("--labels", "classes")
    )


@cache
def panoptic() -> Scene:
    """Sky and road with two cars and a person; the segments carry their classes."""
    rows, columns = np.indices((60, 90))
    kinds = {1: "sky", 2: "road", 3: "car", 4: "car", 5: "person", 6: "sign"}
    labels = np.where(rows < 30, 1, 2)
    for at, column in ((3, 18), (4, 50)):
        labels[(abs(rows - 38) < 9) & (abs(columns - column) < 12)] = at
    labels[(abs(rows - 36) < 14) & (abs(columns - 78) < 4)] = 5
    stray = labels.copy()
    stray[(rows > 5) & (rows < 14) & (columns > 60) & (columns < 72)] = 6
    sides = {
        "horizon too low": np.where((labels == 2) & (rows < 38), 1, labels),
        "a stray sign": stray,
        "person missed": np.where(labels == 5, np.where(rows < 30, 1, 2), labels),
        "cars joined": np.where((labels == 4) | ((abs(rows - 40) < 4) & (columns > 20) & (columns < 45)), 3, labels),
        "a car called person": labels,
    }
    named = {name: sm.LabelArray(side, classes=kinds_of(side, kinds)) for name, side in sides.items()}
    named["a car called person"] = sm.LabelArray(labels, classes=kinds_of(labels, kinds | {4: "person"}))
    true = sm.LabelArray(labels, classes=kinds_of(labels, kinds))
    return Scene("panoptic", "A street with stuff and things", true, named, _drawn_map, "", _npy)


def kinds_of(labels: Array, kinds: Mapping[int, str]) -> dict[int, str]:
    """Return the classes of the labels that occur."""
    return {label: kinds[label] for label in np.unique(labels).tolist()}


@cache
def line() -> Scene:
    """A text of 48 sentences in four sections, or any other line."""
    of = sm.Spans.from_masses
    preds = {
        "one boundary off by one": of([11, 13, 8, 16]),
        "one boundary off by five": of([15, 9, 8, 16]),
        "one missed": of([24, 8, 16]),
        "one invented": of([10, 7, 7, 8, 16]),
        "all off by one": of([11, 14, 8, 15]),
    }
    words = "Four sections of 48 sentences, one kind of error at a time"
    return Scene("line", words, of([10, 14, 8, 16]), preds, _drawn_lines, ".json", _masses)


def _spans(rows: Sequence[tuple[int, int, str]], n: int) -> sm.Spans:
    return sm.Spans.from_spans([row[:2] for row in rows], n, classes=[row[2] for row in rows])


def _with(rows: Sequence[tuple[int, int, str]], at: int, *new: tuple[int, int, str]) -> sm.Spans:
    return _spans([*rows[:at], *new, *rows[at + 1 :]], ENDS[rows[0][2]])


SPEECH = [(0, 14, "ann"), (16, 31, "ben"), (33, 41, "ann"), (44, 60, "cleo")]
SONG = [(0, 12, "A"), (12, 30, "B"), (30, 44, "A"), (44, 60, "C")]
NAMES = [(2, 5, "PER"), (9, 13, "ORG"), (17, 19, "LOC"), (22, 25, "PER")]
ENDS = {"ann": 60, "A": 60, "PER": 28}


@cache
def speech() -> Scene:
    """A minute of three speakers."""
    exchanged = {"ann": "ben", "ben": "ann", "cleo": "cleo"}
    preds = {
        "two turns a second late": _spans([(0, 14, "ann"), (17, 32, "ben"), (34, 42, "ann"), (44, 60, "cleo")], 60),
        "one turn missed": _with(SPEECH, 2),
        "one turn invented": _with(SPEECH, 0, (0, 14, "ann"), (14, 16, "cleo")),
        "one turn of another speaker": _with(SPEECH, 2, (33, 41, "cleo")),
        "names exchanged": _spans([(*ends, exchanged[name]) for *ends, name in SPEECH], 60),  # type: ignore[misc]
    }
    return Scene("speech", "A minute of three speakers", _spans(SPEECH, 60), preds, _drawn_lines, ".rttm", _rttm)


@cache
def song() -> Scene:
    """A minute of music in four sections of three kinds."""
    names = {"A": "B", "B": "A", "C": "C"}
    preds = {
        "a boundary one second late": _spans([(0, 12, "A"), (12, 31, "B"), (31, 44, "A"), (44, 60, "C")], 60),
        "a boundary five seconds late": _spans([(0, 12, "A"), (12, 35, "B"), (35, 44, "A"), (44, 60, "C")], 60),
        "two sections joined": _spans([(0, 30, "A"), (30, 44, "A"), (44, 60, "C")], 60),
        "one section cut in two": _with(SONG, 1, (12, 21, "B"), (21, 30, "C")),
        "names exchanged": _spans([(*ends, names[name]) for *ends, name in SONG], 60),  # type: ignore[misc]
    }
    return Scene("song", "A minute of music in four sections", _spans(SONG, 60), preds, _drawn_lines, ".lab", _lab)


@cache
def entities() -> Scene:
    """A sentence with four names."""
    preds = {
        "wrong type": _with(NAMES, 1, (9, 13, "PER")),
        "wrong edge": _with(NAMES, 1, (9, 12, "ORG")),
        "one missed": _with(NAMES, 2),
        "one invented": _with(NAMES, 0, NAMES[0], (6, 8, "LOC")),
        "one cut in two": _with(NAMES, 1, (9, 11, "ORG"), (11, 13, "ORG")),
    }
    return Scene("entities", "A sentence with four names", _spans(NAMES, 28), preds, _drawn_lines, ".conll", _conll)


OBJECTS = ((30, 30, 12), (34, 92, 26), (120, 120, 70), (30, 150, 10), (150, 28, 20))


def _masks(discs: Sequence[tuple[float, float, float]], scores: Sequence[float] | None = None) -> sm.Masks:
    stack = np.stack([_disc((200, 200), *disc) for disc in discs])
    return sm.Masks.from_dense(stack, **({} if scores is None else {"scores": list(scores)}))


@cache
def detections() -> Scene:
    """Five objects of all sizes, and predictions with confidences."""
    sure = (0.9, 0.8, 0.95, 0.6, 0.7)
    extra = (175, 180, 14)
    loose = [(row, column, radius * 1.16) for row, column, radius in OBJECTS]
    preds = {
        "loose outlines": _masks(loose, sure),
        "one missed": _masks(OBJECTS[1:], sure[1:]),
        "one invented, unsure": _masks((*OBJECTS, extra), (*sure, 0.3)),
        "one invented, sure": _masks((*OBJECTS, extra), (*sure, 0.99)),
        "one found twice": _masks((*OBJECTS, (34, 94, 24)), (*sure, 0.75)),
    }
    return Scene("detections", "Five objects with confidences", _masks(OBJECTS), preds, _drawn_masks, ".json", _coco)


def _film(discs: Callable[[int], Sequence[tuple[float, float, float]]], ids: Callable[[int], Sequence[int]]) -> Any:
    frames = np.zeros((8, 36, 60), np.int64)
    for at in range(8):
        for number, disc in zip(ids(at), discs(at), strict=True):
            frames[at][_disc((36, 60), *disc) & (frames[at] == 0)] = number
    return sm.LabelArray(frames)


def _moving(at: int, wide: float = 8) -> list[tuple[float, float, float]]:
    return [(11.0, 12 + 3.0 * at, wide), (26.0, 48 - 3.0 * at, wide)]


@cache
def video() -> Scene:
    """Eight frames with two objects that pass each other."""

    def seen(at: int) -> int:
        return 1 if 2 < at < 6 else 2

    preds = {
        "outlines one pixel off": _film(lambda at: _moving(at, 6.8), lambda _: (1, 2)),
        "identities exchanged": _film(_moving, lambda at: (1, 2) if at < 4 else (2, 1)),
        "lost for three frames": _film(lambda at: _moving(at)[: seen(at)], lambda at: (1, 2)[: seen(at)]),
        "one lost for good": _film(lambda at: _moving(at)[:1], lambda _: (1,)),
        "one invented": _film(lambda at: [*_moving(at), (6.0, 54.0, 5.0)], lambda _: (1, 2, 3)),
    }
    true = _film(_moving, lambda _: (1, 2))
    return Scene("video", "Two objects over eight frames", true, preds, _drawn_video, ".npy", _npy)


CANDIDATES: Mapping[str, tuple[Callable[[], Scene], ...]] = {
    "panoptic": (nuclei, line, panoptic),
    "alignments": (nuclei, partition),
    "curves": (nuclei,),
    "instances": (nuclei, partition),
    "detection": (detections,),
    "semantic": (classes, shape, panoptic),
    "regions": (partition, nuclei),
    "graph": (nuclei, partition),
    "clustering": (partition, nuclei),
    "geometry": (shape, nuclei, partition, classes),
    "lesions": (nuclei, shape),
    "windows": (line,),
    "boundaries": (line,),
    "time": (speech, song, line),
    "labelled": (entities, speech),
    "video": (video, classes, nuclei),
}
"""The scenes that fit a family of metrics, the best first."""
SPEAKERS = ("der", "jer", "event_based_f1", "event_based_error_rate", "segment_based_f1", "segment_based_error_rate")
REQUIRED: Mapping[str, Any] = {"weight": "dice", "tolerance": 2, "width": 3}
"""Values for the options without a default."""
STUFF = ("sky", "road")


def options_of(metric: Any) -> dict[str, Any]:
    """Return the options with which the pages compute a metric."""
    stuff = {"stuff": STUFF} if "stuff" in metric.options else {}
    return {name: REQUIRED[name] for name in metric.required_options} | stuff


def homes_of(metric: Any) -> tuple[Callable[[], Scene], ...]:
    """Return the scenes that fit a metric, the best first."""
    if metric.family == "time" and metric.key not in SPEAKERS:
        return (song, line)
    return CANDIDATES.get(metric.family, ())


@dataclass(frozen=True)
class Seen:
    """What a metric says of the predictions of a scene."""

    scene: Scene
    options: Mapping[str, Any]
    scores: Mapping[str, Any]

    @property
    def values(self) -> list[float]:
        """The defined values."""
        return [score.value for score in self.scores.values() if score.is_defined]


def seen_by(metric: Any) -> Seen | None:
    """Return the scene of a metric with its values: the first on which it tells two predictions apart."""
    return _seen_by(metric.key)


@cache
def _seen_by(key: str) -> Seen | None:
    metric = METRICS[key]
    options = options_of(metric)
    best: Seen | None = None
    for make in homes_of(metric):
        scene = make()
        try:
            scores = {name: metric(scene.true, pred, **options) for name, pred in scene.preds.items()}
        except sm.SegmetryError:
            continue
        found = Seen(scene, options, scores)
        if not all(hasattr(score, "is_defined") for score in scores.values()):
            continue
        if len({round(value, 9) for value in found.values}) > 1 and len(found.values) > 2:
            return found
        if best is None or not best.values or len(set(found.values)) > len(set(best.values)):
            best = found
    return best


SCENES = (shape, nuclei, partition, classes, line, speech, song, entities, detections, video, panoptic)


def write_scenes(folder: Path) -> None:
    """Write the files and pictures of all scenes."""
    for make in SCENES:
        make().save(folder)
