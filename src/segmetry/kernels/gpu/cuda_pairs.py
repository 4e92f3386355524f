"""Label pairs of tensors on an NVIDIA GPU, counted by ``count_pairs.cu``."""

from __future__ import annotations

import ctypes
from collections import OrderedDict
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from segmetry.kernels.gpu.cuda_driver import Launch, OnDevice, loaded_module, wait_for

CATEGORY = "Category"
"""The type of an element of an array (…, 2) of int64: its category and its instance."""
LABEL_TYPES = {
    "bool": "unsigned char",
    "uint8": "unsigned char",
    "int8": "signed char",
    "uint16": "unsigned short",
    "int16": "short",
    "uint32": "unsigned int",
    "int32": "int",
    "uint64": "unsigned long long",
    "int64": "long long",
}
"""The C type by the name of a dtype."""
WIDTHS = {**{name: np.dtype(name).itemsize for name in LABEL_TYPES}, CATEGORY: 16}

FULL, TOO_WIDE = 1, 2
"""Flags of ``count_pairs.cu``."""
HOST_ROWS = 1 << 13
"""Rows that the kernel writes to memory of the host at once."""
MOST_SLOTS = 1 << 24
"""Beyond a table of this size, sorting is as fast and takes less memory."""
LARGE = 1 << 24
"""Elements from which on a lane loads more labels at once."""
WAVES = 4
"""Blocks per place where one can run: several, so that blocks with many runs do not keep the others waiting."""
# A plan holds memory of the device; training and validation with a last smaller batch need four.
KEPT_PLANS = 8


class NotCountedError(Exception):
    """This way of counting does not suit the labels; another one has to be used."""


class _PairTable(ctypes.Structure):
    """The structure of the same name in ``count_pairs.cu``."""

    _fields_ = (
        ("keys", ctypes.c_uint64),
        ("counts", ctypes.c_uint64),
        ("true_labels", ctypes.c_uint64),
        ("pred_labels", ctypes.c_uint64),
        ("flags", ctypes.c_uint64),
        ("mask", ctypes.c_uint32),
        ("label_mask", ctypes.c_uint32),
    )


class Task(NamedTuple):
    """Arrays of one size and type on one stream of a device."""

    device: int
    stream: int
    true_type: str
    pred_type: str
    n: int
    items: int


@dataclass(frozen=True)
class _Capacity:
    """Slots of the table of an item and of the tables of labels; ``wide`` if labels need more than 32 bits."""

    slots: int
    labels: int = 1 << 14
    wide: bool = False


@dataclass(frozen=True, eq=False)
class PairRows:
    """Rows in any order: ``columns`` are keys and counts, or true labels, pred labels and counts (``wide``).

    They are on the host where they are few, else on the device.
    """

    columns: Any
    wide: bool
    on_host: bool


def tile_macros(task: Task) -> dict[str, int]:
    """Return the shape of a tile that was fastest for labels of this width on an H200."""
    width = max(WIDTHS[task.true_type], WIDTHS[task.pred_type])
    wide_loads = task.n * task.items >= LARGE
    per_lane, steps = {1: (16, 2), 2: (8, 2), 4: (8, 2) if wide_loads else (4, 4), 8: (4, 2), 16: (2, 2)}[width]
    return {
        "PER_LANE": per_lane,
        "STEPS": steps,
        "LOG_SLOTS": 10,
        "WARPS": 8,
        "RESIDENT": 5 if width == 1 else 4,
        "BYTES": int(width == 1),
    }


def label_macros(task: Task) -> tuple[tuple[str, str], ...]:
    """Return the C types of the labels of a task."""
    true_label, pred_label = (LABEL_TYPES.get(name, name) for name in (task.true_type, task.pred_type))
    return ("TRUE_LABEL", true_label), ("PRED_LABEL", pred_label)


