"""Van Heusden and Marx 2024, Theorem 5: an alignment consists of θ& pairs exactly if it is one-to-one and fair.

As printed it fails in both directions; the counterexamples come first. As used in its proofs it is true: aligned pairs
overlap, and an improvement of one side is tested against the unmatched segments of that side. This script checks every
one-to-one alignment of every two partial partitions of up to five elements, up to a renaming of the elements:
``sm.fairness`` of the alignment is held against a search of all improvements, and both against θ&.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache
from itertools import combinations, permutations

import segmetry as sm

from beside import Beside, finish

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


def as_sets(family: Family) -> sm.Sets:
    """Return the segments by their place in the family, from 1."""
    return sm.Sets([{at for at in range(one.bit_length()) if one >> at & 1} for one in family])


def check(n: int) -> tuple[int, int, int]:
    """Count the alignments, those that segmetry finds fair, and those without an unfair improvement among all; stop at
    the first counterexample.
    """
    total = by_segmetry = by_search = 0
    for pred in up_to_renaming(n):
        for true in universe(n):
            table = sm.overlap(as_sets(true), as_sets(pred)) if pred and true else None
            for pairs in alignments(pred, true):
                searched = is_fair(pairs, n)
                ids = [(true.index(t) + 1, pred.index(h) + 1) for h, t in pairs]
                found = table is None or sm.fairness(table.align(pairs=ids)).fair
                if not found == searched == all(satisfies(h, t) for h, t in pairs):
                    sys.exit(f"a counterexample: H = {pred}, T = {true}, pairs {pairs}")
                total, by_segmetry, by_search = total + 1, by_segmetry + found, by_search + searched
    return total, by_segmetry, by_search


def counterexamples() -> Beside:
    """Refute the printed theorem in both directions."""
    table = Beside("Theorem 5 as printed", "section 2.1; Theorem 1 of the preprint")
    one, two = 0b01, 0b10
    own = sm.overlap(as_sets((one, two)), as_sets((one, two))).align(pairs=[(1, 1)])
    improved = sm.overlap(as_sets((one | two,)), as_sets((one, two))).align(pairs=[(1, 1)])
    unfair = sm.improves(improved, own) and len(sm.fairness(improved).mismatches) > 0
    why = "(⇓) H = T = {1}|{2}, only ({1},{1}) aligned: θ& holds. T' = {1,2} improves it, and {2} of H is a mismatch"
    literally = ((one | two) & two).bit_count() >= ((one | two) & one).bit_count()
    table.differs("θ& and fair", "yes", "no" if unfair else "yes", why, "no" if literally else "yes")
    swapped = ((one, two), (two, one))
    try:
        sm.overlap(as_sets((one, two)), as_sets((one, two))).align(pairs=[(1, 2), (2, 1)])
        refused = ""
    except sm.SegmetryError:
        refused = "refused"
    why = "(⇑) {1} with {2} and {2} with {1}: nothing can be improved, so fair without θ&; segmetry demands overlap"
    table.differs("fair and not θ&", "impossible", refused, why, "" if mismatches(swapped, 2) else "fair")
    table.wrong += not (unfair and literally and refused) or mismatches(swapped, 2)
    return table


def corrected() -> Beside:
    """Verify the corrected theorem."""
    table = Beside("Theorem 5 as its proofs use it: fair alignments", "section 2.1")
    for n in range(1, 6):
        total, found, searched = check(n)
        what = f"{n} elements, of {total:,} one-to-one alignments"
        table.same(what, None, found, searched, digits=0, why="all as the theorem says")
    return table


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
    finish([counterexamples(), corrected()])
