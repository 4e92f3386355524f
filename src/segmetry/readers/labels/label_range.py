"""The range of classes that a user declares: a value outside it is an error, not a pixel that vanishes from a count."""

from __future__ import annotations

from typing import Any

import numpy as np

from segmetry.errors import InputError, OptionError
from segmetry.readers.labels.label_options import MEANING, NUM_CLASSES, OUTSIDE, VOID
from segmetry.readers.labels.label_sizes import label_sizes
from segmetry.readers.options import ReadOptions
from segmetry.segmentation.base import as_ids
from segmetry.segmentation.run_length_labels import RunLengthLabels


def check_range(labels: Any, options: ReadOptions) -> None:
    """Refuse labels that are neither a class of the declared range nor void nor outside.

    >>> check_range(np.array([[0, 3, 255]]), ReadOptions(labels="classes", num_classes=3, void=255, outside=None))
    Traceback (most recent call last):
    segmetry.errors.InputError: labels contain 3 (1 element); expected classes 0 to 2; ...
    """
    number = options[NUM_CLASSES]
    if number is None:
        return
    if options[MEANING] != "classes":
        raise OptionError(
            f"num_classes is {number}, but labels are {options[MEANING]}; state --labels classes, or leave out "
            "--num-classes"
        )
    values = labels if isinstance(labels, RunLengthLabels) else np.asarray(labels)
    if values.size and not isinstance(values, RunLengthLabels) and values.dtype.kind not in "biu":
        return  # the label array refuses them
    known = {*as_ids(options[OUTSIDE], "outside"), *as_ids(options[VOID], "void")}
    wrong = {label: n for label, n in label_sizes(values).items() if not 0 <= label < number and label not in known}
    if wrong:
        label, count = next(iter(wrong.items()))
        others = f" and {len(wrong) - 1} other such values" if len(wrong) > 1 else ""
        raise InputError(
            f"labels contain {label} ({count} element{'s' * (count != 1)}){others}; expected classes 0 to {number - 1}"
            f"; if it must not count state --void {label}, if it is another class --map {label}:NEW, or state the "
            "right --num-classes"
        )
