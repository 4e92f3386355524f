"""Class tables of tensors with few small labels on an NVIDIA GPU, counted by ``count_classes.cu``.

Which labels there are is learnt from a count by ``count_pairs.cu``. A later batch with other labels is noticed by the
kernel, counted again by ``count_pairs.cu``, and learnt from.
"""

from __future__ import annotations

import ctypes
from collections import OrderedDict
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmetry._base import IntArray
from segmetry.kernels.gpu.cuda_driver import Launch, OnDevice, loaded_module, wait_for
from segmetry.kernels.gpu.cuda_pairs import KEPT_PLANS, WIDTHS, NotCountedError, Task, label_macros

_SIZES = (2, 4, 8, 12, 16, 20, 24, 32, 40, 48, 64, 80, 96, 128, 160, 192, 256)
"""Numbers of classes; a few more than occur cost nothing, and rare classes come late."""
MOST_CLASSES = _SIZES[-1]
MOST_CELLS = 1 << 17
"""Cells of the tables of all items, which one block hands to the host: 1 MiB."""
MOST_RETURNS = 3
"""Batches in a row with labels outside of their table, after which ``count_pairs.cu`` counts tasks of this kind."""
FEWEST_ELEMENTS = 1 << 15
"""Smaller tasks are not faster this way."""
_SHARED = 227 << 10
"""Shared memory of a multiprocessor that blocks can have on an H100 or H200; other devices say how much less."""
_OWN_SHARED = 1200
"""Shared memory that the device and the kernel need for themselves, per block."""
_PLAIN_SHARED = 100 << 10
"""Tables beyond this size have counts of 16 bits."""


class ClassLayout(NamedTuple):
    """The labels of both sides: 0 to ``classes`` - 1, and the one that is ignored on each side, if any."""

    classes: int
    true_ignored: int | None = None
    pred_ignored: int | None = None

    @property
    def codes(self) -> int:
        """The rows and columns of a table."""
        return self.classes + (self.true_ignored is not None or self.pred_ignored is not None)

    @classmethod
    def of_labels(cls, true: IntArray, pred: IntArray) -> ClassLayout | None:
        """Return the layout of these labels; None where they are too many."""
        classes, ignored = 1, []
        for labels in (true, pred):
            values, void = np.unique(labels).tolist(), None
            # Class maps name void by -1 or by a number far beyond the classes, such as 255.
            if values[0] == -1:
                void = values.pop(0)
            elif len(values) > 1 and values[-1] > 2 * values[-2] + 8:
                void = values.pop()
            if (values and (values[0] < 0 or values[-1] >= MOST_CLASSES)) or (void or 0) >= 1 << 63:
                return None
            classes = max(classes, values[-1] + 1 if values else 0)
            ignored.append(void)
        return cls(classes, *ignored).joined(cls(next(size for size in _SIZES if size >= classes)))

    def joined(self, other: ClassLayout) -> ClassLayout | None:
        """Return a layout for the labels of both; None where one label cannot stand for what is ignored."""
        classes, ignored = max(self.classes, other.classes), []
        for first, second in zip(self[1:], other[1:], strict=True):
            values = {value for value in (first, second) if value is not None}
            inside = {value for value in values if 0 <= value < classes}
            if len(values - inside) > 1:
                return None
            ignored.append(next(iter(values - inside), None))
        return ClassLayout(classes, *ignored) if classes <= MOST_CLASSES else None


class ClassPairCounts(NamedTuple):
    """How often the classes meet in every item: (items, codes, codes)."""

    counts: NDArray[np.int64]
    layout: ClassLayout

    def columns(self) -> tuple[IntArray, IntArray, IntArray, IntArray]:
        """Return item, true label, pred label and count of every pair that occurs, in this order."""
        orders, names = [], []
        for ignored in self.layout[1:]:
            labels = np.arange(self.layout.codes)
            if ignored is not None:
                labels[-1] = ignored
            orders.append(np.argsort(labels))
            names.append(labels[orders[-1]])
        counts = self.counts
        for axis, order in enumerate(orders, 1):
            if order[0]:
                counts = counts.take(order, axis)
        item, true, pred = counts.nonzero()
        return item, names[0][true], names[1][pred], counts[item, true, pred]


