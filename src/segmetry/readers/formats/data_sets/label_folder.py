"""A folder of label files, one per item, at any depth; an item is named by its path there without the suffix."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from segmetry.errors import DataWarning, FormatError, list_some
from segmetry.readers.formats.data_sets.challenge_folders import is_cell_tracking, is_leaf_folder, is_map_folder
from segmetry.readers.formats.data_sets.nuclei import is_pannuke_folder
from segmetry.readers.isolated_reading import read_by
from segmetry.readers.items import ArrayFile, Item, file_inside, within
from segmetry.readers.label_reading import COLOURS, LABEL_OPTIONS
from segmetry.readers.nnunet_dataset import COMPANIONS, label_names
from segmetry.readers.parts.file_folders import GLOB, fitting_files
from segmetry.readers.parts.file_head import read_head
from segmetry.readers.reader import READERS, ReadOptions, reads
from segmetry.segmentation import Segmentation

FORMATS = {
    ".png": "png", ".tif": "tiff", ".tiff": "tiff", ".npy": "npy", ".npz": "npz", ".nii": "nifti", ".nii.gz": "nifti",
    ".nrrd": "nrrd", ".seg.nrrd": "nrrd", ".nhdr": "nrrd", ".mha": "metaimage", ".mhd": "metaimage",
    ".dcm": "dicom-seg", ".mat": "hover-net-mat", ".label": "semantic-kitti", ".xml": "page-xml",
}  # fmt: skip
"""The format of a file by the end of its name; its content is checked by the reader of that format."""

OWN_FOLDERS = ("zarr.json", ".zarray", ".zgroup")
CITYSCAPES = "_instanceIds.png"


def suffix_of(name: str) -> str | None:
    """Return the suffix of a label file's name; None for other files."""
    fitting = [suffix for suffix in FORMATS if name.lower().endswith(suffix) and len(name) > len(suffix)]
    return max(fitting, key=len, default=None)


def is_label_folder(folder: Path) -> bool:
    """Return whether a folder contains label files and is not of another format."""
    if any((folder / name).exists() for name in OWN_FOLDERS):
        return False
    if is_cell_tracking(folder) or is_leaf_folder(folder) or is_map_folder(folder) or is_pannuke_folder(folder):
        return False
    names = [path.name for path in folder.rglob("*") if suffix_of(path.name) and not path.is_dir()]
    return bool(names) and not any(name.endswith(CITYSCAPES) for name in names)


def label_files(folder: Path, options: ReadOptions) -> list[Path]:
    """Return the files of a folder that are read: label files by their names, and those that fit ``glob``."""
    return [file for file in fitting_files(folder, options) if suffix_of(file.name)]


def _data_files(files: list[Path], options: ReadOptions) -> list[Path]:
    beside = []
    for file in files:
        reader = READERS[FORMATS[suffix_of(file.name) or ""]]
        if reader.beside is not None:
            beside += [other for other in reader.beside(file, options) if other != file]
    return beside


def _warn_of_others(folder: Path, files: list[Path]) -> None:
    """Warn once of the files that are not read; a COCO file among them must be given instead of the folder."""
    read = set(files)
    others = sorted(
        file for file in folder.rglob("*") if file not in read and file.is_file() and file.name not in COMPANIONS
    )
    coco = [reader for name, reader in READERS.items() if name.startswith("coco-")]
    for file in others:
        if file.suffix.lower() == ".json" and any(reader.sniff(file, read_head(file)) for reader in coco):
            raise FormatError(f"{folder}: {file.name} in it is a COCO file; give that file instead of the folder")
    if others:
        shown = list_some([ascii(file.relative_to(folder).as_posix()) for file in others], most=5)
        is_one = len(others) == 1
        count = "1 file that is not a label file is" if is_one else f"{len(others)} files that are not label files are"
        warnings.warn(f"{folder}: {count} ignored: {shown}", DataWarning, stacklevel=2)


def _warn_of_description(folder: Path) -> None:
    """Warn if a folder is the images of a COCO panoptic file, without which there are no classes, void and crowd."""
    place = folder.resolve()
    described = place.with_name(f"{place.name}.json") if place.name else place
    if described.is_file() and READERS["coco-panoptic"].sniff(described, read_head(described)):
        warnings.warn(
            f"{folder}: {described.name} beside it says which classes its segments have; without it there are none: "
            "give that file instead of the folder",
            DataWarning,
            stacklevel=2,
        )


def _items_of_file(folder: Path, file: Path, options: ReadOptions) -> Iterator[Item]:
    suffix = suffix_of(file.name)
    if suffix is None:
        return
    place = file.relative_to(folder).as_posix()
    name = place[: -len(suffix)]
    reader = READERS[FORMATS[suffix]]
    inside = file_inside(folder, place, "the file")
    if reader.lazy:
        for item in read_by(reader, inside, options):
            yield Item(name, item.load, named=True, place=item.place, file=place, class_names=item.class_names)
        return
    load = within(str(inside), ArrayFile(reader.name, inside, options, _only_array))
    yield Item(name, within(str(folder), load), named=True, file=place, declares_void=reader.declares_void)


def _only_array(format_: str, file: Path, options: ReadOptions) -> Segmentation:
    items = list(read_by(READERS[format_], file, options))
    if len(items) != 1:
        raise FormatError(f"{file}: contains {len(items)} arrays; expected one in every file of a folder")
    return items[0].load()


@reads(
    "folder",
    "a folder of label files (PNG, TIFF, NPY, NIfTI, NRRD, MHA, .label) or of pages (PAGE, ALTO), by name",
    ("/",),
    sniff=lambda path, _head: path.is_dir() and is_label_folder(path),
    options=(*LABEL_OPTIONS, COLOURS, GLOB),
    lazy=True,
    inside=lambda folder, options: [*(files := label_files(folder, options)), *_data_files(files, options)],
)
def _read_folder(path: Path, options: ReadOptions) -> Iterator[Item]:
    if not path.is_dir():
        raise FormatError(f"{path}: not a folder")
    files = label_files(path, options)
    if not files:
        stated = options[GLOB]
        pattern = "" if stated is None else f" that fits {stated!r}"
        raise FormatError(f"{path}: no label file{pattern} in it; expected one per item: {' '.join(FORMATS)}")
    if options[GLOB] is None:
        _warn_of_others(path, [*files, *_data_files(files, options)])
    _warn_of_description(path)
    names = label_names(path)
    for file in files:
        for item in _items_of_file(path, file, options):
            yield replace(item, class_names=item.class_names if names is None else names)
