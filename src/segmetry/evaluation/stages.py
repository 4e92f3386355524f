"""What is done for one item: scored at one go, or, where label arrays are stored and large, block by block.

A large item is first looked at, which costs no element and gives a plan; then its blocks are counted, some at a time,
by whoever is free; then the sum is scored. What a job needs travels with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from segmetry.errors import SegmetryError
from segmetry.evaluation.inputs import ItemTask
from segmetry.kernels.pairs import PairCounts, add_up
from segmetry.metrics.class_quotient import needs_classes
from segmetry.metrics.metric_inputs import MetricInputs
from segmetry.metrics.score import Result
from segmetry.overlaps.blocks import BlockPlan, plan_of
from segmetry.overlaps.build import table_from_pairs
from segmetry.overlaps.count_blocks import PairSum, count_blocks, count_part
from segmetry.run.item_result import ItemResult
from segmetry.run.settings import Settings
from segmetry.run.stored_scores import other_scores
from segmetry.segmentation.labels import LabelArray
from segmetry.storage.opened_arrays import DaskArray
from segmetry.storage.stored_arrays import StoredRegion


@dataclass(frozen=True, eq=False)
class BlockedItem:
    """The answer to the first look at a large item: how its blocks lie, and how many bytes they hold on both sides."""

    plan: BlockPlan
    n_bytes: int


@dataclass(frozen=True, eq=False)
class InspectItem:
    """Score an item, or say how it is to be cut into blocks."""

    task: ItemTask

    def work(self, settings: Settings, threads: int) -> ItemResult | BlockedItem:
        """The result, or the plan."""
        comparison = _comparison(self.task, settings, threads)
        sides = _label_arrays(comparison)
        plan = None if sides is None else plan_of(*sides)
        if sides is None or plan is None:
            return _scored(self.task.name, comparison, settings)
        return BlockedItem(plan, sum(side.n_elements * side.dtype.itemsize for side in sides))


@dataclass(frozen=True, eq=False)
class CountBlocks:
    """Count the blocks ``start`` to ``stop`` of an item."""

    task: ItemTask
    plan: BlockPlan
    start: int
    stop: int

    added = staticmethod(add_up)

    @property
    def part_of(self) -> str:
        """The item whose table the result is a part of."""
        return self.task.name

    def work(self, settings: Settings, threads: int) -> PairCounts:
        """The label pairs of the blocks."""
        true, pred = _large(self.task, settings, threads)[1]
        boxes = (self.plan.box(number) for number in range(self.start, self.stop))
        return count_blocks(true, pred, boxes, threads=threads)


@dataclass(frozen=True, eq=False)
class CountDaskBlocks:
    """Count blocks of dask arrays: ``inputs`` are those of true and pred in turn, lazy until an engine needs them."""

    task: ItemTask
    facts: tuple[LabelArray, LabelArray]
    inputs: list[Any]

    added = staticmethod(add_up)

    @property
    def part_of(self) -> str:
        """The item whose table the result is a part of."""
        return self.task.name

    @classmethod
    def of(cls, task: ItemTask, plan: BlockPlan, start: int, stop: int) -> CountDaskBlocks:
        """The blocks ``start`` to ``stop``; the job knows the arrays no more than its blocks of them."""
        sides = task.load()
        labels = [side for side in sides if isinstance(side, LabelArray)]
        facts = [side.with_labels(np.zeros((1,) * side.axes, dtype=side.dtype)) for side in labels]
        boxes = [plan.box(number) for number in range(start, stop)]
        inputs = [_piece(side, box) for box in boxes for side in labels]
        return cls(ItemTask(task.name, None, None), (facts[0], facts[1]), inputs)

    def work(self, settings: Settings, threads: int) -> PairCounts:  # noqa: ARG002 - the signature of a job
        """The label pairs of the blocks."""
        total = PairSum()
        for true, pred in zip(self.inputs[::2], self.inputs[1::2], strict=True):
            total.add(count_part(*self.facts, np.asarray(true), np.asarray(pred)))
        return total.counted


@dataclass(frozen=True, eq=False)
class ScoreCounts:
    """Score an item whose blocks have been counted."""

    task: ItemTask
    counted: PairCounts

    def work(self, settings: Settings, threads: int) -> ItemResult:
        """The result."""
        comparison, (true, pred) = _large(self.task, settings, threads)
        comparison.counted = table_from_pairs(true, pred, self.counted)
        return _scored(self.task.name, comparison, settings)


@dataclass(frozen=True, eq=False)
class ScoredItem:
    """An item that was scored by whoever made the jobs."""

    task: ItemTask
    result: ItemResult

    def work(self, settings: Settings, threads: int) -> ItemResult:  # noqa: ARG002 - the signature of a job
        """The result."""
        return self.result


Stage = InspectItem | CountBlocks | CountDaskBlocks | ScoreCounts | ScoredItem


def run_stage(job: Stage, *, settings: Settings, threads: int = 1) -> ItemResult | BlockedItem | PairCounts:
    """Do a job; an error names its item."""
    try:
        return job.work(settings, threads)
    except SegmetryError as problem:
        raise problem.within(f"item {job.task.name}") from None


def holds_dask_arrays(task: ItemTask) -> bool:
    """Whether an item was handed in as dask arrays: only the process that has them can have them computed."""
    for given in (task.true, task.pred):
        stored = given.stored if isinstance(given, LabelArray) else None
        if isinstance(stored, DaskArray) or type(given).__module__.partition(".")[0] == "dask":
            return True
    return False


def _piece(side: LabelArray, box: Any) -> Any:
    if side.stored is None:
        return side.read(box)
    return side.stored.part(box) if isinstance(side.stored, DaskArray) else StoredRegion(side.stored, box)


def _comparison(task: ItemTask, settings: Settings, threads: int) -> MetricInputs:
    true, pred = task.load()
    return MetricInputs.of(true, pred, resolve=settings.resolve, classes=settings.classes, threads=threads)


def _label_arrays(comparison: MetricInputs) -> tuple[LabelArray, LabelArray] | None:
    true, pred = (None, None) if comparison.pair is None else (comparison.pair.true, comparison.pair.pred)
    return (true, pred) if isinstance(true, LabelArray) and isinstance(pred, LabelArray) else None


def _large(task: ItemTask, settings: Settings, threads: int) -> tuple[MetricInputs, tuple[LabelArray, LabelArray]]:
    """An item that was found to be two label arrays at the first look."""
    comparison = _comparison(task, settings, threads)
    sides = _label_arrays(comparison)
    if sides is None:
        raise SegmetryError("its files have changed while it was evaluated; begin a new run")
    return comparison, sides


def _scored(name: str, comparison: MetricInputs, settings: Settings) -> ItemResult:
    """The table, and the scores that are no function of a tally."""
    for key in settings.per_class(comparison.kind, comparison.axes) if comparison.table.class_names is None else ():
        raise needs_classes(key)  # the summary would raise it after all items
    kept = settings.kept(comparison.kind, comparison.axes)
    free = [one.key for one in kept if not one.depends_on_rule]
    bound = [one.key for one in kept if one.depends_on_rule]
    scores: dict[tuple[str, str], Result] = {}
    for key, found in other_scores(comparison, free, settings, settings.rule).items():
        scores[key, ""] = found
    for rule in dict.fromkeys((settings.rule, *settings.also)):
        for key, found in other_scores(comparison, bound, settings, rule).items():
            scores[key, rule] = found
    return ItemResult(name, comparison.table, comparison.kind, comparison.axes, scores)
