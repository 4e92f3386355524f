"""The examples of metrics as Python code that can be pasted into a session."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from segmetry.segmentation import Annotations, LabelArray, Segmentation, Spans

if TYPE_CHECKING:
    from segmetry.metrics.declare import Example
    from segmetry.segmentation import Masks, TimeIntervals


def example_lines(key: str, examples: tuple[Example, ...]) -> Iterator[str]:
    """Yield the lines of a session that computes the examples of a metric.

    >>> from segmetry.metrics.declare import METRICS
    >>> list(example_lines("pq", METRICS["pq"].examples))[1:3]
    ['>>> true = sm.Spans.from_masses([5, 3, 5])', '>>> pred = sm.Spans.from_masses([4, 4, 5])']
    """
    yield ">>> import segmetry as sm"
    shown: dict[str, str] = {}
    for example in examples:
        sides = {"true": example.true, "pred": example.pred}
        if isinstance(example.true, Annotations):
            sides = {"annotations": example.true}
        for name, segmentation in sides.items():
            source = segmentation_source(segmentation)
            if shown.get(name) != source:
                yield f">>> {name} = {source}"
                shown[name] = source
        arguments = ", ".join([*sides, *(f"{name}={value!r}" for name, value in example.options.items())])
        yield from _call(f"sm.{key}({arguments})", example.value)


def _call(call: str, value: Any) -> tuple[str, str]:
    """Return the line that computes a declared value, and the line that Python answers."""
    if isinstance(value, Mapping):
        return f">>> dict({call}.parts)", repr(dict(value))
    if value is None or math.isnan(value):
        return f">>> {call}.is_defined", "False"
    if (8 * value).is_integer() if isinstance(value, float) else isinstance(value, int):
        return f">>> {call}.value", repr(float(value))
    return f">>> round({call}.value, 6)", repr(round(float(value), 6))


def segmentation_source(segmentation: Any) -> str:
    """Return the expression that makes a segmentation.

    >>> segmentation_source(Spans.from_spans([(0, 2)], n=3)), segmentation_source(Spans.from_masses([2, 1]))
    ('sm.Spans.from_spans([(0, 2)], n=3)', 'sm.Spans.from_masses([2, 1])')
    >>> segmentation_source(LabelArray([[1, 2]], spacing=(1, 0.5), void=2))
    'sm.LabelArray([[1, 2]], void=[2], spacing=(1.0, 0.5))'
    """
    if isinstance(segmentation, Spans):
        return _spans_source(segmentation)
    if isinstance(segmentation, LabelArray):
        return _labels_source(segmentation)
    if isinstance(segmentation, Annotations):
        items = {
            item: {annotator: spans.masses.tolist() for annotator, spans in by_annotator.items()}
            for item, by_annotator in segmentation.items.items()
        }
        return f"sm.Annotations.from_masses({items!r})"
    kind = segmentation.kind if isinstance(segmentation, Segmentation) else None
    if kind == "intervals":
        return _intervals_source(segmentation)
    return _masks_source(segmentation) if kind == "masks" else repr(_listed(segmentation))


def _intervals_source(intervals: TimeIntervals) -> str:
    ends = intervals.starts.tolist(), intervals.stops.tolist()
    facts = _facts(classes=intervals.class_list, tracks=intervals.tracks)
    return f"sm.TimeIntervals({ends[0]}, {ends[1]}, {intervals.n}{facts})"


def _masks_source(masks: Masks) -> str:
    facts = _facts(classes=masks.classes, scores=_listed(masks.scores))
    if masks.detection is not None and masks.detection.areas is not None:
        facts += f", detection=sm.DetectionFacts(areas={masks.detection.areas.tolist()})"
    return f"sm.Masks.from_dense({masks.dense().tolist()}{facts})"


def _spans_source(spans: Spans) -> str:
    classes = None if spans.classes is None else [spans.classes[at] for at in sorted(spans.classes)]
    facts = _facts(classes=classes)
    if spans.is_total:
        return f"sm.Spans.from_masses({spans.masses.tolist()}{facts})"
    pairs = list(zip(spans.starts.tolist(), spans.stops.tolist(), strict=True))
    return f"sm.Spans.from_spans({pairs}, n={spans.n}{facts})"


def _labels_source(labels: LabelArray) -> str:
    facts = _facts(
        outside=None if labels.outside == (0,) else list(labels.outside),
        void=list(labels.void) or None,
        classes=None if labels.classes is None else dict(labels.classes),
        crowd=list(labels.crowd) or None,
        spacing=None if set(labels.spacing) == {1.0} else labels.spacing,
    )
    return f"sm.LabelArray({labels.labels.tolist()}{facts})"


def _facts(**facts: Any) -> str:
    return "".join(f", {name}={value!r}" for name, value in facts.items() if value is not None)


def _listed(values: Any) -> Any:
    return values.tolist() if hasattr(values, "tolist") else values
