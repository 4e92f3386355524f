"""Pairing the items of two data sets by name: what is missing on either side is said, never guessed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from segmetry.errors import InputError
from segmetry.readers.reader import Item

SHOWN = 10


def pair_items(true: Iterable[Item], pred: Iterable[Item]) -> Iterator[tuple[str, Item, Item]]:
    """Items of one name together, in the order of the truth; two files with one item each are a pair whatever
    their names.
    """
    true_items, pred_items = _by_name(true, "true"), _by_name(pred, "pred")
    if len(true_items) == len(pred_items) == 1:
        (first,), (second,) = true_items.values(), pred_items.values()
        yield first.name, first, second
        return
    missing, extra = true_items.keys() - pred_items.keys(), pred_items.keys() - true_items.keys()
    if missing or extra:
        raise InputError(
            f"the items do not pair up: {_named('only in true', missing)}; {_named('only in pred', extra)}; "
            "expected the same names on both sides"
        )
    for name, item in true_items.items():
        yield name, item, pred_items[name]


def _by_name(items: Iterable[Item], side: str) -> dict[str, Item]:
    found: dict[str, Item] = {}
    for item in items:
        if item.name in found:
            raise InputError(f"{side}: two items are called {item.name!r}; expected one of each name")
        found[item.name] = item
    if not found:
        raise InputError(f"{side}: no items found")
    return found


def _named(words: str, names: set[str]) -> str:
    if not names:
        return f"none {words}"
    shown = ", ".join(sorted(names)[:SHOWN]) + (" …" if len(names) > SHOWN else "")
    return f"{len(names)} {words}: {shown}"
