"""What a metric is, from its declaration: formula, words, decisions, citation, example."""

from __future__ import annotations

from collections.abc import Iterator
from inspect import Parameter

from segmetry.references import reference
from segmetry.scores.metric import Example, Metric
from segmetry.scores.score import Counts
from segmetry.segmentation import Annotations, LabelArray, Spans


def explain(found: Metric) -> str:
    """A page of plain text about one metric.

    >>> from segmetry.scores.metric import METRICS
    >>> print(explain(METRICS["pq"]).splitlines()[0])
    pq (PQ): panoptic family
    """
    return "\n".join(_lines(found))


def _lines(found: Metric) -> Iterator[str]:
    low, high = found.bounds
    yield f"{found.key} ({found.symbol}): {found.family} family"
    yield ""
    yield found.words
    yield ""
    yield f"  {found.formula}"
    yield ""
    yield f"range        {low:g} to {high:g}; {_better(found)}"
    yield f"exchange     {_exchange(found)}"
    yield f"over items   {', '.join(found.aggregation)}"
    yield f"takes        {', '.join(found.kinds)}; needs {found.needs}"
    options = [_option(name, default) for name, default in found.options.items()]
    if options or found.shared_options:
        yield f"options      {', '.join([*options, *found.shared_options])}"
    if found.decisions:
        yield ""
        yield found.decisions
    for example in found.examples:
        yield ""
        yield from _example(found, example)
    yield ""
    for key in found.citation:
        yield f"[{key}] {reference(key).full()}"


def _better(found: Metric) -> str:
    return "neither end is better" if found.better == "neither" else f"{found.better} is better"


def _exchange(found: Metric) -> str:
    if found.needs == "annotations":
        return "the same in every order of coders and items"
    if found.symmetric:
        return "the same with true and pred exchanged"
    return (
        f"with true and pred exchanged it is {found.swaps_with}"
        if found.swaps_with
        else "true and pred play different roles"
    )


def _option(name: str, default: object) -> str:
    return f"{name} (required)" if default is Parameter.empty else f"{name}={default!r}"


def _example(found: Metric, example: Example) -> Iterator[str]:
    options = "".join(f", {name}={value!r}" for name, value in example.options.items())
    result = found(example.true, example.pred, **example.options)
    for side, found_there in _sides(example):
        yield f"  {side}  {_drawn(found_there)}"
    if isinstance(result, Counts):
        yield f"  {found.key}{options}: " + ", ".join(f"{name} {value}" for name, value in result.parts.items())
    else:
        yield (
            f"  {found.key}{options} = {result.value:.6g}"
            if result.is_defined
            else f"  {found.key}: undefined, {result.reason}"
        )


def _sides(example: Example) -> Iterator[tuple[str, object]]:
    """True and pred; of annotations every coder, item by item."""
    if not isinstance(example.true, Annotations):
        yield from (("true", example.true), ("pred", example.pred))
        return
    for item, by_coder in example.true.items.items():
        yield from ((f"{item}, {coder}", found) for coder, found in by_coder.items())


def _drawn(found: object) -> str:
    """Spans with one character per element (the first of a segment, a later one, a gap); arrays by their rows.

    >>> _drawn(Spans.from_spans([(0, 2), (2, 3)], n=4))
    '|-|.'
    """
    if isinstance(found, Spans):
        line = ["."] * found.n
        for start, stop in zip(found.starts.tolist(), found.stops.tolist(), strict=True):
            line[start:stop] = ["|"] + ["-"] * (stop - start - 1)
        return "".join(line)
    if isinstance(found, LabelArray) and set(found.spacing) != {1.0}:
        return f"{found.labels.tolist()}, spacing {found.spacing}"
    labels = found.labels if isinstance(found, LabelArray) else found
    return str(getattr(labels, "tolist", lambda: labels)())
