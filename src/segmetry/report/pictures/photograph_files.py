"""Find the photographs of items: by the file names in the truth's COCO file, else by names that are alike."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from segmetry.errors import FormatError, InputError
from segmetry.readers.formats.data_sets.coco_masks import is_coco_object
from segmetry.readers.parts.safe_names import check_name, file_inside
from segmetry.readers.parts.strict_json import load_json
from segmetry.run.run import Run

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
        for key in dict.fromkeys(_keys(path)):
            self._by_key[key].append(path)

    def find(self, item: str, file_name: str | None) -> Path | str:
        """Return the photograph of an item, or in words why there is none."""
        for name in (file_name, item):
            for key in () if name is None else _asked(name):
                paths = self._by_key.get(key, [])
                if len(paths) > 1:
                    return f"{paths[0]} and {paths[1]} in {self.folder} both have its name"
                if paths:
                    return file_inside(self.folder, paths[0], "the photograph")
        return f"no image in {self.folder} is named {file_name or item}"


def _keys(path: str) -> Iterable[str]:
    """Yield the names under which a file is found, those with folders first."""
    pure = PurePosixPath(path)
    stem = pure.stem.removesuffix(_CITYSCAPES)
    yield path
    yield (pure.parent / stem).as_posix()
    yield f"name:{pure.name}"
    yield f"stem:{_number(stem)}"


def _asked(name: str) -> Iterable[str]:
    pure = PurePosixPath(name.replace("\\", "/"))
    yield name
    yield (pure.parent / pure.stem).as_posix()
    yield f"name:{pure.name}"
    yield f"stem:{_number(pure.stem)}"
    yield f"stem:{_number(pure.name)}"


def _number(stem: str) -> str:
    """Return a number without its leading zeros, anything else unchanged."""
    return stem.lstrip("0") or "0" if stem.isascii() and stem.isdigit() else stem
