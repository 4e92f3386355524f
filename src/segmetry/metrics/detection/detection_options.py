"""The options of average precision and recall: thresholds, sizes, recalls, and what is compared."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from segmetry._base.checked_options import check_choice
from segmetry._base.exact import FloatArray, Threshold, fraction_in
from segmetry.alignments.candidates import MatchRule, as_rule
from segmetry.alignments.rules.local import LocalRule, iou
from segmetry.errors import OptionError

IouThresholds = Threshold | Sequence[Threshold] | None
RecallPoints = Literal["coco", "exact"]
Limit = Literal["class", "image"]
IouType = Literal["segm", "bbox", "boundary"]
SizeRange = str | Sequence[float] | None

SIZES = {"small": (0.0, 32.0**2), "medium": (32.0**2, 96.0**2), "large": (96.0**2, np.inf)}
"""The areas of COCO's sizes, both ends included: a mask of 1024 pixels is small and medium."""
COCO_THRESHOLDS = tuple(np.linspace(0.5, 0.95, 10).tolist())
"""The reference's ten thresholds, as floats; one of them is just below 0.9."""
_COCO_NAMES = tuple(iou(at_least=fraction_in(f"0.{least}", "thresholds", 0, 1)).name for least in range(50, 100, 5))
ANY_OVERLAP = float(np.nextafter(0, 1))
"""The threshold that every overlap reaches: a rule has already admitted the pairs."""


class Criterion(NamedTuple):
    """What admits a pair: an overlap of at least ``least``, under its name."""

    name: str
    least: float


class AreaRange(NamedTuple):
    """The areas of a size, both ends included."""

    low: float
    high: float

    def excludes(self, areas: FloatArray) -> Any:
        """Return which areas are not of this size."""
        return (areas < self.low) | (areas > self.high)


EVERY_SIZE = AreaRange(-np.inf, np.inf)


@dataclass(frozen=True)
class Evaluation:
    """What one value is computed under: the criteria, the size, and which predictions are considered.

    ``recall_points`` are the recalls at which precision is evaluated. ``limit``: the first ``max_detections`` of each
    class in an image, or of the whole image. ``federated``: predictions of classes that were not looked for in their
    image are dropped, and misses of incomplete classes are ignored.
    """

    criteria: tuple[Criterion, ...]
    size: AreaRange = EVERY_SIZE
    max_detections: int = 100
    limit: Limit = "class"
    federated: bool = False
    recall_points: RecallPoints = "coco"

    @property
    def every_size(self) -> bool:
        """Whether true masks of every area count."""
        return self.size == EVERY_SIZE

    @property
    def recalls(self) -> FloatArray:
        """The 101 recalls at which precision is evaluated."""
        return recalls(self.recall_points)

    @property
    def thresholds(self) -> tuple[float, ...]:
        """The least overlap of every criterion."""
        return tuple(criterion.least for criterion in self.criteria)

    @classmethod
    def of(
        cls,
        *,
        thresholds: IouThresholds = None,
        rule: MatchRule | str | None = None,
        size: SizeRange = None,
        max_detections: int = 100,
        limit: Limit = "class",
        federated: bool = False,
        recall_points: RecallPoints = "coco",
    ) -> Evaluation:
        """Return checked options.

        >>> Evaluation.of(thresholds="0.5", size="small").size
        AreaRange(low=0.0, high=1024.0)
        """
        if type(max_detections) is not int or max_detections < 1:
            raise OptionError(f"max_detections is {max_detections!r}; expected an integer of at least 1")
        check_choice("limit", limit, Limit)
        recalls(recall_points)
        return cls(as_criteria(rule, thresholds), as_range(size), max_detections, limit, bool(federated), recall_points)


def as_criteria(rule: MatchRule | str | None, thresholds: IouThresholds) -> tuple[Criterion, ...]:
    """Return the criteria that admit a pair: IoU at least each threshold (COCO's ten by default), or a rule.

    >>> [criterion.name for criterion in as_criteria(None, ["0.5", 0.75])]
    ['iou(at_least=1/2)', 'iou(at_least=3/4)']
    """
    if rule is not None:
        if thresholds is not None:
            raise OptionError("rule and thresholds are both set; expected only one of them")
        return (Criterion(as_local_rule(rule).name, ANY_OVERLAP),)
    if thresholds is None:
        return tuple(map(Criterion, _COCO_NAMES, COCO_THRESHOLDS))
    single = isinstance(thresholds, str) or not isinstance(thresholds, Iterable)
    listed: list[Any] = [thresholds] if single else list(thresholds)  # type: ignore[arg-type]
    if not listed:
        raise OptionError("thresholds are empty; expected at least one IoU")
    exact = [fraction_in(least, "thresholds", 0, 1, open_low=True) for least in listed]
    return tuple(Criterion(iou(at_least=least).name, float(least)) for least in exact)


def as_local_rule(rule: MatchRule | str) -> LocalRule:
    """Return a rule that decides on a pair alone."""
    chosen = as_rule(rule)
    if not isinstance(chosen, LocalRule):
        raise OptionError(f"rule is {chosen.name}; expected a rule that decides on a pair alone, such as theta_and")
    return chosen


def as_range(size: SizeRange) -> AreaRange:
    """Return the areas of a size: a name of COCO's, or the least and the largest area.

    >>> as_range("medium"), as_range([100, 400])
    (AreaRange(low=1024.0, high=9216.0), AreaRange(low=100.0, high=400.0))
    """
    if size is None or size == "all":
        return EVERY_SIZE
    if isinstance(size, str):
        if size not in SIZES:
            raise OptionError(f"size is {size!r}; expected all, {', '.join(SIZES)}, or [least, largest] area")
        return AreaRange(*SIZES[size])
    try:
        low, high = (float(bound) for bound in size)
    except (TypeError, ValueError):
        raise OptionError(f"size is {size!r}; expected all, {', '.join(SIZES)}, or [least, largest] area") from None
    if not low <= high:
        raise OptionError(f"size is {size!r}; expected the least area first")
    return AreaRange(low, high)


def recalls(points: str) -> FloatArray:
    """Return the 101 recalls at which precision is evaluated."""
    if points == "coco":
        return np.linspace(0.0, 1.0, 101)
    if points == "exact":
        return np.arange(101) / 100
    raise OptionError(f"recall_points is {points!r}; expected 'coco' or 'exact'")
