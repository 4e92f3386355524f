"""A note on text segmentation metrics: its definitions on worked examples, computed over sets and by segmetry.

Windows are those of segmetry (the note's extend one past the end and count agreement; see the page of decisions).
"""

from __future__ import annotations

from collections.abc import Callable

import segmetry as sm

from beside import OWN, Beside, finish

PAIRS = {
    "(5,3,5) / (4,4,5)": ([5, 3, 5], [4, 4, 5]),
    "(4,4,5) / (5,1,2,5)": ([4, 4, 5], [5, 1, 2, 5]),
    "(6,6) / (5,1,1,5)": ([6, 6], [5, 1, 1, 5]),
    "(3,1) / (1,3)": ([3, 1], [1, 3]),
}
Segments = list[frozenset[int]]


def segments(masses: list[int]) -> Segments:
    """Return consecutive elements, one set per segment."""
    starts = [sum(masses[:at]) for at in range(len(masses))]
    return [frozenset(range(start, start + mass)) for start, mass in zip(starts, masses, strict=True)]


def windows(true: Segments, pred: Segments, k: int, wrong: Callable[[int, int], bool]) -> float:
    """Return the share of windows of k gaps with a wrong number of boundaries."""
    n = sum(map(len, true))
    cuts = [{min(one) for one in side} - {0} for side in (true, pred)]
    counts = [[len([b for b in side if i < b <= i + k]) for side in cuts] for i in range(n - k)]
    return sum(wrong(first, second) for first, second in counts) / (n - k)


def by_definition(true: Segments, pred: Segments, k: int) -> dict[str, float]:
    """Return the note's metrics, computed over sets."""
    overlapping = [(t, h) for t in true for h in pred if t & h]
    matched = [(t, h) for t, h in overlapping if len(t & h) > len(t - h) and len(t & h) > len(h - t)]
    iou = sum(len(t & h) / len(t | h) for t, h in matched)
    return {
        "pk": windows(true, pred, k, lambda a, b: (a == 0) != (b == 0)),
        "window_diff": windows(true, pred, k, lambda a, b: a != b),
        "bcubed_precision": sum(len(t & h) / len(h) for t, h in overlapping) / len(overlapping),
        "bcubed_recall": sum(len(t & h) / len(t) for t, h in overlapping) / len(overlapping),
        "bcubed_f1": sum(2 * len(t & h) / (len(t) + len(h)) for t, h in overlapping) / len(overlapping),
        "precision": len(matched) / len(pred),
        "recall": len(matched) / len(true),
        "f1": 2 * len(matched) / (len(true) + len(pred)),
        "weighted_f1": 2 * iou / (len(true) + len(pred)),
    }


def compared(name: str, true: list[int], pred: list[int]) -> Beside:
    """Compare one pair of texts."""
    sides = sm.Spans.from_masses(true), sm.Spans.from_masses(pred)
    k = sm.window_size(sides[0])
    expected = by_definition(segments(true), segments(pred), k)
    over_pairs = {key: {"over": "pairs"} for key in expected if key.startswith("bcubed")}
    found = sm.score(*sides, list(expected), rule="theta_and", options=over_pairs)
    table = Beside(f"{name}, k = {k}", OWN)
    for key, value in expected.items():
        table.same(key, None, found[key].value, value, digits=12)
    return table


if __name__ == "__main__":
    finish([compared(name, *pair) for name, pair in PAIRS.items()])
