"""The front page: a wall of real errors, a card for each field with a picture, and figures that are counted.

Every picture is drawn from the files of the demo and their errors, every number is computed or measured.
"""

from __future__ import annotations

import gzip
import json
import struct
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from _questions import demo_folder
from _scenes import entities, line, speech
from _tries import HERE
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

import segmetry as sm
from segmetry.metrics.declare import METRICS
from segmetry.protocols.protocol import PROTOCOLS

Array = NDArray[Any]
WHITE, BLUE, DARK = (255, 255, 255), (86, 180, 233), (16, 18, 22)
FILL = {
    "missed": (240, 122, 42),
    "spurious": (233, 178, 58),
    "merge": (124, 200, 242),
    "split": (59, 151, 216),
    "class": (183, 155, 224),
    "boundary": (47, 196, 154),
}
WORDS = {"class": "wrong", "split": "split", "merge": "merged", "missed": "missed", "spurious": "spurious"}
TILES = 24
THINGS = {"person", "car", "sign", "tree"}


class Card(NamedTuple):
    """A field: its picture, what is printed for it, and its protocol."""

    name: str
    words: str
    protocol: str
    page: str


CARDS = (
    Card("Street scenes", "PQ, mIoU and AP as COCO and Cityscapes print them", "coco-panoptic", "tutorials/coco"),
    Card("Cells and nuclei", "F1 over IoU, splits and merges", "stardist", "tutorials/cells"),
    Card("Medical volumes", "Dice, HD95, NSD, lesions, in mm", "nnunet", "tutorials/nnunet"),
    Card("Neurons", "VOI, ARAND, run length, on zarr of any size", "cremi", "tutorials/neurons"),
    Card("Video and LiDAR", "J&F, HOTA, STQ, VPQ over time", "davis", "tutorials/video"),
    Card("Text, pages, names", "Pk, WindowDiff, boundary F1, entities", "text", "tutorials/text"),
    Card("Speech, sound, music", "DER, JER, events, structure", "diarization", "tutorials/sound"),
    Card("Maps", "F1 of buildings, GeoJSON and GeoPackage", "spacenet", "tutorials/maps"),
)


def write_landing(folder: Path, run: sm.Run) -> str:
    """Write the pictures of the front page into a folder, and return its HTML."""
    folder.mkdir(parents=True, exist_ok=True)
    demo = Path(demo_folder().name) / "demo"
    errors = run.errors()
    captions = [(_tile(error, demo, folder / f"tile{at}.jpg"), error) for at, error in enumerate(_chosen(errors))]
    wall = "".join(
        f'<figure><img src="landing/tile{at}.jpg" alt="{escape(words)}" width="104" height="104">'
        f"<figcaption><b>−{error.cost:.2f}</b>{escape(words)}</figcaption></figure>"
        for at, (words, error) in enumerate(captions)
    )
    worst = max(("missed", "spurious", "merge", "split", "class"), key=lambda kind: _cost(errors, kind))
    say = (
        f"{len(errors.listed)} errors of one system on {len(run.items())} street scenes. "
        f"<b>{WORDS[worst].capitalize()}</b> ones cost most: {_cost(errors, worst):.1f} points."
    )
    _field_pictures(folder, demo)
    _social_card(folder, [folder / f"tile{at}.jpg" for at in range(12)])
    cards = "".join(
        f'<a class="field" href="{card.page}.html"><img src="landing/field{at}.png" alt="" loading="lazy">'
        f"<b>{card.name}</b><span>{card.words}</span><code>--protocol {card.protocol}</code></a>"
        for at, card in enumerate(CARDS)
    )
    figures = "".join(f"<div><b>{number}</b><span>{words}</span></div>" for number, words in facts())
    return f"""<div class="landing">
<div class="hero"><div><h1>How good is it?<br>Where does it fail?<br>Can you trust it?</h1>
<p class="lead">segmetry scores segmentations of anything, from street scenes to CT scans, nuclei, neurons, speech and
text: the numbers your field publishes, every error with what it costs, and an honest interval. One file, offline.</p>
<div class="highlight term"><pre><span class="gp">$ </span>pip install segmetry
<span class="gp">$ </span>segmetry demo</pre></div>
<p class="cta"><a href="demo/report.html">Open the report of the demo →</a>
<a href="which-metric.html">Which metric?</a> <a href="quickstart.html">Quick start</a></p></div>
<a class="wall" href="demo/report.html#view=errors"><p>{say}</p><div>{wall}</div></a></div>
<h2 id="fields">Your field, its own table</h2>
<p class="sub">{len(PROTOCOLS)} protocols print what the reference program of the field prints, and say where they
differ. <a href="gallery.html">All of them, with an example each</a>.</p>
<div class="fields">{cards}</div>
<div class="facts">{figures}</div>
<h2>Five numbers called AP</h2>
<p class="sub">One pair of segmentations, five published programs, five values under one name.
<a href="five-aps.html">See which is which</a>, and <a href="decisions.html">errata and decisions</a> for the misprints
and silences of papers, each with its smallest example.</p>
{five_aps("")}
</div>"""


