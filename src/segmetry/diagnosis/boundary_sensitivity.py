"""Move every predicted segment by one element: dilate, erode, or shift along an axis.

Neighbours are elements that share a face: two along each axis. The frame of the image is not a boundary.

* **dilate**: an outside element with a neighbour in a segment joins it; with neighbours in several, the segment with
  the smallest id. Nothing grows into void or into another segment of a label array. Masks may overlap, so each
  grows over its neighbours.
* **erode**: an element with a neighbour that is not in its segment becomes outside.
* **shift**: every element of a segment moves one step along one axis. Elements that leave the frame are lost,
  elements left behind become outside. Void stays where it is and hides elements that move onto it.

A segment that loses its last element disappears.

How scores change when boundaries move: all predicted segments moved by one element and scored again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmetry._base import BoolArray
from segmetry.alignments import ByColumn, BySize, MatchRule, Policy, align, as_policy, as_rule
from segmetry.diagnosis.scored_state import COUNTS, KEYS
from segmetry.diagnosis.sensitivity_result import BASE, Sensitivity
from segmetry.errors import InputError, KindError, OptionError, SegmetryError
from segmetry.evaluation import ItemTask, Progress, find_inputs, run_tasks, table_fingerprint
from segmetry.geometry import Mask, outside_label, redrawn
from segmetry.kernels import RunLengthMasks
from segmetry.metrics import Statistics, average_of, segment_counts, segments_by
from segmetry.overlaps import OverlapTable, count_overlaps
from segmetry.readers import Pairing, ReadOptions
from segmetry.segmentation import LabelArray, Masks, Segmentation, SegmentationPair
from segmetry.statistics import DataSet, Summary, summarise

Slices = tuple[slice, ...]


@dataclass(frozen=True)
class Move:
    """``dilate``, ``erode``, or one step (+1 or -1) along an axis."""

    kind: str
    axis: int = 0
    step: int = 0

    @property
    def name(self) -> str:
        """The name of the move."""
        return self.kind if self.kind != "shift" else f"shift_{self.axis}{'+' if self.step > 0 else '-'}"


def moves(axes: int) -> list[Move]:
    """Return all moves of segments with this number of axes."""
    shifts = [Move("shift", axis, step) for axis in range(axes) for step in (-1, 1)]
    return [Move("dilate"), Move("erode"), *shifts]


@dataclass(frozen=True, eq=False)
class Moved:
    """The moved segments, and how many elements they gained or lost, each segment counted separately."""

    segmentation: Segmentation
    changed: int


def move_segments(segments: Segmentation, move: Move) -> Moved:
    """Move all segments of a label array, or all masks."""
    if isinstance(segments, LabelArray):
        return _moved_labels(segments, move)
    if isinstance(segments, Masks):
        return _moved_masks(segments, move)
    raise KindError(
        f"segments of kind {segments.kind!r} have no outline of pixels to move; expected label arrays or masks"
    )


def _moved_labels(label_array: LabelArray, move: Move) -> Moved:
    outside, labels = outside_label(label_array)
    void = _is_special(labels, label_array.void)
    segment = ~(_is_special(labels, (*label_array.outside, outside)) | void)
    before = np.where(segment | void, labels, labels.dtype.type(outside))
    if move.kind == "dilate":
        after = _dilate_labels(before, segment, ~(segment | void))
    elif move.kind == "erode":
        after = np.where(segment & ~_same_neighbours(before), labels.dtype.type(outside), before)
    else:
        after = _shift_labels(before, segment, void, outside, move)
    differs = after != before
    left, joined = differs & segment, differs & (after != labels.dtype.type(outside)) & ~void
    moved = LabelArray(
        after,
        outside=(*label_array.outside, outside),
        void=label_array.void,
        classes=label_array.classes,
        crowd=label_array.crowd,
        spacing=label_array.spacing,
        allow_negative=label_array.allow_negative,
    )
    return Moved(moved, int(np.count_nonzero(left)) + int(np.count_nonzero(joined)))


def _is_special(labels: NDArray[np.integer], special: tuple[int, ...]) -> BoolArray:
    limits, flags = np.iinfo(labels.dtype), np.zeros(labels.shape, dtype=bool)
    for label in special:
        if limits.min <= label <= limits.max:
            flags |= labels == labels.dtype.type(label)
    return flags


def _neighbour_slices(axes: int) -> list[tuple[Slices, Slices]]:
    """Return the slices of elements and of their neighbours for every axis and direction."""
    slices = []
    for axis in range(axes):
        low = (*(slice(None),) * axis, slice(None, -1))
        high = (*(slice(None),) * axis, slice(1, None))
        slices += [(low, high), (high, low)]
    return slices


def _dilate_labels(labels: NDArray[np.integer], segment: BoolArray, free: BoolArray) -> NDArray[np.integer]:
    after, reached = labels.copy(), np.zeros(labels.shape, dtype=bool)
    for here, there in _neighbour_slices(labels.ndim):
        near = free[here] & segment[there]
        # Of several neighbours the smallest id wins, whatever the order of axes and directions.
        better = near & (~reached[here] | (labels[there] < after[here]))
        np.copyto(after[here], labels[there], where=better)
        reached[here] |= near
    return after


def _same_neighbours(labels: NDArray[np.generic]) -> BoolArray:
    """Return whether all neighbours of an element have its label."""
    same = np.ones(labels.shape, dtype=bool)
    for axis in range(labels.ndim):
        low, high = _neighbour_slices(axis + 1)[-1][::-1]
        equal = labels[low] == labels[high]
        same[low] &= equal
        same[high] &= equal
    return same


def _shift_labels(
    labels: NDArray[np.integer], segment: BoolArray, void: BoolArray, outside: int, move: Move
) -> NDArray[np.integer]:
    here, there = _shift_slices(move)
    after = np.full_like(labels, outside)
    np.copyto(after[here], labels[there], where=segment[there])
    np.copyto(after, labels, where=void)
    return after


def _shift_slices(move: Move) -> tuple[Slices, Slices]:
    """Return the slices of the elements after and before a shift."""
    low, high = _neighbour_slices(move.axis + 1)[-2]
    return (high, low) if move.step > 0 else (low, high)


def _moved_masks(masks: Masks, move: Move) -> Moved:
    changed = 0

    def draw(mask: Mask) -> Mask:
        nonlocal changed
        after = _moved_mask(mask, move)
        changed += int(np.count_nonzero(after != mask))
        return after

    moved = redrawn(masks, draw, margin=1)
    return Moved(_without_masks(moved, (moved.sizes == 0) & (masks.sizes > 0)), changed)


def _moved_mask(mask: Mask, move: Move) -> Mask:
    if move.kind == "erode":
        return mask & _same_neighbours(mask)
    if move.kind == "dilate":
        after = mask.copy()
        for here, there in _neighbour_slices(mask.ndim):
            after[here] |= mask[there]
        return after
    here, there = _shift_slices(move)
    after = np.zeros_like(mask)
    after[here] = mask[there]
    return after


def _without_masks(masks: Masks, gone: BoolArray) -> Masks:
    """Return the masks that are not ``gone``; those have no elements."""
    if not gone.any():
        return masks
    kept = np.flatnonzero(~gone)
    offsets = masks.run_lengths.offsets[np.concatenate(([0], kept + 1))]
    return Masks(
        RunLengthMasks(offsets, masks.run_lengths.starts, masks.run_lengths.stops),
        masks.shape,
        ids=masks.ids[kept],
        classes=masks.classes,
        crowd=masks.crowd,
        scores=None if masks.scores is None else masks.scores[kept],
        spacing=masks.spacing,
    )


RULES = ("theta_plus", "theta_and")


@dataclass(frozen=True)
class _SensitivitySettings:
    rules: tuple[MatchRule, ...]
    policy: Policy
    resolve: str | None
    classes: str
    sizes: BySize
    threads: int


Records = dict[tuple[str, str, str], tuple[Statistics, str]]
"""By rule, move and breakdown ("class" or "size"): the statistics of an item, and the average of its score."""


class _ItemMoved(NamedTuple):
    """The records of one item, with what is reported about it."""

    axes: int
    n_elements: int
    fingerprint: str
    changed: dict[str, int]
    records: Records


def sensitivity(
    true: Any,
    pred: Any,
    *,
    rules: Iterable[MatchRule | str] | MatchRule | str = RULES,
    policy: Policy | str | None = None,
    resolve: str | None = None,
    classes: str = "match",
    sizes: BySize | None = None,
    undefined: float | None = None,
    engine: str = "threads",
    jobs: int | None = None,
    threads: int = 1,
    format: str | None = None,  # noqa: A002 - the word of the command line
    read: ReadOptions | Mapping[str, Any] | None = None,
    missing: str = "error",
    pairing: Pairing | Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> Sensitivity:
    """Measure scores before and after every predicted segment is dilated, eroded and shifted by one element.

    The moves are described in this module and in the documentation, page "Error analysis".

    Parameters
    ----------
    true : path, mapping or segmentation
        The truth: label arrays or masks.
    pred : path, mapping or segmentation
        The prediction.
    rules : rule or iterable of rules
        The rules to score under; θ⁺ and θ& by default.
    policy : Policy or str, optional
        How void elements and crowd segments are treated: a policy or its name. By default void elements are removed
        (``'strict-void'``) if there are any.
    resolve : str, optional
        As for :func:`segmetry.align`.
    classes : {'match', 'ignore'}, default 'match'
        ``'match'`` pairs only segments of the same class, ``'ignore'`` any two.
    sizes : BySize, optional
        The bins of the breakdown by size; by default those of COCO.
    undefined : float, optional
        A number that replaces undefined values, as in some other packages; by default they stay undefined.
    engine : str, default 'threads'
        As for :func:`segmetry.evaluate`.
    jobs : int, optional
        How many items are processed at once; by default as many as there are cores.
    threads : int, default 1
        The number of threads that count a large label array.
    format : str, optional
        The format of the files; by default it is found.
    read : mapping or ReadOptions, optional
        Options of the reader by name.
    missing : str, default 'error'
        How to treat items without a prediction.
    pairing : mapping or Pairing, optional
        How the names of both sides relate, as for :func:`segmetry.evaluate`.
    progress : callable, optional
        Called with the number of finished items and of all items.

    Returns
    -------
    Sensitivity
        The scores before and after each move.

    Examples
    --------
    >>> result = sensitivity([[1, 1, 1, 1, 2, 2, 0]], [[1, 1, 1, 1, 2, 2, 0]])
    >>> [result.value("theta_plus", move) for move in ("base", "dilate", "erode")]
    [1.0, 0.8333333333333333, 0.5]
    """
    if not isinstance(true, str | Path | Mapping) and not isinstance(pred, str | Path | Mapping):
        true, pred = {"item": true}, {"item": pred}
    inputs = find_inputs(true, pred, formats=format, read=read, missing=missing, pairing=pairing)
    chosen = [rules] if isinstance(rules, str | MatchRule) else list(rules)
    if not chosen:
        raise OptionError("rules are empty; expected at least one, such as theta_plus")
    how = _SensitivitySettings(
        rules=tuple(dict.fromkeys(as_rule(rule) for rule in chosen)),
        policy=as_policy(inputs.policy if policy is None else policy),
        resolve=resolve,
        classes=classes,
        sizes=BySize() if sizes is None else sizes,
        threads=threads,
    )
    results: dict[int, _ItemMoved] = {}
    for at, item in run_tasks(partial(_moved_item, how=how), enumerate(inputs.tasks), engine, jobs):
        results[at] = item
        if progress is not None:
            progress(len(results), len(inputs.tasks))
    return _gather_items([results[at] for at in range(len(inputs.tasks))], inputs.tasks, how, undefined)


def _moved_item(task: ItemTask, *, how: _SensitivitySettings) -> _ItemMoved:
    try:
        true, pred = task.load()
        if not isinstance(true, LabelArray | Masks):
            raise KindError(
                f"true is {true.kind}, whose segments have no outline of pixels to move; expected label arrays or masks"
            )
        pair = SegmentationPair.of(true, pred, resolve=how.resolve, classes=how.classes)
        base = count_overlaps(pair, threads=how.threads)
        # By sizes before any move: a segment that grows out of its bin would otherwise change two bins at once.
        bins = _size_bins(base, how.sizes)
        records = _item_records(base, BASE, bins, how)
        changed = {}
        for move in moves(len(pair.true.domain)):
            after = move_segments(pair.pred, move)
            changed[move.name] = after.changed
            table = count_overlaps(SegmentationPair(pair.true, after.segmentation), threads=how.threads)
            records |= _item_records(table, move.name, bins, how)
        return _ItemMoved(len(pair.true.domain), pair.true.n_elements, table_fingerprint(base), changed, records)
    except SegmetryError as problem:
        raise problem.within(f"item {task.name}") from None


def _item_records(table: OverlapTable, move: str, bins: ByColumn, how: _SensitivitySettings) -> Records:
    records: Records = {}
    try:
        for rule in how.rules:
            alignment = align(table, rule, policy=how.policy, resolve=how.resolve, classes=how.classes)
            records[rule.name, move, "class"] = segment_counts(alignment), average_of(alignment, None)
            records[rule.name, move, "size"] = segments_by(alignment, bins), "segments"
    except SegmetryError as problem:
        raise (problem if move == BASE else problem.within(f"after {move}")) from None
    return records


def _size_bins(table: OverlapTable, sizes: BySize) -> ByColumn:
    """Return the bin of every segment before any move, so that moved segments are compared with themselves."""
    true, pred = (
        dict(zip(side.ids.tolist(), labels, strict=True))
        for side, labels in zip((table.true, table.pred), sizes.labels(table), strict=True)
    )
    return ByColumn("size", true, pred)


def _gather_items(
    items: Sequence[_ItemMoved], tasks: Sequence[ItemTask], how: _SensitivitySettings, undefined: float | None
) -> Sensitivity:
    for item, task in zip(items, tasks, strict=True):
        if item.axes != items[0].axes:
            raise InputError(
                f"item {tasks[0].name} has {items[0].axes} axes and item {task.name} has {item.axes}; "
                "expected the same for all, as segments are shifted along every axis"
            )
    names = [BASE, *items[0].changed]

    def summary(rule: str, move: str, by: str) -> Summary:
        parts, averages = zip(*(item.records[rule, move, by] for item in items), strict=True)
        names = [task.name for task in tasks]
        segments = Statistics.concatenate(parts)
        data = DataSet.of_segments(names, segments, averages[0], how.policy.name, (*KEYS, *COUNTS), undefined=undefined)
        return summarise(data if by != "size" else replace(data, by="size"))

    def under(by: str) -> dict[str, dict[str, Summary]]:
        return {rule.name: {move: summary(rule.name, move, by) for move in names} for rule in how.rules}

    return Sensitivity(
        policy=how.policy.name,
        classes=how.classes,
        undefined=undefined,
        items={task.name: item.fingerprint for item, task in zip(items, tasks, strict=True)},
        n_elements=sum(item.n_elements for item in items),
        changed={move: sum(item.changed[move] for item in items) for move in names[1:]},
        whole=under("class"),
        by_size=under("size"),
        sizes=tuple(map(str, dict.fromkeys(how.sizes.names))),
    )
