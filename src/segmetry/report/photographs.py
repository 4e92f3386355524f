"""The photographs under the masks: found, checked against the size of their item, and embedded within a budget.

They are found by the file names in the truth's COCO file, else by names that are alike. Every photograph becomes a JPEG
without its metadata. The budget is what they take up in the page, in base64; it is shared evenly, and what small ones
leave over goes to those after them. A photograph is made smaller until it fits into its share, and left out, with the
reason, where it would be smaller than 64 pixels.
"""

from __future__ import annotations

import base64
import io
import math
import os
import warnings
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import numpy as np

from segmetry._base import translate_errors
from segmetry.errors import DataWarning, FormatError, InputError, OptionError
from segmetry.readers import ReadOptions, check_name, decoded_by, file_inside, is_coco_object, load_json
from segmetry.report.page_records import PhotographData, PictureHeader
from segmetry.run import Run

if TYPE_CHECKING:
    from PIL.Image import Image

DEFAULT_BUDGET = 20.0
"""Megabytes of a page that photographs may take up."""
MOST_UNASKED = 500
"""Items of the largest run whose photographs are embedded without ``images``."""
LARGEST, SMALLEST = 1280, 64
_QUALITY = 78
_BYTES_PER_PIXEL = 0.14  # of a JPEG of that quality; only a first guess
_TRIES = 6
_DECODERS = ("JPEG", "PNG", "WEBP", "BMP", "GIF", "TIFF")

Size = tuple[int, int]
"""Rows and columns."""


@dataclass(frozen=True)
class Photographs:
    """By item name: the file name it is shown under, its photograph in base64, why it has none; and a word on all."""

    titles: dict[str, str] = field(default_factory=dict)
    jpegs: dict[str, str] = field(default_factory=dict)
    rejected: dict[str, str] = field(default_factory=dict)
    problem: str | None = None


def photographs_of(
    run: Run,
    sizes: Mapping[str, Size],
    images: str | Path | None = None,
    budget: float | None = None,
    *,
    true: Any = None,
) -> Photographs:
    """Return the photographs of the items with pictures, whose sizes are given.

    ``images`` is a folder of photographs, or ``"none"``. Without it, those next to a COCO file are embedded if the run
    has at most 500 items. ``budget`` is in megabytes. A photograph of another shape than its item is rejected.
    """
    limit = DEFAULT_BUDGET if budget is None else budget
    if not (math.isfinite(limit) and limit > 0):
        raise OptionError(f"image_budget is {budget}; expected megabytes, more than 0 (--image-budget 20)")
    coco = coco_file(run, true)
    names = file_names(coco)
    titles = {item: names[item] for item in run.names if item in names}
    if images == "none" or not sizes:
        return Photographs(titles)
    if images is None:
        if coco is None or not (files := beside(coco, {item: names[item] for item in sizes if item in names})):
            return Photographs(titles)
        if len(run.names) > MOST_UNASKED:
            words = (
                f"photographs are left out, since there are more than {MOST_UNASKED} items; --images DIR embeds them"
            )
            return Photographs(titles, problem=words)
        rejected: dict[str, str] = {}
    else:
        files, rejected = _in_folder(ImageFolder(Path(images)), sizes, titles)
    jpegs, left_out = _embedded(files, sizes, int(limit * 1_000_000))
    rejected |= left_out
    titles = titles or {item: files[item].name for item in jpegs}
    return Photographs(titles, jpegs, rejected, _summary(rejected, jpegs, limit))


def _in_folder(
    folder: ImageFolder, items: Iterable[str], names: Mapping[str, str]
) -> tuple[dict[str, Path], dict[str, str]]:
    files, rejected = {}, {}
    for item in items:
        photograph = folder.find(item, names.get(item))
        if isinstance(photograph, Path):
            files[item] = photograph
        else:
            rejected[item] = photograph
    if not files:
        first = next(iter(rejected.values()))
        raise InputError(f"none of {len(rejected)} items has a photograph: {first} (--images DIR)")
    return files, rejected