def _cost(errors: Any, kind: str) -> float:
    return float(sum(error.cost for error in errors.listed if error.kind == kind))


def _chosen(errors: Any) -> list[Any]:
    """Return errors of things for the wall: the costliest of each kind in turn, small enough to be seen in a tile."""
    by_kind = [
        [
            error
            for error in errors.listed
            if error.kind == kind and 60 < error.size < 4000 and {error.true_class, error.pred_class} & THINGS
        ]
        for kind in ("missed", "merge", "spurious", "split", "class")
    ]
    chosen: list[Any] = []
    for at in range(TILES):
        members = by_kind[at % len(by_kind)]
        if members:
            chosen.append(members.pop(0))
    return chosen


def _ids(path: Path) -> Array:
    pixels = np.asarray(Image.open(path).convert("RGB")).astype(np.int64)
    ids: Array = pixels[..., 0] + 256 * pixels[..., 1] + 65536 * pixels[..., 2]
    return ids


def _tile(error: Any, demo: Path, out: Path) -> str:
    """Draw one error: grey photograph, white outline of the truth, blue one of the prediction, its kind as fill."""
    true, pred = (_ids(demo / side / f"{error.item}.png") for side in ("truth", "fern"))
    photo = np.asarray(Image.open(demo / "images" / f"{error.item}.jpg").convert("L"))
    t, p = np.isin(true, error.true_ids), np.isin(pred, error.pred_ids)
    rows, columns = np.nonzero(t | p)
    side = min(max(36, 1.55 * max(np.ptp(rows) + 1, np.ptp(columns) + 1)), *photo.shape)
    corner = [
        int(np.clip((axis.min() + axis.max()) / 2 - side / 2, 0, size - side))
        for axis, size in zip((rows, columns), photo.shape, strict=True)
    ]
    cut = tuple(slice(start, start + int(side)) for start in corner)
    picture = shown(photo[cut], [t[cut].astype(int), p[cut].astype(int)], 208, fill=error.kind)
    Image.fromarray(picture).save(out, quality=72)
    name = error.pred_class if error.kind == "spurious" else error.true_class
    return f"{WORDS[error.kind]} {name}"


def shown(photo: Array, sides: Sequence[Array], width: int, *, fill: str | None = None) -> Array:
    """Return a grey picture with the outlines and the errors of two label images, enlarged to a width."""
    zoom = max(1, round(width / photo.shape[1]))
    low, high = np.percentile(photo, (2, 98))
    grey = np.clip((photo - low) / max(high - low, 1) * 235 + 10, 0, 255)
    size = (photo.shape[1] * zoom, photo.shape[0] * zoom)
    big = np.asarray(Image.fromarray(grey.astype(np.uint8)).resize(size, Image.Resampling.BICUBIC)).astype(float)
    out = np.repeat(big[..., None], 3, 2)
    t, p = (np.kron(labels, np.ones((zoom, zoom), np.int64)) for labels in sides)
    rows, columns = np.indices(t.shape)
    hatched = (rows + columns) // (3 * zoom // 2 + 2) % 2 == 0
    layers: tuple[tuple[Array, tuple[int, int, int], bool], ...]
    if fill is None:
        layers = (((t > 0) & (p == 0), FILL["missed"], False), ((p > 0) & (t == 0), FILL["spurious"], True))
    else:
        layers = (((t > 0) | (p > 0), FILL[fill], fill == "spurious"),)
    for where, colour, hatch in layers:
        where = where & hatched if hatch else where
        out[where] = 0.4 * out[where] + 0.6 * np.array(colour)
    for labels, colour in ((p, BLUE), (t, WHITE)):
        edge = np.zeros(labels.shape, bool)
        for axis in (0, 1):
            for step in range(1, max(2, zoom)):
                edge |= (labels != np.roll(labels, step, axis)) & ((labels > 0) | (np.roll(labels, step, axis) > 0))
        edge[:zoom], edge[:, :zoom] = False, False
        out[edge] = colour
    return out.astype(np.uint8)


