"""COCO instances and LVIS: masks that may overlap, with classes, crowds, areas and boxes, and results with scores.

Annotations list their images, so an image without masks is an item; items are in the order of the ids of the images, as
in the reference. LVIS looks for some classes only in each image, and its categories are rare, common or frequent.

Results list predictions only: an image that is not named has none. Results with boxes alone or with polygons do not
state the size of their images; it is that of the truth, and the masks are the boxes or polygons, drawn.

YouTube-VIS: tubes of objects as JSON, ``segmentations`` with one run-length encoding or null for each frame.

A video is one image of its frames side by side: run lengths go down the columns, so a tube is one mask, and the IoU of
two tubes is Σ |∩| / Σ |∪| over the frames. Results list predicted tubes with scores.

Parts shared by the JSON files of the COCO family: recognition, categories, images, numbers, masks.

Polygons are rasterized by pycocotools, as published numbers depend on its raster; their perimeter is checked against a
bound first, because it determines how much memory that takes.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np

from segmetry._base import (
    IntArray,
    field,
    flag_field,
    id_field,
    import_optional,
    integer_field,
    list_field,
    translate_errors,
)
from segmetry.errors import DataWarning, FormatError, SegmetryError
from segmetry.kernels import (
    HAS_MASK,
    RunLengthMasks,
    boxes_of_run_lengths,
    decode_coco_counts,
    decode_coco_masks,
    run_lengths_from_counts,
    run_lengths_of_boxes,
)
from segmetry.readers.formats.data_sets.coco_scanned import (
    ScannedItem,
    file_of,
    is_plain_result,
    is_plain_truth,
    listed_objects,
    scan,
)
from segmetry.readers.items import Item, check_name, within
from segmetry.readers.parts.file_head import json_start
from segmetry.readers.parts.text_file import load_json
from segmetry.readers.reader import ReadOptions, reads
from segmetry.segmentation import DetectionFacts, Masks

_FIRST_KEYS = (b'"info"', b'"images"', b'"annotations"', b'"categories"', b'"licenses"', b'"type"')


def is_coco_object(head: bytes) -> bool:
    """Return whether a file starts with a JSON object whose first key is one of COCO's."""
    start = json_start(head)
    return start.startswith(b"{") and start[1:].lstrip().startswith(_FIRST_KEYS)


_PIECE = 2**22


def mentions(path: Path, word: bytes) -> bool:
    """Return whether a file contains a word; the file is searched in pieces."""
    if not path.is_file():
        return False
    facts = path.stat()
    return bool(facts.st_size) and _contains(path, word, (facts.st_ino, facts.st_size, facts.st_mtime_ns))


@lru_cache(maxsize=64)
def _contains(path: Path, word: bytes, _version: tuple[int, ...]) -> bool:
    """Search once for all formats that ask for the same word; ``_version`` changes with the file."""
    end = b""
    with path.open("rb", buffering=0) as file:
        while piece := file.read(_PIECE):
            if word in piece or word in end + piece[: len(word)]:
                return True
            end = (end + piece[-len(word) :])[-len(word) :]
    return False


def categories_of(data: Any, where: str) -> dict[int, bool | None]:
    """Return for every category id whether it is a thing (None where the file does not say)."""
    is_thing: dict[int, bool | None] = {}
    for at, category in enumerate(list_field(data, "categories", where)):
        place = f"{where}: categories[{at}]"
        number = integer_field(category, "id", place)
        if number in is_thing:
            raise FormatError(f"{place}: the id {number} occurs twice")
        is_thing[number] = flag_field(category, "isthing", place) if "isthing" in category else None
    return is_thing


def class_names_of(data: Any, where: str) -> dict[Hashable, str]:
    """Return the names of the categories that have one, by id."""
    names: dict[Hashable, str] = {}
    for at, category in enumerate(list_field(data, "categories", where)):
        if "name" in category:
            name = category["name"]
            if not isinstance(name, str):
                raise FormatError(f"{where}: categories[{at}]: name is {str(name)[:40]!a}; expected text")
            check_name(name, f"{where}: the name of categories[{at}]")
            names[category["id"]] = name
    return names


