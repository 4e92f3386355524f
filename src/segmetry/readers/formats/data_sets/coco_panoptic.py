"""COCO panoptic: a JSON file beside a folder of PNG images whose colours are segment ids, R + 256·G + 65536·B.

Cityscapes' and ADE20K's panoptic files have the same form. The id 0 is void in the truth and in no segment in
the prediction. Sizes are counted from the image; an ``area`` that differs causes a warning and is not used.
"""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterator, Mapping
from pathlib import Path
from typing import Any

from segmetry._base import LARGEST, field, flag_field, frozen_dataclass, id_field, integer_field, list_field
from segmetry.errors import DataWarning, FormatError, list_some
from segmetry.readers.formats.arrays.png import LabelFile, label_png_inside
from segmetry.readers.formats.data_sets.coco_masks import (
    categories_of,
    class_names_of,
    groups_of,
    is_coco_object,
    mentions,
    sizes_of,
)
from segmetry.readers.items import Item, ListedImage, ListedSegments, within
from segmetry.readers.parts.text_file import load_json
from segmetry.readers.reader import Option, ReadOptions, Text, reads
from segmetry.segmentation import LabelArray, label_sizes

MOST_COLOURS = 2**24 - 1
FOLDER: Option[str | None] = Option(
    "folder",
    "COCO panoptic: folder of the PNG images (one side: --true-folder, --pred-folder). [default: beside the file]",
    Text(),
    metavar="DIR",
    per_side=True,
)


def _image_folder(path: Path, options: ReadOptions) -> Path:
    """Return the folder of images: the one stated, or that of the same name beside the file."""
    stated = options[FOLDER]
    if stated is not None:
        chosen = Path(stated).absolute()  # a process in another folder may read it
        if not chosen.is_dir():
            raise FormatError(f"{path}: --{options.side}-folder is {stated}, which is not a folder")
        return chosen
    folder = path.with_suffix("")
    if not path.suffix or not folder.is_dir():
        raise FormatError(
            f"{path}: there is no folder {folder if path.suffix else path.name + '/'} beside it; expected the images "
            f"in a folder of the same name as the file (--{options.side}-folder DIR names another)"
        )
    return folder


def _plain_segments(listed: list[Any], categories: Mapping[int, bool | None] | None) -> ListedSegments | None:
    """Return the segments if every field is there and as it must be, all of them checked at once; otherwise None."""
    try:
        ids, classes = [segment["id"] for segment in listed], [segment["category_id"] for segment in listed]
        crowd = [segment.get("iscrowd", 0) for segment in listed]
    except (KeyError, TypeError):
        return None
    if {*map(type, ids), *map(type, classes), *map(type, crowd)} != {int}:
        return None
    by_id = dict(zip(ids, classes, strict=True))
    known = min(classes) >= 0 and max(classes) <= LARGEST if categories is None else categories.keys() >= {*classes}
    if len(by_id) < len(ids) or min(ids) < 1 or max(ids) > MOST_COLOURS or not known or not {0, 1}.issuperset(crowd):
        return None
    crowds = tuple(number for number, flag in zip(ids, crowd, strict=True) if flag) if 1 in crowd else ()
    return ListedSegments(by_id, crowds, {segment["id"]: segment["area"] for segment in listed if "area" in segment})


def _checked_segments(listed: list[Any], categories: Mapping[int, bool | None] | None, place: str) -> ListedSegments:
    """Return the segments; an error names the first field that is missing or wrong."""
    classes: dict[int, Hashable] = {}
    crowd: list[int] = []
    areas: dict[int, Any] = {}
    for at, segment in enumerate(listed):
        number = integer_field(segment, "id", f"{place}, segments_info[{at}]", least=1, most=MOST_COLOURS)
        here = f"{place}, segment {number}"
        if number in classes:
            raise FormatError(f"{here} is listed twice")
        category = integer_field(segment, "category_id", here)
        if categories is not None and category not in categories:
            raise FormatError(f"{here}: category_id is {category}, which is not among the categories of the file")
        classes[number] = category
        if flag_field(segment, "iscrowd", here, default=0):
            crowd.append(number)
        if "area" in segment:
            areas[number] = segment["area"]
    return ListedSegments(classes, tuple(crowd), areas)


