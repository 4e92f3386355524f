"""The CUDA kernels compiled for the processor (see cuda_on_cpu.hpp), and calls of them with arrays of numpy."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry.kernels.gpu.cuda_classes import ClassLayout, ClassPairCounts, launch_macros
from segmetry.kernels.gpu.cuda_pairs import CATEGORY, LABEL_TYPES, PairRows, Task, _PairTable, label_macros
from segmetry.kernels.gpu.device_pairs import sorted_pairs

HERE = Path(__file__).parent
SOURCES = HERE.parents[2] / "src" / "segmetry" / "kernels" / "gpu"
Rows = list[tuple[int, int, int, int]]


class _CountArguments(ctypes.Structure):
    _fields_ = (
        ("true_labels", ctypes.c_void_p),
        ("pred_labels", ctypes.c_void_p),
        ("n", ctypes.c_int64),
        ("blocks", ctypes.c_uint32),
        ("tiles", ctypes.c_uint32),
        ("table", _PairTable),
    )


class _CollectArguments(ctypes.Structure):
    _fields_ = (
        ("table", _PairTable),
        ("n_slots", ctypes.c_uint64),
        ("rows", ctypes.c_void_p),
        ("size", ctypes.c_uint64),
        ("host_rows", ctypes.c_void_p),
        ("host_size", ctypes.c_uint32),
        ("progress", ctypes.c_void_p),
        ("host_progress", ctypes.c_void_p),
    )


class _ClassArguments(ctypes.Structure):
    _fields_ = (
        ("true_labels", ctypes.c_void_p),
        ("pred_labels", ctypes.c_void_p),
        ("n", ctypes.c_int64),
        ("blocks", ctypes.c_uint32),
        ("true_ignored", ctypes.c_int64),
        ("pred_ignored", ctypes.c_int64),
        ("counts", ctypes.c_void_p),
        ("progress", ctypes.c_void_p),
        ("host_counts", ctypes.c_void_p),
        ("host_flags", ctypes.c_void_p),
    )


def _compiled(macros: dict[str, Any], library: Path) -> ctypes.CDLL:
    words = [f"-D{name}={value}" for name, value in macros.items()]
    options = ["-std=c++17", "-O1", "-w", "-shared", "-fPIC", f"-I{SOURCES}", "-x", "c++"]
    subprocess.run(["g++", *options, HERE / "cuda_on_cpu.hpp", *words, "-o", library], check=True)
    return ctypes.CDLL(str(library))


class SimulatedClassKernel:
    """The kernel for class maps of two types."""

    def __init__(self, folder: Path, true_type: str, pred_type: str, layout: ClassLayout, **macros: int) -> None:
        task = Task(0, 0, true_type, pred_type, 1, 1)
        self.layout = layout
        chosen = launch_macros(task, layout.codes, 227 << 10)
        assert chosen is not None
        # Blocks of few threads: tiles are short, and all of them are fibers.
        self.macros = {**chosen, "THREADS": 64, **macros}
        every = {"CLASSES": layout.classes, "CODES": layout.codes, **dict(label_macros(task)), **self.macros}
        self.library = _compiled(every, folder / f"{'_'.join(map(str, every.values())).replace(' ', '')}.so")

    def count(self, true: NDArray[Any], pred: NDArray[Any], *, items: int = 1, seed: int = 0) -> ClassPairCounts | None:
        """Return the tables; None where a label is in none of them."""
        codes = self.layout.codes
        counts, found = (np.zeros((items, codes, codes), np.int64) for _ in range(2))
        progress, flags = np.zeros(2, np.uint32), np.zeros(1, np.uint32)
        ignored = [0 if one is None else one for one in self.layout[1:]]
        arguments = _ClassArguments(
            *(true.ctypes.data, pred.ctypes.data, true.size // items, 2, *ignored),
            *(array.ctypes.data for array in (counts, progress, found, flags)),
        )
        self.library.run_count(2 * items, seed, ctypes.byref(arguments))
        assert not counts.any()
        assert not progress.any()
        return None if flags[0] else ClassPairCounts(found, self.layout)


class SimulatedKernel:
    """The kernel for labels of two types."""

    def __init__(self, folder: Path, true_type: str, pred_type: str, *, wide: bool = False, per_lane: int = 4) -> None:
        self.types, self.wide = (true_type, pred_type), wide
        are_bytes = {true_type, pred_type} <= {"bool", "uint8", "int8"} and per_lane >= 8
        self.macros = {"PER_LANE": per_lane, "STEPS": 2, "LOG_SLOTS": 6, "WARPS": 2, "RESIDENT": 1}
        self.macros |= {"WIDE": int(wide), "BYTES": int(are_bytes)}
        labels = {
            "TRUE_LABEL": LABEL_TYPES.get(true_type, true_type),
            "PRED_LABEL": LABEL_TYPES.get(pred_type, pred_type),
        }
        library = folder / f"{true_type}_{pred_type}_{wide}_{per_lane}.so"
        self.library = _compiled({**labels, **self.macros}, library)

    def count(
        self,
        true: NDArray[Any],
        pred: NDArray[Any],
        *,
        items: int = 1,
        slots: int = 256,
        labels: int = 64,
        seed: int = 0,
    ) -> Rows | int:
        """Return the rows (item, true, pred, count), sorted; or the flags of a count that was given up."""
        n = true.size // items // (2 if self.types[0] == CATEGORY else 1)
        n_slots, width = items * (slots + 1), 2 + self.wide
        keys, counts = np.zeros(n_slots, np.uint64), np.zeros(n_slots, np.uint64)
        numbers, progress, head = np.zeros((2, labels), np.uint64), np.zeros(4, np.uint32), np.zeros(2, np.uint32)
        rows, host_rows = np.zeros((width, n_slots), np.int64), np.zeros((width, 16), np.int64)
        table = _PairTable(
            *(array.ctypes.data for array in (keys, counts, numbers[0], numbers[1])),
            progress.ctypes.data + 4,
            slots - 1,
            labels - 1,
        )
        tiles = -(-n // (32 * self.macros["PER_LANE"] * self.macros["STEPS"]))
        per_block = -(-tiles // 2)
        blocks = -(-tiles // per_block)
        arguments = _CountArguments(true.ctypes.data, pred.ctypes.data, n, blocks, per_block, table)
        self.library.run_count(blocks * items, seed, ctypes.byref(arguments))
        collect = _CollectArguments(
            table, n_slots, rows.ctypes.data, n_slots, host_rows.ctypes.data, 16, progress.ctypes.data, head.ctypes.data
        )
        self.library.run_collect(3, seed, ctypes.byref(collect))
        assert not keys.any()
        assert not counts.any()
        assert not progress.any()
        n_rows, flags = head.tolist()
        if flags:
            return int(flags)
        few = min(n_rows, 16)
        assert np.array_equal(rows[:, :few], host_rows[:, :few])
        used = np.ascontiguousarray(rows[:, :n_rows])
        task = Task(0, 0, *self.types, n, items)
        item, pairs = sorted_pairs(PairRows(used, self.wide, on_host=True), task)
        return list(zip(item.tolist(), *(column.tolist() for column in pairs), strict=True))