# --- The cards of the fields -----------------------------------------------------------------------------------------


def _nifti(path: Path) -> Array:
    """Return the voxels of a small NIfTI file, whose header is 352 bytes."""
    data = gzip.decompress(path.read_bytes())
    sizes = struct.unpack_from("<8h", data, 40)
    kind = {2: "u1", 4: "<i2", 16: "<f4", 512: "<u2"}[struct.unpack_from("<h", data, 70)[0]]
    start = int(struct.unpack_from("<f", data, 108)[0])
    shape = sizes[1 : 1 + sizes[0]]
    return np.frombuffer(data, kind, int(np.prod(shape)), start).reshape(shape, order="F")


def _field_pictures(folder: Path, demo: Path) -> None:
    true, pred = (_ids(demo / side / "street_04.png") for side in ("truth", "fern"))
    photo = np.asarray(Image.open(demo / "images" / "street_04.jpg").convert("L"))
    things = _things(demo / "truth.json", "street_04"), _things(demo / "fern.json", "street_04")
    street = [np.where(np.isin(side, ids), side, 0) for side, ids in zip((true, pred), things, strict=True)]
    pictures = [shown(photo, street, 640)]
    cell = [np.asarray(Image.open(demo / "cells" / side / "nuclei_03.png")).astype(int) for side in ("truth", "fern")]
    pictures.append(shown(np.asarray(Image.open(demo / "cells" / "images" / "nuclei_03.jpg").convert("L")), cell, 640))
    scan, *volume = (_nifti(demo / "volume" / f"{name}.nii.gz") for name in ("scan", "truth", "fern"))
    at = int((volume[0] != volume[1]).sum((0, 1)).argmax())
    pictures.append(shown(np.rot90(scan[..., at]), [np.rot90(side[..., at]).astype(int) for side in volume], 640))
    with np.load(demo / "neurons" / "truth.npz") as one, np.load(demo / "neurons" / "fern.npz") as two:
        first, second = (side[side.files[0]].astype(int) for side in (one, two))
    membrane = np.where(_edges(first[0]), 60, 185) + np.random.default_rng(1).normal(0, 22, first[0].shape)
    pictures.append(shown(membrane, _disagreeing(first[0], second[0]), 640))
    clips = [path.relative_to(demo / "video/truth") for path in sorted((demo / "video/truth").rglob("*.png"))]
    sides = [
        [np.asarray(Image.open(demo / "video" / side / clip)).astype(int) for side in ("truth", "fern")]
        for clip in clips
    ]
    frames = max(sides, key=lambda pair: int((pair[0] != pair[1]).sum()))
    haze = np.linspace(120, 60, frames[0].shape[0])[:, None] + np.random.default_rng(2).normal(0, 8, frames[0].shape)
    pictures.append(shown(haze, frames, 640))
    for at, pixels in enumerate(pictures):
        Image.fromarray(_fitted(pixels)).save(folder / f"field{at}.png")
    _bars(folder / "field5.png", (line(), entities()))
    _bars(folder / "field6.png", (speech(),))
    _buildings(folder / "field7.png", demo / "buildings")


def _things(path: Path, image: str) -> list[int]:
    """Return the ids of the objects of an image, without the stuff around them."""
    truth, content = (json.loads(file.read_text("utf-8")) for file in (path.parent / "truth.json", path))
    kinds = {row["id"]: row.get("isthing") for row in truth["categories"]}
    names = {row["id"]: Path(row["file_name"]).stem for row in truth["images"]}
    rows = next(row for row in content["annotations"] if names[row["image_id"]] == image)["segments_info"]
    return [row["id"] for row in rows if kinds[row["category_id"]]]


