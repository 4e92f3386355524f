"""One item with more and more segments: alignment rules, graph and clustering metrics, and rows of a table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import segmetry as sm
from bench.growth.curves import Call, decades, grows
from bench.growth.inputs import table_of

ALONG, SIZES = "segments", decades(3, 5)


SORTED = "pairs are sorted by weight, n log n, and then looked up in that order, beyond the caches"


def _aligned(rule: str, reason: str) -> Callable[[int], Call]:
    def build(size: int) -> Call:
        table = table_of(size)
        return lambda: sm.align(table, rule)

    build.__name__ = rule
    build.__module__ = __name__
    return grows(f"alignment by {rule}", ALONG, SIZES, reason=reason)(build)


for _rule, _why in {"theta_plus": "", "greedy": SORTED, "maximum_weight": SORTED, "largest_overlap": ""}.items():
    _aligned(_rule, _why)


def _metric(key: str, reason: str = "") -> None:
    def build(size: int) -> Call:
        table, metric = table_of(size), getattr(sm, key)
        return lambda: metric(table)

    build.__name__ = key
    build.__module__ = __name__
    grows(f"{key} of a table", ALONG, SIZES, reason=reason)(build)


DICTIONARIES = "one Python object for each segment or link; that it costs more beyond the caches is assumed"
FRESH = (
    "its arrays leave the caches and are new pages of memory in each call: for ten times as many segments there are 14 "
    "times as many page faults, and these are a third of the time"
)
AMI = "AMI sums over the pairs of distinct segment sizes, whose number grows up to those that occur"
for _key, _reason in {
    "pq": "",
    "zonemap": SORTED,
    "rbsb": "",
    "adjusted_rand_index": FRESH,
    "voi": "",
    "bcubed_f1": "",
    "ami": AMI,
}.items():
    _metric(_key, _reason)


@grows("fairness of an alignment", ALONG, SIZES)
def fairness(size: int) -> Call:
    alignment = sm.align(table_of(size))
    return lambda: sm.fairness(alignment)


@grows("one row for each segment", ALONG, SIZES)
def segment_rows(size: int) -> Call:
    alignment = sm.align(table_of(size))
    return lambda: sm.segment_rows(alignment)


@grows("bcubed_f1 of sets of elements", "elements", decades(3, 5), reason=DICTIONARIES)
def sets(size: int) -> Call:
    true: Any = [range(at, min(at + 10, size)) for at in range(0, size, 10)]
    pred: Any = [range(at, min(at + 7, size)) for at in range(0, size, 7)]
    return lambda: sm.bcubed_f1(sm.Sets(true), sm.Sets(pred))


@grows("one alignment of a table with classes", "classes", decades(1, 4))
def classes(size: int) -> Call:
    table = table_of(20_000, size)
    return lambda: sm.pq(table)
