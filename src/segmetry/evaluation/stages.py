"""The stages of one item: scored in one job, or, where its label arrays are stored and large, in jobs by blocks.

A large item is inspected first, which reads no element and gives a plan; then its blocks are counted by several jobs;
then the sum is scored. A job contains everything it needs, so it can run in another process.
"""

from __future__ import annotations

from collections.abc import Hashable
from functools import partial
from typing import Any

import numpy as np

from segmetry._base import errors_within, frozen_dataclass
from segmetry.errors import SegmetryError
from segmetry.evaluation.inputs import ItemTask, MissingPrediction
from segmetry.evaluation.item_scores import (
    EvaluatedGroup,
    EvaluatedItem,
    score_item,
    score_items,
    score_labels,
    score_lines,
)
from segmetry.evaluation.label_groups import LabelGroup, group_key
from segmetry.kernels import PairCounts, add_up
from segmetry.metrics import MetricInputs
from segmetry.overlaps import BlockPlan, PairSum, count_blocks, count_part, plan_of, table_from_pairs
from segmetry.readers import Item
from segmetry.run import Settings
from segmetry.segmentation import LabelArray, Spans
from segmetry.storage import DaskArray, StoredRegion


@frozen_dataclass(eq=False)
class BlockedItem:
    """The result of inspecting a large item: the plan of its blocks, and the number of bytes of both sides."""

    plan: BlockPlan
    n_bytes: int


@frozen_dataclass(eq=False)
class InspectItem:
    """Score an item, or plan its blocks if it is large; ``only_plan``: one that has no blocks is of another part."""

    task: ItemTask
    only_plan: bool = False

    def execute(self, settings: Settings, threads: int) -> EvaluatedItem | BlockedItem | None:
        """Return the result, or the plan; None for an item that belongs to another part of the run."""
        inputs = metric_inputs(self.task, settings, threads)
        sides = _label_arrays(inputs)
        plan = None if sides is None else plan_of(*sides)
        if sides is None or plan is None:
            return None if self.only_plan else score_item(self.task.name, inputs, settings)
        return BlockedItem(plan, sum(side.n_elements * side.dtype.itemsize for side in sides))


@frozen_dataclass(eq=False)
class ScoredItems:
    """The results of a group of items in order, up to the first that raised an error."""

    results: list[EvaluatedItem] | EvaluatedGroup
    problem: SegmetryError | None = None


@frozen_dataclass(eq=False)
class ScoreItems:
    """Score a group of small items together."""

    tasks: tuple[ItemTask, ...]

    def execute(self, settings: Settings, threads: int) -> ScoredItems:
        """Return the results; after an error the items are scored one by one, so that it is told of its item."""
        try:
            group = LabelGroup.of(self.tasks)
            if group is not None:
                labels = score_labels(group, partial(metric_inputs, settings=settings, threads=threads), settings)
                return self._one_by_one(settings, threads) if labels is None else ScoredItems(labels)
            lines = score_lines([task.load() for task in self.tasks], settings)
            if lines is not None:
                return ScoredItems(lines)
            inputs = [metric_inputs(task, settings, threads) for task in self.tasks]
            return ScoredItems(score_items([task.name for task in self.tasks], inputs, settings))
        except SegmetryError:
            return self._one_by_one(settings, threads)

    def _one_by_one(self, settings: Settings, threads: int) -> ScoredItems:
        results: list[EvaluatedItem] = []
        for task in self.tasks:
            try:
                results.append(score_item(task.name, metric_inputs(task, settings, threads), settings))
            except SegmetryError as problem:
                return ScoredItems(results, problem.within(f"item {task.name}"))
        return ScoredItems(results)


@frozen_dataclass(eq=False)
class _PartOfItem:
    """A job whose result is a term of the counts of an item."""

    task: ItemTask

    sum_results = staticmethod(add_up)

    @property
    def part_of(self) -> str:
        """The name of the item whose counts the result is part of."""
        return self.task.name


@frozen_dataclass(eq=False)
class CountBlocks(_PartOfItem):
    """Count the blocks ``start`` to ``stop`` of an item."""

    plan: BlockPlan
    start: int
    stop: int

    def execute(self, settings: Settings, threads: int) -> PairCounts:
        """Count the label pairs of the blocks."""
        true, pred = _load_label_arrays(self.task, settings, threads)[1]
        boxes = (self.plan.box(number) for number in range(self.start, self.stop))
        return count_blocks(true, pred, boxes, threads=threads)


