"""Marx 2022, "The most general manner to injectively align true and predicted segments": Table 1, Claim 5, section 6.1.

Run it as ``python examples/reproduce/most_general_alignment.py``.
"""

from __future__ import annotations

import json
from collections.abc import Callable

import segmetry as sm

from beside import DATA, Beside, finish
from published import COLUMNS, GAIN_IN_THE_TEXT, TABLE_ONE, table_one


def first_table() -> Beside:
    """Compare all 48 cells."""
    table = Beside("Table 1: all segmentations of 15 elements against one truth")
    found = table_one()
    for at, (rule, key) in enumerate(COLUMNS):
        for name, printed in TABLE_ONE.items():
            digits = 0 if name == "count" else 3
            table.same(f"{key} {rule} {name}", printed[at], found[name][at], digits=digits)
    gain = found["count"][1] - found["count"][0]
    table.differs(
        "systems that gain their first pair", str(GAIN_IN_THE_TEXT), f"{gain:.0f}", "a misprint: see its own counts"
    )
    return table


def claim_five() -> Beside:
    """The extreme family: no pair under θ⁺, RQ towards 1 and SQ towards 1/3 under θ&."""
    table = Beside("Claim 5: the extreme family")
    for n, c in ((2, 2), (10, 10), (100, 1000)):
        masses = [c // 2] + n * [c + 1]
        overlaps = sm.overlap(sm.Spans.from_masses(masses), sm.Spans.from_masses(masses[::-1]))
        plus, both = (sm.align(overlaps, rule) for rule in ("theta_plus", "theta_and"))
        table.same(f"n={n} c={c}: pairs under θ⁺", 0, len(plus), digits=0)
        table.differs(f"n={n} c={c}: pairs under θ&", str(n - 2), str(len(both)), "the proof counts two too few")
        table.same(f"n={n} c={c}: RQ = n/(n+1)", n / (n + 1), both.rq.value, digits=12)
        table.same(f"n={n} c={c}: SQ = (c+2)/(3c+2)", (c + 2) / (3 * c + 2), both.sq.value, digits=12)
    return table


def page_streams() -> Beside:
    """Section 6.1 from the published bits: no interpretation of a first bit of 0 gives exactly the paper's numbers."""
    table = Beside("Section 6.1: 34 page streams")
    folder = DATA / "page_streams"
    if not folder.is_dir():
        table.differs("all numbers", "", "", f"skipped: {folder.name} is not available")
        return table
    true, pred = (json.loads((folder / f"{side}.json").read_text()) for side in ("true", "pred"))
    table.same("streams", 34, len(true), digits=0)
    table.same("true segments", 6347, sum(sum(bits) for bits in true.values()), digits=0)
    printed = {"theta_plus": ("5,532", ".966", ".793", ".772"), "theta_and": ("5,536", ".965", ".794", ".772")}
    begins = sum(bits[0] == 0 for bits in pred.values())
    table.differs("predictions that begin with 0", "–", str(begins), "three interpretations below")
    for read, why in (
        (_forced, "a segment of its own"),
        (_gap, "in no segment"),
        (_merged, "part of the next segment"),
    ):
        for rule, expected in printed.items():
            found = _streams(true, pred, rule, read)
            for name, paper, here in zip(("pairs", "mean SQ", "mean F1", "mean wF1"), expected, found, strict=True):
                table.differs(f"{rule} {name}", paper, here, why)
    return table


def _forced(bits: list[int]) -> sm.Spans:
    return sm.Spans.from_bits(bits, first="force")


def _gap(bits: list[int]) -> sm.Spans:
    return sm.Spans.from_bits(bits, first="gap")


def _merged(bits: list[int]) -> sm.Spans:
    starts = [at for at, bit in enumerate(bits) if bit]
    return sm.Spans.from_boundaries(starts[1:], n=len(bits))


def _streams(
    true: dict[str, list[int]], pred: dict[str, list[int]], rule: str, read: Callable[[list[int]], sm.Spans]
) -> tuple[str, ...]:
    items = [{name: read(bits) for name, bits in side.items()} for side in (true, pred)]
    summary = sm.evaluate(*items, rule=rule, metrics=["n_matched", "sq", "f1", "weighted_f1"]).summary()
    pairs = summary["n_matched"]["pooled"]
    means = (f"{summary[key]['by_item'].value:.3f}" for key in ("sq", "f1", "weighted_f1"))
    return (f"{pairs.value:,.0f}", *means)


if __name__ == "__main__":
    finish([first_table(), claim_five(), page_streams()])
