"""Count label pairs of tensors on the device that holds them: by a CUDA kernel where it can run, else by torch.

Operations of torch alone suit any device that torch supports, and any labels: both tensors are read once to find their
joint runs; what follows costs time per run, not per element.

The rows are the integers that :func:`segmetry.kernels.pairs.count_pairs` returns for the same labels on the host, in
the same order.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmetry._base import IntArray
from segmetry.errors import GpuError
from segmetry.kernels.backend import kernel
from segmetry.kernels.gpu import cuda_classes, cuda_pairs
from segmetry.kernels.gpu.cuda_driver import compiler, driver
from segmetry.kernels.pairs import CategoryPairs, PairCounts

ITEM_SHIFT = 40
"""A count has the number of its item above these bits."""


class LabelRows(NamedTuple):
    """The item of every row, its two labels, and how often they meet; sorted in this order."""

    items: IntArray
    true_labels: IntArray
    pred_labels: IntArray
    counts: IntArray


@kernel(
    lambda native, keys, counts, *, true_signed, pred_signed: LabelRows(
        *native.sort_key_rows(keys, counts, true_signed, pred_signed)
    )
)
def sort_key_rows(keys: IntArray, counts: IntArray, *, true_signed: bool, pred_signed: bool) -> LabelRows:
    """Return the rows by item, true label and pred label, which lie in the upper and the lower half of a key."""
    order = np.argsort(keys.view(np.uint64) ^ np.uint64(sign_bits(true_signed=true_signed, pred_signed=pred_signed)))
    number = counts[order] >> ITEM_SHIFT
    if number.size and number.max():
        few = number.max() < 1 << 16  # numpy sorts 16 bits by counting
        order = order[np.argsort(number.astype(np.uint16) if few else number, kind="stable")]
    return label_rows(keys[order], counts[order], true_signed=true_signed, pred_signed=pred_signed)


def label_rows(keys: IntArray, counts: IntArray, *, true_signed: bool, pred_signed: bool) -> LabelRows:
    """Return the columns of rows that are in order."""
    halves = keys.view(np.uint32).reshape(-1, 2)  # machines on which GPUs are used put the low half first
    true_labels, pred_labels = (
        (half.view(np.int32) if is_signed else half).astype(np.int64)
        for half, is_signed in ((halves[:, 1], true_signed), (halves[:, 0], pred_signed))
    )
    return LabelRows(counts >> ITEM_SHIFT, true_labels, pred_labels, counts & ((1 << ITEM_SHIFT) - 1))


def sign_bits(*, true_signed: bool, pred_signed: bool) -> int:
    """Return the sign bits of the labels in a key."""
    return (true_signed << 63) | (pred_signed << 31)


def as_unsigned(labels: IntArray, *, unsigned: bool) -> NDArray[Any]:
    """Return labels with the type that labels of 64 bits have: uint64 if they are unsigned."""
    return labels.view(np.uint64) if unsigned else labels


def count_device_pairs(true: Any, pred: Any, *, items: int = 1) -> list[PairCounts]:
    """Count the label pairs of two tensors of one shape on one device; item after item along the first axis."""
    task = task_of(true, pred, items)
    tables = cuda_classes.count_tables(task, true.contiguous(), pred.contiguous())
    if tables is not None:
        item, counted = _with_types(*tables.columns(), task)
    else:
        rows = _cuda_rows(task, true, pred)
        item, counted = _by_torch(true, pred, task) if rows is None else sorted_pairs(rows, task)
        if rows is not None:
            cuda_classes.learn_labels(task, counted.true_labels, counted.pred_labels)
    if items == 1:
        return [counted]
    bounds = np.searchsorted(item, np.arange(items + 1)).tolist()
    return [PairCounts._make(column[start:stop] for column in counted) for start, stop in pairwise(bounds)]


def count_device_categories(true: Any, pred: Any) -> CategoryPairs:
    """Count the pairs of two int64 tensors of shape (items, …, 2), with category and instance last."""
    items, n = len(true), true[0].numel() // 2
    task = _device_task(true, cuda_pairs.CATEGORY, cuda_pairs.CATEGORY, n, items)
    rows = _cuda_rows(task, true, pred)
    if rows is None:
        sides = [side.reshape(-1, 2)[:, at].contiguous() for side in (true, pred) for at in (0, 1)]
        found, counts = count_columns(sides, n)
        return CategoryPairs._make([*found, counts])
    item, first, second, counts = _sorted_rows(rows, task)
    return CategoryPairs(item, (first >> 20) - 1, first & 0xFFFFF, (second >> 20) - 1, second & 0xFFFFF, counts)


def task_of(true: Any, pred: Any, items: int = 1) -> cuda_pairs.Task:
    """Return the task of counting two tensors of integers."""
    true_type, pred_type = (str(side.dtype).removeprefix("torch.") for side in (true, pred))
    return _device_task(true, true_type, pred_type, true.numel() // items, items)


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
    (item, *values), counts = count_columns([as_int64(side) for side in (true, pred)], task.n)
    first, second = (
        column.view(np.uint64) if name == "uint64" else column
        for column, name in zip(values, (task.true_type, task.pred_type), strict=True)
    )
    if "uint64" in (task.true_type, task.pred_type):  # they were sorted as signed integers
        order = np.lexsort((second, first, item))
        return item[order], PairCounts(first[order], second[order], counts[order])
    return item, PairCounts(first, second, counts)


def sorted_pairs(rows: cuda_pairs.PairRows, task: cuda_pairs.Task) -> tuple[IntArray, PairCounts]:
    """Return the item of every row, and the rows in order."""
    return _with_types(*_sorted_rows(rows, task), task)


def _with_types(
    item: IntArray, true_labels: IntArray, pred_labels: IntArray, counts: IntArray, task: cuda_pairs.Task
) -> tuple[IntArray, PairCounts]:
    return item, PairCounts(
        as_unsigned(true_labels, unsigned=task.true_type == "uint64"),
        as_unsigned(pred_labels, unsigned=task.pred_type == "uint64"),
        counts,
    )


def _sorted_rows(rows: cuda_pairs.PairRows, task: cuda_pairs.Task) -> LabelRows:
    """Return the rows sorted by item, true label and pred label; many rows are sorted on the device."""
    columns: Any = rows.columns if rows.on_host else rows.columns.cpu().numpy() if rows.wide else None
    true_signed, pred_signed = task.true_type.startswith("int"), task.pred_type.startswith("int")
    if columns is None:
        return _sorted_on_device(rows.columns, task, true_signed=true_signed, pred_signed=pred_signed)
    if not rows.wide:
        return sort_key_rows(columns[0], columns[1], true_signed=true_signed, pred_signed=pred_signed)
    items, counts = columns[2] >> ITEM_SHIFT, columns[2] & ((1 << ITEM_SHIFT) - 1)
    labels = [as_unsigned(columns[at], unsigned=task[2 + at] == "uint64") for at in (0, 1)]
    order = np.lexsort((labels[1], labels[0], items))
    return LabelRows(items[order], columns[0][order], columns[1][order], counts[order])


def _sorted_on_device(columns: Any, task: cuda_pairs.Task, *, true_signed: bool, pred_signed: bool) -> LabelRows:
    import torch

    flips = sign_bits(true_signed=true_signed, pred_signed=pred_signed) ^ (1 << 63)  # torch sorts as signed integers
    flip = flips - (1 << 64) if flips >> 63 else flips
    keys, order = torch.sort(columns[0] ^ flip)
    counts = columns[1][order]
    if task.items > 1:
        by_item = torch.sort(counts >> ITEM_SHIFT, stable=True).indices
        keys, counts = keys[by_item], counts[by_item]
    found: NDArray[np.int64] = torch.stack([keys ^ flip, counts]).cpu().numpy()
    return label_rows(found[0], found[1], true_signed=true_signed, pred_signed=pred_signed)


def _device_task(tensor: Any, true_type: str, pred_type: str, n: int, items: int) -> cuda_pairs.Task:
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


def count_columns(columns: list[Any], n: int) -> tuple[list[NDArray[np.int64]], NDArray[np.int64]]:
    """Return item, values and counts of equal positions in flat int64 tensors of items of ``n`` elements, sorted."""
    import torch

    length = columns[0].numel()
    changes = torch.zeros(max(length - 1, 0), dtype=torch.bool, device=columns[0].device)
    for column in columns:
        changes |= column[1:] != column[:-1]
    changes[n - 1 :: n] = True
    ends = torch.cat([changes.nonzero().view(-1), changes.new_full((1,), length - 1, dtype=torch.int64)])
    lengths = torch.diff(ends, prepend=ends.new_full((1,), -1))
    at_ends = [torch.div(ends, n, rounding_mode="floor"), *(column[ends] for column in columns)]
    codes, order = torch.sort(_joint_codes(at_ends))
    first = torch.cat([codes.new_ones(1, dtype=torch.bool), codes[1:] != codes[:-1]]).nonzero().view(-1)
    sums = torch.cat([lengths.new_zeros(1), lengths[order].cumsum(0)])
    stops = torch.cat([first[1:], first.new_full((1,), codes.numel())])
    chosen = order[first]
    return [column[chosen].cpu().numpy() for column in at_ends], (sums[stops] - sums[first]).cpu().numpy()


def _joint_codes(columns: list[Any]) -> Any:
    """Return one integer per position, in the order of the columns and different where any of them differs."""
    import torch

    codes, n_codes = None, 1
    for column in columns:
        values, at = torch.unique(column, return_inverse=True)
        if codes is None:
            codes, n_codes = at, values.numel()
            continue
        if n_codes * values.numel() >= 1 << 62:
            known, codes = torch.unique(codes, return_inverse=True)
            n_codes = known.numel()  # at most the number of runs, so products of two fit into 62 bits
        codes, n_codes = codes * values.numel() + at, n_codes * values.numel()
    return codes


def as_int64(labels: Any) -> Any:
    """Return flat labels as int64, uint64 with its bits: torch compares and sorts few of its unsigned types."""
    import torch

    flat = labels.reshape(-1)
    return flat.view(torch.int64) if labels.dtype == torch.uint64 else flat.to(torch.int64)
