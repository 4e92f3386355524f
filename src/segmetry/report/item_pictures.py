"""The pictures of a report: select items, read their inputs again, and pack their pixels.

A run contains no pixels, so its inputs are read and counted again: a picture shows exactly the segments of the scores
next to it, or is left out.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base import OnStage, silent
from segmetry.errors import DataWarning, InputError, OptionError, SegmetryError
from segmetry.evaluation import ItemTask, loaders_of
from segmetry.overlaps import OverlapTable, count_overlaps
from segmetry.readers import GridAffine, find_reader
from segmetry.report.label_planes import codes_of, mask_places, packed_masks, packed_plane, packed_spans
from segmetry.report.page_records import AgreesBy, LabelsHeader, LanesHeader, MasksHeader, PictureHeader, SpansHeader
from segmetry.report.run_data import agrees_by
from segmetry.report.segment_colours import PlaneErrors, colours_of_segments, in_a_row, near_masks, touching
from segmetry.report.segment_columns import MOST_ROWS
from segmetry.run import Run
from segmetry.runfile import PairLoader
from segmetry.segmentation import LabelArray, Masks, SegmentationPair, Spans, TimeIntervals

DEFAULT_COUNT = 500
MOST_WORDS = 2000
"""Elements of the longest line whose words are in the page."""
MOST_IN_PLANE = 2**22
"""Elements of the largest plane that is written whole; of a larger one every second, third … row and column is."""
MOST_IN_ITEM = 2**24
"""Elements of the largest stack of planes that is written whole; of a larger one evenly spaced planes are."""


@dataclass(frozen=True)
class Pixels:
    """Header and text of every item with pictures, by index, and why some are missing."""

    headers: dict[int, PictureHeader] = field(default_factory=dict)
    texts: dict[int, str] = field(default_factory=dict)
    problem: str | None = None


def pixels_of(
    run: Run,
    maps: str | int | None = None,
    *,
    true: Any = None,
    pred: Any = None,
    is_checked: bool = False,
    progress: OnStage = silent,
) -> Pixels:
    """Return the pictures of a report: ``maps`` is "all", "none" or how many of the worst items (500).

    Inputs that are gone or have changed are no error but a :class:`~segmetry.errors.DataWarning`, and the page says why
    there are no pictures. ``true`` and ``pred`` name the inputs again; then they must be the right ones. Files whose
    fingerprints were just compared with those of the run (``is_checked``) are not read for that again.
    """
    count, is_named = _count(maps), true is not None or pred is not None
    if count == 0 and is_named:
        raise OptionError("true and pred say where pictures are drawn from, but maps asks for none; leave one out")
    if count == 0:
        return Pixels(
            problem="this report was written without pictures (--maps none); --maps all, or --maps N, draws them"
        )
    order = worst_first(run)
    asked = order if count is None else order[:count]
    # As many items as fit into the page: a picture needs all overlap rows of its item.
    rows = np.diff(run.tables_together.row_starts)[asked]
    chosen = asked[: int(np.searchsorted(np.cumsum(rows), MOST_ROWS, side="right"))]
    if not is_named and not run.loaders and "true" not in run.facts:
        return Pixels(
            problem="the run was computed from objects in memory that are not available any more; pass them again: "
            "run.report(…, true=…, pred=…)"
        )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)  # shown when the inputs were evaluated
            pixels = _pictures(run, chosen, loaders_of(run, true, pred, check_files=not is_checked), progress)
    except SegmetryError as problem:
        if is_named:
            raise
        message = f"{problem}; pictures need the unchanged inputs: --true and --pred say where they are"
        warnings.warn(f"the report has no pictures: {message}", DataWarning, stacklevel=2)
        return Pixels(problem=message)
    why = "--maps all keeps every one" if chosen == asked else "one page has room for no more"
    missing = f"pictures are kept of the {len(chosen)} worst items ({why})"
    return replace(pixels, problem=None if len(chosen) == len(order) else missing)


def _pictures(run: Run, chosen: list[int], loaders: Mapping[str, PairLoader], progress: OnStage) -> Pixels:
    pixels = Pixels()
    for done, index in enumerate(sorted(chosen)):
        progress("pictures", done, len(chosen))
        drawn = drawn_item(run, index, loaders)
        if drawn is not None:
            pixels.headers[index], pixels.texts[index] = drawn
    return pixels


def drawn_item(run: Run, index: int, loaders: Mapping[str, PairLoader]) -> tuple[PictureHeader, str] | None:
    """Return header and text of the pictures of an item; None for segments of which there are none."""
    table = run.tables_together.table(index)
    name = run.tables_together.items[index].name
    pair = _pair(name, table, loaders, run.settings.resolve)
    true, pred = pair.true, pair.pred
    task, has_facts = loaders.get(name), isinstance(true, Spans) or getattr(true, "axes", 0) == 3
    stated = task.true_item() if isinstance(task, ItemTask) and has_facts else None
    if isinstance(true, LabelArray) and isinstance(pred, LabelArray):
        # A plane is a frame in a run with video metrics, else a slice.
        is_video = run.settings.metrics is not None and any(metric.family == "video" for metric in run.metrics)
        place = stated.place if stated is not None and not is_video else None
        return _labels(true, pred, table, "frame" if is_video else "slice", agrees_by(run), place)
    if isinstance(true, Masks) and isinstance(pred, Masks) and len(true.shape) == 2:
        rows, columns = true.shape
        masks: MasksHeader = {
            "kind": "masks",
            "shape": [rows, columns],
            "rows": rows,
            "columns": columns,
            "places": None if pred.scores is None else mask_places(true, pred, table),
            "colours": colours_of_segments(table, near_masks(true, table.true.ids), near_masks(pred, table.pred.ids)),
        }
        return masks, "\n".join((packed_masks(true, table.true.ids), packed_masks(pred, table.pred.ids)))
    if isinstance(true, Spans) and isinstance(pred, Spans):
        colours = colours_of_segments(table, in_a_row(len(true.starts)), in_a_row(len(pred.starts)))
        tick = float(true.tick) if true.tick != 1 else None
        unit = line_unit(run) if tick is None else "seconds"
        spans: SpansHeader = {
            "kind": "spans",
            "shape": [true.n],
            "colours": colours,
            "tick": tick,
            "unit": unit,
            "words": None if stated is None or true.n > MOST_WORDS else stated.units,
        }
        return spans, "\n".join((packed_spans(true), packed_spans(pred)))
    if isinstance(true, TimeIntervals) and isinstance(pred, TimeIntervals):
        lanes = (_lanes(true), _lanes(pred))
        header: LanesHeader = {
            "kind": "lanes",
            "shape": [true.n],
            "tick": float(true.tick),
            "names": (lanes[0][0], lanes[1][0]),
            "turns": (lanes[0][1], lanes[1][1]),
            "colours": {"true": "", "pred": ""},
        }
        return header, ""
    return None


def _lanes(side: TimeIntervals) -> tuple[list[str], list[tuple[int, int, int]]]:
    """Return the names of the lanes of a side, and its turns."""
    labels = [str(label) for label in side.class_list or range(1, side.starts.size + 1)]
    names = sorted(set(labels))
    turns = zip(side.starts.tolist(), side.stops.tolist(), map(names.index, labels), strict=True)
    return names, list(turns)


def worst_first(run: Run) -> list[int]:
    """Return the indices of finished items, the worst by the headline first; equal ones as in the run, undefined ones
    last.
    """
    place = {name: at for at, name in enumerate(run.data.items)}
    return [place[name] for name in run.data.worst_first(run.headline)]


def _count(maps: str | int | None) -> int | None:
    """Return the number of items with pictures; None for all."""
    if maps is None:
        return DEFAULT_COUNT
    if maps in ("all", "none"):
        return None if maps == "all" else 0
    try:
        count = int(maps)
    except ValueError:
        count = -1
    if count < 0:
        raise OptionError(f"maps is {maps!r}; expected 'all', 'none' or a number of items (--maps 100)")
    return count


def _pair(name: str, table: OverlapTable, loaders: Mapping[str, PairLoader], resolve: str | None) -> SegmentationPair:
    load = loaders.get(name)
    if load is None:
        raise InputError(f"the inputs have no item {name!r} any more")
    pair = SegmentationPair.of(*load(), resolve=resolve, classes="ignore")
    if not _same(count_overlaps(pair), table):
        raise InputError(f"item {name!r} is not what it was when it was evaluated")
    return pair


def _same(now: OverlapTable, then: OverlapTable) -> bool:
    """Return whether two tables have the same segments and overlaps, whatever the names of classes."""
    sides = ((now.true, then.true), (now.pred, then.pred))
    columns = [(now.row_true, then.row_true), (now.row_pred, then.row_pred), (now.shared, then.shared)]
    columns += [
        (getattr(current, name), getattr(stored, name)) for current, stored in sides for name in ("ids", "sizes")
    ]
    return all(np.array_equal(current, stored) for current, stored in columns)


def _labels(
    true: LabelArray, pred: LabelArray, table: OverlapTable, word: str, by: AgreesBy | None, place: GridAffine | None
) -> tuple[LabelsHeader, str]:
    axis = _sliced(true.domain, word)
    stacks = [_stack(side.labels, axis) for side in (true, pred)]
    step = 1
    while stacks[0][0, ::step, ::step].size > MOST_IN_PLANE:
        step += 1
    stacks = [stack[:, ::step, ::step] for stack in stacks]
    planes = _spaced(len(stacks[0]), stacks[0][0].size)
    lines, errors = [], PlaneErrors(table, by)
    counts = [table.true.ids.size, table.pred.ids.size]
    near: list[list[Any]] = [[], []]
    for plane in planes:
        codes = [
            codes_of(stack[plane], side, ids)
            for stack, side, ids in zip(stacks, (true, pred), (table.true.ids, table.pred.ids), strict=True)
        ]
        lines += [packed_plane(plane_codes) for plane_codes in codes]
        errors.add(codes)
        for side, plane_codes in enumerate(codes):
            near[side].append(touching(plane_codes, counts[side]))
    across_planes = [np.unique(np.concatenate(pairs), axis=0) for pairs in near]
    down, across = ([1.0, 1.0] + [step for at, step in enumerate(true.spacing) if at != axis])[-2:]
    is_volume = len(planes) > 1
    true_peaks, pred_peaks = (side.tolist() for side in errors.peaks)
    header: LabelsHeader = {
        "kind": "labels",
        "shape": list(true.domain),
        "rows": stacks[0].shape[1],
        "columns": stacks[0].shape[2],
        "tall": down / across,
        "step": step,
        "stack": list(true.domain[:-2]) if axis is None else [true.domain[axis]],
        "planes": planes,
        "first": errors.worst,
        "word": word,
        "colours": colours_of_segments(table, *across_planes),
        "peaks": (true_peaks, pred_peaks) if is_volume else None,
        "axis": axis,
        "spacing": list(true.spacing) if is_volume and true.spacing.stated else None,
        "unit": true.spacing.unit,
        "names": [None] * len(true.domain) if place is None else planes_of(place, true.spacing.unit),
        "wrong": [errors.wrong, *(sums.tolist() for sums in errors.across)] if is_volume else None,
        "objects": [
            {"name": str(name), "shared": [both for both, _ in counts], "union": [either for _, either in counts]}
            for name, counts in zip(errors.names.tolist(), errors.objects, strict=True)
        ],
    }
    return header, "\n".join(lines)


_PLANES = ("sagittal", "coronal", "axial")
_STRAIGHT = 0.95
"""The least cosine of an axis of voxels and an axis of the body whose plane it names."""


def planes_of(place: GridAffine, unit: str | None = "mm") -> list[str | None]:
    """Return what the cuts across each axis of a volume are called; None where the affine leaves it open."""
    steps = np.abs(np.array(place.affine, dtype=np.float64)[:, : len(place.shape)])
    if steps.shape != (3, 3) or unit not in (None, "mm"):
        return [None] * steps.shape[1]
    straight = steps / np.maximum(np.linalg.norm(steps, axis=0), 1e-300)
    return [_PLANES[int(column.argmax())] if column.max() >= _STRAIGHT else None for column in straight.T]


def _sliced(shape: tuple[int, ...], word: str) -> int | None:
    """Return the axis along which a volume is sliced: the shortest one; for frames the first."""
    if len(shape) != 3:
        return None
    return 0 if word == "frame" else shape.index(min(shape))


def _stack(labels: NDArray[Any], axis: int | None) -> NDArray[Any]:
    """Return labels of any number of axes as planes: a line as one row, more than three axes as their last two."""
    if axis is not None:
        return np.moveaxis(labels, axis, 0)
    if labels.ndim == 1:
        return labels[None, None]
    return labels.reshape(-1, *labels.shape[-2:])


def _spaced(count: int, size: int) -> list[int]:
    """Return all planes, or as many evenly spaced ones as fit, with the first and the last."""
    most = max(1, MOST_IN_ITEM // size)
    if count <= most:
        return list(range(count))
    if most == 1:
        return [count // 2]
    return [at * (count - 1) // (most - 1) for at in range(most)]


BY_PROTOCOL = {"page-streams": "pages", "text": "sentences", "ner": "tokens", "action": "frames"}
BY_FORMAT = {"bits": "pages", "choi": "sentences", "bio": "tokens", "frame-labels": "frames"}
ANY = "elements"


def line_unit(run: Run) -> str:
    """Return what an element of a line of a run is, by its protocol, else by the format of its truth."""
    if run.protocol is not None and run.protocol.name in BY_PROTOCOL:
        return BY_PROTOCOL[run.protocol.name]
    return BY_FORMAT.get(_format(run) or "", ANY)


def _format(run: Run) -> str | None:
    """Return the format of the truth of a run, None if its file is gone or was never one."""
    stated = run.settings.reading.get("format")
    if isinstance(stated, list | tuple):
        stated = stated[0]
    if stated is None and "true" in run.facts:
        path = Path(run.facts["true"])
        if run.path is not None and not path.exists():
            path = run.path.parent / path
        return _recognised(path)
    return stated if isinstance(stated, str) else None


@lru_cache
def _recognised(path: Path) -> str | None:
    try:
        return find_reader(path).name if path.exists() else None
    except SegmetryError:
        return None