@frozen_dataclass(eq=False)
class CountDaskBlocks(_PartOfItem):
    """Count blocks of dask arrays.

    ``inputs`` are the blocks of true and pred in turn, lazy until an engine computes them; ``templates`` are label
    arrays with the settings of both sides and a single element.
    """

    templates: tuple[LabelArray, LabelArray]
    inputs: list[Any]

    @classmethod
    def of(cls, task: ItemTask, plan: BlockPlan, start: int, stop: int) -> CountDaskBlocks:
        """Return the job of the blocks ``start`` to ``stop``, which contains these blocks and not the arrays."""
        sides = task.load()
        labels = [side for side in sides if isinstance(side, LabelArray)]
        templates = [side.with_labels(np.zeros((1,) * side.axes, dtype=side.dtype)) for side in labels]
        boxes = [plan.box(number) for number in range(start, stop)]
        inputs = [_block_of(side, box) for box in boxes for side in labels]
        return cls(ItemTask(task.name, None, None), (templates[0], templates[1]), inputs)

    def execute(self, settings: Settings, threads: int) -> PairCounts:  # noqa: ARG002 - the signature of a job
        """Count the label pairs of the blocks."""
        total = PairSum()
        for true, pred in zip(self.inputs[::2], self.inputs[1::2], strict=True):
            total.add(count_part(*self.templates, np.asarray(true), np.asarray(pred)))
        return total.counted


@frozen_dataclass(eq=False)
class ScoreCounts:
    """Score an item whose blocks have been counted."""

    task: ItemTask
    counts: PairCounts

    def execute(self, settings: Settings, threads: int) -> EvaluatedItem:
        """Return the result."""
        inputs, (true, pred) = _load_label_arrays(self.task, settings, threads)
        inputs.counted = table_from_pairs(true, pred, self.counts)
        return score_item(self.task.name, inputs, settings)


@frozen_dataclass(eq=False)
class ScoredItem:
    """An item that was scored by the process that made the jobs."""

    task: ItemTask
    result: EvaluatedItem

    def execute(self, settings: Settings, threads: int) -> EvaluatedItem:  # noqa: ARG002 - the signature of a job
        """Return the result."""
        return self.result


Stage = InspectItem | ScoreItems | CountBlocks | CountDaskBlocks | ScoreCounts | ScoredItem


def run_stage(
    job: Stage, *, settings: Settings, threads: int = 1
) -> EvaluatedItem | ScoredItems | BlockedItem | PairCounts | None:
    """Run a job; an error names its item."""
    if isinstance(job, ScoreItems):
        return job.execute(settings, threads)
    with errors_within(f"item {job.task.name}"):
        return job.execute(settings, threads)


def size_in_group(task: ItemTask) -> tuple[Hashable, int] | None:
    """Return what an item has in common with others that may be scored with it in a group, and its size: the number of
    segments of spans, and of elements of label arrays; None for one that is scored alone.

    They take less time than a job of their own.
    """
    if type(task.true) is Spans and type(task.pred) is Spans:
        return Spans, task.true.starts.size + task.pred.starts.size
    if (found := group_key(task)) is not None:
        return found
    sides = [side.content if isinstance(side, Item) else side for side in (task.true, task.pred)]
    if not all(type(side) is Spans or side is MissingPrediction.PREDICTION for side in sides):
        return None
    return Spans, sum(side.starts.size for side in sides if type(side) is Spans)


def has_dask_arrays(task: ItemTask) -> bool:
    """Return whether an item consists of dask arrays, which only the process that has them can compute."""
    for side in (task.true, task.pred):
        stored = side.stored if isinstance(side, LabelArray) else None
        if isinstance(stored, DaskArray) or type(side).__module__.partition(".")[0] == "dask":
            return True
    return False


def _block_of(side: LabelArray, box: Any) -> Any:
    if side.stored is None:
        return side.read(box)
    return side.stored.part(box) if isinstance(side.stored, DaskArray) else StoredRegion(side.stored, box)


def metric_inputs(task: ItemTask, settings: Settings, threads: int) -> MetricInputs:
    """Return an item that is ready to be scored, its options checked."""
    true, pred = task.load()
    inputs = MetricInputs.of(true, pred, resolve=settings.resolve, classes=settings.classes, threads=threads)
    settings.check_options(inputs.kind, inputs.axes)
    return inputs


def _label_arrays(inputs: MetricInputs) -> tuple[LabelArray, LabelArray] | None:
    true, pred = (None, None) if inputs.pair is None else (inputs.pair.true, inputs.pair.pred)
    return (true, pred) if isinstance(true, LabelArray) and isinstance(pred, LabelArray) else None


def _load_label_arrays(
    task: ItemTask, settings: Settings, threads: int
) -> tuple[MetricInputs, tuple[LabelArray, LabelArray]]:
    """Load an item that consisted of two label arrays when it was inspected."""
    inputs = metric_inputs(task, settings, threads)
    sides = _label_arrays(inputs)
    if sides is None:
        raise SegmetryError("its files have changed while it was evaluated; start a new run")
    return inputs, sides
