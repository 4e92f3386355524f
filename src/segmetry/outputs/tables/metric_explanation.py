"""Explain a metric in plain text, from its declaration: formula, summary, notes, example, citation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from inspect import Parameter
from textwrap import wrap
from typing import Any

from segmetry._base import Reference, find_reference
from segmetry.errors import InputError
from segmetry.metrics import Counts, Example, Metric
from segmetry.outputs.tables.plain_formula import plain_formula
from segmetry.results import shortest
from segmetry.segmentation import Annotations, LabelArray, Masks, Spans, TimeIntervals

WIDTH = 80


def explain(metric: Metric) -> str:
    """Return a page of plain text about one metric.

    >>> from segmetry.metrics.declare import METRICS
    >>> print(explain(METRICS["pq"]).splitlines()[0])
    pq (PQ): panoptic family
    """
    return "\n".join(_lines(metric))


def _lines(metric: Metric) -> Iterator[str]:
    yield from wrapped(f"{metric.key} ({_plain(metric.symbol)}): {metric.family} family")
    yield ""
    yield from wrapped(metric.summary)
    yield ""
    for line in _plain(metric.formula).splitlines():
        yield from wrapped(f"  {line}", 4)
    yield ""
    for name, words in _facts(metric).items():
        yield from wrapped(f"{name:<13}{words}", 13)
    if metric.notes:
        yield ""
        yield from wrapped(metric.notes)
    for example in metric.examples:
        yield ""
        for side, segmentation in _sides(example):
            yield from wrapped(f"  {side}  {_drawn(segmentation)}", 8)
        yield from wrapped(f"  {example_result(metric, example)}", 4)
    yield ""
    for key in metric.citation:
        yield from wrapped(cited(key), 2)


def cited(citation: str | Reference) -> str:
    """A paper with its key; a citation in plain text as it was declared."""
    paper = find_reference(citation)
    return str(citation) if paper is None else f"[{paper.key}] {paper.full()}"


def bibtex_entry(citation: str | Reference) -> str:
    """A paper as an entry of BibTeX; a citation in plain text as a comment.

    >>> bibtex_entry("Somebody 2020, in print")
    '% Somebody 2020, in print'
    """
    paper = find_reference(citation)
    return f"% {citation}" if paper is None else paper.bibtex()


def wrapped(text: str, indent: int = 0) -> list[str]:
    """Return lines of the width of a terminal; words and addresses are never split."""
    further = " " * indent
    return wrap(text, WIDTH, subsequent_indent=further, break_long_words=False, break_on_hyphens=False)


def _plain(latex: str) -> str:
    """Return a formula as text; if a plug-in's formula cannot be converted, its LaTeX source."""
    try:
        return plain_formula(latex)
    except InputError:
        return latex


def _facts(metric: Metric) -> dict[str, str]:
    low, high = metric.bounds
    better = "neither end" if metric.better == "neither" else metric.better
    facts = {
        "range": f"{low:g} to {high:g}; {better} is better",
        "exchange": _exchange(metric),
        "over items": ", ".join(metric.averages),
        "takes": f"{', '.join(metric.kinds)}; needs {metric.needs}",
    }
    options = [
        f"{name} (required)" if default is Parameter.empty else f"{name}={default!r}"
        for name, default in metric.options.items()
    ]
    if metric.aliases:
        facts["aliases"] = ", ".join(map(_alias, metric.aliases.items()))
    if options or metric.shared_options:
        facts["options"] = ", ".join([*options, *metric.shared_options])
    return facts


def _exchange(metric: Metric) -> str:
    if metric.needs == "annotations":
        return "the same in every order of annotators and items"
    if metric.symmetric:
        return "the same with true and pred exchanged"
    return (
        f"with true and pred exchanged it is {metric.swaps_with}"
        if metric.swaps_with
        else "true and pred play different roles"
    )


def _alias(entry: tuple[str, Mapping[str, Any]]) -> str:
    alias, options = entry
    return f"{alias} ({', '.join(f'{name}={value}' for name, value in options.items())})" if options else alias


def example_result(metric: Metric, example: Example) -> str:
    """Return the result of an example with its options.

    >>> from segmetry.metrics.declare import METRICS
    >>> example_result(METRICS["purity"], METRICS["purity"].examples[0])
    'purity = 0.833333'
    """
    options = "".join(f", {name}={value!r}" for name, value in example.options.items())
    result = metric(example.true, example.pred, **example.options)
    if isinstance(result, Counts):
        return f"{metric.key}{options}: " + ", ".join(f"{name} {value}" for name, value in result.parts.items())
    if not result.is_defined:
        return f"{metric.key}{options}: undefined, {result.reason}"
    return f"{metric.key}{options} = {shortest(result.value)}"


def _sides(example: Example) -> Iterator[tuple[str, object]]:
    """Yield true and pred; of annotations every annotator, item by item."""
    if not isinstance(example.true, Annotations):
        yield from (("true", example.true), ("pred", example.pred))
        return
    for item, by_coder in example.true.items.items():
        yield from ((f"{item}, {coder}", spans) for coder, spans in by_coder.items())


def _drawn(segmentation: object) -> str:
    """Return spans as one character per element (first of a segment, later one, gap), arrays as rows, masks in turn
    with their scores.

    >>> _drawn(Spans.from_spans([(0, 2), (2, 3)], n=4)), _drawn(Masks.from_dense([[[True, False]]], scores=[0.5]))
    ('|-|.', '#. (0.5)')
    """
    if isinstance(segmentation, TimeIntervals):
        return ", ".join(
            "." * start + "|" + "-" * (stop - start - 1) + "." * (segmentation.n - stop)
            for start, stop in zip(segmentation.starts.tolist(), segmentation.stops.tolist(), strict=True)
        )
    if isinstance(segmentation, Spans):
        line = ["."] * segmentation.n
        for start, stop in zip(segmentation.starts.tolist(), segmentation.stops.tolist(), strict=True):
            line[start:stop] = ["|"] + ["-"] * (stop - start - 1)
        return "".join(line)
    if isinstance(segmentation, Masks):
        drawn = [
            "/".join("".join(".#"[pixel] for pixel in row) for row in mask) for mask in segmentation.dense().astype(int)
        ]
        scores = (
            [""] * len(drawn) if segmentation.scores is None else [f" ({score:g})" for score in segmentation.scores]
        )
        return ", ".join(map("".join, zip(drawn, scores, strict=True)))
    if isinstance(segmentation, LabelArray) and set(segmentation.spacing) != {1.0}:
        return f"{segmentation.labels.tolist()}, spacing {segmentation.spacing}"
    labels = segmentation.labels if isinstance(segmentation, LabelArray) else segmentation
    return str(getattr(labels, "tolist", lambda: labels)())
