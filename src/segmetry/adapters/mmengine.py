"""Metrics of overlaps as a metric of mmengine, for mmsegmentation and its relatives.

In a configuration: ``custom_imports = dict(imports=["segmetry.adapters.mmengine"])`` and
``val_evaluator = dict(type="Segmetry", metrics="mean_iou,dice", read=dict(labels="classes", void=255))``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from segmetry._base import importing
from segmetry.adapters.epoch import CountedItems, EpochSettings, joined
from segmetry.errors import InputError
from segmetry.run import Run

with importing("segmetry.adapters.mmengine", "mmengine torch"):
    import torch
    from mmengine.evaluator import BaseMetric
    from mmengine.registry import METRICS


@METRICS.register_module(name="Segmetry")
class MmengineMetric(BaseMetric):  # type: ignore[misc]
    """All metrics of overlaps over a data set, as :func:`segmetry.evaluate` computes them.

    Classes are called as the data set calls them (``classes`` of its ``dataset_meta``), in values and in the run file.

    Parameters
    ----------
    metrics
        Keys, aliases or families of metrics that follow from overlap tables.
    true_key, pred_key
        Where a data sample holds the true and the predicted label map: its ``data``, or the map itself.
    name_key
        Where a data sample holds the name of its item; an item that a sampler repeats counts once.
    out
        A run file to be written when the data set has been evaluated.
    collect_device, prefix, collect_dir
        As for every metric of mmengine.
    options
        Those of :class:`~segmetry.adapters.epoch.EpochSettings`.
    """

    default_prefix = "segmetry"

    def __init__(
        self,
        metrics: Any = None,
        *,
        true_key: str = "gt_sem_seg",
        pred_key: str = "pred_sem_seg",
        name_key: str = "img_path",
        out: str | None = None,
        collect_device: str = "cpu",
        prefix: str | None = None,
        collect_dir: str | None = None,
        **options: Any,
    ) -> None:
        super().__init__(collect_device=collect_device, prefix=prefix, collect_dir=collect_dir)
        self.settings = EpochSettings(metrics, **options)
        self.true_key, self.pred_key, self.name_key, self.out = true_key, pred_key, name_key, out

    def process(self, data_batch: Any, data_samples: Sequence[Mapping[str, Any]]) -> None:  # noqa: ARG002
        """Count every data sample; each is one of the results that mmengine collects."""
        for sample in data_samples:
            true, pred = (_label_map(sample, key) for key in (self.true_key, self.pred_key))
            name = sample.get(self.name_key)
            self.results.append(tuple(self.settings.count(true, pred, None if name is None else [name])))

    def compute_metrics(self, results: list[Any]) -> dict[str, float]:
        """Return every value under a flat name; NaN where it is undefined."""
        items = joined(CountedItems(*result) for result in results)
        self._name_classes()
        if self.out is not None:
            self.settings.run(items, out=self.out, force=True)
        return self.settings.values(items)

    def run(self) -> Run:
        """Return the run of the items of this process that have not been evaluated yet."""
        self._name_classes()
        return self.settings.run(joined(CountedItems(*result) for result in self.results))

    def _name_classes(self) -> None:
        """Call classes as the data set does, unless the user names them: ``classes`` of its meta information."""
        names = (self.dataset_meta or {}).get("classes")
        if self.settings.class_names is None and names:
            self.settings.class_names = dict(enumerate(map(str, names)))


def _label_map(sample: Mapping[str, Any], key: str) -> Any:
    """Return a label map (1, …) of a sample."""
    if key not in sample:
        raise InputError(f"a data sample has no {key}; it has {', '.join(map(str, sample.keys()))}")
    value = sample[key]
    is_array = isinstance(value, np.ndarray | torch.Tensor)
    labels = value["data"] if isinstance(value, Mapping) else value if is_array else value.data
    return labels if labels.ndim > 2 and len(labels) == 1 else labels[None]
