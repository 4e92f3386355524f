"""The inputs of metrics: overlaps are counted once, aligned once per rule, and passed to each metric as it needs."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from segmetry.alignments import Alignment, CountedOverlaps, Tally, align
from segmetry.errors import KindError
from segmetry.metrics.aggregation import Aggregation
from segmetry.metrics.statistics import Statistics
from segmetry.overlaps import Contingency, OverlapTable, contingency, count_overlaps
from segmetry.segmentation import (
    Annotations,
    LabelArray,
    Segmentation,
    SegmentationPair,
    SpanLines,
    Spans,
)

if TYPE_CHECKING:
    from segmetry.geometry import ClassShapes, MatchedShapes

T = TypeVar("T")

ALIGNMENT_OPTIONS = ("rule", "policy", "resolve", "classes")
OVERLAP_OPTIONS = ("policy", "classes")
SHARED_OPTIONS: dict[str, tuple[str, ...]] = {
    "alignment": ALIGNMENT_OPTIONS,
    "tally": (*ALIGNMENT_OPTIONS, "average"),
    "geometry": ALIGNMENT_OPTIONS,
    "overlaps": OVERLAP_OPTIONS,
    "shapes": OVERLAP_OPTIONS,
    "contingency": ("background",),
}
"""The options of the inputs of a metric, not of the metric itself, by ``needs``."""
FROM_TABLE = ("table", "alignment", "tally", "overlaps", "contingency")
"""The ``needs`` that can be met from an overlap table alone."""
FROM_ALIGNMENT = ("geometry", "shapes")
"""Those that an alignment meets while the segmentations that were counted are in memory."""


@dataclass(eq=False)
class MetricInputs:
    """A pair of segmentations, or only their table, its alignment or its tally; or annotations."""

    pair: SegmentationPair | None = None
    counted: OverlapTable | None = None
    fixed: Alignment | None = None
    tally: Tally | None = None
    annotations: Annotations | None = None
    lines: tuple[SpanLines, SpanLines] | None = None
    threads: int = 1
    _computed: dict[Hashable, Any] = field(default_factory=dict)
    """What was computed once for all metrics, by its name and options."""

    @classmethod
    def of(
        cls, true: Any, pred: Any, *, resolve: str | None = None, classes: str | None = None, threads: int = 1
    ) -> MetricInputs:
        """Create the inputs from two segmentations of any supported kind."""
        return cls(pair=SegmentationPair.of(true, pred, resolve=resolve, classes=classes), threads=threads)

    @property
    def kind(self) -> str | None:
        """The kind of the segmentations, None when only their table is known."""
        if self.lines is not None:
            return Spans.kind
        if self.annotations is not None:
            return self.annotations.kind
        return None if self.pair is None else self.pair.true.kind

    @property
    def axes(self) -> int | None:
        """The number of axes of label arrays, None for anything else."""
        true = None if self.pair is None else self.pair.true
        return true.axes if isinstance(true, LabelArray) else None

    @property
    def scored(self) -> bool:
        """Whether the predicted segments carry scores."""
        return self.pair is not None and getattr(self.pair.pred, "scores", None) is not None

    @property
    def declares_void(self) -> bool:
        """Whether a side declares void labels, or the table alone contains void elements."""
        if self.pair is not None:
            return any(getattr(side, "void", ()) for side in (self.pair.true, self.pair.pred))
        return self.counted is not None and self.counted.has_void

    @property
    def table(self) -> OverlapTable:
        """The overlap table, counted on first use."""
        if self.counted is None and self.pair is not None:
            self.counted = count_overlaps(self.pair, threads=self.threads)
        if self.counted is None:
            raise KindError("a comparison without segmentations has no overlap table")
        return self.counted

    def with_pair(self, needs: str) -> MetricInputs:
        """Find the segmentations of an alignment, where a metric needs them and they are in memory."""
        if needs in FROM_ALIGNMENT and self.pair is None and self.fixed is not None:
            self.pair = self.fixed.table.segmentations
        return self

    def align(self, **options: Any) -> Alignment:
        """Return the alignment for these options, computed once."""
        if self.fixed is not None:
            if options:
                raise KindError(
                    f"this alignment was made with rule {self.fixed.rule.name}; "
                    f"to choose {sorted(options)[0]}= pass its table, or the two segmentations"
                )
            return self.fixed
        key = ("alignment", *map(options.get, ALIGNMENT_OPTIONS))
        return self._once(key, lambda: align(self.table, **options))

    def overlaps(self, **options: Any) -> CountedOverlaps:
        """Return the overlaps as a policy counts them, computed once; an alignment has its own policy."""
        if self.fixed is not None:
            self.align(**options)
            options = {"policy": self.fixed.policy, "classes": self.fixed.classes}
        key = ("overlaps", *map(options.get, OVERLAP_OPTIONS))
        return self._once(key, lambda: CountedOverlaps.of(self.table, inputs=self.pair, **options))

    def contingency(self, background: str = "segment") -> Contingency:
        """Return the contingency table of the two partitions, computed once."""
        return self._once(("contingency", background), lambda: contingency(self.table, background))

    def shapes(self, **options: Any) -> MatchedShapes:
        """Return the matched pairs with their shapes, measured once for all metrics."""
        from segmetry.geometry import MatchedShapes

        alignment = self.align(**options)
        return self._once(("shapes", alignment), lambda: MatchedShapes(alignment, *self._inputs("geometry")))

    def class_shapes(self, asker: str) -> ClassShapes:
        """Return every class of both sides with its shapes, measured once for all metrics."""
        from segmetry.geometry import ClassShapes

        return self._once("class shapes", lambda: ClassShapes(self.table, *self._inputs(asker)))

    def _once(self, key: Hashable, make: Callable[[], T]) -> T:
        made: T | None = self._computed.get(key)
        if made is None:
            made = self._computed[key] = make()
        return made

    def statistics(
        self, aggregation: Aggregation, arguments: tuple[Any, ...], options: Mapping[str, Any]
    ) -> Statistics:
        """Return the statistics of the item, collected once for all metrics that share them.

        ``arguments`` are what :meth:`give` returned, ``options`` all options of the metric.
        """
        taken = aggregation.collect_options(options)
        key = ("statistics", aggregation.collect, *map(id, arguments), repr(sorted(taken.items())))
        return self._once(key, lambda: aggregation.collected(arguments, taken))

    def give(self, needs: str, asker: str, **options: Any) -> tuple[Any, ...]:
        """Return the positional arguments of a metric with these needs."""
        if self.tally is not None:
            return (self._fixed_tally(self.tally, needs, asker, **options),)
        if needs == "annotations":
            return (self._annotations(asker),)
        if self.lines is not None:
            return self._many_lines(self.lines, needs, asker)
        if needs == "table":
            return (self.table,)
        if needs in ("alignment", "tally"):
            alignment = self.align(**options)
            return (alignment.tally if needs == "tally" else alignment,)
        if needs == "overlaps":
            return (self.overlaps(**options),)
        if needs == "contingency":
            return (self.contingency(**options),)
        true, pred = self._inputs(asker)
        if needs == "geometry":
            return (self.shapes(**options),)
        if needs == "classes":
            return (self.class_shapes(asker),)
        if needs == "shapes":
            return self.overlaps(**options), true, pred
        if needs not in ("order", "lines"):
            return true, pred
        first, second = _line(true, "true", asker), _line(pred, "pred", asker)
        return (first, second) if needs == "order" else (SpanLines.of([first]), SpanLines.of([second]))

    @staticmethod
    def _many_lines(lines: tuple[SpanLines, SpanLines], needs: str, asker: str) -> tuple[SpanLines, SpanLines]:
        if needs != "lines":
            raise KindError(
                f"{asker} takes one line at a time; segmetry.evaluate(list(true), list(pred)) scores each line"
            )
        return lines

    @staticmethod
    def _fixed_tally(tally: Tally, needs: str, asker: str, **options: Any) -> Tally:
        if needs != "tally":
            raise KindError(f"{asker} needs more than a tally; pass the alignment, its table, or the two segmentations")
        if options:
            raise KindError(
                f"this tally was made with rule {tally.rule}; to choose {sorted(options)[0]}= pass the table"
            )
        return tally

    def _annotations(self, asker: str) -> Annotations:
        if self.annotations is None:
            raise KindError(f"{asker} needs the annotations of several annotators; found two segmentations")
        return self.annotations

    def _inputs(self, asker: str) -> tuple[Segmentation, Segmentation]:
        if self.pair is None:
            raise KindError(f"{asker} needs the segmentations themselves; found only their overlap table")
        return self.pair.true, self.pair.pred


def _line(segmentation: Segmentation, side: str, asker: str) -> Spans:
    if isinstance(segmentation, Spans):
        return segmentation
    hint = "; Spans.from_labels makes spans from an ordered label array" if isinstance(segmentation, LabelArray) else ""
    raise KindError(f"{asker} needs ordered segments; {side} is {segmentation.kind}, expected Spans{hint}")
