"""The value of one item whose segments carry classes: the mean over its classes [kirillov2019panoptic].

Panoptic quality is defined per class and averaged over the classes, so that a rare class counts as much as a frequent
one. Every quotient of a tally follows it; counts are sums. ``average="segments"`` counts all segments together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from segmetry.alignments.alignment import Alignment
from segmetry.alignments.class_tallies import class_tallies
from segmetry.alignments.tally import Tally
from segmetry.errors import ClassesError, OptionError
from segmetry.metrics.score import Result, Score

ITEM_AVERAGES = ("class", "segments")


def checked_average(average: Any) -> str | None:
    """Return a checked average of one item; None is the mean over classes wherever classes are matched."""
    if average is not None and average not in ITEM_AVERAGES:
        raise OptionError(f"average is {average!r}; expected 'class' or 'segments'")
    return None if average is None else str(average)


def average_of(alignment: Alignment, average: str | None) -> str:
    """Return how the scores of an item are averaged: ``"class"`` where its classes are matched, else ``"segments"``.

    >>> import segmetry as sm
    >>> average_of(sm.align(sm.overlap([1, 1, 2], [1, 1, 2])), None)
    'segments'
    """
    chosen = checked_average(average)
    has_classes = alignment.table.class_names is not None
    if chosen == "class" and not has_classes:
        raise ClassesError(
            "average='class' is a mean over classes, but the segments carry none; give classes= on both sides"
        )
    return chosen or ("class" if has_classes and alignment.classes == "match" else "segments")


def alignment_score(
    compute: Callable[..., Result], alignment: Alignment, average: str | None, undefined: float | None, **options: Any
) -> Result:
    """Return a quotient of a tally for one item; ``undefined`` replaces an undefined class, None leaves it out."""
    whole = compute(alignment.tally, **options)
    if average_of(alignment, average) == "segments" or not isinstance(whole, Score):
        return whole
    return mean_over_tallies(compute, class_tallies(alignment).values(), undefined, whole, **options)


def mean_over_tallies(
    compute: Callable[..., Result], tallies: Iterable[Tally], undefined: float | None, whole: Score, **options: Any
) -> Score:
    """Return the mean over the classes of an item; where no class has a value, the score of the whole says why."""
    scores = [compute(tally, **options) for tally in tallies]
    values = [score.value if score.is_defined else undefined for score in scores]
    used = [value for value in values if value is not None]
    return Score.of(whole.key, math.fsum(used), len(used), **whole.details) if used else whole
