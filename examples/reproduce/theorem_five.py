"""Van Heusden and Marx 2024, Theorem 5: an alignment consists of θ& pairs exactly if it is one-to-one and fair.

As printed it fails in both directions; the counterexamples come first. As used in its proofs it is true: aligned pairs
overlap, and an improvement of one side is tested against the unmatched segments of that side. This script checks every
one-to-one alignment of every two partial partitions of up to five elements, up to a renaming of the elements.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache
from itertools import combinations, permutations

Segment = int
"""A set of elements, one bit each."""
Family = tuple[Segment, ...]
Matching = tuple[tuple[Segment, Segment], ...]
"""Aligned pairs: a segment and what it shares with its partner."""


def partial_partitions(elements: int) -> Iterator[Family]:
    """Return all families of disjoint segments of the elements in this set."""
    if not elements:
        yield ()
        return
    first = elements & -elements
    rest = elements ^ first
    yield from partial_partitions(rest)  # the first element is in no segment
    others = rest
    while True:
        for family in partial_partitions(rest ^ others):
            yield (first | others, *family)
        if not others:
            return
        others = (others - 1) & rest


@cache
def universe(n: int) -> tuple[Family, ...]:
    return tuple(partial_partitions(2**n - 1))


@cache
def has_unfair_improvement(matched: Matching, n: int) -> bool:
    """Whether some improvement of the other side leaves an unmatched segment that overlaps a matched one as much."""
    for family in universe(n):
        images = [next((one for one in family if one & shared == shared), 0) for _, shared in matched]
        if not all(images) or len(set(images)) < len(images):
            continue
        free = set(family).difference(images)
        for (own, _), image in zip(matched, images, strict=True):
            if any((own & other).bit_count() >= (own & image).bit_count() for other in free):
                return True
    return False


def is_fair(pairs: tuple[tuple[Segment, Segment], ...], n: int) -> bool:
    """Whether an alignment is fair on both sides, in the corrected sense."""
    of_pred = tuple(sorted((h, h & t) for h, t in pairs))
    of_true = tuple(sorted((t, h & t) for h, t in pairs))
    return not has_unfair_improvement(of_pred, n) and not has_unfair_improvement(of_true, n)


def satisfies(h: Segment, t: Segment) -> bool:
    """θ&: more shared than missed, and than spurious."""
    shared = (h & t).bit_count()
    return shared > (h & ~t).bit_count() and shared > (t & ~h).bit_count()


def alignments(pred: Family, true: Family) -> Iterator[tuple[tuple[Segment, Segment], ...]]:
    """Return all one-to-one alignments whose pairs overlap."""
    edges = [(h, t) for h in pred for t in true if h & t]
    for size in range(len(edges) + 1):
        for chosen in combinations(edges, size):
            if len({h for h, _ in chosen}) == len({t for _, t in chosen}) == size:
                yield chosen


def up_to_renaming(n: int) -> list[Family]:
    """Return one family for each list of sizes: its properties do not depend on the names of elements."""
    found: dict[tuple[int, ...], Family] = {}
    for family in universe(n):
        found.setdefault(tuple(sorted(one.bit_count() for one in family)), family)
    return list(found.values())


def check(n: int) -> tuple[int, int]:
    """Count the alignments and the fair ones; stop at the first counterexample."""
    total = fair = 0
    for pred in up_to_renaming(n):
        for true in universe(n):
            for pairs in alignments(pred, true):
                found = is_fair(pairs, n)
                if found != all(satisfies(h, t) for h, t in pairs):
                    sys.exit(f"a counterexample: H = {pred}, T = {true}, pairs {pairs}")
                total, fair = total + 1, fair + found
    return total, fair


def counterexamples() -> None:
    """Print counterexamples to the printed theorem in both directions."""
    one, two = 0b01, 0b10
    assert satisfies(one, one)
    improved = one | two
    overlooked = (improved & two).bit_count() >= (improved & one).bit_count()
    print("(⇓) H = T = {1}|{2}, only ({1},{1}) aligned: all pairs satisfy θ&. T' = {1,2} is an improvement, and")
    print(
        f"    {{2}} of H, unmatched, overlaps {{1,2}} as much as the partner does: {overlooked}. Not fair as printed."
    )
    swapped = ((one, two), (two, one))
    print("(⇑) {1} aligned with {2} and {2} with {1}: no improvement leaves an unmatched segment,")
    print(f"    so fair is {not mismatches(swapped, 2)}, while θ& is {all(satisfies(h, t) for h, t in swapped)}.")


def mismatches(pairs: tuple[tuple[Segment, Segment], ...], n: int) -> bool:
    """Whether an improvement has a mismatch, for pairs that need not overlap: every family, every choice of images."""
    return any(
        (h & other).bit_count() >= (h & image).bit_count()
        for family in universe(n)
        for images in permutations(family, len(pairs))
        if all(h & t & image == h & t for (h, t), image in zip(pairs, images, strict=True))
        for (h, _), image in zip(pairs, images, strict=True)
        for other in set(family).difference(images)
    )


if __name__ == "__main__":
    counterexamples()
    print("The corrected theorem, all one-to-one alignments up to a renaming of the elements:")
    for n in range(1, 6):
        total, fair = check(n)
        print(f"  {n} elements: {total:>7,} alignments, {fair:>6,} of them fair, all as the theorem says")
