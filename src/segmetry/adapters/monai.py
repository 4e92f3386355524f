"""Metrics of overlaps as a cumulative metric of MONAI.

Its buffers hold how often each pair of labels occurs in each item. MONAI gathers them over processes, so the values
are bit-identical for every number of processes.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from segmetry._base import importing
from segmetry.adapters.epoch import CountedItems, EpochSettings
from segmetry.errors import InputError, ShapeMismatchError
from segmetry.run import Run

with importing("segmetry.adapters.monai", "monai"):
    import torch
    from monai.metrics import CumulativeIterationMetric

_NO_NAME = torch.zeros(3, dtype=torch.int64)
"""The name of no item: buffers of MONAI cannot be empty."""


class MonaiMetric(CumulativeIterationMetric):  # type: ignore[misc]
    """All metrics of overlaps over an epoch, as :func:`segmetry.evaluate` computes them.

    Both ``y_pred`` and ``y`` are label maps with one channel, (B, 1, …), or in one-hot format, (B, C, …), or lists of
    such maps without the batch. ``options`` are those of :class:`~segmetry.adapters.epoch.EpochSettings`; in one-hot
    format, state ``read={'labels': 'classes'}``.
    """

    def __init__(self, metrics: Any = None, **options: Any) -> None:
        super().__init__()
        self.settings = EpochSettings(metrics, **options)

    def _compute_tensor(
        self, y_pred: torch.Tensor, y: torch.Tensor | None = None, item_ids: Sequence[Hashable] | None = None
    ) -> list[torch.Tensor]:
        """Return the rows and the names of the items of a batch."""
        if y is None:
            raise InputError("y is missing; expected the true label maps besides y_pred")
        counted = self.settings.count(_label_maps(y, "y"), _label_maps(y_pred, "y_pred"), item_ids)
        return [torch.from_numpy(counted.rows), torch.from_numpy(counted.names)]

    def _compute_list(
        self, y_pred: Any, y: Any = None, item_ids: Sequence[Hashable] | None = None
    ) -> list[torch.Tensor]:
        """Return the rows and the names of items that are given one by one."""
        parts = [
            self._compute_tensor(pred[None], true[None], None if item_ids is None else [item_ids[at]])
            for at, (pred, true) in enumerate(zip(y_pred, y, strict=True))
        ]
        return [torch.cat(columns) for columns in zip(*parts, strict=True)]

    def __call__(self, y_pred: Any, y: Any = None, **kwargs: Any) -> Any:
        """Count a batch and keep its rows; ``item_ids=`` names the items, and one that was seen before counts once."""
        rows, names = super(CumulativeIterationMetric, self).__call__(y_pred=y_pred, y=y, **kwargs)
        self.extend(rows, names if len(names) else _NO_NAME)
        return rows

    def aggregate(self) -> dict[str, float]:
        """Return every value under a flat name, such as ``dice/by_class``; NaN where it is undefined."""
        return self.settings.values(self._counted_items())

    def run(self, **options: Any) -> Run:
        """Return the run of the items of all processes."""
        return self.settings.run(self._counted_items(), **options)

    def _counted_items(self) -> CountedItems:
        buffers = self.get_buffer()
        if buffers is None:
            raise InputError("no item has been seen; expected at least one batch before the values are computed")
        rows, names = (buffer.cpu().numpy() for buffer in buffers)
        return CountedItems(rows, names)


def _label_maps(maps: torch.Tensor, side: str) -> torch.Tensor:
    """Return label maps (B, …) from maps with one channel, or from maps in one-hot format."""
    if maps.ndim < 3:
        raise ShapeMismatchError(f"{side} has shape {tuple(maps.shape)}; expected (B, 1, …) or one-hot (B, C, …)")
    plain = maps.as_tensor() if hasattr(maps, "as_tensor") else maps
    if plain.shape[1] == 1:
        labels = plain[:, 0]
        whole = labels.long()
        if labels.is_floating_point() and not torch.equal(whole.to(labels.dtype), labels):
            raise InputError(f"{side} contains numbers that are not integers; expected labels, or one-hot format")
        return whole
    chosen = plain != 0
    if not bool((chosen.sum(dim=1) == 1).all()):
        raise InputError(
            f"{side} has {plain.shape[1]} channels and is not one-hot; expected one channel or one-hot format"
        )
    return chosen.long().argmax(dim=1)