def launch_macros(task: Task, codes: int, shared: int) -> dict[str, int] | None:
    """Return the way to launch the kernel; None where the device has too little memory for a table.

    It has as many copies of every cell as fit, and two blocks of a multiprocessor where they do.
    """
    width = max(WIDTHS[task.true_type], WIDTHS[task.pred_type])
    per_lane, steps = {1: (16, 2), 2: (8, 2), 4: (4, 4), 8: (2, 4)}[width]
    cells = 4 * codes * codes
    if cells > min(_PLAIN_SHARED, shared - _OWN_SHARED):
        macros = {"THREADS": 1024, "RESIDENT": 1, "LOG_COPIES": 0, "HALVES": 1}
        needed = cells // 2
    else:
        copies = max((log for log in range(5) if cells << log <= shared // 2 - _OWN_SHARED), default=-1)
        is_alone = copies < 3 and cells << (copies + 1) <= shared - _OWN_SHARED
        macros = {"THREADS": 1024 if is_alone else 512, "RESIDENT": 1 if is_alone else 2, "HALVES": 0}
        macros["LOG_COPIES"] = copies + is_alone
        needed = cells << macros["LOG_COPIES"]
    if needed > shared - _OWN_SHARED:
        return None
    if macros["HALVES"]:
        steps = min(steps, (1 << 15) // (macros["THREADS"] * per_lane))
    return {"PER_LANE": per_lane, "STEPS": steps, **macros}


class ClassPlan:
    """Everything that tasks of one kind need, made once: memory, the prepared kernel, the grid."""

    def __init__(self, task: Task, layout: ClassLayout) -> None:
        import torch

        place = torch.device("cuda", task.device)
        device = torch.cuda.get_device_properties(place)
        shared = min(getattr(device, "shared_memory_per_block_optin", 48 << 10), _SHARED)
        macros = launch_macros(task, layout.codes, shared)
        if macros is None:
            raise NotCountedError("the device has too little shared memory")
        compiled_for = (("CLASSES", layout.classes), ("CODES", layout.codes), *label_macros(task), *macros.items())
        module = loaded_module(task.device, "count_classes.cu", compiled_for)
        self.layout, self.lock = layout, Lock()
        cells = layout.codes**2
        self._shape = (task.items, layout.codes, layout.codes)
        self._counts = torch.zeros(task.items * cells + 1, dtype=torch.int64, device=place)
        # Pinned memory, which the kernel writes directly: nothing is copied after the wait.
        self._host_counts = torch.zeros(task.items * cells, dtype=torch.int64, pin_memory=True)
        self._host_flags = torch.zeros(1, dtype=torch.int32, pin_memory=True)
        self._found, self._flags = self._host_counts.numpy().reshape(self._shape), self._host_flags.numpy()
        resident = macros["RESIDENT"] * device.multi_processor_count
        tile = macros["THREADS"] * macros["PER_LANE"] * macros["STEPS"]
        blocks = max(1, min(resident // task.items, -(-task.n // tile)))
        pointer, long = ctypes.c_void_p, ctypes.c_int64
        self._true, self._pred, self._stream = pointer(), pointer(), pointer(task.stream)
        base = self._counts.data_ptr()
        self._count = Launch(
            module,
            "count_class_pairs",
            [
                *(self._true, self._pred, long(task.n), ctypes.c_uint32(blocks)),
                *(long(0 if ignored is None else ignored) for ignored in layout[1:]),
                *(pointer(base), pointer(base + 8 * task.items * cells)),
                *(pointer(self._host_counts.data_ptr()), pointer(self._host_flags.data_ptr())),
            ],
            (blocks * task.items, macros["THREADS"]),
            task.stream,
            shared=2 * cells + 2 if macros["HALVES"] else 4 * cells << macros["LOG_COPIES"],
        )

    def queue(self, true: Any, pred: Any) -> None:
        """Start counting."""
        self._true.value, self._pred.value = true.data_ptr(), pred.data_ptr()
        self._count()

    def wait(self) -> ClassPairCounts | None:
        """Return the tables when the count has finished; None where a label is in none of them."""
        wait_for(self._stream)
        return None if self._flags[0] else ClassPairCounts(self._found.copy(), self.layout)


class _SeenLabels:
    """What is known of the labels of tasks of one kind."""

    def __init__(self) -> None:
        self.layout: ClassLayout | None = None
        self.returns = 0


_known: dict[tuple[str, str, int, int], _SeenLabels] = {}
_plans: OrderedDict[tuple[Task, ClassLayout], ClassPlan] = OrderedDict()
_lock = Lock()


def count_tables(task: Task, true: Any, pred: Any) -> ClassPairCounts | None:
    """Count contiguous tensors; None where their labels are not known, or not those that were expected."""
    known = _known.get(task[2:])
    if known is None or known.layout is None:
        return None
    with OnDevice(task.device):
        try:
            plan = plan_of(task, known.layout)
        except NotCountedError:
            known.layout, known.returns = None, MOST_RETURNS
            return None
        with plan.lock:
            plan.queue(true, pred)
            tables = plan.wait()
    known.returns = 0 if tables is not None else known.returns + 1
    return tables


def learn_labels(task: Task, true: IntArray, pred: IntArray) -> None:
    """Remember the labels of a task, so that the next one of its kind is counted by a table."""
    if task.n * task.items < FEWEST_ELEMENTS:
        return
    known = _known.setdefault(task[2:], _SeenLabels())
    if known.returns >= MOST_RETURNS:
        known.layout = None
        return
    seen = ClassLayout.of_labels(true, pred)
    known.layout = seen if seen is None or known.layout is None else known.layout.joined(seen)
    if known.layout is None or task.items * known.layout.codes**2 > MOST_CELLS:
        known.layout, known.returns = None, MOST_RETURNS


def plan_of(task: Task, layout: ClassLayout) -> ClassPlan:
    """Return the plan of tasks with these labels, made where it is not among those kept."""
    with _lock:
        plan = _plans.get((task, layout))
        if plan is None:
            plan = _plans[task, layout] = ClassPlan(task, layout)
            if len(_plans) > KEPT_PLANS:
                _plans.popitem(last=False)
        else:
            _plans.move_to_end((task, layout))
    return plan
