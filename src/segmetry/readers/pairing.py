"""Pair the items of two data sets by name; an item that is missing on one side is an error, never a guess."""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from segmetry._base import common_step
from segmetry.errors import DataWarning, FormatError, InputError, ShapeMismatchError, list_some
from segmetry.readers.item_names import Pairing, by_pairing_name
from segmetry.readers.items import Item, OpenVideo, check_same_place, empty_item
from segmetry.readers.parts.span_rows import LENGTH
from segmetry.readers.reader import ReadOptions, SideName
from segmetry.readers.source import Source
from segmetry.segmentation import Spans, check_same_crs

ItemPairs = Iterator[tuple[str, Item, Item]]


def read_pairs(
    true: Source, pred: Source, *, missing: str = "error", pairing: Pairing | None = None, later: bool = False
) -> ItemPairs:
    """Read the items of two sources in pairs.

    ``missing="as-empty"`` uses a prediction without segments for every item that has none; some formats of predictions
    imply that. ``pairing`` says how the names of the two sides relate, where they differ. ``later``: files of a folder
    are read by the process that evaluates them (see :meth:`Source.items`).
    """
    fill = missing == "as-empty" or not pred.reader.lists_all
    pairs = pair_items(
        true.items(later=later),
        pred.items(later=later),
        true.options,
        fill=fill,
        fill_true=true.reader.blank and not true.reader.lists_all,
        pairing=pairing,
        drop_extra=pred.reader.has_more,
    )
    return _with_warnings(pairs, true.path, pred.path)


def _with_warnings(pairs: ItemPairs, true: Path, pred: Path) -> ItemPairs:
    """Warn where the only items of two files have different stated names; tags of two schemes are an error."""
    for name, first, second in pairs:
        named_inside = not (true.name.startswith(first.name) and pred.name.startswith(second.name))
        if first.name != second.name and named_inside:
            warnings.warn(
                f"{true} calls its only item {first.name[:80]!a}, {pred} calls it {second.name[:80]!a}; "
                "they are compared as one pair",
                DataWarning,
                stacklevel=3,
            )
        if first.scheme and second.scheme and first.scheme != second.scheme:
            wider = second.scheme if first.scheme == "bio" else first.scheme
            raise FormatError(
                f"item {name}: the tags of {true} are {first.scheme.upper()}, those of {pred} {second.scheme.upper()}, "
                f"by their letters; expected one scheme: state it with --scheme {wider}, or both with "
                f"--true-scheme {first.scheme} --pred-scheme {second.scheme}"
            )
        yield name, first, second


def pair_items(
    true: Iterable[Item],
    pred: Iterable[Item],
    options: ReadOptions | None = None,
    *,
    fill: bool = False,
    fill_true: bool = False,
    pairing: Pairing | None = None,
    drop_extra: bool = False,
) -> ItemPairs:
    """Yield the items of equal names in pairs, in the order of the truth.

    Two files with one item each are a pair whatever their names, unless the data set states the names. With ``fill`` an
    item without a prediction gets one without segments; with ``fill_true`` one that only the prediction has gets a
    truth without, unless no name is on both sides; with ``drop_extra`` predictions without a truth are not
    used. ``pairing`` derives the names, or lists the pairs.
    """
    stated, pairing = options or ReadOptions(), pairing or Pairing()
    true_items = _by_name(true, "true", pairing, may_be_none=fill_true)
    pred_items = _by_name(pred, "pred", pairing, may_be_none=fill)
    if pairing.pairs is None and len(true_items) == len(pred_items) == 1:
        (first,), (second,) = true_items.values(), pred_items.values()
        if not (first.named or second.named):
            yield first.name, *on_one_line(first, second, stated)
            return
    missing, extra = true_items.keys() - pred_items.keys(), pred_items.keys() - true_items.keys()
    if extra and fill_true and (not true_items or len(missing) < len(true_items)):
        warnings.warn(
            f"{_names_in('only in pred', extra)}; scored against a truth without segments", DataWarning, stacklevel=4
        )
        true_items |= {name: empty_item(item) for name, item in pred_items.items() if name in extra}
        extra = set()
    if (missing and not fill) or (extra and not drop_extra):
        raise InputError(
            f"the items do not pair up: {_names_in('only in true', missing)}; {_names_in('only in pred', extra)}; "
            f"expected the same names on both sides; {how_to_pair(missing, extra)}"
        )
    for name, item in true_items.items():
        yield name, *on_one_line(item, pred_items[name] if name in pred_items else empty_item(item), stated)


