"""Mean IoU as a module of Hugging Face ``evaluate``, a replacement for its ``mean_iou``.

Load it by its path, without a connection: ``evaluate.load(segmetry.adapters.hugging_face_mean_iou.__file__)``, or the
path that ``python -m segmetry.adapters.hugging_face_mean_iou`` prints. Options and results are those of ``mean_iou``.
What differs: labels beyond ``num_labels`` are an error, where ``mean_iou`` leaves them out of its counts; with
``reduce_labels`` the background is ignored whatever ``ignore_index`` is; label maps may have any number of axes;
batches are counted when they are added, and nothing is written to disk.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import datasets
import evaluate
import numpy as np
from numpy.typing import NDArray

from segmetry.adapters.epoch import CountedItems, count_items, joined, run_of_items
from segmetry.errors import InputError, OptionError

DESCRIPTION = """
IoU of each class over all images, their mean, the mean accuracy of the classes and the accuracy of all pixels; counted
exactly by segmetry.
"""
INPUTS = """
Args:
    predictions: list of predicted label maps.
    references: list of true label maps, of the same shapes.
    num_labels: number of classes; labels are 0 to num_labels - 1.
    ignore_index: label of the truth that does not count; where only a prediction has it, that is a miss.
    nan_to_num: number in place of NaN.
    label_map: new labels of the truth by old label, all replaced at once.
    reduce_labels: whether 0 in the truth is background that does not count, and the classes are its other labels
        less 1 (255 stays 255).

Returns:
    mean_iou, mean_accuracy, overall_accuracy, per_category_iou, per_category_accuracy
"""
# A value that no label has: reduce_labels subtracts 1 from labels, which may be negative already.
_BACKGROUND = np.iinfo(np.int64).min
_METRICS = {"mean_iou": "mean_iou", "mean_accuracy": "mean_accuracy", "overall_accuracy": "pixel_accuracy"}
_PER_CATEGORY = {"per_category_iou": "mean_iou", "per_category_accuracy": "mean_accuracy"}


class SegmetryMeanIoU(evaluate.Metric):  # type: ignore[misc]
    """The module that ``evaluate.load`` returns."""

    _parts: list[CountedItems] | None = None

    def _info(self) -> Any:
        maps = datasets.Sequence(datasets.Sequence(datasets.Value("int64")))
        return evaluate.MetricInfo(
            description=DESCRIPTION,
            citation="",
            inputs_description=INPUTS,
            features=datasets.Features({"predictions": maps, "references": maps}),
        )

    def add(self, *, prediction: Any, reference: Any, **others: Any) -> None:
        """Count one image."""
        self.add_batch(predictions=[prediction], references=[reference], **others)

    def add_batch(self, *, predictions: Any, references: Any, **others: Any) -> None:
        """Count several images."""
        if self.num_process > 1:
            raise OptionError(
                "num_process is above 1; expected one process (the torchmetrics metric Segmetry counts in several)"
            )
        if others:
            raise OptionError(f"there is no input {sorted(others)[0]}; expected predictions and references")
        if len(predictions) != len(references):
            raise InputError(
                f"{len(predictions)} predictions and {len(references)} references; expected one for each image"
            )
        pairs = (
            (np.asarray(true)[None], np.asarray(pred)[None]) for true, pred in zip(references, predictions, strict=True)
        )
        self._parts = [*(self._parts or []), *(count_items(true, pred) for true, pred in pairs)]

    def compute(self, *, predictions: Any = None, references: Any = None, **options: Any) -> dict[str, Any]:
        """Return the values of all images that were added."""
        if predictions is not None or references is not None:
            self.add_batch(predictions=predictions, references=references)
        parts, self._parts = self._parts or [], None
        if not parts:
            raise InputError("no image was added; expected predictions and references")
        return self._compute(joined(parts), **options)

    def _compute(
        self,
        counted: CountedItems,
        num_labels: int,
        ignore_index: int,
        nan_to_num: float | None = None,
        label_map: Mapping[int, int] | None = None,
        reduce_labels: bool = False,  # noqa: FBT001, FBT002 - the interface of mean_iou
    ) -> dict[str, Any]:
        labels = _true_labels(counted.rows[:, 4], label_map or {}, reduce_labels=reduce_labels)
        kept = (labels != ignore_index) & (labels != _BACKGROUND)
        rows = counted.rows.copy()
        rows[:, 4] = labels
        values = _scored_values(CountedItems(rows[kept], counted.names), int(num_labels), int(ignore_index))
        if nan_to_num is None:
            return values
        return {name: np.nan_to_num(value, nan=nan_to_num) for name, value in values.items()}


def _true_labels(labels: NDArray[np.int64], label_map: Mapping[int, int], *, reduce_labels: bool) -> NDArray[np.int64]:
    changed = labels.copy()
    for old, new in label_map.items():
        changed[labels == int(old)] = int(new)
    if not reduce_labels:
        return changed
    return np.select([changed == 0, changed == 255], [_BACKGROUND, 255], changed - 1)


def _scored_values(counted: CountedItems, num_labels: int, ignore_index: int) -> dict[str, Any]:
    """Return the values of images in which every pixel counts."""
    nothing = np.full(num_labels, np.nan)
    if not len(counted.rows):
        return {**dict.fromkeys(_METRICS, np.nan), **{name: nothing.copy() for name in _PER_CATEGORY}}
    read = {"labels": "classes", "num_classes": num_labels, "true_outside": None, "pred_outside": ignore_index}
    run = run_of_items(counted, {"metrics": list(dict.fromkeys(_METRICS.values())), "read": read})
    summary = run.summary()
    values: dict[str, Any] = {name: summary[key].usual.value for name, key in _METRICS.items()}
    for name, key in _PER_CATEGORY.items():
        values[name] = nothing.copy()
        for label, scores in summary.classes.items():
            values[name][int(str(label))] = scores[key].usual.value
    return values


if __name__ == "__main__":
    sys.stdout.write(f"{__file__}\n")
