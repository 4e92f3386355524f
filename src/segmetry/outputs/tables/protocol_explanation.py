"""Protocols as a list and as a page of text, from their declarations: every decision in words, reference, citation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from segmetry._base import Reference
from segmetry.outputs.tables.metric_explanation import cited, wrapped
from segmetry.protocols import PROTOCOLS, Heading, Protocol

if TYPE_CHECKING:
    from rich.table import Table

LONGEST = 60
"""The longest value of an option that is written out."""


def explain_protocol(protocol: Protocol) -> str:
    """Return a page of plain text about one protocol.

    >>> print(explain_protocol(PROTOCOLS["coco-panoptic"]).splitlines()[0])
    coco-panoptic: panoptic segmentation of images
    """
    return "\n".join(_lines(protocol))


def _lines(protocol: Protocol) -> Iterator[str]:
    yield from wrapped(f"{protocol.name}: {protocol.field}")
    yield ""
    yield from wrapped(protocol.summary)
    yield ""
    for name, words in protocol_facts(protocol).items():
        yield from wrapped(f"{name:<11}{words}", 11)
    for title, sentences in (
        ("Decisions", protocol.decisions),
        ("Differences from the reference", protocol.exceptions),
        ("Neighbours", [f"{name}: {words}" for name, words in protocol.neighbours.items()]),
    ):
        if sentences:
            yield from ("", f"{title}:")
            for sentence in sentences:
                yield from wrapped(f"- {sentence}", 2)
    yield ""
    for key in protocol.citation:
        yield from wrapped(cited(key), 2)


def protocol_facts(protocol: Protocol) -> dict[str, str]:
    """Return what a protocol sets, in words.

    >>> protocol_facts(PROTOCOLS["coco-panoptic"])["headline"]
    'pq, by class'
    """
    facts = {
        "prints": prints(protocol),
        "headline": f"{protocol.headline_cell.metric}, {protocol.headline_cell.average.replace('_', ' ')}",
        "metrics": ", ".join(_with_options(protocol, key) for key in protocol.metrics),
        "formats": ", ".join(protocol.formats),
        "format": protocol.format,
        "reading": ", ".join(f"{name} {_short(value)}" for name, value in protocol.reading.items()),
        **{
            name: value if isinstance(value, str) else f"{value:g}"
            for name, value in protocol.scoring.items()
            if isinstance(value, str | int | float)
        },
        "reference": str(protocol.reference),
    }
    return {name: words for name, words in facts.items() if words}


def _short(value: Any) -> str:
    """Return a value in words; of a long one the beginning.

    >>> _short({0: 255, 1: 0, 2: 1, 3: 2}), _short(255)
    ('{0: 255, 1: 0, 2: 1, 3: 2}', '255')
    """
    text = str(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def _with_options(protocol: Protocol, key: str) -> str:
    options = ", ".join(f"{name}={_short(repr(value))}" for name, value in protocol.options.get(key, {}).items())
    return f"{key} ({options})" if options else key


def prints(protocol: Protocol) -> str:
    """Return the headings of a protocol's table.

    >>> prints(PROTOCOLS["coco-panoptic"])
    'PQ, SQ, RQ, N (All, Things, Stuff)'
    """
    rows, columns = (
        [entry.text if isinstance(entry, Heading) else "each class" for entry in entries]
        for entries in (protocol.cells.rows, protocol.cells.columns)
    )
    if any(isinstance(entry, Heading) and entry.key for entry in protocol.cells.rows):
        rows, columns = columns, rows
    of = ", ".join(filter(None, rows))
    return ", ".join(columns) + (f" ({of})" if of else "")


def protocol_data() -> list[dict[str, Any]]:
    """Return every protocol as plain data for JSON.

    >>> [row["prints"] for row in protocol_data() if row["name"] == "coco-panoptic"]
    ['PQ, SQ, RQ, N (All, Things, Stuff)']
    """
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


def protocols_listing() -> Table:
    """Return a table of all protocols: name, field, what it prints, reference and version."""
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for heading in ("protocol", "field", "prints", "equal to"):
        table.add_column(heading, overflow="fold", no_wrap=heading == "protocol")
    for protocol in PROTOCOLS.values():
        reference = f"{protocol.reference.package} {protocol.reference.version}"
        table.add_row(*map(escape, (protocol.name, protocol.field, prints(protocol), reference)))
    return table