def groups_of(categories: dict[int, bool | None]) -> dict[str, frozenset[Hashable]] | None:
    """Return the groups of things and stuff if every category says which it is, else None."""
    if not categories or None in categories.values():
        return None
    return {
        "things": frozenset(name for name, thing in categories.items() if thing),
        "stuff": frozenset(name for name, thing in categories.items() if not thing),
    }


def crowd_ids(annotations: Sequence[Any], places: Sequence[str]) -> list[int]:
    """Return the ids of the annotations that are a crowd."""
    pairs = zip(annotations, places, strict=True)
    return [annotation["id"] for annotation, place in pairs if flag_field(annotation, "iscrowd", place, default=0)]


def sizes_of(
    data: Any, where: str, listed: str = "images", names: Sequence[str] = ("height", "width")
) -> dict[int | str, tuple[int, ...]]:
    """Return height and width of every image, by id; or the lengths that videos state."""
    sizes: dict[int | str, tuple[int, ...]] = {}
    for at, entry in enumerate(list_field(data, listed, where)):
        place = f"{where}: {listed}[{at}]"
        number = id_field(entry, "id", place)
        if number in sizes:
            raise FormatError(f"{place}: the id {number!r} occurs twice")
        sizes[number] = tuple(integer_field(entry, name, place, least=1) for name in names)
    return sizes


def annotations_by(
    data: Any, where: str, key: str, owners: Iterable[int | str], categories: Mapping[int, Any]
) -> dict[int | str, list[Any]]:
    """Return the annotations of every image or video, which ``key`` names; each has an id and a category of its own."""
    by_owner: dict[int | str, list[Any]] = {owner: [] for owner in owners}
    seen: set[int] = set()
    for at, annotation in enumerate(list_field(data, "annotations", where)):
        number = integer_field(annotation, "id", f"{where}: annotations[{at}]")
        place = f"{where}: annotation {number}"
        if number in seen:
            raise FormatError(f"{place} is listed twice")
        seen.add(number)
        owner = id_field(annotation, key, place)
        if owner not in by_owner:
            kind = key.removesuffix("_id")
            raise FormatError(f"{place}: {key} is {str(owner)[:40]!a}, which is not among the {kind}s of the file")
        if integer_field(annotation, "category_id", place) not in categories:
            raise FormatError(f"{place}: category_id is {annotation['category_id']}, not among the categories")
        by_owner[owner].append(annotation)
    return by_owner


Results = Sequence[tuple[int, Any]]
"""The results of one image or video with their positions in the file."""


def results_by(data: Any, where: str, key: str) -> Mapping[int | str, Results]:
    """Return the results of every image or video, which ``key`` names."""
    if not isinstance(data, list):
        raise FormatError(f"{where}: not a list; expected a list of results")
    by_owner: dict[int | str, list[tuple[int, Any]]] = {}
    for at, result in enumerate(data):
        owner = result.get(key) if type(result) is dict else None
        if type(owner) is not int and type(owner) is not str:  # asked here, as there are millions of results
            owner = id_field(result, key, f"{where}: result {at}")
        by_owner.setdefault(owner, []).append((at, result))
    return by_owner


def number_of(value: Any, name: str, place: str, *, least: float = -math.inf) -> float:
    """Return a finite number."""
    try:
        number = float(value) if type(value) in (int, float) else None
    except OverflowError:  # JSON has integers that are too large for a float
        number = math.inf
    if number is None or not least <= number < math.inf:
        expected = "a number" if number is None or least == -math.inf else f"a number of at least {least:g}"
        raise FormatError(f"{place}: {name} is {str(value)[:40]!a}; expected {expected}")
    return number


def box_of(value: Any, place: str) -> list[float]:
    """Return x, y, width and height of a box."""
    if not isinstance(value, list) or len(value) != 4:
        raise FormatError(f"{place}: bbox is {str(value)[:40]!a}; expected [x, y, width, height]")
    corner = [number_of(length, "bbox", place) for length in value[:2]]
    return corner + [number_of(length, "the size of bbox", place, least=0) for length in value[2:]]


Encoded = dict[str, Any]


