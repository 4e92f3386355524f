"""Label arrays as the user says they are to be read: which values are outside or void, and what the others mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from segmetry.errors import OptionError
from segmetry.readers.labels.label_options import INSTANCES_PER_CLASS, MEANING, label_arguments
from segmetry.readers.options import ReadOptions
from segmetry.segmentation.labels import LabelArray


def read_labels(labels: Any, options: ReadOptions, *, spacing: Sequence[float] | None = None) -> LabelArray:
    """Return a label array from the values of a file and the options of its side.

    >>> read_labels([[60, 61]], ReadOptions(labels="classes")).classes[60]
    60
    """
    facts = label_arguments(options)
    meaning, per_class = options[MEANING], options[INSTANCES_PER_CLASS]
    if (meaning == "both") != (per_class is not None):
        raise OptionError(
            f"labels is {meaning!r} and instances_per_class is {per_class}; expected both of --labels both and "
            "--instances-per-class K, such as 1000 for values that are class · 1000 + instance, or neither"
        )
    if meaning == "instances":
        return LabelArray(labels, spacing=spacing, **facts)
    return LabelArray.from_classes(labels, spacing=spacing, instances_per_class=per_class, **facts)
