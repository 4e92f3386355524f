"""Curves: one call on inputs of growing size, its processor time and memory, and the exponents of both.

An exponent is the slope of log(time) over log(size), by least squares over the last decade of sizes: 1 is proportional,
2 quadratic. Sizes grow by half a decade until a call takes longer than the limit.
"""

from __future__ import annotations

import gc
import importlib
import math
import time
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

Call = Callable[[], Any]
ALLOWED = 1.15
"""The exponent of what counts as proportional: caches, and sorting, cost a little more for larger inputs."""

LEAST_SECONDS, LEAST_MEGABYTES = 0.002, 1.0
"""Below these a call measures its constant costs, and the slope says nothing."""


@dataclass(frozen=True)
class Curve:
    """What is called, along which axis its input grows, and why it may grow faster than proportionally."""

    name: str
    words: str
    along: str
    sizes: tuple[int, ...]
    build: Callable[[int], Call]
    reason: str


@dataclass
class Growth:
    """The measured points of a curve: size, seconds and megabytes."""

    name: str
    words: str
    along: str
    reason: str
    points: list[tuple[int, float, float]] = field(default_factory=list)

    @property
    def time_exponent(self) -> float | None:
        """The slope of time, or None where even the largest input took no time to speak of."""
        return exponent([(size, seconds) for size, seconds, _ in self.points], LEAST_SECONDS)

    @property
    def memory_exponent(self) -> float | None:
        """The slope of memory, or None where even the largest input needed little."""
        return exponent([(size, megabytes) for size, _, megabytes in self.points], LEAST_MEGABYTES)

    @property
    def is_proportional(self) -> bool:
        """Whether neither exponent is above what is allowed."""
        return all((slope or 0) <= ALLOWED for slope in (self.time_exponent, self.memory_exponent))

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "time_exponent": self.time_exponent, "memory_exponent": self.memory_exponent}


CURVES: dict[str, Curve] = {}


def grows(
    words: str, along: str, sizes: tuple[int, ...], *, reason: str = ""
) -> Callable[[Callable[[int], Call]], Callable[[int], Call]]:
    """Register a function that makes an input of a size and returns the call to be measured on it."""

    def register(build: Callable[[int], Call]) -> Callable[[int], Call]:
        name = f"{build.__module__.rpartition('.')[2]}.{build.__name__}"
        CURVES[name] = Curve(name, words, along, sizes, build, reason)
        return build

    return register


def decades(low: float, high: float) -> tuple[int, ...]:
    """Return sizes from 10^low to 10^high, two per decade.

    >>> decades(2, 3)
    (100, 316, 1000)
    """
    return tuple(int(10 ** (step / 2)) for step in range(int(2 * low), int(2 * high) + 1))


def exponent(points: list[tuple[int, float]], least: float) -> float | None:
    """Return the slope over the last decade of sizes; None where the largest value is below ``least``.

    >>> exponent([(10, 1.0), (100, 1.0), (316, 3.16), (1000, 10.0)], 1)
    1.0
    """
    last = [(math.log(size), math.log(value)) for size, value in points if size >= points[-1][0] / 11 and value > 0]
    if len(last) < 2 or points[-1][1] < least:
        return None
    mean_x, mean_y = (sum(column) / len(last) for column in zip(*last, strict=True))
    spread = sum((x - mean_x) ** 2 for x, _ in last)
    slope: float = sum((x - mean_x) * (y - mean_y) for x, y in last) / spread
    return round(slope, 2)


def measure(curve: Curve, limit: float) -> Growth:
    """Measure a curve until a call takes longer than ``limit`` seconds of processor time."""
    growth = Growth(curve.name, curve.words, curve.along, curve.reason)
    for size in curve.sizes:
        call = curve.build(size)
        seconds = min(_seconds_of(call, limit / 4))
        growth.points.append((size, round(seconds, 6), round(_megabytes_of(call), 3)))
        if seconds > limit:
            break
    return growth


def _seconds_of(call: Call, budget: float) -> Iterator[float]:
    """Yield the times of repeated calls, at most seven, until the budget is spent, but two: a first one finds caches
    empty and memory unmapped, and small inputs are repeated."""
    spent = 0.0
    for repeat in range(7):
        gc.collect()
        start = time.process_time()
        call()
        seconds = time.process_time() - start
        spent += seconds
        yield seconds
        if repeat > 0 and spent > budget:
            return


def _megabytes_of(call: Call) -> float:
    """Return the most memory that a call held at once, beyond its input, as Python and numpy allocate it."""
    gc.collect()
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()


def load_curves() -> None:
    """Import every file of this folder that declares curves."""
    for file in sorted(Path(__file__).parent.glob("*.py")):
        if file.stem not in ("__init__", "__main__", "curves", "inputs"):
            importlib.import_module(f"bench.growth.{file.stem}")
