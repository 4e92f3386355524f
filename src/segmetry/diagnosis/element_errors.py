"""Single errors of class maps, texts, entities, speech and videos: their inputs are read again, or the run suffices.

* **parts** of class maps: connected elements (8 or 26 neighbours, in a line runs) of one true and another predicted
  class; those under 10 elements are one error for each pair of classes and item (rims). Without the inputs, or where
  masks overlap, all elements of an item with one true and one predicted class are one error.
* **boundaries** of texts: a true and a predicted one within half a window are one that is moved, the nearest first;
  the others are missed, or invented.
* **entities**: of the wrong type, with wrong edges (the first that overlaps), missed, invented.
* **speech**: a run of time in which the same speakers talk on both sides. Costs add up to the error rate.
* **videos**: an object over a run of frames with J < 1/2.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base import IndexArray
from segmetry.diagnosis.error_costs import Moves, costs_of_items, costs_of_moves, headline_reading
from segmetry.diagnosis.run_errors import Listed, RunError, ids_of
from segmetry.diagnosis.table_cells import OUTSIDE, VOID, TableCells
from segmetry.errors import InputError, SegmetryError
from segmetry.evaluation import loaders_of
from segmetry.kernels import label_components
from segmetry.metrics import (
    METRICS,
    Reading,
    Score,
    Statistics,
    f_values,
    j_values,
    object_frames,
    score_statistics,
    speaker_steps,
)
from segmetry.run import Run
from segmetry.runfile import PairLoader
from segmetry.segmentation import LabelArray, SpanLines, Spans, TimeIntervals

RIM = 10
"""Parts of fewer elements are listed together."""
LEAST_J = 0.5


def is_about_classes(run: Run) -> bool:
    """Return whether the headline counts elements of classes."""
    metric, tables = METRICS[run.headline], run.tables_together
    return metric.family == "semantic" and not metric.depends_on_rule and bool(tables.has_classes.all())


def parts_of(run: Run) -> Listed:
    """Return the wrong parts of class maps."""
    tables, cells = run.tables_together, TableCells.of(run.tables_together.together)
    true, pred = tables.true, tables.pred
    classes = [np.append(side.classes, [-2, -1]) for side in (true, pred)]  # VOID and OUTSIDE look up the end
    of_true, of_pred = classes[0][cells.true], classes[1][cells.pred]
    wrong = np.flatnonzero((of_true != of_pred) & (cells.true != VOID) & (cells.pred != VOID))
    item = np.maximum(np.append(true.item, [-1, -1])[cells.true], np.append(pred.item, [-1, -1])[cells.pred])
    note, parts = None, None
    try:
        parts = _connected_parts(run, cells, wrong[np.argsort(item[wrong], kind="stable")], item)
    except SegmetryError as problem:
        note = f"an error is all elements of an item with one true and one predicted class: {problem}"
    if parts is None:
        parts = wrong, cells.count[wrong], np.full((wrong.size, len(_BOX)), -1)
    cell, count, box = parts
    goal = of_true[cell]
    # The pred segment of the true class in the same item, or a new one.
    key = pred.item * (len(tables.class_names) + 1) + pred.classes
    order = np.argsort(key, kind="stable")
    wanted = item[cell] * (len(tables.class_names) + 1) + goal
    at = np.minimum(np.searchsorted(key[order], wanted), max(0, key.size - 1))
    has = (key[order][at] == wanted) & (goal >= 0) if key.size else np.zeros(cell.size, dtype=bool)
    new = np.flatnonzero(~has & (goal >= 0))
    to = np.where(has, order[at] if key.size else 0, OUTSIDE)
    to[new] = pred.sizes.size + np.arange(new.size)
    moves = Moves(np.arange(cell.size), cell, to, goal[new], count)
    costs = costs_of_moves(run, cells, item[cell], moves)
    called = [str(run.class_names.get(name, name)) for name in tables.class_names]
    listed = []
    columns = (item[cell], cells.true[cell], cells.pred[cell], goal, of_pred[cell], count, box, costs)
    for place, t, h, a, b, n, span, cost in zip(*(column.tolist() for column in columns), strict=True):
        names = (None if a < 0 else called[a]), (None if b < 0 else called[b])
        kind = "missed" if b < 0 else "spurious" if a < 0 else "confused"
        what = f"{names[0]} missed" if b < 0 else f"{names[1]} invented" if a < 0 else f"{names[0]} as {names[1]}"
        ids = ids_of(true, [t] if t >= 0 else []), ids_of(pred, [h] if h >= 0 else [])
        address = f"c{ids[0][0] if ids[0] else ''}-{ids[1][0] if ids[1] else ''}" + (f"-{span[0]}" * (span[0] >= 0))
        where = () if span[0] < 0 else tuple(span)
        listed.append(RunError(tables.items.names[place], address, kind, what, *names, n, cost, *ids, where))
    return ("confused", "missed", "spurious"), [error for error in listed if error.cost == error.cost], note


def _connected_parts(
    run: Run, cells: TableCells, wrong: IndexArray, item: IndexArray
) -> tuple[IndexArray, NDArray[np.int64], NDArray[np.int64]]:
    """Return of every part its cell, its number of elements, and where it lies (:data:`_BOX`; −1 for rims)."""
    loaders, tables = loaders_of(run), run.tables_together
    found: list[NDArray[Any]] = []
    cuts = np.searchsorted(item[wrong], np.arange(len(tables) + 1))
    for at, name in enumerate(tables.items.names):
        own = wrong[cuts[at] : cuts[at + 1]]
        if not own.size:
            continue
        sides = _both(loaders[name], LabelArray)
        code, width = _wrong_cells(cells, own, tables, at, sides)
        flat = code.reshape(1, -1) if code.ndim == 1 else code.reshape(-1, *code.shape[-2:]) if code.ndim > 3 else code
        parts = label_components(flat, 8 if flat.ndim == 2 else 26)
        of_part = own[parts.labels - 1]
        large = parts.sizes >= RIM
        rims = np.bincount(parts.labels[~large] - 1, weights=parts.sizes[~large], minlength=width).astype(np.int64)
        boxes = _boxes(parts.numbers, parts.sizes.size, sides[0].domain)
        found.append(np.column_stack((of_part[large], parts.sizes[large], boxes[large])))
        some = np.flatnonzero(rims)
        found.append(np.column_stack((own[some], rims[some], np.full((some.size, len(_BOX)), -1))))
    every = np.concatenate([np.zeros((0, 2 + len(_BOX)), dtype=np.int64), *found])
    return every[:, 0], every[:, 1], every[:, 2:]


_BOX = ("first element", "plane", "top", "left", "bottom", "right")


def _boxes(numbers: NDArray[np.int32], n: int, shape: tuple[int, ...]) -> NDArray[np.int64]:
    """Return of every part its first element and its box; of a volume that in the slice (shortest axis) with most."""
    axis = shape.index(min(shape)) if len(shape) == 3 else None
    stack = numbers[None] if axis is None else np.moveaxis(numbers, axis, 0)
    stack = stack.reshape(-1, *stack.shape[-2:])
    where = np.flatnonzero(numbers)
    _, first = np.unique(numbers.ravel()[where], return_index=True)
    plane, row, column = np.nonzero(stack)
    part = stack[plane, row, column].astype(np.int64) - 1
    key, counts = np.unique(part * len(stack) + plane, return_counts=True)
    order = np.lexsort((-counts, key // len(stack)))
    best = key[order][np.flatnonzero(np.diff(key[order] // len(stack), prepend=-1))] % len(stack)
    inside = plane == best[part]
    low, high = np.full((2, n), 2**62), np.full((2, n), -1)
    for at, places in enumerate((row, column)):
        np.minimum.at(low[at], part[inside], places[inside])
        np.maximum.at(high[at], part[inside], places[inside])
    return np.column_stack((where[first], best, *low, *high))


def _wrong_cells(cells: TableCells, own: IndexArray, tables: Any, at: int, sides: Any) -> tuple[NDArray[Any], int]:
    """Return for every element the number of its wrong cell among those of an item, from 1; 0 where it is right."""
    places = []
    for side, array in ((tables.true, sides[0]), (tables.pred, sides[1])):
        part = side.part(at)
        ids = side.original_ids(part)
        labels = np.asarray(array.labels)
        order = np.argsort(ids, kind="stable")
        place = np.minimum(np.searchsorted(ids[order], labels), max(0, ids.size - 1))
        known = ids[order][place] == labels if ids.size else np.zeros(labels.shape, dtype=bool)
        void = np.isin(labels, [*array.void]) if array.void else np.zeros(labels.shape, dtype=bool)
        position = np.where(known, (order[place] if ids.size else 0) + part.start, np.where(void, VOID, OUTSIDE))
        places.append(position)
    n_pred = tables.pred.sizes.size + 2
    number = {(int(t) + 2) * n_pred + int(h) + 2: place for place, (t, h) in enumerate(
        zip(cells.true[own].tolist(), cells.pred[own].tolist(), strict=True), 1)}  # fmt: skip
    keys, inverse = np.unique((places[0] + 2) * n_pred + places[1] + 2, return_inverse=True)
    codes = np.array([number.get(key, 0) for key in keys.tolist()], dtype=np.int32)
    return codes[inverse].reshape(places[0].shape), own.size


def boundary_errors(run: Run) -> Listed:
    """Return the moved, missed and invented boundaries of texts."""
    reading, loaders = headline_reading(run), loaders_of(run)
    metric, options = METRICS[reading.key], reading.options
    facts: list[tuple[str, str, int | None, int | None]] = []
    items, scores = [], []
    for at, name in enumerate(run.data.items):
        true, pred = _both(loaders[name], Spans)
        first, second = (set(side.boundaries.tolist()) for side in (true, pred))
        for kind, t, h in _boundary_kinds(first, second, reach=max(1, true.n // (2 * (len(first) + 1)) // 2)):
            fixed = second - {h} | ({t} if t is not None else set())
            score = metric(true, Spans.from_boundaries(sorted(fixed), pred.n), **options)
            scores.append(score if isinstance(score, Score) else None)
            items.append(at)
            facts.append((name, kind, t, h))
    costs = _costs_of_replaced(run, reading, score_statistics(scores), items)
    words = {"moved": "boundary moved", "missed": "boundary missed", "spurious": "boundary invented"}
    errors = [
        RunError(
            name, f"p{h}" if t is None else f"s{t}", kind, words[kind], None, None,
            1 if t is None or h is None else abs(t - h), cost, span=tuple(one for one in (t, h) if one is not None),
        )
        for (name, kind, t, h), cost in zip(facts, costs, strict=True)
        if cost == cost
    ]  # fmt: skip
    return ("moved", "missed", "spurious"), errors, None


def _costs_of_replaced(run: Run, reading: Reading, replaced: Statistics, items: Sequence[int]) -> list[float]:
    """Return the costs of errors, from the statistics of their items after each of them is fixed."""
    item, n = np.array(items, dtype=np.intp), len(run.data.items)
    costs: list[float] = costs_of_items(reading, replaced, item, n + np.arange(item.size)).tolist()
    return costs


def _boundary_kinds(true: set[int], pred: set[int], reach: int) -> Iterator[tuple[str, int | None, int | None]]:
    """Yield kind, true and predicted place of every boundary that is not right."""
    missed, invented = true - pred, pred - true
    near = sorted((abs(t - h), t, h) for t in missed for h in range(t - reach, t + reach + 1) if h in invented)
    for _, t, h in near:
        if t in missed and h in invented:
            missed.remove(t)
            invented.remove(h)
            yield "moved", t, h
    yield from (("missed", t, None) for t in sorted(missed))
    yield from (("spurious", None, h) for h in sorted(invented))


def entity_errors(run: Run) -> Listed:
    """Return the entities that are of the wrong type, have wrong edges, are missed or invented."""
    reading, loaders = headline_reading(run), loaders_of(run)
    facts: list[tuple[str, str, Any, Any]] = []
    items, pairs = [], []
    for at, name in enumerate(run.data.items):
        true, pred = _both(loaders[name], Spans)
        columns = ((side.starts.tolist(), side.stops.tolist(), side.class_list or []) for side in (true, pred))
        first, second = (list(zip(*own, strict=True)) for own in columns)
        for kind, t, h in _entity_kinds(first, second):
            kept = [one for one in second if one != h and (t is None or one[1] <= t[0] or one[0] >= t[1])]
            fixed = sorted([*kept, *([] if t is None else [t])], key=lambda one: one[:2])
            starts, stops, classes = ([one[column] for one in fixed] for column in range(3))
            pairs.append((true, Spans(starts, stops, pred.n, classes=classes)))
            items.append(at)
            facts.append((name, kind, t, h))
    aggregation, options = reading.aggregation, reading.aggregation.collect_options(reading.options)
    groups = [pairs] if aggregation.takes_many_lines else [[pair] for pair in pairs]
    lines = [[SpanLines.of(side) for side in zip(*group, strict=True)] for group in groups if group]
    after = [aggregation.collected(both, options) for both in lines]
    costs = _costs_of_replaced(run, reading, Statistics.concatenate(after), items) if after else []
    errors = []
    for (name, kind, t, h), cost in zip(facts, costs, strict=True):
        a, b = (None if one is None else str(run.class_names.get(one[2], one[2])) for one in (t, h))
        what = {"class": f"{a} as {b}", "boundary": f"{a}, wrong edges", "missed": f"{a} missed"}.get(kind)
        own, other = t or h, h or t
        address = f"{'p' if t is None else 's'}{own[0]}"
        size = own[1] - own[0]
        errors.append(
            RunError(name, address, kind, what or f"{b} invented", a, b, size, cost, span=(*own[:2], *other[:2]))
        )
    return ("class", "boundary", "missed", "spurious"), errors, None


def _entity_kinds(true: list[Any], pred: list[Any]) -> Iterator[tuple[str, Any, Any]]:
    """Yield kind, true and predicted entity of every error: the same edges, then the first free one that overlaps."""
    wrong, extra = [one for one in true if one not in pred], [one for one in pred if one not in true]
    for exact in (True, False):
        for t in list(wrong):
            near = [h for h in extra if (h[:2] == t[:2] if exact else h[0] < t[1] and t[0] < h[1] and h[2] == t[2])]
            if near:
                wrong.remove(t)
                extra.remove(near[0])
                yield ("class" if exact else "boundary"), t, near[0]
    yield from (("missed", t, None) for t in wrong)
    yield from (("spurious", None, h) for h in extra)


def speech_errors(run: Run) -> Listed:
    """Return the runs of time that are missed, given to the wrong speaker or falsely detected."""
    source, loaders = run.data.source("der"), loaders_of(run)
    whole = float(run.data.score("der").denominator or 0)
    options = source.aggregation.collect_options(source.options)
    listed = []
    for name in run.data.items:
        steps = speaker_steps(*_both(loaders[name], TimeIntervals, Spans), **options)
        kinds = (("missed", steps.missed, "s"), ("confused", steps.confused, "w"), ("false alarm", steps.false, "s"))
        for kind, ticks, letter in kinds:
            for at in np.flatnonzero(ticks).tolist():
                start, stop = (float(edge * steps.tick) for edge in (steps.starts[at], steps.stops[at]))
                seconds = float(ticks[at] * steps.tick)
                true, pred = (", ".join(map(str, sorted(one[at], key=str))) or None for one in (steps.true, steps.pred))
                what = {"missed": f"{true} missed", "confused": f"{true} as {pred}"}.get(kind, f"{pred} invented")
                cost = 100 * seconds / whole if whole else math.nan
                size, span = round(1000 * seconds), (start, stop)
                listed.append(RunError(name, f"{letter}{start:g}", kind, what, true, pred, size, cost, span=span))
    return ("missed", "confused", "false alarm"), listed, "sizes are milliseconds of speaker time"


def frame_errors(run: Run) -> Listed:
    """Return the objects of videos over runs of frames with J < 1/2, and what J&F gains if they are right there."""
    source, loaders = run.data.source(run.headline), loaders_of(run)
    options = source.aggregation.collect_options(source.options)
    found: list[tuple[str, int, int, int, float, int]] = []
    n_objects = 0
    for name in run.data.items:
        true, pred = _both(loaders[name], LabelArray)
        frames = object_frames(true, pred, **options)
        labels = np.unique(np.asarray(true.read((slice(0, 1), *map(slice, true.domain[1:])))))
        objects = labels[~np.isin(labels, [*true.outside, *true.void])].tolist()
        j, f = j_values(frames), f_values(frames)
        n_objects += len(j)
        lost = (2 - j - f) / (2 * max(1, j.shape[1]))
        for at, is_bad in enumerate(j < LEAST_J):
            edges = np.flatnonzero(np.diff(np.concatenate(([False], is_bad, [False])).astype(int)))
            for start, stop in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
                found.append((name, at, start, stop, float(lost[at, start:stop].sum()), objects[at]))
    first = 1 if options.get("task", "semi-supervised") == "semi-supervised" else 0
    errors = [
        RunError(
            name, f"o{at + 1}-{start + first}", "lost", f"object {label} in {stop - start} frames", None, None,
            stop - start, 100 * lost / n_objects, (label,), (label,)[: 1 * first], (start + first, stop + first, at),
        )
        for name, at, start, stop, lost, label in found
    ]  # fmt: skip
    return ("lost",), errors, "an error is an object over a run of frames with J below 1/2; sizes are frames"


def _both(load: PairLoader, *kinds: type) -> tuple[Any, Any]:
    """Return the two sides of an item, which are of the kind that its metric needs."""
    true, pred = load()
    if not isinstance(true, kinds) or not isinstance(pred, kinds):
        raise InputError(f"its sides are {true.kind} and {pred.kind}, which have no single errors of this kind")
    return true, pred


BY_METRIC: dict[str, Callable[[Run], Listed]] = {
    **dict.fromkeys(("boundary_similarity", "pk", "window_diff", "segmentation_similarity"), boundary_errors),
    **dict.fromkeys(("entity_f1", "semeval_strict", "semeval_exact", "semeval_partial", "semeval_type"), entity_errors),
    "der": speech_errors,
    "j_and_f": frame_errors,
}
"""How single errors are listed, by the headline."""
