"""Average precision of a data set from two scanned files: all images at once, no object for any of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from segmetry._base import frozen_dataclass
from segmetry.evaluation.data_notes import LabelsAndClasses
from segmetry.evaluation.inputs import EvaluationInputs
from segmetry.metrics import ScannedSide, scanned_detections
from segmetry.readers import Item, ScannedItem, is_empty_item
from segmetry.run import Settings, collected_key
from segmetry.runfile import CollectedKey, CollectedTogether
from segmetry.segmentation import Masks

COLLECTOR = "detections"
"""The name of what average precision and recall collect."""


@frozen_dataclass(eq=False)
class ScannedResult:
    """What all items contribute, with the key of a run, and the classes of both sides."""

    collected: tuple[CollectedKey, CollectedTogether]
    facts: LabelsAndClasses


def score_scanned(inputs: EvaluationInputs, settings: Settings, threads: int) -> ScannedResult | None:
    """Return what all items contribute; None where a metric, a setting or a file needs them one by one."""
    options = _shared_options(settings)
    true_at, pred_at = _files(inputs, "true"), _files(inputs, "pred")
    if options is None or true_at is None or pred_at is None:
        return None
    (true_file, true_items), (pred_file, pred_items) = true_at, pred_at
    if true_file.shapes is None or pred_file.shapes is not None:
        return None
    true = ScannedSide.of(true_file.columns, true_file.starts, true_items)
    pred = ScannedSide.of(pred_file.columns, pred_file.starts, pred_items)
    lists = true_file.class_lists
    chosen = None if lists is None else [lists[at] for at in true_items.tolist()]
    key, collecting = options
    found = scanned_detections(true, pred, true_file.shapes[true_items], chosen, threads=threads, **collecting)
    if found is None:
        return None
    classes = (frozenset(np.unique(side.columns.category).tolist()) for side in (true, pred))
    together = CollectedTogether(found.columns, found.starts, found.labels)
    return ScannedResult((key, together), LabelsAndClasses(true_classes=next(classes), pred_classes=next(classes)))


def _shared_options(settings: Settings) -> tuple[CollectedKey, dict[str, Any]] | None:
    """Return the key and the options of the columns, if the metrics need these columns alone."""
    settings.check_options(Masks.kind, None)
    if settings.classes != "match" or settings.resolve is not None:
        return None
    keys, options = set[CollectedKey](), dict[str, Any]()
    for metric in settings.metrics_of(Masks.kind, None).chosen:
        if metric.statistics is None or metric.statistics.name != COLLECTOR:
            return None
        keys.add(collected_key(metric, metric.statistics, settings, settings.rule))
        options = metric.statistics.collect_options(settings.every_option_of(metric))
    if len(keys) != 1 or options.pop("rule", None) is not None:
        return None
    return keys.pop(), options


def _files(inputs: EvaluationInputs, side: str) -> tuple[Any, Any] | None:
    """Return the file that all items of a side are read from, and their places in it, -1 for none."""
    items = [getattr(task, side) for task in inputs.tasks]
    if not all(isinstance(item, Item) for item in items):
        return None
    contents = [item.content for item in items if not (side == "pred" and is_empty_item(item))]
    files = {id(content.file): content.file for content in contents if isinstance(content, ScannedItem)}
    if len(files) != 1 or not all(isinstance(content, ScannedItem) for content in contents):
        return None
    places = [item.content.at if isinstance(item.content, ScannedItem) else -1 for item in items]
    return next(iter(files.values())), np.array(places, dtype=np.intp)
