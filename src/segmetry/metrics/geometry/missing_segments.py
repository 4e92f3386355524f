"""What a segment without a partner costs in a mean over matched pairs.

A distance exists between the two segments of a matched pair only, so the mean of distances improves when difficult
segments are missed. ``missing=`` gives every missed and every spurious segment a value, or only an item in which no
pair is matched: the diagonal of the image (ToothFairy), a number (374 mm in the lesion-wise scores of BraTS), or
infinity. The numbers of pairs, missed and spurious segments are always in the details of the score.
"""

from __future__ import annotations

import math
from typing import Literal

from segmetry._base.checked_options import check_choice
from segmetry._base.exact import FloatArray
from segmetry.errors import OptionError
from segmetry.geometry.class_shapes import ClassShapes
from segmetry.geometry.matched_shapes import MatchedShapes
from segmetry.metrics.score import Score

MissingFor = Literal["segment", "item"]
NO_PAIR = "no matched pair"
_FOR = (
    "missing_for='segment' (default) gives this value to every missed and every spurious segment, 'item' only to an "
    "item without a matched pair. details count the pairs, the missed and the spurious segments."
)
MISSING_NOTE = (
    "A missed segment has no distance: missing=None (default) leaves it out, as most packages do, so that the mean is "
    "undefined without a matched pair and must be read together with recall; missing='diagonal' takes the diagonal of "
    f"the image from edge to edge, a number in units of spacing, or 'inf'. {_FOR}"
)
SIMILARITY_NOTE = (
    "missing=None (default) leaves out missed and spurious segments, so that the mean is undefined without a matched "
    "pair "
    f"and must be read together with recall; missing=0 or another number in [0, 1] is their value. {_FOR}"
)


def mean_over_pairs(
    key: str,
    shapes: MatchedShapes,
    values: FloatArray,
    penalty: float | None,
    missing_for: str,
    unit: str | None = None,
) -> Score:
    """Return the mean of one value per pair, and of the penalties, the same in every order; ``unit`` is theirs."""
    check_choice("missing_for", missing_for, MissingFor)
    alignment = shapes.alignment
    missed, spurious = alignment.n_unmatched_true, alignment.n_unmatched_pred
    unpaired = missed + spurious
    if penalty is None or (missing_for == "item" and values.size):
        unpaired = 0
    elif missing_for == "item":
        unpaired = min(unpaired, 1)
    total = math.fsum(values.tolist()) + (unpaired * penalty if penalty is not None and unpaired else 0.0)
    counts = {"pairs": int(values.size), "missed": int(missed), "spurious": int(spurious)}
    return Score.of(key, total, values.size + unpaired, NO_PAIR, **counts, **({} if unit is None else {"unit": unit}))


def missing_distance(shapes: MatchedShapes | ClassShapes, missing: float | str | None) -> float | None:
    """Return the distance of a segment without a partner; None if it is left out.

    >>> from segmetry.geometry.matched_shapes import matched_shapes
    >>> missing_distance(matched_shapes([[1, 1, 0], [0, 0, 0]], [[1, 1, 0], [0, 0, 0]]), "diagonal") == math.hypot(2, 3)
    True
    """
    if missing is None:
        return None
    if missing == "diagonal":
        sides = zip(shapes.true.domain, shapes.spacing, strict=True)
        return math.hypot(*(size * step for size, step in sides))
    value = _number(missing)
    if not value >= 0:
        raise OptionError(f"missing is {missing!r}; expected a distance of at least 0, 'diagonal', 'inf' or None")
    return value


def missing_similarity(missing: float | str | None) -> float | None:
    """Return the similarity of a segment without a partner; None if it is left out."""
    if missing is None:
        return None
    value = _number(missing)
    if not 0 <= value <= 1:
        raise OptionError(f"missing is {missing!r}; expected a number in [0, 1] or None")
    return value


def _number(text: float | str) -> float:
    try:
        return float(text)
    except (TypeError, ValueError):
        return math.nan