def _edges(labels: Array) -> Array:
    found: Array = (labels != np.roll(labels, 1, 0)) | (labels != np.roll(labels, 1, 1))
    return found


def _disagreeing(true: Array, pred: Array) -> tuple[Array, Array]:
    """Return only the true segments that the prediction joins or cuts, to be filled as errors, and all outlines."""
    table = sm.overlap(sm.LabelArray(true), sm.LabelArray(pred)).align("iou(at_least=3/4)")
    found = [pair.pred_id for pair in table.pairs()]
    return true, np.where(np.isin(pred, found), pred, 0)


def _fitted(pixels: Array) -> Array:
    """Cut a picture to 16:10 around its middle."""
    image = Image.fromarray(pixels)
    width, height = image.size
    wide, high = min(width, round(height * 1.6)), min(height, round(width / 1.6))
    left, top = (width - wide) // 2, (height - high) // 2
    return np.asarray(image.crop((left, top, left + wide, top + high)).resize((480, 300), Image.Resampling.LANCZOS))


def _canvas() -> tuple[Image.Image, ImageDraw.ImageDraw]:
    image = Image.new("RGB", (480, 300), (27, 29, 34))
    return image, ImageDraw.Draw(image)


def _bars(path: Path, scenes: Sequence[Any]) -> None:
    """Draw true and predicted spans of lines as bars; boundaries that are wrong are orange."""
    image, draw = _canvas()
    colours = ((43, 158, 219), (0, 158, 115), (204, 70, 130), (110, 120, 220))
    rows = [(scene.true, scene.preds[list(scene.preds)[0 if len(scenes) > 1 else 3]]) for scene in scenes]
    high = 300 / len(rows)
    for at, (true, pred) in enumerate(rows):
        names = sorted({*(true.classes or {}).values(), *(pred.classes or {}).values()})
        for row, spans in enumerate((true, pred)):
            y = at * high + high / 2 + (-1 if row == 0 else 0) * 50 + (0 if row == 0 else 6)
            for place, (start, stop) in enumerate(zip(spans.starts.tolist(), spans.stops.tolist(), strict=True)):
                kind = names.index(spans.classes[place + 1]) if spans.classes else place % 2
                x = [30 + 420 * edge / spans.n for edge in (start, stop)]
                draw.rounded_rectangle((x[0] + 2, y, x[1] - 2, y + 40), 6, colours[kind % len(colours)])
        for edge in sorted(
            {*pred.stops.tolist(), *pred.starts.tolist()} - {*true.stops.tolist(), *true.starts.tolist()}
        ):
            x0 = 30 + 420 * edge / pred.n
            draw.line((x0, at * high + high / 2 - 2, x0, at * high + high / 2 + 54), FILL["missed"], 5)
    image.save(path)


def _buildings(path: Path, folder: Path) -> None:
    image, draw = _canvas()
    sides = [json.loads((folder / f"{name}.geojson").read_text())["features"] for name in ("truth", "fern")]
    rings = [[np.array(one["geometry"]["coordinates"][0], float) for one in side] for side in sides]
    low = np.min([ring.min(0) for ring in rings[0]], 0)
    span = (np.max([ring.max(0) for ring in rings[0]], 0) - low) * (0.5, 0.5)
    for side, colour, wide in ((rings[0], WHITE, 4), (rings[1], BLUE, 3)):
        for ring in side:
            points = [(30 + 420 * x, 280 - 260 * y) for x, y in ((ring - low) / span).tolist()]
            if colour == WHITE:
                draw.polygon(points, (110, 112, 118))
            draw.line(points, colour, wide)
    image.save(path)