def encoded_mask(segmentation: Any, size: tuple[int, int], where: str) -> Encoded:
    """Return one mask as ``{"size", "counts"}``; its size must be that of its image."""
    if isinstance(segmentation, list):
        return _drawn_polygons(segmentation, size, where)
    stated = size_of(segmentation, where)
    if stated != size:
        raise FormatError(f"{where}: its mask has size {stated}, its image {size}; expected the same")
    counts = field(segmentation, "counts", where)
    if isinstance(counts, str):
        return {"size": size, "counts": counts}
    most = size[0] * size[1]
    if not isinstance(counts, list) or not all(type(count) is int and 0 <= count <= most for count in counts):
        raise FormatError(f"{where}: counts are not a list of run lengths from 0 to {most}, nor text")
    return {"size": size, "counts": counts}


def decoded_together(annotations: Sequence[Any], size: tuple[int, int]) -> RunLengthMasks | None:
    """Return compressed masks of one size, decoded at once; None where something is unusual or wrong."""
    shape = list(size)
    try:
        encoded = [annotation["segmentation"] for annotation in annotations]
        sizes = [mask["size"] for mask in encoded]
        if sizes.count(shape) != len(sizes) or not {int}.issuperset(map(type, chain.from_iterable(sizes))):
            return None  # 4.0 equals 4, and is an error
        return decode_coco_masks([mask["counts"].encode("ascii") for mask in encoded], size[0] * size[1])
    except (KeyError, TypeError, AttributeError, ValueError):
        return None


def size_of(segmentation: Any, where: str) -> tuple[int, int]:
    """Return height and width declared by a run-length encoding."""
    size = field(segmentation, "size", where)
    if not isinstance(size, list) or len(size) != 2 or not all(type(length) is int and length > 0 for length in size):
        raise FormatError(f"{where}: size is {str(size)[:40]!a}; expected [height, width]")
    return size[0], size[1]


def _drawn_polygons(polygons: list[Any], size: tuple[int, int], where: str) -> Encoded:
    if not polygons:
        raise FormatError(f"{where}: segmentation is an empty list; expected at least one polygon")
    for polygon in polygons:
        _check_polygon(polygon, size, where)
    masks = import_optional("pycocotools.mask", "drawing COCO's polygons", "coco")
    with translate_errors(where, "polygon"):
        drawn = masks.merge(masks.frPyObjects(polygons, *size))
    return {"size": size, "counts": drawn["counts"].decode("ascii")}


