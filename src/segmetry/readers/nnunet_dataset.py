"""The description of a data set in the layout of nnU-Net or the Medical Segmentation Decathlon, ``dataset.json``.

nnU-Net writes names to labels, ``{"background": 0, "liver": 1, "whole tumour": [1, 2, 3], "ignore": 4}``, the Decathlon
labels to names, ``{"0": "background", "1": "liver"}``. The file is in the folder of the labels or in the one above it.
"""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from segmetry.errors import DataWarning, FormatError, SegmetryError
from segmetry.readers.items import check_label
from segmetry.readers.parts.text_file import load_json

NAME = "dataset.json"
COMPANIONS = frozenset({NAME, "plans.json", "predict_from_raw_data_args.json", "summary.json", "splits_final.json"})
"""Files that nnU-Net writes beside labels."""
BACKGROUND, IGNORE = "background", "ignore"


@dataclass(frozen=True)
class NnunetDataset:
    """What a description states: names of labels, regions by name, the label to ignore, and how label files end."""

    path: Path
    names: Mapping[Hashable, str]
    regions: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    ignore: int | None = None
    file_ending: str | None = None

    def reading(self) -> dict[str, Any]:
        """Return what it states as reading options."""
        stated: dict[str, Any] = {}
        if self.regions:
            stated["union"] = dict(self.regions)
        if self.ignore is not None:
            stated["true_void"] = self.ignore
        if self.file_ending is not None:
            stated["glob"] = f"*{self.file_ending}"
        return stated


def find_dataset(folder: Path) -> NnunetDataset | None:
    """Return the description in a folder or in the one above it; None where there is none of this kind."""
    place = folder.resolve()
    for path in (place / NAME, place.parent / NAME):
        if path.is_file():
            return read_dataset(path)
    return None


def label_names(folder: Path) -> Mapping[Hashable, str] | None:
    """Return the names of the labels of a folder, if it is described; a damaged description is a warning."""
    try:
        dataset = find_dataset(folder)
    except SegmetryError as problem:
        warnings.warn(f"{problem}; labels have no names", DataWarning, stacklevel=2)
        return None
    return None if dataset is None else dataset.names


def described_reading(folder: Path) -> dict[str, Any]:
    """Return the reading options that the description of a folder of labels states."""
    dataset = find_dataset(folder) if folder.is_dir() else None
    return {} if dataset is None else dataset.reading()


def read_dataset(path: Path) -> NnunetDataset | None:
    """Read a description; None where the file has no labels, so that it describes something else."""
    content = load_json(path)
    labels = content.get("labels") if isinstance(content, dict) else None
    if not isinstance(labels, dict) or not labels:
        return None
    by_name = _by_name(labels, path)
    ending = content.get("file_ending")
    if not (ending is None or isinstance(ending, str)) or ending == "":
        raise FormatError(f"{path}: file_ending is {ending!r}; expected the end of file names, such as '.nii.gz'")
    foreground = {name: values for name, values in by_name.items() if name != IGNORE and values != (0,)}
    has_regions = any(isinstance(value, list) for value in labels.values())
    ignore = by_name.get(IGNORE)
    if ignore is not None and len(ignore) > 1:
        raise FormatError(f"{path}: label {IGNORE!r} is {list(ignore)}; expected one integer")
    names: dict[Hashable, str] = {values[0]: name for name, values in by_name.items() if len(values) == 1}
    ignored = None if ignore is None else ignore[0]
    return NnunetDataset(path, names, foreground if has_regions else {}, ignored, ending)


def _by_name(labels: dict[str, Any], path: Path) -> dict[str, tuple[int, ...]]:
    """Return the labels of each name; the Decathlon's file lists names by label."""
    if all(key.isdecimal() and isinstance(name, str) for key, name in labels.items()):
        return {check_label(name, f"{path}: the name of label {key}"): (int(key),) for key, name in labels.items()}
    found = {}
    for name, value in labels.items():
        values = value if isinstance(value, list) else [value]
        if not values or not all(isinstance(label, int) and not isinstance(label, bool) for label in values):
            raise FormatError(f"{path}: label {name[:80]!r} is {value!r}; expected an integer or a list of integers")
        found[check_label(name, f"{path}: the name of a label")] = tuple(values)
    return found
