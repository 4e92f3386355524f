"""The definitions of the papers over sets of elements, for the tests of their claims: no code of segmetry."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from fractions import Fraction
from itertools import combinations

Segment = frozenset[Hashable]
Pairs = dict[tuple[int, int], tuple[Segment, Segment]]


def theta_plus(t: Segment, h: Segment) -> bool:
    return len(t & h) > len(t ^ h)


def theta_and(t: Segment, h: Segment) -> bool:
    return len(t & h) > len(t - h) and len(t & h) > len(h - t)


def iou(t: Segment, h: Segment) -> Fraction:
    return Fraction(len(t & h), len(t | h))


def aligned(true: Mapping[int, Segment], pred: Mapping[int, Segment], rule: object) -> Pairs:
    return {(a, b): (t, h) for a, t in true.items() for b, h in pred.items() if rule(t, h)}  # type: ignore[operator]


def is_bijection(pairs: Pairs) -> bool:
    return len({a for a, _ in pairs}) == len({b for _, b in pairs}) == len(pairs)


def families(n: int) -> Iterator[tuple[Segment, ...]]:
    """Yield every family of disjoint segments of n elements."""
    found: list[tuple[Segment, ...]] = [()]
    for at in range(n):
        found = [
            grown
            for family in found
            for grown in (
                family,
                (*family, frozenset({at})),
                *((*family[:k], family[k] | {at}, *family[k + 1 :]) for k in range(len(family))),
            )
        ]
    yield from found


def alignments(true: tuple[Segment, ...], pred: tuple[Segment, ...]) -> Iterator[list[tuple[int, int]]]:
    """Yield every one-to-one alignment whose pairs overlap, by ids from 1."""
    edges = [(a, b) for a, t in enumerate(true, 1) for b, h in enumerate(pred, 1) if t & h]
    for size in range(len(edges) + 1):
        for chosen in combinations(edges, size):
            if len({a for a, _ in chosen}) == len({b for _, b in chosen}) == size:
                yield list(chosen)
