"""Panoptic quality by the definitions of the papers, on labels of elements, without segmetry."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction

Labels = Sequence[Hashable]
"""The segment of every element, None outside of segments."""
Found = dict[tuple[str, str], Fraction | None]
"""Values by rule and metric, None where undefined."""
Rule = Callable[[int, int, int], bool]
"""Whether a pair with so many shared, missed and spurious elements is aligned."""
RULES: dict[str, Rule] = {
    "theta_plus": lambda shared, missed, spurious: shared > missed + spurious,
    "theta_and": lambda shared, missed, spurious: shared > missed and shared > spurious,
}


def labels_of(masses: Sequence[int]) -> list[int]:
    """Return the labels of consecutive segments of these lengths."""
    return [at for at, mass in enumerate(masses) for _ in range(mass)]


def of_cuts(cuts: Sequence[int], n: int) -> list[int]:
    """Return the labels of a line of n elements that is cut before these elements."""
    return [sum(cut <= at for cut in cuts) for at in range(n)]


def scores(true: Labels, pred: Labels) -> Found:
    """Return pairs, SQ, F1 (RQ) and weighted F1 (PQ) under both rules; None where undefined."""
    sizes_true, sizes_pred = (Counter(one for one in side if one is not None) for side in (true, pred))
    both = Counter((t, h) for t, h in zip(true, pred, strict=True) if t is not None and h is not None)
    found: Found = {}
    half = Fraction(len(sizes_true) + len(sizes_pred), 2)
    for name, rule in RULES.items():
        ious = [
            Fraction(shared, sizes_true[t] + sizes_pred[h] - shared)
            for (t, h), shared in both.items()
            if rule(shared, sizes_true[t] - shared, sizes_pred[h] - shared)
        ]
        weight = sum(ious, Fraction(0))
        found[name, "n_matched"] = Fraction(len(ious))
        found[name, "sq"] = weight / len(ious) if ious else None
        found[name, "f1"] = len(ious) / half if half else None
        found[name, "weighted_f1"] = weight / half if half else None
    return found


def mean(values: Sequence[Fraction | None]) -> float:
    """Return the mean of the defined values."""
    defined = [value for value in values if value is not None]
    return float(sum(defined, Fraction(0)) / len(defined))
