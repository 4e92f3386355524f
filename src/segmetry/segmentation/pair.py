"""A true and a predicted segmentation of the same domain, from whatever users pass."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from segmetry._base import common_step, frozen_dataclass
from segmetry.errors import ClassesError, InputError, KindError, OptionError, SegmetryError, ShapeMismatchError
from segmetry.segmentation.base import Segmentation
from segmetry.segmentation.labels import LabelArray
from segmetry.segmentation.spacing import Spacing, spacing_of
from segmetry.segmentation.spans import Spans

if TYPE_CHECKING:
    from segmetry.segmentation.sets import Sets

_KIND_WORDS = {"labels": "a label array"}  # other kinds are called as they are

_INSTEAD: dict[type, str] = {
    str: "; segmetry.read(path) reads a file",
    PathLike: "; segmetry.read(path) reads a file",
    Mapping: "; segmetry.evaluate(true, pred) scores mappings from item names",
}


@frozen_dataclass(eq=False)
class SegmentationPair:
    """Two segmentations that may be compared: same kind, same domain, classes on both sides or on neither."""

    true: Segmentation
    pred: Segmentation
    spacing_from: str | None = None
    """The side whose spacing both have, as the other one states none."""

    @classmethod
    def of(cls, true: Any, pred: Any, *, resolve: str | None = None, classes: str | None = "match") -> SegmentationPair:
        """Return a checked pair; ``"by_score"`` makes masks disjoint, ``"ignore"`` allows classes on one side."""
        first, second = as_segmentation(true, "true"), as_segmentation(pred, "pred")
        if not _same_domain(first, second):
            first, second = _on_one_line(first, second)
            if first.kind != second.kind:
                words = [_KIND_WORDS.get(side.kind, side.kind) for side in (first, second)]
                raise KindError(f"true is {words[0]} and pred is {words[1]}; expected two segmentations of one kind")
            _check_domains(first, second)
        one_bare = (first.classes is None) != (second.classes is None)
        if one_bare and classes != "ignore" and (first.classes or second.classes):  # an empty set of classes fits both
            bare = "pred" if second.classes is None else "true"
            raise ClassesError(
                f"{bare} has no classes but the other side does; pass classes= on both sides or on neither, "
                "or compare without them: classes='ignore' (--classes ignore)"
            )
        spacing_from = None
        if type(first) is not Spans:  # which have no spacing
            first, second, spacing_from = _with_one_spacing(first, second)
        if resolve == "by_score":
            from segmetry.segmentation.masks import Masks

            if not isinstance(second, Masks):
                raise OptionError(
                    "resolve='by_score' needs masks with scores; pred is " + _KIND_WORDS.get(second.kind, second.kind)
                )
            second = second.painted()
        return cls(first, second, spacing_from)


def _same_domain(true: Segmentation, pred: Segmentation) -> bool:
    """Return whether both sides are evidently of one kind and domain; others are converted, compared and rejected."""
    if type(true) is LabelArray and type(pred) is LabelArray:
        return true.domain == pred.domain
    return type(true) is Spans and type(pred) is Spans and true.n == pred.n and true.tick is pred.tick


def _on_one_line(true: Segmentation, pred: Segmentation) -> tuple[Segmentation, Segmentation]:
    """Return two lines in the same ticks; spans become intervals next to intervals, which have no end."""
    from segmetry.segmentation.time_intervals import TimeIntervals

    if not (isinstance(true, Spans | TimeIntervals) and isinstance(pred, Spans | TimeIntervals)):
        return true, pred
    if true.tick != pred.tick:
        tick = common_step(true.tick, pred.tick)
        true, pred = (side.rescaled(int(side.tick / tick)) for side in (true, pred))
    if isinstance(true, Spans) and isinstance(pred, Spans):
        return true, pred
    n = max(true.n, pred.n)
    first, second = (TimeIntervals.of_spans(side) if isinstance(side, Spans) else side for side in (true, pred))
    return tuple(side if side.n == n else side.with_length(n) for side in (first, second))  # type: ignore[return-value]


def _with_one_spacing(true: Segmentation, pred: Segmentation) -> tuple[Segmentation, Segmentation, str | None]:
    """Give a side without a known spacing that of the other; different ones are an error when distances are needed."""
    first, second = spacing_of(true), spacing_of(pred)
    if first is second or first.stated == second.stated:
        return true, pred, None
    if first.stated:
        return true, _with_spacing(pred, first), "true"
    return _with_spacing(true, second), pred, "pred"


def _with_spacing(segmentation: Segmentation, spacing: Spacing) -> Segmentation:
    changed = copy.copy(segmentation)
    changed.__dict__["spacing"] = spacing
    return changed


def as_segmentation(value: Any, side: str = "segmentation") -> Segmentation:
    """Return a segmentation unchanged, and an array of integers as a label array whose 0 is outside."""
    given = type(value)
    if given is Spans or (given is not np.ndarray and isinstance(value, Segmentation)):
        return value  # type: ignore[no-any-return]
    if hasattr(value, "__array__") or hasattr(value, "__dlpack__") or isinstance(value, list | tuple):
        try:
            return LabelArray(value)
        except SegmetryError as problem:
            raise type(problem)(f"{side}: {problem}") from None
    hint = next((words for kind, words in _INSTEAD.items() if isinstance(value, kind)), "")
    raise KindError(
        f"{side} is a {type(value).__name__}; expected an integer array, LabelArray, Spans, TimeIntervals, Masks, "
        f"Polygons or Sets{hint}"
    )


def _check_domains(true: Segmentation, pred: Segmentation) -> None:
    from segmetry.segmentation.polygons import Polygons, check_same_crs
    from segmetry.segmentation.sets import Sets

    if isinstance(true, Sets) and isinstance(pred, Sets):
        _check_universes(true, pred)
    elif isinstance(true, Polygons) and isinstance(pred, Polygons):
        check_same_crs(true.crs, pred.crs)
    elif true.domain != pred.domain:
        raise ShapeMismatchError(
            f"true has {_describe_domain(true)} and pred has {_describe_domain(pred)}; "
            f"expected the same domain (segmetry never resizes a segmentation){_hint_of_stacks(true, pred)}"
        )


def _hint_of_stacks(true: Segmentation, pred: Segmentation) -> str:
    if len(true.domain) == 3 == len(pred.domain) and true.domain[1:] == pred.domain[1:]:
        return "; stacks of masks are read by --labels masks (read={'labels': 'masks'}), or Masks.from_dense"
    return ""


def _describe_domain(side: Segmentation) -> str:
    return f"{side.domain[0]} elements" if side.kind in ("spans", "intervals") else f"shape {side.domain}"


def _check_universes(true: Sets, pred: Sets) -> None:
    for side, universe, other_name, other in (
        ("true", true.universe, "pred", pred),
        ("pred", pred.universe, "true", true),
    ):
        if universe is None:
            continue
        if other.universe is not None and other.universe != universe:
            raise ShapeMismatchError(
                f"true has a universe of {len(universe)} elements and pred another of {len(other.universe)}; "
                "expected the same"
            )
        stray = other.elements - universe
        if stray:
            raise InputError(
                f"{other_name} contains {sorted(map(repr, stray))[0]}, which is not in the universe of {side}"
            )
