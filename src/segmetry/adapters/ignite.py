"""Metrics of overlaps as a metric of PyTorch-Ignite, which is attached to an engine like any other.

Processes exchange how often each pair of labels occurs in each item, so the values are bit-identical for every number
of processes, and duplicate items with an id are counted once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from segmetry._base import importing
from segmetry.adapters.epoch import COLUMNS, CountedItems, EpochSettings, joined
from segmetry.run import Run

with importing("segmetry.adapters.ignite", "pytorch-ignite"):
    import ignite.distributed as idist
    import torch
    from ignite.metrics import Metric
    from ignite.metrics.metric import reinit__is_reduced


class IgniteMetric(Metric):  # type: ignore[misc]
    """All metrics of overlaps over an epoch, as :func:`segmetry.evaluate` computes them.

    The output of the engine, after ``output_transform``, is ``(y_pred, y)`` or ``(y_pred, y, item_ids)``: label maps of
    shape (B, …). ``options`` are those of :class:`~segmetry.adapters.epoch.EpochSettings`.
    """

    def __init__(
        self,
        metrics: Any = None,
        *,
        output_transform: Callable[[Any], Any] = lambda output: output,
        device: str | torch.device = "cpu",
        **options: Any,
    ) -> None:
        self.settings = EpochSettings(metrics, **options)
        self._parts: list[CountedItems] = []
        super().__init__(output_transform=output_transform, device=device)

    @reinit__is_reduced  # type: ignore[untyped-decorator]
    def reset(self) -> None:
        """Forget all items."""
        self._parts = []

    @reinit__is_reduced  # type: ignore[untyped-decorator]
    def update(self, output: Any) -> None:
        """Count a batch."""
        pred, true, *ids = output
        self._parts.append(self.settings.count(true, pred, *ids))

    def compute(self) -> dict[str, float]:
        """Return every value under a flat name, such as ``pq/by_item``; NaN where it is undefined."""
        return self.settings.values(self._gather_items())

    def run(self, **options: Any) -> Run:
        """Return the run of the items of all processes."""
        return self.settings.run(self._gather_items(), **options)

    def _gather_items(self) -> CountedItems:
        items = joined(self._parts)
        if idist.get_world_size() == 1:
            return items
        rows = _gather_integers(torch.from_numpy(items.rows).reshape(-1))
        return CountedItems(rows.reshape(-1, COLUMNS).numpy(), _gather_integers(torch.from_numpy(items.names)).numpy())


def _gather_integers(values: torch.Tensor) -> torch.Tensor:
    """Return the values of all processes, one after the other; each may have another number of them."""
    device = idist.device()
    sizes: Any = idist.all_gather(torch.tensor([len(values)], device=device))
    padded = torch.zeros(int(sizes.max()), dtype=torch.int64, device=device)
    padded[: len(values)] = values.to(device)
    parts: Any = idist.all_gather(padded[None])
    return torch.cat([part[: int(size)] for part, size in zip(parts, sizes, strict=True)]).cpu()