@frozen_dataclass(eq=False)
class PanopticImage(ListedImage):
    """The image of an item, with the segments and the size that the JSON file states; ``here`` is where it does."""

    folder: Path
    image: object
    here: str

    def __call__(self) -> LabelArray:
        ids = label_png_inside(self.folder, self.image, f"the file_name of {self.here}", self.options)
        if self.size is not None and ids.shape != self.size:
            name = Path(str(self.image)).name
            raise FormatError(f"{self.here}: {name} has shape {ids.shape}; the JSON file says {self.size}")
        sizes = label_sizes(ids)
        sizes.pop(0, None)
        if sizes != self.segments.areas or len(self.segments.areas) < len(self.segments.classes):
            _check_ids(sizes, self.segments, self.here, self.folder / str(self.image))
        return self.array(ids)

    def array(self, ids: Any) -> LabelArray:
        truth, segments = self.options.side == "true", self.segments
        outside, void = (None, 0) if truth else (0, None)
        return LabelArray(ids, outside=outside, void=void, classes=segments.classes, crowd=segments.crowd)

    @property
    def file(self) -> LabelFile | None:
        return LabelFile.inside(self.folder, self.image, self.options)


def _check_ids(sizes: Mapping[int, int], segments: ListedSegments, here: str, file: Path) -> None:
    """Require the same segments in image and JSON file, and warn of areas that are not pixel counts."""
    for stray, words in (
        (sizes.keys() - segments.classes.keys(), f"in {file.name} but not in segments_info"),
        (segments.classes.keys() - sizes.keys(), f"in segments_info but not in {file.name}"),
    ):
        if stray:
            raise FormatError(
                f"{here}: segment {list_some(sorted(stray))} is {words}; expected the same segments in both"
            )
    wrong = [number for number, area in segments.areas.items() if area != sizes[number]]
    if wrong:
        first = min(wrong)
        warnings.warn(
            f"{file}: the area of {len(wrong)} segments is not their number of pixels (segment {first}: area "
            f"{str(segments.areas[first])[:20]}, counted {sizes[first]}); the counted sizes are used",
            DataWarning,
            stacklevel=2,
        )


@reads(
    "coco-panoptic",
    "COCO panoptic: JSON beside a folder of PNG of the same name (Cityscapes, ADE20K too)",
    (".json",),
    sniff=lambda path, head: is_coco_object(head) and mentions(path, b'"segments_info"'),
    options=(FOLDER,),
    lazy=True,
    beside=lambda path, options: (_image_folder(path, options),),
)
def _read_panoptic(path: Path, options: ReadOptions) -> Iterator[Item]:
    data = load_json(path)
    where = str(path)
    annotations = list_field(data, "annotations", where)
    categories = categories_of(data, where) if "categories" in data or options.side == "true" else None
    groups = None if categories is None else groups_of(categories)
    class_names = None if categories is None else class_names_of(data, where)
    sizes = sizes_of(data, where) if "images" in data else {}
    folder = _image_folder(path, options)
    colours = options.replaced(colours="rgb")
    if not annotations:
        raise FormatError(f"{where}: annotations are empty; expected one per image")
    for at, annotation in enumerate(annotations):
        name = str(id_field(annotation, "image_id", f"{where}: annotations[{at}]"))
        place = f"{where}: image {name[:80]!a}"
        listed = list_field(annotation, "segments_info", place)
        segments = _plain_segments(listed, categories) or _checked_segments(listed, categories, place)
        image = field(annotation, "file_name", place)
        size = sizes.get(annotation["image_id"])
        load = PanopticImage(segments, size, colours, folder, image, f"image {name[:80]!a}")
        file = image if isinstance(image, str) and image.isprintable() else None  # it is checked when it is read
        yield Item(name, within(where, load), named=True, groups=groups, class_names=class_names, file=file)