class Plan:
    """Everything a task needs, made once: memory, prepared kernels, the grid. Every count leaves its tables empty."""

    def __init__(self, task: Task, capacity: _Capacity) -> None:
        import torch

        macros = tile_macros(task)
        compiled_for = (*label_macros(task), *macros.items(), ("WIDE", int(capacity.wide)))
        module = loaded_module(task.device, "count_pairs.cu", compiled_for)
        place = torch.device("cuda", task.device)
        multiprocessors = torch.cuda.get_device_properties(place).multi_processor_count
        slots, labels = task.items * (capacity.slots + 1), capacity.labels if capacity.wide else 0
        self.capacity, self.lock = capacity, Lock()
        self._memory = torch.zeros(2 * slots + 2 * labels + 2, dtype=torch.int64, device=place)
        self._labels = self._memory[2 * slots : 2 * slots + 2 * labels]
        self._rows = torch.empty((2 + capacity.wide, slots), dtype=torch.int64, device=place)
        # Pinned memory, which the kernel writes directly: few rows need no copy after the wait.
        self._host_rows = torch.empty((2 + capacity.wide, HOST_ROWS), dtype=torch.int64, pin_memory=True)
        self._host_progress = torch.zeros(2, dtype=torch.int32, pin_memory=True)
        self._host_columns, self._progress = self._host_rows.numpy(), self._host_progress.numpy()
        base = self._memory.data_ptr()
        progress = base + 8 * (2 * slots + 2 * labels)
        table = _PairTable(
            keys=base,
            counts=base + 8 * slots,
            true_labels=base + 16 * slots,
            pred_labels=base + 16 * slots + 8 * labels,
            flags=progress + 4,
            mask=capacity.slots - 1,
            label_mask=max(labels - 1, 0),
        )
        tiles = -(-task.n // (32 * macros["PER_LANE"] * macros["STEPS"]))
        places = max(1, multiprocessors * macros["RESIDENT"] * WAVES // task.items)
        tiles_per_block = -(-tiles // max(1, min(-(-tiles // macros["WARPS"]), places)))
        blocks = -(-tiles // tiles_per_block)
        pointer, long, number = ctypes.c_void_p, ctypes.c_int64, ctypes.c_uint32
        self._true, self._pred = pointer(), pointer()
        self._stream = pointer(task.stream)
        self._count = Launch(
            module,
            "count_label_pairs",
            [self._true, self._pred, long(task.n), number(blocks), number(tiles_per_block), table],
            (blocks * task.items, macros["WARPS"] * 32),
            task.stream,
        )
        self._collect = Launch(
            module,
            "collect_rows",
            [
                table,
                long(slots),
                pointer(self._rows.data_ptr()),
                long(slots),
                pointer(self._host_rows.data_ptr()),
                number(HOST_ROWS),
                pointer(progress),
                pointer(self._host_progress.data_ptr()),
            ],
            (min(-(-slots // 256), multiprocessors * 4), 256),
            task.stream,
        )

    def queue(self, true: Any, pred: Any) -> None:
        """Start counting."""
        if self.capacity.wide:
            self._labels.zero_()
        self._true.value, self._pred.value = true.data_ptr(), pred.data_ptr()
        self._count()
        self._collect()

    def wait(self) -> tuple[int, int]:
        """Return the number of rows and the flags when the count has finished."""
        wait_for(self._stream)
        n_rows, flags = self._progress.tolist()
        return n_rows, flags

    def rows(self, n_rows: int) -> PairRows:
        """Return a copy of the rows."""
        on_host = n_rows <= HOST_ROWS
        columns = self._host_columns[:, :n_rows].copy() if on_host else self._rows[:, :n_rows].clone()
        return PairRows(columns, self.capacity.wide, on_host)


_plans: OrderedDict[Task, Plan] = OrderedDict()
"""The plans that were used last; that of a task has the capacity its labels needed so far."""
_needed: dict[tuple[str, str, int, int], _Capacity] = {}
_lock = Lock()


def first_capacity(n: int, items: int) -> int:
    """Return the slots of an item's table at the first try: segmentations have few pairs."""
    # Tables of a power of two: a slot is a hash and a mask.
    return 1 << 11 if items > 1 else 1 << max(13, min(17, (n // 512).bit_length()))


def count_rows(task: Task, true: Any, pred: Any) -> PairRows:
    """Count contiguous tensors; tables that turn out to be too small grow, and their size is remembered.

    NotCountedError is raised where tables would become too large, or a category does not fit into a key.
    """
    with OnDevice(task.device):
        while True:
            plan = plan_of(task)
            with plan.lock:
                plan.queue(true, pred)
                n_rows, flags = plan.wait()
                if not flags:
                    return plan.rows(n_rows)
            _grow_plan(task, plan, flags)


def plan_of(task: Task) -> Plan:
    """Return the plan of a task, made where it is not among those kept."""
    with _lock:
        plan = _plans.get(task)
        if plan is None:
            capacity = _needed.get(task[2:], _Capacity(first_capacity(task.n, task.items)))
            plan = _plans[task] = Plan(task, capacity)
            if len(_plans) > KEPT_PLANS:
                _plans.popitem(last=False)
        else:
            _plans.move_to_end(task)
    return plan


def _grow_plan(task: Task, plan: Plan, flags: int) -> None:
    """Replace a plan whose count was given up, which left its tables in disorder."""
    with _lock:
        if _plans.get(task) is plan:
            del _plans[task]
        _needed[task[2:]] = _larger_capacity(task, plan.capacity, flags)


def _larger_capacity(task: Task, capacity: _Capacity, flags: int) -> _Capacity:
    if flags & TOO_WIDE:
        if CATEGORY in (task.true_type, task.pred_type):
            raise NotCountedError("a category or an instance does not fit into 32 bits")
        return replace(capacity, wide=True)
    # Twice as many slots as elements can never be full.
    enough = 1 << max(12, (2 * task.n - 1).bit_length())
    # Every try reads the arrays again, and every later count looks through all slots: growth by 64 made the table of
    # 2^18 rows 2^23 slots large, and half of the time of a count was spent on empty ones.
    larger = _Capacity(min(8 * capacity.slots, enough), min(8 * capacity.labels, enough), capacity.wide)
    if larger.slots * task.items > MOST_SLOTS or larger == capacity:
        raise NotCountedError("there are too many pairs for a table")
    return larger
