"""The samples that ship with segmetry: a small scene and two texts, and the data of ``segmetry demo``."""

from __future__ import annotations

from contextlib import AbstractContextManager
from importlib.resources import as_file, files
from pathlib import Path
from zipfile import ZipFile

from segmetry._base import temporary_beside
from segmetry.errors import OptionError
from segmetry.readers import Item, ReadOptions, load_json, read_items, read_label_png
from segmetry.segmentation import LabelArray


def street() -> tuple[LabelArray, LabelArray]:
    """Return the true and the predicted segments of a street scene, with classes.

    >>> true, pred = street()
    >>> true.domain, len(true.classes), len(pred.classes)
    ((180, 270), 14, 15)
    """
    return _scene_labels("street_true"), _scene_labels("street_pred")


def texts() -> tuple[list[Item], list[Item]]:
    """Return two texts segmented by an editor and by a program.

    >>> true, pred = texts()
    >>> [(item.name, item.load().n_elements) for item in true]
    [('harbour guide', 25), ('letter home', 16)]
    """
    return _scene_items("text_true.json"), _scene_items("text_pred.json")


def write_demo(folder: Path) -> None:
    """Write the data of the demo, which tools/make_demo.py computes: inputs of four fields, each with two systems.

    Files that are there already stay as they are; one with other content is an error, before any is written.
    """
    with _sample_path("demo.zip") as path, ZipFile(path) as archive:
        missing = []
        for name in archive.namelist():
            target = folder / name
            if not target.exists():
                missing.append(name)
            elif not target.is_file() or target.read_bytes() != archive.read(name):
                raise OptionError(f"{target} is not the file of the demo; choose another folder with --output")
        for name in missing:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            with temporary_beside(folder / name) as temporary:
                temporary.write_bytes(archive.read(name))
                temporary.replace(folder / name)


def _scene_labels(name: str) -> LabelArray:
    with _sample_path(f"{name}.png") as image, _sample_path(f"{name}.classes.json") as classes:
        labels = read_label_png(image, ReadOptions())
        return LabelArray(labels, classes={int(label): name for label, name in load_json(classes).items()})


def _scene_items(name: str) -> list[Item]:
    with _sample_path(name) as path:
        return list(read_items(path))


def _sample_path(name: str) -> AbstractContextManager[Path]:
    return as_file(files("segmetry.samples") / name)
