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
from numpy.typing import NDArray

from segmetry._base import import_optional, translate_errors
from segmetry.errors import DataWarning, FormatError, InputError, OptionError
from segmetry.readers import ReadOptions, check_name, decoded_by, file_inside, is_coco_object, load_json
from segmetry.report.page_records import LabelsHeader, PhotographData, PictureHeader
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
    sizes, stacks = _picture_sizes(runs, headers), _stacks(runs, headers)
    if image_budget is not None and images == "none":
        raise OptionError("image_budget limits the photographs, but images asks for none; leave one out")
    if images not in (None, "none") and not sizes and not stacks:
        raise OptionError(
            "images says where photographs are, but the report has no pictures of images to lay over them"
        )
    cuts: dict[str, dict[str, str]] = {}
    rejected: dict[str, str] = {}
    if stacks and images not in (None, "none"):
        cuts, rejected = _cuts_of(Path(str(images)), stacks, image_budget or DEFAULT_BUDGET)
    photographs = photographs_of(runs[0], sizes, None if cuts else images, image_budget, true=true)
    block = {item: f"photo-{at}" for at, item in enumerate(photographs.jpegs)}
    scans = {item: {key: f"scan-{at}-{key}" for key in own} for at, (item, own) in enumerate(cuts.items())}
    photographs.rejected.update(rejected)
    facts = [_photographs_of_run(run, photographs, block, scans) for run in runs]
    texts = {block[item]: text for item, text in photographs.jpegs.items()}
    return facts, texts | {scans[item][key]: text for item, own in cuts.items() for key, text in own.items()}


_MOST_CUTS = 64
"""The most cuts of a volume, or frames of a video, that are embedded."""
_SCANS = (".nii.gz", ".nii", ".npy")


def _stacks(runs: Sequence[Run], headers: Sequence[Headers]) -> dict[str, LabelsHeader]:
    """Return the headers of the items that are volumes or videos."""
    return {
        run.names[index]: header
        for run, pictures in zip(runs, headers, strict=True)
        for index, header in pictures.items()
        if header["kind"] == "labels" and header["wrong"] is not None and header["axis"] is not None
    }


def _cuts_of(
    folder: Path, stacks: Mapping[str, LabelsHeader], budget: float
) -> tuple[dict[str, dict[str, str]], dict[str, str]]:
    """Return by item its cuts in base64 by axis and place, the worst first, and why others have none."""
    cuts, rejected, left = {}, {}, int(budget * 1_000_000)
    for done, (item, header) in enumerate(stacks.items()):
        path = folder if folder.is_file() and len(stacks) == 1 else _scan_of(folder, item)
        if path is None:
            rejected[item] = f"no scan or folder of frames in {folder} is named {item}"
            continue
        share = left // (len(stacks) - done)
        load = partial(_embed_cuts, shape=tuple(header["shape"]), wanted=_wanted_cuts(header), share=share)
        try:
            cuts[item] = decoded_by(load, path, ReadOptions())
        except FormatError as problem:
            rejected[item] = str(problem)
            continue
        left -= sum(map(len, cuts[item].values()))
    if not cuts:
        raise InputError(f"none of {len(rejected)} items has a scan: {next(iter(rejected.values()))} (--images DIR)")
    return cuts, rejected


def _scan_of(folder: Path, item: str) -> Path | None:
    paths = [folder / f"{item}{end}{suffix}" for end in ("", "_0000") for suffix in _SCANS] + [folder / item]
    return next((path for path in paths if path.exists()), None)


def _wanted_cuts(header: LabelsHeader) -> list[tuple[int, int]]:
    """Return axis and place of the cuts with most wrong elements: of every axis the worst, then of the first others."""
    axis, planes, wrong = header["axis"] or 0, header["planes"], header["wrong"] or [[]]
    order = sorted(range(len(planes)), key=lambda at: -wrong[0][at])
    cuts = [(axis, planes[at]) for at in order[:_MOST_CUTS]]
    others = [other for other in range(3) if other != axis] if header["word"] == "slice" else []
    worst = [(other, int(np.argmax(counts)) * header["step"]) for other, counts in zip(others, wrong[1:], strict=False)]
    return [*cuts[:1], *worst, *cuts[1:]]


def _embed_cuts(path: Path, *, shape: tuple[int, ...], wanted: Sequence[tuple[int, int]], share: int) -> dict[str, str]:
    """Return cuts of a scan, or frames of a folder, as JPEG in base64, as many as there is room for."""
    from PIL import Image as Images

    with translate_errors(path, "scan"):
        files = sorted(one for one in path.iterdir() if one.suffix.lower() in SUFFIXES) if path.is_dir() else []
        voxels = None if path.is_dir() else _voxels(path)
        found = (len(files), *shape[1:]) if voxels is None else voxels.shape
        if found != shape:
            raise FormatError(f"{path.name} has shape {found}, its item {shape}; expected the same")
        low, high = (0, 1) if voxels is None else _window(voxels)
        texts: dict[str, str] = {}
        for axis, place in wanted:
            if voxels is None:
                with Images.open(files[place], formats=_DECODERS) as frame:
                    image = _as_rgb(frame)
            else:
                # As the page puts cuts together: the axis of its planes comes first.
                first = wanted[0][0]
                turned = np.moveaxis(voxels, axis, 0) if axis == first else np.moveaxis(voxels, (axis, first), (0, 1))
                cut = turned[place]
                grey = np.clip((cut.astype(np.float64) - low) / max(high - low, 1e-12) * 255, 0, 255)
                image = Images.fromarray(grey.astype(np.uint8))
            text = base64.b64encode(_jpeg(image, min(LARGEST // 2, max(image.size)))).decode("ascii")
            share -= len(text)
            if share < 0:
                break
            texts[f"{axis}:{place}"] = text
    return texts


def _voxels(path: Path) -> NDArray[Any]:
    if path.suffix == ".npy":
        loaded: NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
        return loaded
    return np.asarray(import_optional("nibabel", "reading NIfTI", "medical").load(path).dataobj)


def _window(voxels: NDArray[Any]) -> tuple[float, float]:
    """Return what is black and white: soft tissue in Hounsfield units, else the 1st and 99th percentile of a sample."""
    sample = voxels[tuple(slice(None, None, max(1, length // 64)) for length in voxels.shape)]
    if sample.min() <= _AIR:
        return _SOFT_TISSUE
    low, high = np.percentile(sample, (1, 99)).tolist()
    return low, high


_AIR = -500
_SOFT_TISSUE = (-130.0, 250.0)
"""The window of width 380 around 60 HU, where values below -500 say that a scan is in Hounsfield units."""


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


def _photographs_of_run(
    run: Run, photographs: Photographs, block: Mapping[str, str], scans: Mapping[str, dict[str, str]]
) -> PhotographData:
    names, why = run.names, photographs.rejected
    titles = [photographs.titles.get(name) for name in names]
    return {
        "titles": titles if any(titles) else None,
        "photos": {index: block[name] for index, name in enumerate(names) if name in block},
        "scans": {index: scans[name] for index, name in enumerate(names) if name in scans},
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
