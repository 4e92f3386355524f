"""Metrics of overlaps as a :class:`torchmetrics.Metric`: exact counts, items that are seen twice count once.

The state is a list of integers: how often each pair of labels occurs in each item. It is counted where the tensors are.
Processes exchange these rows, so the result is the same bits for every number of processes and every split of the
data, and an item that a distributed sampler repeats to fill its last batch is recognised by its id. Needs
``pip install 'segmetry[torch]'``.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from typing import Any

from segmetry.adapters.counted_items import COLUMNS, CountedItems
from segmetry.adapters.epoch import EpochSettings
from segmetry.adapters.exchanged_rows import ExchangedRows
from segmetry.adapters.torch_panoptic import PanopticQuality
from segmetry.errors import MissingExtraError
from segmetry.run.run import Run

try:
    import torch
except ImportError as problem:
    raise MissingExtraError("segmetry.adapters.torchmetrics", "torch") from problem

__all__ = ["PanopticQuality", "Segmetry"]


class Segmetry(ExchangedRows):
    """All metrics of overlaps over batches of label maps, as :func:`segmetry.evaluate` computes them.

    Parameters
    ----------
    metrics : iterable of str or function, or str, optional
        Keys, aliases, functions or families of metrics that follow from overlap tables.
    protocol : Protocol or str, optional
        A community's way of evaluating, such as ``'semantic'`` or ``'stardist'``; its metrics must follow from overlap
        tables.
    read : mapping, optional
        What labels mean, as for :func:`segmetry.evaluate`: ``{'labels': 'classes', 'void': 255}``.
    category_maps : bool
        Maps have shape (B, …, 2), with category and instance last; the category of an element is its class.
    stuff : collection of int
        Categories of ``category_maps`` whose instances are one segment.
    per_class : bool
        Return the values of single classes, too.
    class_names : mapping of classes to str, optional
        How classes are called, by label.
    rule, policy, resolve, classes, background, undefined, average, groups, options
        As for :func:`segmetry.evaluate`.
    """

    is_differentiable = False
    higher_is_better = None
    full_state_update = False
    rows: Any
    names: Any

    def __init__(
        self,
        metrics: Iterable[Any] | str | None = None,
        *,
        protocol: Any = None,
        read: Mapping[str, Any] | None = None,
        category_maps: bool = False,
        stuff: Collection[int] = (),
        per_class: bool = False,
        class_names: Mapping[Hashable, str] | None = None,
        rule: Any = None,
        policy: Any = None,
        resolve: str | None = None,
        classes: str | None = None,
        background: str | None = None,
        undefined: float | None = None,
        average: str | None = None,
        groups: Mapping[str, Collection[Hashable]] | None = None,
        options: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.settings = EpochSettings(
            metrics,
            protocol=protocol,
            read=read,
            category_maps=category_maps,
            stuff=stuff,
            per_class=per_class,
            class_names=class_names,
            rule=rule,
            policy=policy,
            resolve=resolve,
            classes=classes,
            background=background,
            undefined=undefined,
            average=average,
            groups=groups,
            options=options,
        )
        self.add_rows("rows", COLUMNS)
        self.add_rows("names")

    def update(self, preds: Any, target: Any, item_ids: Sequence[Hashable] | None = None) -> None:
        """Count a batch of label maps (B, …); an item whose id was seen before does not count again."""
        counted = self.settings.count(target, preds, item_ids)
        if not len(counted.rows):
            return
        self.append("rows", counted.rows)
        self.append("names", counted.names)

    def compute(self) -> dict[str, torch.Tensor]:
        """Return every value of the summary under a flat name, as float64; NaN where it is undefined.

        Names are those of :meth:`segmetry.Run.scalars`: ``pq/by_item``, ``mean_iou/by_class``, ``group/things/pq/…``.
        """
        values = self.settings.values(self._items())
        return {name: torch.tensor(value, dtype=torch.float64, device=self.device) for name, value in values.items()}

    def run(self, **options: Any) -> Run:
        """Return the run of all items so far, to be compared, gated, summarised or saved.

        ``options`` are further options of :func:`segmetry.evaluate`, such as ``out="epoch.segm"``. Between
        :meth:`sync` and :meth:`unsync` (``with metric.sync_context():``) it has the items of all processes.
        """
        return self.settings.run(self._items(), **options)

    def _items(self) -> CountedItems:
        return CountedItems(self.joined("rows"), self.joined("names"))
