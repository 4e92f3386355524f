"""Whatever two formats can both hold goes from one to the other and back, unchanged."""

from __future__ import annotations

import tempfile
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from segmetry.errors import SegmetryError
from segmetry.readers.items import Item
from segmetry.readers.losses import check_losses, check_written, facts_of, stored_content, writer_of
from segmetry.readers.parts.span_rows import CODER
from segmetry.readers.reader import READERS
from segmetry.segmentation.spans import Spans
from tests.profiles import examples
from tests.readers.samples import read

WRITABLE = sorted(reader.name for reader in READERS.values() if reader.writer is not None)
PAIRS = [
    (first, second)
    for first, second in product(WRITABLE, repeat=2)
    if writer_of(first).needs <= writer_of(second).holds and writer_of(second).needs <= writer_of(first).holds
]
"""What one format must have, such as the text of the units, the other must be able to hold."""
NAMES = st.text("abé-_9", min_size=1, max_size=4)
GAPS = ("first gap", "inner gaps", "last gap")
HARD_LABELS = st.text(st.sampled_from("a,;\t\" '=#<>{}[]\\é中"), min_size=1, max_size=6)


@st.composite
def lines(draw: st.DrawFn, holds: frozenset[str], needs: frozenset[str], labels: st.SearchStrategy[str]) -> list[Item]:
    """Items with nothing but what may be held."""
    count = draw(st.integers(1, 3)) if "several items" in holds else 1
    names = draw(st.lists(NAMES, min_size=count, max_size=count, unique=True))
    tick = draw(st.sampled_from([Fraction(1), Fraction(1, 10), Fraction(1, 1000)])) if "tick" in holds else Fraction(1)
    coders = (
        draw(st.lists(NAMES, min_size=1, max_size=2, unique=True))
        if "coders" in holds and draw(st.booleans())
        else [None]
    )
    classes = "classes" in needs or ("classes" in holds and draw(st.booleans()))
    found = []
    for name, coder in product(names, coders):
        spans = draw(_spans(holds, classes=classes, labels=labels))
        with_text = "text" in needs or ("text" in holds and draw(st.booleans()))
        units = tuple(
            draw(st.lists(NAMES.filter(lambda text: text != "_" * len(text)), min_size=spans.n, max_size=spans.n))
        )
        found.append(Item(name, spans, coder, tick, units=units if with_text else None))
    return found


@st.composite
def _spans(draw: st.DrawFn, holds: frozenset[str], *, classes: bool, labels: st.SearchStrategy[str]) -> Spans:
    n = draw(st.integers(0 if "no elements" in holds else 1, 12))
    cuts = sorted(draw(st.sets(st.integers(1, n - 1), max_size=5))) if n > 1 else []
    pieces = list(zip([0, *cuts], [*cuts, n], strict=True)) if n else []
    if "no spans" in holds and draw(st.booleans()):
        pieces = []
    if len(pieces) > 1 and "first gap" in holds and draw(st.booleans()):
        del pieces[0]
    if len(pieces) > 1 and "last gap" in holds and draw(st.booleans()):
        del pieces[-1]
    if len(pieces) > 2 and "inner gaps" in holds and draw(st.booleans()):
        del pieces[1]
    names = [draw(labels) for _ in pieces] if classes else None
    return Spans.from_spans(pieces, n, classes=names)


def through(items: list[Item], name: str, folder: Path) -> list[Item]:
    """What a format makes of some items."""
    check_losses(items, name)
    path = folder / f"file.{name}"
    path.write_text(writer_of(name).write(items, path), encoding="utf-8", newline="")
    check_written(items, path, READERS[name])
    return read(path, name, **({"coder": "*"} if CODER in READERS[name].options else {}))


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_two_formats_agree_on_what_both_hold(first: str, second: str) -> None:
    if "textgrid" in (first, second):
        pytest.importorskip("praatio", reason="TextGrid files need the extra textgrid")
    one, other = writer_of(first), writer_of(second)
    holds, needs = one.holds & other.holds, one.needs | other.needs

    @examples(1 / 4)
    @given(lines(holds, needs, NAMES))
    def check(items: list[Item]) -> None:
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder)
            back = through(through(through(items, first, place), second, place), first, place)
        assert len(back) == len(items)
        for item, found in zip(items, back, strict=True):
            assert stored_content(item) == stored_content(found)
            if "several items" in holds:
                assert (item.name, item.coder) == (found.name, found.coder)

    check()


@pytest.mark.parametrize("name", WRITABLE)
def test_what_a_format_holds_is_all_it_takes(name: str, tmp_path: Path) -> None:
    """Facts beyond a format's are refused, so that a conversion never drops one."""
    gaps = Spans.from_spans([(1, 2), (3, 4)], 5)
    extremes = {
        "coders": Item("a", Spans.from_masses([2]), coder="x"),
        "classes": Item("a", Spans.from_masses([2], classes=["x"])),
        "text": Item("a", Spans.from_masses([2]), units=("x", "y")),
        "tick": Item("a", Spans.from_masses([2]), tick=Fraction(1, 10)),
        "no elements": Item("a", Spans.from_masses([])),
        "no spans": Item("a", Spans.from_spans([], 3)),
        **{fact: Item("a", gaps) for fact in GAPS},
    }
    holds = writer_of(name).holds
    for fact, item in extremes.items():
        assert fact in facts_of(item)
        if facts_of(item) - holds:
            with pytest.raises(SegmetryError, match=f"{name} would lose"):
                through([item], name, tmp_path)
    if "several items" not in holds:
        with pytest.raises(SegmetryError, match="several"):
            through([Item("a", gaps), Item("b", gaps)], name, tmp_path)


@pytest.mark.parametrize("name", [name for name in WRITABLE if "classes" in writer_of(name).holds])
def test_hard_labels_are_kept_or_rejected(name: str) -> None:
    if name == "textgrid":
        pytest.importorskip("praatio", reason="TextGrid files need the extra textgrid")
    kept = 0

    @examples(1 / 2)
    @given(lines(frozenset({"classes"}), frozenset({"classes"}), HARD_LABELS))
    def check(items: list[Item]) -> None:
        nonlocal kept
        with tempfile.TemporaryDirectory() as folder:
            try:
                found = through(items, name, Path(folder))
            except SegmetryError:
                return
        assert stored_content(items[0]) == stored_content(found[0])
        kept += 1

    check()
    assert kept


def test_the_example_of_facts_of() -> None:
    assert sorted(facts_of(Item("a", Spans.from_spans([(2, 3)], n=3)))) == ["first gap"]


def test_the_example_of_stored_content() -> None:
    assert stored_content(Item("a", Spans.from_masses([10, 20]), tick=Fraction(1, 10)))[0] == Fraction(3, 1)