def _embedded(
    files: Mapping[str, Path], sizes: Mapping[str, Size], budget: int
) -> tuple[dict[str, str], dict[str, str]]:
    jpegs, rejected, left = {}, {}, budget
    for done, (item, path) in enumerate(files.items()):
        try:
            text = embedded(path, sizes[item], left // (len(files) - done))
        except FormatError as problem:
            rejected[item] = str(problem)
            continue
        if text is None:
            rejected[item] = "the budget of photographs (--image-budget) has no room for it"
            continue
        jpegs[item] = text
        left -= len(text)
    return jpegs, rejected


def _summary(rejected: Mapping[str, str], jpegs: Mapping[str, str], limit: float) -> str | None:
    """Return a word about photographs that are missing; it is also a warning."""
    if not rejected:
        return None
    item, reason = next(iter(rejected.items()))
    count = f"{len(rejected)} of {len(rejected) + len(jpegs)} photographs are left out"
    words = f"{count} ({limit:g} MB are allowed); the first is that of item {item!r}: {reason}"
    warnings.warn(words, DataWarning, stacklevel=3)
    return words


def embedded(path: Path, size: Size, share: int) -> str | None:
    """Return a photograph as a JPEG in base64 of at most ``share`` characters; None if it would be too small.

    A photograph whose shape is not that of its item, at whatever scale, is a :class:`~segmetry.errors.FormatError`. It
    is decoded in a child process.
    """
    return decoded_by(partial(_embed, size=size, share=share), path, ReadOptions())


def _embed(path: Path, *, size: Size, share: int) -> str | None:
    from PIL import Image as Images

    most = share // 4 * 3
    # By default Pillow chooses among all of its decoders by the content; that of PostScript runs another program.
    with translate_errors(path, "photograph"), Images.open(path, formats=_DECODERS) as image:
        turned = _upright(image, size, path)
        side = min(LARGEST, max(turned.size), _side(turned.size, most))
        turned.draft("RGB", _scaled(turned.size, side))
        photograph = _as_rgb(turned)
    for _ in range(_TRIES):
        if side < min(SMALLEST, max(photograph.size)):
            return None
        content = _jpeg(photograph, side)
        if len(content) <= most:
            return base64.b64encode(content).decode("ascii")
        side = min(side - 1, int(side * math.sqrt(most / len(content)) * 0.95))
    return None


def _upright(image: Image, size: Size, path: Path) -> Image:
    """Return a photograph as its item is: as it is stored, else turned as its metadata says."""
    from PIL import ImageOps

    rows, columns = size
    for turned in (image, ImageOps.exif_transpose(image)):
        width, height = turned.size
        if width * rows == height * columns:
            return turned
    width, height = image.size
    raise FormatError(
        f"{path.name} has {width} × {height} pixels, its item {columns} × {rows}; expected the same shape"
    )


def _side(size: Sequence[int], most: int) -> int:
    """Return the longer side of a photograph that has about ``most`` bytes."""
    width, height = size
    return int(max(width, height) * math.sqrt(max(most, 1) / (_BYTES_PER_PIXEL * width * height)))


def _scaled(size: Sequence[int], side: int) -> tuple[int, int]:
    width, height = size
    longer = max(width, height)
    return max(1, round(width * side / longer)), max(1, round(height * side / longer))


def _as_rgb(image: Image) -> Image:
    """Return colours of 8 bits; deeper grey values are stretched from their 1st to their 99th percentile."""
    from PIL import Image as Images

    if image.mode not in ("I", "F") and not image.mode.startswith("I;16"):
        return image.convert("RGB")
    values = np.asarray(image, dtype=np.float64)
    low, high = np.percentile(values, (1, 99)).tolist()
    grey = np.clip((values - low) / max(high - low, 1e-12) * 255, 0, 255).astype(np.uint8)
    return Images.fromarray(grey).convert("RGB")


def _jpeg(image: Image, side: int) -> bytes:
    small = image if side >= max(image.size) else image.resize(_scaled(image.size, side), reducing_gap=2.0)
    content = io.BytesIO()
    small.save(content, "JPEG", quality=_QUALITY, optimize=True)
    return content.getvalue()


Headers = Mapping[int, PictureHeader]
"""The headers of the pictures of a run, by the index of their item."""


def photograph_facts(
    runs: Sequence[Run],
    headers: Sequence[Headers],
    *,
    images: str | Path | None = None,
    image_budget: float | None = None,
    true: Any = None,
) -> tuple[list[PhotographData], dict[str, str]]:
    """Return what the page says of the photographs of every run, and the blocks of all.

    A run's titles are the file names of its items (None without one); its photographs are block numbers by item.
    """
    sizes = _picture_sizes(runs, headers)
    if image_budget is not None and images == "none":
        raise OptionError("image_budget limits the photographs, but images asks for none; leave one out")
    if images not in (None, "none") and not sizes:
        raise OptionError(
            "images says where photographs are, but the report has no pictures of images to lay over them"
        )
    photographs = photographs_of(runs[0], sizes, images, image_budget, true=true)
    block = {item: f"photo-{at}" for at, item in enumerate(photographs.jpegs)}
    facts = [_photographs_of_run(run, photographs, block) for run in runs]
    return facts, {block[item]: text for item, text in photographs.jpegs.items()}


def _picture_sizes(runs: Sequence[Run], headers: Sequence[Headers]) -> dict[str, Size]:
    """Return rows and columns of every item that is an image with pictures."""
    sizes: dict[str, Size] = {}
    for run, pictures in zip(runs, headers, strict=True):
        names = run.names
        for index, header in pictures.items():
            if header["kind"] in ("labels", "masks") and len(header["shape"]) == 2:
                rows, columns = header["shape"]
                sizes.setdefault(names[index], (rows, columns))
    return sizes


def _photographs_of_run(run: Run, photographs: Photographs, block: Mapping[str, str]) -> PhotographData:
    names, why = run.names, photographs.rejected
    titles = [photographs.titles.get(name) for name in names]
    return {
        "titles": titles if any(titles) else None,
        "photos": {index: block[name] for index, name in enumerate(names) if name in block},
        "photos_rejected": {index: why[name] for index, name in enumerate(names) if name in why},
        "photos_problem": photographs.problem,
    }


SUFFIXES = frozenset((".jpg", ".jpeg", ".png", ".webp", ".bmp", ".gif", ".tif", ".tiff"))
_HEAD = 4096
_CITYSCAPES = "_leftImg8bit"


def coco_file(run: Run, true: Any = None) -> Path | None:
    """Return the COCO file of the truth of a run: as stated, or the path in the run; None if it is no such file."""
    stated = run.facts.get("true") if true is None else true
    if not isinstance(stated, str | Path):
        return None
    path = Path(stated)
    if not path.exists() and run.path is not None:
        path = run.path.parent / path
    if path.suffix != ".json" or not path.is_file():
        return None
    with path.open("rb") as file:
        return path if is_coco_object(file.read(_HEAD)) else None


def file_names(coco: Path | None) -> dict[str, str]:
    """Return the file name of every image of a COCO file, by item name; nothing if two images share one."""
    if coco is None:
        return {}
    data = load_json(coco)
    images = data.get("images") if isinstance(data, dict) else None
    names: dict[str, str] = {}
    for image in images if isinstance(images, list) else ():
        name = image.get("file_name") if isinstance(image, dict) else None
        if isinstance(name, str) and "id" in image and _is_safe(name):
            names[str(image["id"])] = name
    return names if len(set(names.values())) == len(names) else {}


def _is_safe(name: str) -> bool:
    try:
        check_name(name, "the file name")
    except FormatError:
        return False
    return True


def beside(coco: Path, names: Mapping[str, str]) -> dict[str, Path]:
    """Return the photographs that lie where a data set of COCO's family has them, by item name."""
    parent, last = coco.parent, coco.stem.rpartition("_")[2]
    folders = (parent, parent / "images", parent.parent / "images", parent.parent / last)
    photographs = {}
    for item, name in names.items():
        for folder in folders:
            try:
                photographs[item] = file_inside(folder, name, "the photograph")
            except FormatError:
                continue
            break
    return photographs


class ImageFolder:
    """The image files below a folder, found by the name of an item or its file name.

    An item's photograph has the item's file name or name, with the folders it is in or without; the suffix may differ,
    and so may zeros before a number.
    """

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise InputError(f"{folder} is not a folder; expected the photographs of the items (--images DIR)")
        self.folder = folder
        self._by_key: dict[str, list[str]] = defaultdict(list)
        for root, folders, files in os.walk(folder):
            folders.sort()
            for file in sorted(files):
                path = (Path(root) / file).relative_to(folder)
                if path.suffix.lower() in SUFFIXES:
                    self._add(path.as_posix())

    def _add(self, path: str) -> None:
        pure = PurePosixPath(path)
        for key in dict.fromkeys(_keys(path, pure, pure.stem.removesuffix(_CITYSCAPES))):
            self._by_key[key].append(path)

    def find(self, item: str, file_name: str | None) -> Path | str:
        """Return the photograph of an item, or why there is none."""
        for name in (item,) if file_name is None else (file_name, item):
            pure = PurePosixPath(name.replace("\\", "/"))
            for key in (*_keys(name, pure, pure.stem), f"stem:{_number(pure.name)}"):
                paths = self._by_key.get(key, [])
                if len(paths) > 1:
                    return f"{paths[0]} and {paths[1]} in {self.folder} both have its name"
                if paths:
                    return file_inside(self.folder, paths[0], "the photograph")
        return f"no image in {self.folder} is named {file_name or item}"


def _keys(name: str, pure: PurePosixPath, stem: str) -> list[str]:
    """Return the names under which a file is found, those with folders first."""
    return [name, (pure.parent / stem).as_posix(), f"name:{pure.name}", f"stem:{_number(stem)}"]


def _number(stem: str) -> str:
    """Return a number without its leading zeros, anything else unchanged."""
    return stem.lstrip("0") or "0" if stem.isascii() and stem.isdigit() else stem