def _social_card(folder: Path, tiles: Iterable[Path]) -> None:
    """Draw what is shown where somebody links to the site: 1200 × 630."""
    image = Image.new("RGB", (1200, 630), DARK)
    draw = ImageDraw.Draw(image)
    draw.text((60, 70), "segmetry", WHITE, ImageFont.load_default(64))
    for at, words in enumerate(("How good is it?", "Where does it fail?", "Can you trust it?")):
        draw.text((60, 190 + 62 * at), words, (200, 204, 212), ImageFont.load_default(44))
    words = f"{len(METRICS)} metrics, {len(PROTOCOLS)} protocols tested against their references"
    draw.text((60, 560), words, (150, 156, 168), ImageFont.load_default(26))
    for at, path in enumerate(tiles):
        tile = Image.open(path).resize((172, 172))
        image.paste(tile, (610 + at % 3 * 186, 60 + at // 3 * 186))
    draw.rectangle((600, 618, 1200, 630), DARK)
    image.save(folder / "card.png")


# --- Figures and the five numbers ------------------------------------------------------------------------------------


def facts() -> list[tuple[str, str]]:
    """Return the figures of the front page with what they count."""
    rows = json.loads((HERE / "measured" / "bench.json").read_text("utf-8"))["rows"]
    ratio = next(row["ratio"] for row in rows if row["case"] == SPEED)
    return [
        (f"{len(PROTOCOLS)}", "protocols, each tested against its reference program or a transcription of it"),
        (f"{len(METRICS)}", "metrics, each with a page of its own"),
        (f"{ratio:.0f} ×", "the speed of the COCO reference code, from files to PQ"),
        ("1 file", "a report that opens without a network, today and in ten years"),
    ]


SPEED = "png.coco"


def five_values() -> list[tuple[str, str, str, float]]:
    """Return the numbers that five programs call AP: who, what it is, the key, and its value on one image."""
    true, pred = _cells()
    scored = sm.Masks.from_dense(
        np.stack([pred == label for label in np.unique(pred[pred > 0])]),
        scores=[0.9, 0.8, 0.95, 0.6, 0.7, 0.85, 0.5, 0.75, 0.65],
    )
    truth = sm.Masks.from_dense(np.stack([true == label for label in np.unique(true[true > 0])]))
    accuracy = sm.segment_accuracy(true, pred, at=0.5).value
    return [
        ("COCO", "area under precision over recall, mean over ten IoUs", "average_precision", _ap(truth, scored)),
        ("VOC, and COCO's AP50", "the same at IoU 0.5 alone", "ap50", sm.ap50(truth, scored).value),
        ("StarDist, Cellpose", "TP ÷ (TP + FP + FN) at IoU 0.5, without ranking", "segment_accuracy", accuracy),
        ("Data Science Bowl 2018", "the mean of that over ten IoUs", "segment_accuracy", _dsb(true, pred)),
        ("sortedAP", "the area under that over all IoUs", "sorted_ap", sm.sorted_ap(true, pred).value),
    ]


def _ap(true: sm.Masks, pred: sm.Masks) -> float:
    return sm.average_precision(true, pred).value


def _dsb(true: Array, pred: Array) -> float:
    return sm.score(true, pred, protocol="dsb2018").table["score"] or 0.0


def _cells() -> tuple[Array, Array]:
    """Return the nuclei with three kinds of errors at once."""
    from _scenes import nuclei

    scene = nuclei()
    true = np.asarray(scene.true)
    pred = np.asarray(scene.preds["outlines one pixel off"]).copy()
    pred[pred == 8] = 0
    extra = np.asarray(scene.preds["one invented"])
    pred[(extra == 9) & (pred == 0)] = 9
    pred[np.asarray(scene.preds["one split"]) == 9] = 10
    return true, pred


def five_aps(root: str) -> str:
    """Return the five numbers with the picture that they are about."""
    from _scenes import _drawn_labels

    true, pred = _cells()
    (HERE / "_extra" / "scenes" / "five.svg").write_text(_drawn_labels(true, pred), encoding="utf-8")
    shown_values = "".join(
        f'<a href="{root}metrics/{key}.html"><b>{value:.3f}</b><i>{who}</i><span>{words}</span></a>'
        for who, words, key, value in five_values()
    )
    return (
        f'<div class="five"><img src="{root}scenes/five.svg" alt="eight nuclei: one missed, one invented, one split, '
        f'outlines one pixel off"><div>{shown_values}</div></div>'
    )
