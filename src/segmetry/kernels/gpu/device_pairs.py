"""Count label pairs of tensors on the device that holds them: by a CUDA kernel where it can run, else by torch.

The rows are the integers that :func:`segmetry.kernels.pairs.count_pairs` returns for the same labels on the host, in
the same order.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import IntArray
from segmetry.errors import GpuError
from segmetry.kernels.category_pairs import CategoryPairs
from segmetry.kernels.gpu import cuda_pairs, torch_pairs
from segmetry.kernels.gpu.cuda_driver import driver
from segmetry.kernels.gpu.runtime_compiler import compiler
from segmetry.kernels.pairs import PairCounts


def count_device_pairs(true: Any, pred: Any, *, items: int = 1) -> list[PairCounts]:
    """Count the label pairs of two tensors of one shape on one device; item after item along the first axis."""
    task = task_of(true, pred, items)
    rows = _cuda_rows(task, true, pred)
    if rows is None:
        item, counted = _by_torch(true, pred, task)
    else:
        columns = _sorted(rows, task)
        item = cuda_pairs.items_of(columns) if items > 1 else columns[-1]
        counted = PairCounts(*cuda_pairs.unpack(columns, task, wide=rows.wide))
    if items == 1:
        return [counted]
    bounds = np.searchsorted(item, np.arange(items + 1)).tolist()
    return [PairCounts._make(column[start:stop] for column in counted) for start, stop in pairwise(bounds)]


def count_device_categories(true: Any, pred: Any) -> CategoryPairs:
    """Count the pairs of two int64 tensors of shape (items, …, 2), with category and instance last."""
    items, n = len(true), true[0].numel() // 2
    task = _task(true, cuda_pairs.CATEGORY, cuda_pairs.CATEGORY, n, items)
    rows = _cuda_rows(task, true, pred)
    if rows is None:
        sides = [side.reshape(-1, 2)[:, at].contiguous() for side in (true, pred) for at in (0, 1)]
        found, counts = torch_pairs.count_columns(sides, n)
        return CategoryPairs._make([*found, counts])
    columns = _sorted(rows, task)
    first, second, counts = cuda_pairs.unpack(columns, task, wide=False)
    return CategoryPairs(
        cuda_pairs.items_of(columns), (first >> 20) - 1, first & 0xFFFFF, (second >> 20) - 1, second & 0xFFFFF, counts
    )


def task_of(true: Any, pred: Any, items: int = 1) -> cuda_pairs.Task:
    """Return the task of counting two tensors of integers."""
    true_type, pred_type = (str(side.dtype).removeprefix("torch.") for side in (true, pred))
    return _task(true, true_type, pred_type, true.numel() // items, items)


def _cuda_rows(task: cuda_pairs.Task, true: Any, pred: Any) -> cuda_pairs.PairRows | None:
    """Return the rows of the kernel; None where it cannot run, or does not suit the labels."""
    if true.device.type != "cuda" or not cuda_kernel_is_usable():
        return None
    try:
        return cuda_pairs.count_rows(task, true.contiguous(), pred.contiguous())
    except cuda_pairs.NotCountedError:
        return None


def _by_torch(true: Any, pred: Any, task: cuda_pairs.Task) -> tuple[IntArray, PairCounts]:
    """Return the item of every row, and the rows."""
    (item, *values), counts = torch_pairs.count_columns([torch_pairs.as_int64(side) for side in (true, pred)], task.n)
    first, second = (
        column.view(np.uint64) if name == "uint64" else column
        for column, name in zip(values, (task.true_type, task.pred_type), strict=True)
    )
    if "uint64" in (task.true_type, task.pred_type):  # they were sorted as signed integers
        order = np.lexsort((second, first, item))
        return item[order], PairCounts(first[order], second[order], counts[order])
    return item, PairCounts(first, second, counts)


def _sorted(rows: cuda_pairs.PairRows, task: cuda_pairs.Task) -> NDArray[np.int64]:
    """Return the columns sorted by item, true label and pred label; many rows are sorted on the device."""
    columns: Any = rows.columns
    if not rows.on_host:
        columns = columns.cpu().numpy() if rows.wide else _sorted_on_device(columns, task)
        if not rows.wide:
            return columns  # type: ignore[no-any-return]
    order = _order_of_labels(columns, task) if rows.wide else np.argsort(_in_order(columns[0], task))
    if task.items > 1:
        number = cuda_pairs.items_of(columns)[order]
        few = task.items <= 1 << 16  # numpy sorts 16 bits by counting
        order = order[np.argsort(number.astype(np.uint16) if few else number, kind="stable")]
    return np.take(columns, order, axis=1)


def _order_of_labels(columns: NDArray[np.int64], task: cuda_pairs.Task) -> NDArray[np.intp]:
    first, second, _ = cuda_pairs.unpack(columns, task, wide=True)
    return np.lexsort((second, first))


def _in_order(keys: NDArray[np.int64], task: cuda_pairs.Task) -> NDArray[np.uint64]:
    """Return integers in the order of the labels that the keys contain."""
    return keys.view(np.uint64) ^ np.uint64(_sign_bits(task))


def _sign_bits(task: cuda_pairs.Task) -> int:
    """Return the sign bits of the labels in a key."""
    return (task.true_type.startswith("int") << 63) | (task.pred_type.startswith("int") << 31)


def _sorted_on_device(columns: Any, task: cuda_pairs.Task) -> NDArray[np.int64]:
    import torch

    flips = _sign_bits(task) ^ (1 << 63)  # torch sorts keys as signed integers
    flip = flips - (1 << 64) if flips >> 63 else flips
    keys, order = torch.sort(columns[0] ^ flip)
    counts = columns[1][order]
    if task.items > 1:
        by_item = torch.sort(counts >> cuda_pairs.ITEM_SHIFT, stable=True).indices
        keys, counts = keys[by_item], counts[by_item]
    found: NDArray[np.int64] = torch.stack([keys ^ flip, counts]).cpu().numpy()
    return found


def _task(tensor: Any, true_type: str, pred_type: str, n: int, items: int) -> cuda_pairs.Task:
    on_cuda = tensor.device.type == "cuda"
    device = tensor.device.index if on_cuda else 0
    stream = _current_stream()(device) if on_cuda else 0
    return cuda_pairs.Task(device, stream, true_type, pred_type, n, items)


@cache
def _current_stream() -> Callable[[int], int]:
    """Return the function that gives the stream of a device; that of torch's own kernels is the fastest."""
    import torch

    quick: Callable[[int], int] | None = getattr(torch._C, "_cuda_getCurrentRawStream", None)  # noqa: SLF001
    return quick or (lambda device: int(torch.cuda.current_stream(device).cuda_stream))


@cache
def cuda_kernel_is_usable() -> bool:
    """Return whether kernels can be compiled and launched here: torch for AMD also calls its devices cuda."""
    import torch

    if torch.version.cuda is None:
        return False
    try:
        driver(), compiler()
    except GpuError:
        return False
    return True
