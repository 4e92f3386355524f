"""The help of a metric in numpydoc form, made from its declaration."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from inspect import Parameter, Signature
from textwrap import indent, wrap
from types import MappingProxyType, UnionType
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, get_origin

from segmetry._base import find_reference
from segmetry.metrics.metric_inputs import FROM_ALIGNMENT, FROM_TABLE
from segmetry.metrics.metric_signature import metric_signature, option_entries
from segmetry.metrics.option_texts import option_help
from segmetry.metrics.score import WrittenType
from segmetry.metrics.shared_options import ScoringOptions
from segmetry.segmentation import Annotations, LabelArray, Segmentation, Spans

if TYPE_CHECKING:
    from segmetry.metrics.declare import Example, Metric
    from segmetry.segmentation import Masks, TimeIntervals


def example_lines(key: str, examples: tuple[Example, ...]) -> Iterator[str]:
    """Yield the lines of a session that computes the examples of a metric."""
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
    """Return the expression that makes a segmentation."""
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


WIDTH = 100


def metric_docstring(metric: Metric, preset: Mapping[str, Any] = MappingProxyType({})) -> str:
    """Return the docstring of the function of a metric; ``preset`` are defaults that an alias changes."""
    sections = {
        "Parameters": _parameters(metric, preset),
        "Returns": _returns(metric),
        "Notes": _notes(metric),
        "References": _references(metric),
        "Examples": example_lines(metric.key, metric.examples),
    }
    lines = [*wrap(metric.summary, WIDTH)]
    for title, words in sections.items():
        content = list(words)
        if content:
            lines += ["", title, "-" * len(title), *content]
    return "\n".join(lines)


def _parameters(metric: Metric, preset: Mapping[str, Any]) -> Iterator[str]:
    parameters = metric_signature(metric, preset).parameters
    for parameter in parameters.values():
        yield f"{parameter.name} : {_type_words(metric, parameter)}"
        yield from _body(_words(metric, parameter.name))


def _type_words(metric: Metric, parameter: Parameter) -> str:
    """Return the type as numpydoc writes it: ``{'a', 'b'} or None, default 'a'``."""
    if parameter.name == "annotations":
        return "Annotations or mapping"
    if parameter.name == "true":
        return f"segmentation{_counted_words(metric)}"
    if parameter.name == "pred":
        return "segmentation" + ("" if parameter.default is Parameter.empty else ", optional")
    return f"{_annotation_words(parameter.annotation)}{_default_words(parameter)}"


def _counted_words(metric: Metric) -> str:
    if metric.needs not in FROM_TABLE:
        return " or Alignment" if metric.needs in FROM_ALIGNMENT else ""
    return ", OverlapTable, Alignment or Tally" if metric.needs == "tally" else ", OverlapTable or Alignment"


def _annotation_words(annotation: object) -> str:
    if isinstance(annotation, WrittenType):
        annotation = annotation.evaluated()
    if annotation is Signature.empty:
        return "object"
    if annotation is type(None):
        return "None"
    members, origin = get_args(annotation), get_origin(annotation)
    if origin is Literal:
        return "{" + ", ".join(map(repr, members)) + "}"
    if origin in (Union, UnionType):
        return " or ".join(dict.fromkeys(map(_annotation_words, _main_members(members))))
    name = getattr(origin or annotation, "__name__", str(annotation))
    return f"{name} of {', '.join(map(_annotation_words, members))}" if members else name


def _main_members(members: tuple[Any, ...]) -> list[Any]:
    """Leave out the names among texts (any text may be a rule) and the kinds of numbers beside float."""
    exact = {int, Decimal, Fraction}
    texts = str in members
    return [
        member
        for member in members
        if not (float in members and member in exact) and not (texts and get_origin(member) is Literal)
    ]


def _default_words(parameter: Parameter) -> str:
    if parameter.default is Parameter.empty:
        return ""
    return ", optional" if parameter.default is None else f", default {parameter.default!r}"


def _words(metric: Metric, name: str) -> str:
    if name == "annotations":
        return "The annotations of several annotators: item → annotator → Spans."
    if name == "true":
        also = "; or the counts of both sides, and then no ``pred``" if metric.needs in FROM_TABLE else ""
        also = "; or an alignment, and then no ``pred``" if metric.needs in FROM_ALIGNMENT else also
        return f"The true segments: {_kinds(metric)}, or the path of a file{also}."
    if name == "pred":
        return "The predicted segments, of the same kind and the same domain."
    if name == "resolve" and name not in metric.shared_options:
        return "``'by_score'`` first makes overlapping predicted masks disjoint, in descending order of score."
    own = metric.parameters.get(name) or (option_help(metric.key, name) if name in metric.options else None)
    return own or " ".join(option_entries(ScoringOptions).get(name, "").partition("\n")[2].split())


def _kinds(metric: Metric) -> str:
    kinds = {
        "labels": "an array of integers (0 is outside) or LabelArray",
        "spans": "Spans",
        "intervals": "TimeIntervals",
        "masks": "Masks",
        "polygons": "Polygons",
        "sets": "Sets",
    }
    names = [kinds.get(kind, kind) for kind in metric.kinds]
    return " or ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]


def _returns(metric: Metric) -> Iterator[str]:
    returned = metric_signature(metric).return_annotation
    yield getattr(returned, "__name__", str(returned))
    low, high = (_bound(bound) for bound in metric.bounds)
    better = "neither end is better" if metric.better == "neither" else f"{metric.better} is better"
    yield from _body(f"From {low} to {high}; {better}. An undefined value is NaN and states its reason.")


def _bound(bound: float) -> str:
    return f"{'-' if bound < 0 else ''}∞" if math.isinf(bound) else f"{bound:g}"


def _notes(metric: Metric) -> Iterator[str]:
    yield ".. math::"
    yield ""
    yield indent(metric.formula, "    ")
    if metric.notes:
        yield ""
        yield from wrap(metric.notes, WIDTH, break_long_words=False, break_on_hyphens=False)


def _references(metric: Metric) -> Iterator[str]:
    for number, citation in enumerate(metric.citation, start=1):
        paper = find_reference(citation)
        text = str(citation) if paper is None else paper.full()
        yield from wrap(
            f".. [{number}] {text}", WIDTH, subsequent_indent="   ", break_long_words=False, break_on_hyphens=False
        )


def _body(text: str) -> list[str]:
    return wrap(
        text, WIDTH, initial_indent="    ", subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
    )
