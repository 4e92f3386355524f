"""Integer rows that a :class:`torchmetrics.Metric` collects, and that processes exchange."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry.errors import MissingExtraError

try:
    import torch
    from torchmetrics import Metric
except ImportError as problem:
    raise MissingExtraError("segmetry.adapters.torchmetrics", "torch") from problem


class ExchangedRows(Metric):  # type: ignore[misc]
    """A metric whose states are lists of int64 arrays.

    They are in the memory of the host, where they are needed in the end; they are put on the device of the metric only
    when processes exchange them. A process that has seen no item sends none.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._shapes: dict[str, tuple[int, ...]] = {}

    def add_rows(self, name: str, *columns: int) -> None:
        """Add a state of rows with so many columns, of single integers without a number."""
        self._shapes[name] = (0, *columns)
        self.add_state(name, default=[], dist_reduce_fx="cat")

    def append(self, name: str, rows: NDArray[np.int64]) -> None:
        """Add rows to a state."""
        getattr(self, name).append(torch.from_numpy(rows))

    def joined(self, name: str) -> NDArray[np.int64]:
        """Return all rows of a state, those of all processes while they are synchronised."""
        state = getattr(self, name)
        parts = [state] if isinstance(state, torch.Tensor) else state
        if not parts:
            return np.zeros(self._shapes[name], dtype=np.int64)
        rows: NDArray[np.int64] = torch.cat([part.cpu() for part in parts]).numpy()
        return rows

    def sync(
        self,
        dist_sync_fn: Callable[..., Any] | None = None,
        process_group: Any | None = None,
        should_sync: bool = True,  # noqa: FBT001, FBT002
        distributed_available: Callable[[], bool] | None = None,
    ) -> None:
        """Exchange the rows of all processes; see :meth:`torchmetrics.Metric.sync`."""
        is_distributed = distributed_available or self.distributed_available_fn
        if should_sync and not self._is_synced and callable(is_distributed) and is_distributed():
            for name, shape in self._shapes.items():
                parts = getattr(self, name) or [torch.zeros(shape, dtype=torch.int64)]
                setattr(self, name, [part.to(self.device) for part in parts])
        super().sync(dist_sync_fn, process_group, should_sync, distributed_available)
