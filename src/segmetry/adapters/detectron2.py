"""Evaluators with the interface of detectron2's ``DatasetEvaluator``: ``reset``, ``process``, ``evaluate``.

They need nothing of detectron2, which has no wheels: its evaluation loop calls these three methods. Semantic
predictions (``sem_seg``) and panoptic ones (``panoptic_seg``) are counted as they come; processes are gathered by
``gather``, which is ``detectron2.utils.comm.gather`` in a distributed run.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from segmetry.adapters.epoch import CountedItems, EpochSettings, host_array, joined
from segmetry.errors import InputError
from segmetry.run import Run

Truth = Callable[[Mapping[str, Any]], Any]


class SegmetryEvaluator:
    """Metrics of overlaps over a data set, as :func:`segmetry.evaluate` computes them.

    Parameters
    ----------
    metrics
        Keys, aliases or families of metrics that follow from overlap tables.
    truth
        Returns the true labels of an input: a map of classes for ``sem_seg``; for ``panoptic_seg`` a pair (map of
        segment ids, their ``segments_info``). By default ``input["sem_seg"]`` or ``input["panoptic_seg"]``.
    task
        ``'sem_seg'`` or ``'panoptic_seg'``: the output that is evaluated.
    gather
        Gathers a list from all processes on the first one: ``detectron2.utils.comm.gather``.
    name
        The key of the values in the result.
    options
        Those of :class:`~segmetry.adapters.epoch.EpochSettings`.
    """

    def __init__(
        self,
        metrics: Any = None,
        *,
        truth: Truth | None = None,
        task: str = "sem_seg",
        gather: Callable[[Any], Sequence[Any]] = lambda parts: [parts],
        name: str = "segmetry",
        **options: Any,
    ) -> None:
        if task not in ("sem_seg", "panoptic_seg"):
            raise InputError(f"task is {task!r}; expected 'sem_seg' or 'panoptic_seg'")
        self.task, self.name, self.gather = task, name, gather
        self.truth: Truth = truth or (lambda record: record[task])
        self.settings = EpochSettings(metrics, category_maps=task == "panoptic_seg", **options)
        self._parts: list[CountedItems] = []

    def reset(self) -> None:
        """Forget all items."""
        self._parts = []

    def process(self, inputs: Sequence[Mapping[str, Any]], outputs: Sequence[Mapping[str, Any]]) -> None:
        """Count the images of a batch."""
        for record, output in zip(inputs, outputs, strict=True):
            if self.task not in output:
                raise InputError(f"an output has no {self.task}; it has {', '.join(map(str, output))}")
            as_map = _semantic_map if self.task == "sem_seg" else _panoptic_map
            true, pred = as_map(self.truth(record)), as_map(output[self.task])
            name = record.get("image_id", record.get("file_name"))
            self._parts.append(self.settings.count(true[None], pred[None], None if name is None else [name]))

    def evaluate(self) -> OrderedDict[str, dict[str, float]] | None:
        """Return every value under a flat name; None in processes other than the first."""
        gathered = [part for parts in self.gather(self._parts) for part in parts]
        return OrderedDict({self.name: self.settings.values(joined(gathered))}) if gathered else None

    def run(self, **options: Any) -> Run:
        """Return the run of the items of this process."""
        return self.settings.run(joined(self._parts), **options)


def _semantic_map(value: Any) -> Any:
    """Return a map of classes; scores (C, H, W) are decided by the largest one, as detectron2 does."""
    labels = host_array(value)
    return labels.argmax(axis=0) if labels.ndim == 3 else labels


def _panoptic_map(value: tuple[Any, Any]) -> Any:
    """Return a map (H, W, 2) of category and instance; pixels of no segment have category -1."""
    ids, segments = value
    labels = host_array(ids)
    category, instance = np.full(labels.shape, -1, dtype=np.int64), np.zeros(labels.shape, dtype=np.int64)
    known = {int(segment["id"]): segment for segment in segments or ()}
    for label in np.unique(labels).tolist():
        if label in known:
            mask = labels == label
            category[mask] = int(known[label]["category_id"])
            instance[mask] = label if known[label].get("isthing", True) else 0
    return np.stack((category, instance), axis=-1)
