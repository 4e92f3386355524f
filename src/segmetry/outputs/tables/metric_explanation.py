"""What a metric is, from its declaration: formula, words, decisions, citation, example."""

from __future__ import annotations

from collections.abc import Iterator
from inspect import Parameter
from textwrap import wrap

from segmetry._base.bibliography import reference
from segmetry.errors import InputError
from segmetry.metrics.declare import Example, Metric
from segmetry.metrics.score import Counts
from segmetry.outputs.tables.plain_formula import plain_formula
from segmetry.segmentation.annotations import Annotations
from segmetry.segmentation.labels import LabelArray
from segmetry.segmentation.masks import Masks
from segmetry.segmentation.spans import Spans

WIDTH = 80


def explain(found: Metric) -> str:
    """A page of plain text about one metric.

    >>> from segmetry.metrics.declare import METRICS
    >>> print(explain(METRICS["pq"]).splitlines()[0])
    pq (PQ): panoptic family
    """
    return "\n".join(_lines(found))


def _lines(found: Metric) -> Iterator[str]:
    yield from _wrapped(f"{found.key} ({_plain(found.symbol)}): {found.family} family")
    yield ""
    yield from _wrapped(found.summary)
    yield ""
    for line in _plain(found.formula).splitlines():
        yield from _wrapped(f"  {line}", 4)
    yield ""
    for name, words in _facts(found).items():
        yield from _wrapped(f"{name:<13}{words}", 13)
    if found.notes:
        yield ""
        yield from _wrapped(found.notes)
    for example in found.examples:
        yield ""
        yield from _example(found, example)
    yield ""
    for key in found.citation:
        yield from _wrapped(f"[{key}] {reference(key).full()}", 2)


def _wrapped(text: str, indent: int = 0) -> list[str]:
    """Lines of the width of a terminal; words, and addresses, are never cut."""
    further = " " * indent
    return wrap(text, WIDTH, subsequent_indent=further, break_long_words=False, break_on_hyphens=False)


def _plain(latex: str) -> str:
    """A formula as text; one that cannot be told in plain text, of a metric from elsewhere, as it was declared."""
    try:
        return plain_formula(latex)
    except InputError:
        return latex


def _facts(found: Metric) -> dict[str, str]:
    low, high = found.bounds
    facts = {
        "range": f"{low:g} to {high:g}; {_better(found)}",
        "exchange": _exchange(found),
        "over items": ", ".join(found.aggregation),
        "takes": f"{', '.join(found.kinds)}; needs {found.needs}",
    }
    options = [_option(name, default) for name, default in found.options.items()]
    if options or found.shared_options:
        facts["options"] = ", ".join([*options, *found.shared_options])
    return facts


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
        yield from _wrapped(f"  {side}  {_drawn(found_there)}", 8)
    if isinstance(result, Counts):
        told = f"{found.key}{options}: " + ", ".join(f"{name} {value}" for name, value in result.parts.items())
    elif result.is_defined:
        told = f"{found.key}{options} = {result.value:.6g}"
    else:
        told = f"{found.key}: undefined, {result.reason}"
    yield from _wrapped(f"  {told}", 4)


def _sides(example: Example) -> Iterator[tuple[str, object]]:
    """True and pred; of annotations every coder, item by item."""
    if not isinstance(example.true, Annotations):
        yield from (("true", example.true), ("pred", example.pred))
        return
    for item, by_coder in example.true.items.items():
        yield from ((f"{item}, {coder}", found) for coder, found in by_coder.items())


def _drawn(found: object) -> str:
    """Spans with one character per element (the first of a segment, a later one, a gap); arrays by their rows; masks
    one after the other, with their scores.

    >>> _drawn(Spans.from_spans([(0, 2), (2, 3)], n=4)), _drawn(Masks.from_dense([[[True, False]]], scores=[0.5]))
    ('|-|.', '#. (0.5)')
    """
    if isinstance(found, Spans):
        line = ["."] * found.n
        for start, stop in zip(found.starts.tolist(), found.stops.tolist(), strict=True):
            line[start:stop] = ["|"] + ["-"] * (stop - start - 1)
        return "".join(line)
    if isinstance(found, Masks):
        drawn = ["/".join("".join(".#"[one] for one in row) for row in mask) for mask in found.dense().astype(int)]
        scores = [""] * len(drawn) if found.scores is None else [f" ({score:g})" for score in found.scores]
        return ", ".join(map("".join, zip(drawn, scores, strict=True)))
    if isinstance(found, LabelArray) and set(found.spacing) != {1.0}:
        return f"{found.labels.tolist()}, spacing {found.spacing}"
    labels = found.labels if isinstance(found, LabelArray) else found
    return str(getattr(labels, "tolist", lambda: labels)())