def _check_polygon(polygon: Any, size: tuple[int, int], where: str) -> None:
    if not isinstance(polygon, list) or len(polygon) < 6 or len(polygon) % 2:
        raise FormatError(f"{where}: a polygon of {str(polygon)[:40]!a}; expected x and y of at least three points")
    height, width = size
    for value, length in zip(polygon, (width, height) * (len(polygon) // 2), strict=True):
        if isinstance(value, bool) or not isinstance(value, int | float) or not -length <= value <= 2 * length:
            raise FormatError(f"{where}: a polygon goes to {str(value)[:40]!a}, far from an image of {size}")
    points = list(zip(polygon[::2], polygon[1::2], strict=True))
    perimeter = math.fsum(
        max(abs(x - u), abs(y - v)) for (x, y), (u, v) in zip(points, points[1:] + points[:1], strict=True)
    )
    if perimeter > 4 * (height + 1) * (width + 1):
        raise FormatError(
            f"{where}: the outline of a polygon is {perimeter:.0f} long, more than fits into an image of {size}"
        )


class VideoSize(NamedTuple):
    """The number of frames of a video, and their height and width."""

    length: int
    height: int
    width: int

    @property
    def side_by_side(self) -> tuple[int, int]:
        """The shape of the image of all frames."""
        return self.height, self.length * self.width


def _true_tubes(annotations: Sequence[Any], size: VideoSize) -> Masks:
    places = [f"annotation {annotation['id']}" for annotation in annotations]
    counts = [_tube_counts(annotation, size, place) for annotation, place in zip(annotations, places, strict=True)]
    return Masks(
        run_lengths_from_counts(counts, size.length * size.height * size.width),
        size.side_by_side,
        ids=np.array([annotation["id"] for annotation in annotations], dtype=np.int64),
        classes=[annotation["category_id"] for annotation in annotations],
        crowd=crowd_ids(annotations, places),
    )


def _tube_counts(tube: Any, size: VideoSize, place: str) -> IntArray:
    """Return the alternating counts of a tube over all frames, pixels outside first."""
    frames = list_field(tube, "segmentations", place)
    if len(frames) != size.length:
        raise FormatError(f"{place}: {len(frames)} segmentations; expected one for each of {size.length} frames")
    pixels = size.height * size.width
    total: list[int] = [0]
    for at, segmentation in enumerate(frames):
        counts = [pixels] if segmentation is None else _frame_counts(segmentation, size, f"{place}, frame {at}")
        if sum(counts) != pixels:
            raise FormatError(f"{place}, frame {at}: counts add up to {sum(counts)}; expected {pixels}")
        if len(total) % 2:  # it ends outside
            total[-1] += counts[0]
            counts = counts[1:]
        total += counts
    return np.array(total, dtype=np.int64)


def _frame_counts(segmentation: Any, size: VideoSize, place: str) -> list[int]:
    encoded = encoded_mask(segmentation, (size.height, size.width), place)["counts"]
    try:
        counts = encoded if isinstance(encoded, list) else decode_coco_counts(encoded.encode("ascii")).tolist()
    except ValueError as problem:
        raise FormatError(f"{place}: {problem}") from None
    return [int(count) for count in counts] or [0]


def _predicted_tubes(results: Results, options: ReadOptions) -> Masks:
    places = [f"result {at}" for at, _ in results]
    size = _stated_size(results)
    options.check_size(size.side_by_side, places[0])
    counts = [_tube_counts(result, size, place) for (_, result), place in zip(results, places, strict=True)]
    classes, scores, _ = _stated_facts(results)
    runs = run_lengths_from_counts(counts, size.length * size.height * size.width)
    return Masks(runs, size.side_by_side, classes=classes, scores=scores)


def _stated_size(results: Results) -> VideoSize:
    for at, result in results:
        frames = list_field(result, "segmentations", f"result {at}")
        for segmentation in frames:
            if segmentation is not None:
                return VideoSize(len(frames), *size_of(segmentation, f"result {at}"))
    raise FormatError(f"result {results[0][0]}: no mask in any frame of its video; expected at least one")


@reads(
    "youtube-vis",
    "YouTube-VIS annotations: tubes with one run-length encoding, or null, for each frame",
    (".json",),
    sniff=lambda path, head: (
        json_start(head).startswith(b"{") and mentions(path, b'"videos"') and mentions(path, b'"segmentations"')
    ),
    lazy=True,
)
def _read_truth(path: Path, options: ReadOptions) -> Iterator[Item]:
    data, where = load_json(path), str(path)
    categories, names = categories_of(data, where), class_names_of(data, where)
    sizes = sizes_of(data, where, "videos", VideoSize._fields)
    videos = {number: VideoSize(*lengths) for number, lengths in sizes.items()}
    tubes = annotations_by(data, where, "video_id", videos, categories)
    for number, size in videos.items():
        options.check_size(size.side_by_side, f"{where}: video {str(number)[:40]!a}")
        load = partial(_true_tubes, tubes[number], size)
        yield Item(str(number), within(where, load), named=True, class_names=names)


@reads(
    "youtube-vis-results",
    "YouTube-VIS results: predicted tubes with classes and scores",
    (".json",),
    sniff=lambda _path, head: json_start(head).startswith(b"[") and b'"video_id"' in head,
    lists_all=False,
    lazy=True,
)
def _read_tube_results(path: Path, options: ReadOptions) -> Iterator[Item]:
    data, where = load_json(path), str(path)
    for number, results in results_by(data, where, "video_id").items():
        yield Item(str(number), within(where, partial(_predicted_tubes, results, options)), named=True)


FREQUENCIES = {"r": "rare", "c": "common", "f": "frequent"}
"""The groups of LVIS's categories, by the letter in the file."""


@dataclass(frozen=True)
class _Image:
    """One image: its size, and for LVIS the classes that are absent and those annotated incompletely."""

    size: tuple[int, int]
    absent: frozenset[int] | None = None
    incomplete: frozenset[int] = frozenset()


def _class_ids(image: Any, name: str, place: str) -> frozenset[int]:
    listed = list_field(image, name, place)
    for number in listed:
        if type(number) is not int:
            raise FormatError(f"{place}: {name} contains {str(number)[:40]!a}; expected ids of categories")
    return frozenset(listed)


def _annotated_items(
    data: Any,
    where: str,
    images: Mapping[int | str, _Image],
    categories: Mapping[int, Any],
    groups: Mapping[str, frozenset[Hashable]] | None,
    options: ReadOptions,
) -> Iterator[Item]:
    class_names = class_names_of(data, where)
    numbers_first = sorted(images, key=lambda image: (isinstance(image, str), image))
    by_image = annotations_by(data, where, "image_id", numbers_first, categories)
    for image, listed in by_image.items():
        options.check_size(images[image].size, f"{where}: image {str(image)[:40]!a}")
        load = partial(_true_masks, listed, images[image], where)
        yield Item(str(image), within(where, load), named=True, groups=groups, class_names=class_names)


def _true_masks(annotations: Sequence[Any], image: _Image, where: str) -> Masks:
    places = [f"annotation {annotation['id']}" for annotation in annotations]
    boxes: list[list[float] | None] = [
        box_of(annotation["bbox"], place) if "bbox" in annotation else None
        for annotation, place in zip(annotations, places, strict=True)
    ]
    boxes_only = bool(annotations) and not any("segmentation" in annotation for annotation in annotations)
    common: dict[str, Any] = {
        "ids": [annotation["id"] for annotation in annotations],
        "classes": [annotation["category_id"] for annotation in annotations],
        "crowd": crowd_ids(annotations, places) if image.absent is None else None,
    }
    if boxes_only and None not in boxes:
        drawn = run_lengths_of_boxes(np.array(boxes, dtype=np.float64).reshape(-1, 4), image.size)
        masks = Masks(drawn, image.size, **common)
    else:
        boxes_only = False
        decoded = decoded_together(annotations, image.size)
        if decoded is not None:
            masks = Masks(decoded, image.size, **common)
        else:
            encoded = [
                encoded_mask(field(annotation, "segmentation", place), image.size, place)
                for annotation, place in zip(annotations, places, strict=True)
            ]
            masks = Masks.from_rle(encoded, image.size, **common)
        _warn_of_areas(annotations, masks, where)
    if None in boxes:
        drawn_boxes = boxes_of_run_lengths(masks.run_lengths, image.size[0]).tolist()
        boxes = [drawn if own is None else own for own, drawn in zip(boxes, drawn_boxes, strict=True)]
    facts = DetectionFacts(
        areas=[
            number_of(annotation.get("area", counted), "area", place, least=0)
            for annotation, counted, place in zip(annotations, masks.sizes.tolist(), places, strict=True)
        ],
        boxes=np.array(boxes, dtype=np.float64).reshape(-1, 4),
        boxes_only=boxes_only,
        absent=image.absent,
        incomplete=image.incomplete,
    )
    return masks.with_detection(facts)


def _warn_of_areas(annotations: Sequence[Any], masks: Masks, where: str) -> None:
    """Warn if the ``area`` of run lengths is not their pixel count; that of polygons is measured on the outline."""
    for annotation, counted in zip(annotations, masks.sizes.tolist(), strict=True):
        if isinstance(annotation["segmentation"], dict) and annotation.get("area", counted) != counted:
            warnings.warn(
                f"{where}: annotation {annotation['id']}: area is {str(annotation['area'])[:20]}, counted {counted}; "
                "the stated area decides on the size (small, medium, large) in average precision, as in the "
                "reference, the counted one everything else",
                DataWarning,
                stacklevel=2,
            )


def _frequency_groups(data: Any, where: str) -> dict[str, frozenset[Hashable]] | None:
    """Return LVIS's groups of categories; None where a category does not state its frequency."""
    letters = {category["id"]: category.get("frequency") for category in data["categories"]}
    for number, letter in letters.items():
        if letter is not None and (not isinstance(letter, str) or letter not in FREQUENCIES):
            raise FormatError(f"{where}: category {number}: frequency is {str(letter)[:40]!a}; expected r, c or f")
    if not letters or None in letters.values():
        return None
    return {
        group: frozenset(number for number, own in letters.items() if own == letter)
        for letter, group in FREQUENCIES.items()
    }


def _is_lvis(path: Path) -> bool:
    return mentions(path, b'"neg_category_ids"') and mentions(path, b'"not_exhaustive_category_ids"')


def _has_masks(path: Path, head: bytes) -> bool:
    stated = mentions(path, b'"segmentation"') or mentions(path, b'"bbox"')
    stated |= mentions(path, b'"categories"') and not mentions(path, b'_id"')  # images, and nothing annotated in them
    return is_coco_object(head) and stated and not mentions(path, b'"segments_info"')


@reads(
    "coco-instances",
    "COCO instances: masks as run lengths or polygons, or boxes, with classes, areas and crowds",
    (".json",),
    sniff=lambda path, head: _has_masks(path, head) and not _is_lvis(path),
    extra="coco for polygons",
    lazy=True,
)
def _read_annotations(path: Path, options: ReadOptions) -> Iterator[Item]:
    scanned = _scanned_items(path, options, _coco_items)
    return _coco_items(load_json(path), str(path), options) if scanned is None else scanned


def _coco_items(data: Any, where: str, options: ReadOptions) -> Iterator[Item]:
    images = {image: _Image((height, width)) for image, (height, width) in sizes_of(data, where).items()}
    categories = categories_of(data, where)
    return _annotated_items(data, where, images, categories, groups_of(categories), options)


def _scanned_items(
    path: Path, options: ReadOptions, read: Callable[[Any, str, ReadOptions], Iterator[Item]]
) -> Iterator[Item] | None:
    """Return the items of annotations that native code reads; None for those that are read carefully."""
    scanned, where = scan(path, is_results=False), str(path)
    if scanned is None:
        return None
    try:
        data = {**listed_objects(scanned, where), "annotations": []}
        items = list(read(data, where, options))
        images = [image["id"] for image in data["images"]]
        loads = [cast(Any, item.content).args[1].args for item in items]
    except SegmetryError:  # the careful reader says so, too
        return None
    if not {int}.issuperset(map(type, images)):
        return None
    shapes = np.array([image.size for _, image, _ in loads], dtype=np.int64).reshape(-1, 2)
    classes = tuple((image.absent, image.incomplete) for _, image, _ in loads)
    lists = None if not classes or classes[0][0] is None else classes
    file = file_of(
        scanned,
        np.array(sorted(images), dtype=np.int64),
        lambda whole: read(whole, where, options),
        where,
        shapes=shapes,
        class_lists=lists,
    )
    if file is None or not is_plain_truth(file.columns, categories_of(data, where), shapes, file.starts):
        return None
    return (replace(item, content=ScannedItem(file, at)) for at, item in enumerate(items))


@reads(
    "lvis",
    "LVIS: masks as run lengths or polygons, and the classes that were looked for in each image",
    (".json",),
    sniff=lambda path, head: _has_masks(path, head) and _is_lvis(path),
    extra="coco for polygons",
    lazy=True,
)
def _read_lvis(path: Path, options: ReadOptions) -> Iterator[Item]:
    scanned = _scanned_items(path, options, _lvis_items)
    return _lvis_items(load_json(path), str(path), options) if scanned is None else scanned


def _lvis_items(data: Any, where: str, options: ReadOptions) -> Iterator[Item]:
    images = {}
    sizes = sizes_of(data, where)
    for stated, (image, (height, width)) in zip(data["images"], sizes.items(), strict=True):
        lists = (
            _class_ids(stated, name, f"{where}: image {str(image)[:40]!a}")
            for name in ("neg_category_ids", "not_exhaustive_category_ids")
        )
        images[image] = _Image((height, width), *lists)
    return _annotated_items(data, where, images, categories_of(data, where), _frequency_groups(data, where), options)


def _predicted_masks(results: Results, options: ReadOptions, domain: tuple[int, ...] = ()) -> Masks:
    """Return the masks; polygons are drawn into an image of the size of the truth."""
    first_at, first = results[0]
    height, width = domain or size_of(field(first, "segmentation", f"result {first_at}"), f"result {first_at}")
    size = height, width
    options.check_size(size, f"result {first_at}")
    decoded = decoded_together([result for _, result in results], size)
    classes, scores, boxes = _stated_facts(results)
    facts = None if boxes is None else DetectionFacts(boxes=boxes)
    if decoded is not None:
        return Masks(decoded, size, classes=classes, scores=scores, detection=facts)
    encoded = [
        encoded_mask(field(result, "segmentation", f"result {at}"), size, f"result {at}") for at, result in results
    ]
    return Masks.from_rle(encoded, size, classes=classes, scores=scores, detection=facts)


def _predicted_boxes(results: Results, options: ReadOptions, domain: tuple[int, ...]) -> Masks:
    """Return the boxes, drawn into an image of the size of the truth."""
    height, width = domain
    options.check_size((height, width), f"result {results[0][0]}")
    classes, scores, boxes = _stated_facts(results)
    if boxes is None:
        raise FormatError(f"result {results[0][0]} has neither 'segmentation' nor 'bbox'; expected one of them")
    facts = DetectionFacts(boxes=boxes, boxes_only=True)
    runs = run_lengths_of_boxes(np.array(boxes).reshape(-1, 4), (height, width))
    return Masks(runs, (height, width), classes=classes, scores=scores, detection=facts)


def _stated_facts(results: Results) -> tuple[list[int], list[float], list[list[float]] | None]:
    """Return classes, scores and, where every result has one, boxes."""
    try:
        classes = [result["category_id"] for _, result in results]
        scores = [result["score"] for _, result in results]
    except (KeyError, TypeError):
        classes, scores = [None], []
    plain = set(map(type, classes)) == {int} and set(map(type, scores)) == {float} and min(classes) >= 0
    if not plain or not all(map(math.isfinite, scores)):
        classes = [integer_field(result, "category_id", f"result {at}") for at, result in results]
        scores = [number_of(field(result, "score", f"result {at}"), "score", f"result {at}") for at, result in results]
    if "bbox" not in results[0][1]:
        return classes, scores, None
    return classes, scores, [box_of(field(result, "bbox", f"result {at}"), f"result {at}") for at, result in results]


@reads(
    "coco-results",
    "COCO and LVIS results: predicted masks as run lengths or polygons, or boxes, with classes and scores",
    (".json",),
    sniff=lambda _path, head: (
        (
            json_start(head).startswith(b"[")
            and b'"image_id"' in head
            and any(word in head for word in (b'"segmentation"', b'"counts"', b'"bbox"'))
        )
        or json_start(head).replace(b"]", b"", 1).strip() == b"["
    ),  # nothing was found
    extra="coco for polygons",
    lists_all=False,
    lazy=True,
)
def _read_results(path: Path, options: ReadOptions) -> Iterator[Item]:
    scanned, where = scan(path, is_results=True), str(path)
    if scanned is not None and is_plain_result(scanned.columns):
        images, first = np.unique(scanned.columns.image, return_index=True)
        order = images[np.argsort(first)]
        file = file_of(scanned, order, lambda data: _result_items(data, where, options), where)
        if file is not None:
            boxes_only = not scanned.columns.all_have(HAS_MASK)
            for at, image in enumerate(order.tolist()):
                yield Item(str(image), ScannedItem(file, at), named=True, takes_domain=where if boxes_only else "")
            return
    yield from _result_items(load_json(path), where, options)


def _result_items(data: Any, where: str, options: ReadOptions) -> Iterator[Item]:
    by_image = results_by(data, where, "image_id")
    boxes_only = bool(data) and "segmentation" not in data[0] and "bbox" in data[0]
    read = _predicted_boxes if boxes_only else _predicted_masks
    sizeless = boxes_only or any(isinstance(result.get("segmentation"), list) for result in data)
    for image, results in by_image.items():
        load = within(where, partial(read, results, options))
        yield Item(str(image), load, named=True, takes_domain=where if sizeless else "")