def _by_name(items: Iterable[Item], side: SideName, pairing: Pairing, *, may_be_none: bool = False) -> dict[str, Item]:
    if pairing.pairs is not None:
        named = pairing.pairs.chosen(((item.name, item.file, item) for item in items), side)
    else:
        named = by_pairing_name(((item.name, item) for item in items), pairing, side)
    if not named and not may_be_none:
        raise InputError(f"{side}: no items found")
    return {name: item if item.name == name else replace(item, name=name) for name, item in named.items()}


def _names_in(where: str, names: set[str]) -> str:
    return f"{len(names)} {where}: {list_some(sorted(names))}" if names else f"none {where}"


def on_one_line(true: Item, pred: Item, options: ReadOptions) -> tuple[Item, Item]:
    """Return two items of spans in the same ticks and on a line of the same length; other items are returned unchanged.

    A file that does not state the length of its line gets that of the other; if neither does, their last spans must end
    together, unless ``--length longer`` chooses the later end. An item without spans gets the classes of the other.
    """
    check_same_place(true.name, true.place, pred.place)
    if true.crs is not None and pred.crs is not None:
        check_same_crs(true.crs, pred.crs)
    _check_frames(true, pred)
    if isinstance(true.content, OpenVideo) or isinstance(pred.content, OpenVideo):
        return _of_one_length(true, pred)
    if true.is_lazy or pred.is_lazy:
        return true, pred
    if not (isinstance(true.content, Spans) and isinstance(pred.content, Spans)):
        return true, pred  # intervals are brought into one tick when they are compared, and have no end of their own
    _check_text(true, pred)
    tick, first, second = true.tick, true, pred
    if pred.tick != tick:
        tick = common_step(true.tick, pred.tick)
        first, second = (_in_ticks(item, tick, options) for item in (true, pred))
    n = _common_length(first, second, tick, options)
    return _on_line(first, second, n), _on_line(second, first, n)


def _check_frames(true: Item, pred: Item) -> None:
    """Raise if two videos have different frames, although they may have the same number of them."""
    if true.frames is None or pred.frames is None or true.frames == pred.frames:
        return
    for side, here, there in (("true", true.frames, pred.frames), ("pred", pred.frames, true.frames)):
        if only := sorted(set(here) - set(there)):
            raise ShapeMismatchError(
                f"item {true.name}: {_names_in(f'only in {side}', set(only))}; true has {len(true.frames)} frames and "
                f"pred {len(pred.frames)}; expected frames of the same names on both sides"
            )


def _of_one_length(true: Item, pred: Item) -> tuple[Item, Item]:
    """Return two videos of one length and size; one of open length gets those of the other, at least its own."""
    shapes = [
        item.content.shape if isinstance(item.content, OpenVideo) else item.load().domain for item in (true, pred)
    ]
    shape = tuple(max(lengths) for lengths in zip(*shapes, strict=True))
    for side, own in zip(("true", "pred"), shapes, strict=True):
        if own[1] and own[1:] != shape[1:]:
            raise ShapeMismatchError(
                f"item {true.name}: frames of {side} have {own[1]} × {own[2]} pixels, those of the other side have up "
                f"to {shape[1]} × {shape[2]}; expected frames of one size"
            )
    if not min(shape):
        raise ShapeMismatchError(f"item {true.name}: no segment on either side, so its size is not known")
    first, second = (
        replace(item, content=replace(item.content, shape=shape)) if isinstance(item.content, OpenVideo) else item
        for item in (true, pred)
    )
    return first, second


def _check_text(true: Item, pred: Item) -> None:
    """Raise if two segmentations are of different texts, although they may have the same number of units."""
    if true.units is None or pred.units is None or len(true.units) != len(pred.units) or true.units == pred.units:
        return
    for number, (true_unit, pred_unit) in enumerate(zip(true.units, pred.units, strict=True), 1):
        if true_unit != pred_unit:
            raise ShapeMismatchError(
                f"item {true.name}: unit {number} is {true_unit[:40]!a} in true and {pred_unit[:40]!a} in pred; "
                "expected the same text (if it may differ, remove it with segmetry convert --drop text)"
            )


def _in_ticks(item: Item, tick: Fraction, options: ReadOptions) -> Item:
    factor = int(item.tick / tick)
    if factor == 1:
        return item
    spans = item.spans.rescaled(factor)
    options.check_line(spans.n, tick, f"item {item.name} in ticks of {tick}")
    return replace(
        item, content=Spans(spans.starts, spans.stops, spans.n, classes=spans.class_list, tick=tick), tick=tick
    )


