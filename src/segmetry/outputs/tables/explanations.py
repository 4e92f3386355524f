"""Explain metrics, protocols and rules in plain text, from their declarations; the guarantees of rules are computed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from fractions import Fraction
from inspect import Parameter
from textwrap import wrap
from typing import Any

from segmetry._base import Reference, find_reference
from segmetry.alignments import RULES, MatchRule, RuleDeclaration, as_rule, attains_bound, iou_lower_bound
from segmetry.errors import InputError
from segmetry.metrics import Counts, Example, Metric
from segmetry.outputs.tables.plain_formula import plain_formula
from segmetry.protocols import PROTOCOLS, Heading, Protocol, decisions_of, differences_words
from segmetry.results import Entry, ResultTable, cut_text, shortest
from segmetry.segmentation import Annotations, LabelArray, Masks, Spans, TimeIntervals

WIDTH = 80


def explain(metric: Metric) -> str:
    """Return a page of plain text about one metric."""
    return "\n".join(_metric_lines(metric))


def _metric_lines(metric: Metric) -> Iterator[str]:
    yield from wrapped(f"{metric.key} ({_text_of_latex(metric.symbol)}): {metric.family} family")
    yield ""
    yield from wrapped(metric.summary)
    yield ""
    for line in _text_of_latex(metric.formula).splitlines():
        yield from wrapped(f"  {line}", 4)
    yield ""
    for name, words in _metric_facts(metric).items():
        yield from wrapped(f"{name:<13}{words}", 13)
    if metric.notes:
        yield ""
        yield from wrapped(metric.notes)
    for example in metric.examples:
        yield ""
        for side, segmentation in _sides(example):
            yield from wrapped(f"  {side}  {_drawn_segments(segmentation)}", 8)
        yield from wrapped(f"  {example_result(metric, example)}", 4)
    yield ""
    for key in metric.citation:
        yield from wrapped(cited(key), 2)


def cited(citation: str | Reference) -> str:
    """A paper with its key; a citation in plain text as it was declared."""
    paper = find_reference(citation)
    return str(citation) if paper is None else f"[{paper.key}] {paper.full()}"


def bibtex_entry(citation: str | Reference) -> str:
    """A paper as an entry of BibTeX; a citation in plain text as a comment."""
    paper = find_reference(citation)
    return f"% {citation}" if paper is None else paper.bibtex()


def wrapped(text: str, indent: int = 0) -> list[str]:
    """Return lines of the width of a terminal; words and addresses are never split."""
    further = " " * indent
    return wrap(text, WIDTH, subsequent_indent=further, break_long_words=False, break_on_hyphens=False)


def _text_of_latex(latex: str) -> str:
    """Return a formula as text; if a plug-in's formula cannot be converted, its LaTeX source."""
    try:
        return plain_formula(latex)
    except InputError:
        return latex


def _metric_facts(metric: Metric) -> dict[str, str]:
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
    """Return the result of an example with its options."""
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


def _drawn_segments(segmentation: object) -> str:
    """Return spans as one character per element (first of a segment, later one, gap), arrays as rows, masks with
    scores.
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


LONGEST = 61
"""The longest value of an option that is written out."""


def explain_protocol(protocol: Protocol) -> str:
    """Return a page of plain text about one protocol."""
    return "\n".join(_protocol_lines(protocol))


def _protocol_lines(protocol: Protocol) -> Iterator[str]:
    yield from wrapped(f"{protocol.name}: {protocol.field}")
    yield ""
    yield from wrapped(protocol.summary)
    yield ""
    for name, words in protocol_facts(protocol).items():
        yield from wrapped(f"{name:<11}{words}", 11)
    for title, sentences in (
        ("Decisions", protocol.decisions),
        ("Differences from the reference", protocol.exceptions),
        (f"{protocol.headline_cell.name} as values", [one.sentence for one in decisions_of(protocol)]),
        ("Neighbours", neighbour_sentences(protocol)),
    ):
        if sentences:
            yield from ("", f"{title}:")
            for sentence in sentences:
                yield from wrapped(f"- {sentence}", 2)
    yield ""
    for key in protocol.citation:
        yield from wrapped(cited(key), 2)


def neighbour_sentences(protocol: Protocol) -> list[str]:
    """Return the decisions in which protocols differ that are easily confused with one; they are computed.

    >>> neighbour_sentences(PROTOCOLS["brats-men"])[0]
    'brats: dilation: 3'
    """
    known = (PROTOCOLS[name] for name in protocol.neighbours)
    return [f"{other.name}: {differences_words(protocol, other)}" for other in known]


def protocol_facts(protocol: Protocol) -> dict[str, str]:
    """Return what a protocol sets, in words."""
    facts = {
        "prints": prints(protocol),
        "headline": f"{protocol.headline_cell.metric}, {protocol.headline_cell.average.replace('_', ' ')}",
        "metrics": ", ".join(_with_options(protocol, key) for key in protocol.metrics),
        "formats": ", ".join(protocol.formats),
        "format": protocol.format,
        "reading": ", ".join(f"{name} {cut_text(str(value), LONGEST)}" for name, value in protocol.reading.items()),
        **{
            name: value if isinstance(value, str) else f"{value:g}"
            for name, value in protocol.scoring.items()
            if isinstance(value, str | int | float)
        },
        "reference": str(protocol.reference),
    }
    return {name: words for name, words in facts.items() if words}


def _with_options(protocol: Protocol, key: str) -> str:
    stated = protocol.options.get(key, {})
    options = ", ".join(f"{name}={cut_text(repr(value), LONGEST)}" for name, value in stated.items())
    return f"{key} ({options})" if options else key


def prints(protocol: Protocol) -> str:
    """Return the headings of a protocol's table."""
    rows, columns = (
        [entry.text if isinstance(entry, Heading) else "each class" for entry in entries]
        for entries in (protocol.cells.rows, protocol.cells.columns)
    )
    if any(isinstance(entry, Heading) and entry.key for entry in protocol.cells.rows):
        rows, columns = columns, rows
    of = ", ".join(filter(None, rows))
    return ", ".join(columns) + (f" ({of})" if of else "")


