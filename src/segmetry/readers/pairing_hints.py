"""What to do when the items of two sides do not pair up: the options that would pair them, tried on their names."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from segmetry.errors import InputError
from segmetry.readers.item_names import Pairing, by_pairing_name
from segmetry.readers.options import SideName

_SEPARATORS = "-_. /"
_GENERAL = "say how the names relate with --strip or --pair, or list the pairs with --pairs FILE.csv"
_NUMBERS = (r"(\d+)", r"(\d+)\D*$")
"""Expressions that are tried: the first number in a name, the last one."""


def how_to_pair(only_true: Collection[str], only_pred: Collection[str]) -> str:
    """Return a remedy for names that occur on one side only: options that pair most of them, if there are any.

    >>> how_to_pair(["a_gt", "b_gt"], ["a_net", "b_net"])
    '--strip _gt --strip _net would pair all of them'
    >>> how_to_pair(["rock"], [])
    '--missing as-empty treats them as predictions without segments'
    """
    if not only_pred:
        return "--missing as-empty treats them as predictions without segments"
    if not only_true:
        return "--pairs FILE.csv lists the items to compare, --pred-glob selects files of a folder"
    best, options = 0, ""
    for pairing, text in _candidates(only_true, only_pred):
        count = _n_paired(pairing, only_true, only_pred)
        if count > best:
            best, options = count, text
    if 2 * best < min(len(only_true), len(only_pred)):
        return _GENERAL
    share = "all" if best == len(only_true) == len(only_pred) else f"{best}"
    return f"{options} would pair {share} of them"


def _candidates(true: Collection[str], pred: Collection[str]) -> Iterator[tuple[Pairing, str]]:
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
    """Return the common end of all names, from each of its separators on, and nothing; the shortest first.

    >>> _common_ends(["a1_net_gt", "b1_net_gt"])
    ['', '_gt', '_net_gt']
    """
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