def _common_length(true: Item, pred: Item, tick: Fraction, options: ReadOptions) -> int | None:
    """Return the length of both lines, or None where they remain unchanged."""
    lengths = true.spans.n, pred.spans.n
    if lengths[0] == lengths[1] or not (true.open_end or pred.open_end):
        return None
    if true.open_end and pred.open_end:
        if options[LENGTH] == "longer":
            return max(lengths)
        raise ShapeMismatchError(
            f"item {true.name}: true ends at {float(lengths[0] * tick):g} and pred at {float(lengths[1] * tick):g}, "
            "and neither file states the length of the line; state it with --length (--length longer: the later end)"
        )
    stated, end = (lengths[1], lengths[0]) if true.open_end else lengths
    if end > stated:
        raise ShapeMismatchError(
            f"item {true.name}: one side states a line of length {float(stated * tick):g}, "
            f"but the other extends to {float(end * tick):g}"
        )
    return stated


def _on_line(item: Item, other: Item, n: int | None) -> Item:
    spans = item.spans
    lacks_classes = not spans.starts.size and spans.classes is None and other.spans.classes is not None
    if not lacks_classes and n in (None, spans.n):
        return item
    classes = [] if lacks_classes else spans.class_list
    whole = Spans(spans.starts, spans.stops, spans.n if n is None else n, classes=classes, tick=spans.tick)
    return replace(item, content=whole)


_SEPARATORS = "-_. /"
_GENERAL = "say how the names relate with --strip or --pair, or list the pairs with --pairs FILE.csv"
_NUMBERS = (r"(\d+)", r"(\d+)\D*$")
"""Expressions that are tried: the first number in a name, the last one."""


def how_to_pair(only_true: Collection[str], only_pred: Collection[str]) -> str:
    """Return a remedy for names that occur on one side only: options that pair most of them, if there are any."""
    if not only_pred:
        return "--missing as-empty treats them as predictions without segments"
    if not only_true:
        return "--pairs FILE.csv lists the items to compare, --pred-glob selects files of a folder"
    best, options = 0, ""
    for pairing, text in _candidate_pairings(only_true, only_pred):
        count = _n_paired(pairing, only_true, only_pred)
        if count > best:
            best, options = count, text
    if 2 * best < min(len(only_true), len(only_pred)):
        return _GENERAL
    share = "all" if best == len(only_true) == len(only_pred) else f"{best}"
    return f"{options} would pair {share} of them"


def _candidate_pairings(true: Collection[str], pred: Collection[str]) -> Iterator[tuple[Pairing, str]]:
    """Yield pairings that are worth trying, the simplest first."""
    import shlex

    for ends in (_common_ends, _common_starts):
        for first in ends(true):
            for second in ends(pred):
                strip = sorted({first, second} - {""}, key=len)
                if strip and not any(mark in text for text in strip for mark in "*?"):
                    yield Pairing(strip=strip), " ".join(f"--strip {shlex.quote(text)}" for text in strip)
    for expression in _NUMBERS:
        yield Pairing(pair=expression), f"--pair {shlex.quote(expression)}"


def _common_ends(names: Collection[str]) -> list[str]:
    """Return the common end of all names, from each of its separators on, and nothing; the shortest first."""
    end = _common_start([name[::-1] for name in names])[::-1]
    return ["", *(end[at:] for at in range(len(end) - 1, -1, -1) if end[at] in _SEPARATORS)]


def _common_starts(names: Collection[str]) -> list[str]:
    start = _common_start(names)
    return ["", *(start[: match.end()] for match in re.finditer(f"[{re.escape(_SEPARATORS)}]", start))]


def _common_start(names: Collection[str]) -> str:
    first, last = min(names), max(names)  # what they share is shared by all names between them
    return first[: next((at for at, pair in enumerate(zip(first, last, strict=False)) if pair[0] != pair[1]), None)]


def _n_paired(pairing: Pairing, true: Collection[str], pred: Collection[str]) -> int:
    try:
        sides: list[set[str]] = []
        side: SideName
        for side, names in (("true", true), ("pred", pred)):
            sides.append(set(by_pairing_name(((name, name) for name in names), pairing, side)))
    except InputError:  # two items of one name, or nothing left of one
        return 0
    return len(sides[0] & sides[1])