def protocol_data() -> list[dict[str, Any]]:
    """Return every protocol as plain data for JSON."""
    return [
        {
            "name": protocol.name,
            "field": protocol.field,
            "summary": protocol.summary,
            "prints": prints(protocol),
            "header": protocol.header,
            "headline": {"key": protocol.headline_cell.metric, "average": protocol.headline_cell.average},
            "metrics": list(protocol.metrics),
            "formats": list(protocol.formats),
            "reference": asdict(protocol.reference),
            "citation": [key.key if isinstance(key, Reference) else key for key in protocol.citation],
        }
        for protocol in PROTOCOLS.values()
    ]


def rule_data() -> list[dict[str, Any]]:
    """Return every rule with its parameters, and the guarantees of its examples."""
    return [
        {
            "name": name,
            "summary": rule.summary,
            "parameters": {
                option: None if default in (None, Parameter.empty) else str(default)
                for option, default in rule.parameters.items()
            },
            "citation": [key.key if isinstance(key, Reference) else key for key in rule.citation],
            "examples": [
                {
                    "rule": example.name,
                    "one_to_one": example.guarantees_one_to_one,
                    "least_iou": str(iou_lower_bound(example, "iou")),
                    "least_iou_included": attains_bound(example, "iou"),
                }
                for example in _examples(rule)
            ],
        }
        for name, rule in RULES.items()
    ]


def rules_listing() -> ResultTable:
    """Return a table of all rules with their papers: how they are written, whether they are one-to-one, the least IoU
    of a pair.
    """
    rows: list[tuple[Entry, ...]] = []
    for name, rule in RULES.items():
        papers = ", ".join(_short_citation(key) for key in rule.citation)
        rows.append((name + (f" ({papers})" if papers else ""),))
        rows += [(f"  {example.name}", _yes_or_no(example), _least_iou(example)) for example in _examples(rule)]
    return ResultTable("alignment rules", ("rule", "one-to-one", "IoU"), rows)


def _short_citation(citation: str | Reference) -> str:
    """Return a paper by authors and year; a citation in plain text as it was declared."""
    paper = find_reference(citation)
    return str(citation) if paper is None else paper.short()


def explain_rule(rule: RuleDeclaration) -> str:
    """Return a page of plain text about one rule."""
    return "\n".join(_rule_lines(rule))


def _rule_lines(rule: RuleDeclaration) -> Iterator[str]:
    yield f"{rule.name}: alignment rule"
    yield ""
    yield from wrapped(rule.summary)
    if rule.parameters:
        yield ""
        yield from wrapped(f"options      {', '.join(rule.parameters)}", 13)
    for example in _examples(rule):
        yield ""
        yield from wrapped(f"  {example.name}", 4)
        yield f"    one-to-one on disjoint segments: {_yes_or_no(example)}; IoU of a pair: {_least_iou(example)}"
    if rule.citation:
        yield ""
    for key in rule.citation:
        yield from wrapped(cited(key), 2)


def _examples(rule: RuleDeclaration) -> list[MatchRule]:
    """Return the rules in writing that were declared, or the rule with its defaults where it needs no more."""
    if rule.examples:
        return [as_rule(example) for example in rule.examples]
    is_complete = not {None, Parameter.empty}.intersection(rule.parameters.values())
    return [rule.make()] if is_complete else []


def _yes_or_no(rule: MatchRule) -> str:
    return "yes" if rule.guarantees_one_to_one else "no"


def _least_iou(rule: MatchRule) -> str:
    least: Fraction = iou_lower_bound(rule, "iou")
    return f"{'≥' if attains_bound(rule, 'iou') else '>'} {least}"
