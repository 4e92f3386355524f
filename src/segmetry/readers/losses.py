"""What a format cannot store: the facts that writing items would lose, and the check that nothing was lost.

Facts: ``several items``, ``coders``, ``classes``, ``text`` (of the units), ``tick`` (elements not of length 1),
``first gap``, ``inner gaps``, ``last gap``, ``no spans`` (an item of gaps only) and ``no elements`` (an empty line).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from segmetry.errors import FormatError, OptionError
from segmetry.readers.items import Item
from segmetry.readers.parts.span_rows import ALL_CODERS, CODER
from segmetry.readers.reader import READERS, Reader, ReadOptions, Writer
from segmetry.readers.source import Source
from segmetry.segmentation import Spans

DROPS = ("classes", "text", "tick", "name")
"""The facts a user may choose to drop."""

_LOSSES = {
    "several items": "the other items: there are several, and this format stores one per file",
    "coders": "the names of the annotators; choose one with --coder",
    "classes": "the classes; --drop classes if they are not wanted",
    "text": "the text of the units; --drop text if it is not wanted",
    "tick": "the unit of time, as elements would have length 1; --drop tick if only their number matters",
    "first gap": "the gap before the first span",
    "inner gaps": "the gaps between spans",
    "last gap": "the gap behind the last span, and so the length of the line",
    "no spans": "the whole item, which has no spans",
    "no elements": "the whole item, which has no elements",
}


def writer_of(name: str) -> Writer:
    """Return the writer of a format."""
    reader = READERS[name]
    if reader.writer is None:
        writable = ", ".join(known.name for known in READERS.values() if known.writer is not None)
        raise OptionError(f"the format {name} can be read but not written; expected one of {writable}")
    return reader.writer


def facts_of(item: Item) -> frozenset[str]:
    """Return the facts that an item contains."""
    spans = item.spans
    facts = {
        "coders": item.coder is not None,
        "classes": bool(spans.classes),
        "text": item.units is not None,
        "tick": item.tick != 1,
        "no elements": spans.n == 0,
        "no spans": spans.n > 0 and not spans.starts.size,
    }
    if spans.starts.size:
        facts["first gap"] = bool(spans.starts[0] > 0)
        facts["inner gaps"] = bool((spans.starts[1:] != spans.stops[:-1]).any())
        facts["last gap"] = bool(spans.stops[-1] < spans.n)
    return frozenset(fact for fact, is_true in facts.items() if is_true)


def check_losses(items: Sequence[Item], target: str) -> None:
    """Raise if the format cannot store the items; the error names the loss and the item."""
    writer = writer_of(target)
    if len(items) > 1 and "several items" not in writer.holds:
        raise OptionError(f"{target} would lose {_LOSSES['several items']} ({len(items)} items)")
    for item in items:
        for fact in sorted(facts_of(item) - writer.holds):
            raise OptionError(f"item {item.name}: {target} would lose {_LOSSES[fact]}")
        if "text" in writer.needs and item.units is None:
            raise OptionError(f"item {item.name}: {target} needs the text of the units, which is not known here")
        if "classes" in writer.needs and item.spans.classes is None and item.spans.starts.size:
            raise OptionError(f"item {item.name}: {target} needs a label for every span, and these have none")


def without(items: Sequence[Item], dropped: Collection[str]) -> list[Item]:
    """Return the items without the dropped facts; a fact that no item has cannot be dropped."""
    for fact in sorted(set(dropped) - {"name"}):
        if not any(fact in facts_of(item) for item in items):
            raise OptionError(f"--drop {fact}: no item has any {fact}")
    kept = []
    for item in items:
        spans = Spans(item.spans.starts, item.spans.stops, item.spans.n) if "classes" in dropped else item.spans
        units, tick = None if "text" in dropped else item.units, Fraction(1) if "tick" in dropped else item.tick
        kept.append(replace(item, content=spans, units=units, tick=tick))
    return kept


def check_written(items: Sequence[Item], path: Path, reader: Reader) -> None:
    """Read a file back, and raise if its items differ from those that were written."""
    options = ReadOptions(coder=ALL_CODERS) if CODER in reader.options else ReadOptions()
    read_back = list(Source(path, options, reader.name).items())
    named = reader.writer is not None and "several items" in reader.writer.holds
    if len(read_back) != len(items):
        raise FormatError(f"{reader.name} would contain {len(read_back)} items; there are {len(items)}")
    by_key = {(item.name, item.coder) if named else "": item for item in read_back}
    for item in items:
        copy = by_key.get((item.name, item.coder) if named else "")
        if copy is None or stored_content(item) != stored_content(copy):
            raise FormatError(
                f"item {item.name}: {reader.name} cannot store it: it would be read back as something else"
            )


def stored_content(item: Item) -> tuple[object, ...]:
    """Return length, spans, classes and text, in time and not in ticks."""
    spans = item.spans
    classes = [str(spans.classes[index + 1]) for index in range(spans.starts.size)] if spans.classes else None
    edges = [[position * item.tick for position in ends.tolist()] for ends in (spans.starts, spans.stops)]
    return spans.n * item.tick, edges, classes, item.units
