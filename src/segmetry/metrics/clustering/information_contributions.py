r"""Which segments the variation of information comes from: splits of true segments, merges by predicted ones.

A true segment t that is divided among predicted segments h adds Σ_h (|t∩h|/n)·log₂(|t|/|t∩h|) bits to vi_split, a
predicted segment h that contains parts of several true ones adds Σ_t (|t∩h|/n)·log₂(|h|/|t∩h|) bits to vi_merge
[meila2007comparing, nuneziglesias2013machine]. The two columns of bits add up to the two metrics.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from segmetry._base import ratio, sum_by
from segmetry.overlaps import Blocks, Contingency, Ids, OverlapTable, contingency
from segmetry.results import ColumnType

SPLIT_TYPES: dict[str, ColumnType] = {
    "item": "text",
    "error": "text",
    "id": "integer",
    "n_elements": "integer",
    "n_parts": "integer",
    "parts": "text",
    "bits": "number",
    "share": "number",
}
SHOWN_PARTS = 5
"""How many of the largest parts of a segment are named."""


def splits_and_merges_of(table: OverlapTable, background: str = "segment") -> Iterator[dict[str, Any]]:
    """Yield a row for every true segment that is split and every predicted segment that merges, by bits.

    ``id`` is None for what lies outside, where the convention takes it as a segment; ``parts`` names the largest
    parts, ``n_parts`` counts them all.

    >>> import segmetry as sm
    >>> for row in splits_and_merges_of(sm.overlap([[1, 1, 1, 1, 2, 2]], [[3, 3, 4, 4, 4, 4]])):
    ...     print(row["error"], row["id"], row["n_elements"], row["parts"], round(row["bits"], 4))
    split 1 4 3: 2, 4: 2 0.6667
    merge 4 4 1: 2, 2: 2 0.6667
    """
    parts = contingency(table, background)
    if not parts.n:
        return
    sides = (
        ("split", (parts.true, parts.at_true, table.true.ids), (parts.pred, parts.at_pred, table.pred.ids)),
        ("merge", (parts.pred, parts.at_pred, table.pred.ids), (parts.true, parts.at_true, table.true.ids)),
    )
    for error, (blocks, at, ids), (other, other_at, other_ids) in sides:
        number = sum_by(at, parts.count, blocks.size.size)
        bits = _bits_of_blocks(parts, blocks, at)
        several = np.flatnonzero((number > 1) & (bits > 0))
        for block in several[np.argsort(-bits[several], kind="stable")].tolist():
            cells = np.flatnonzero(at == block)
            cells = cells[np.argsort(-parts.shared[cells], kind="stable")][:SHOWN_PARTS]
            named = [
                f"{_segment_name(other_ids, other, int(other_at[cell]))}: {int(parts.shared[cell])}"
                for cell in cells.tolist()
            ]
            more = int(number[block]) - len(named)
            yield {
                "error": error,
                "id": _segment_id(ids, blocks, block),
                "n_elements": int(blocks.size[block]),
                "n_parts": int(number[block]),
                "parts": ", ".join(named) + (f", … {more} more" if more > 0 else ""),
                "bits": float(bits[block]),
                "share": float(bits[block] / math.fsum(bits.tolist())),
            }


def _bits_of_blocks(parts: Contingency, blocks: Blocks, at: Any) -> Any:
    shared, size = parts.shared, blocks.size[at]
    logs = np.log1p(ratio(size - shared, shared)) / math.log(2)
    terms = ratio(shared, np.full(shared.size, parts.n)) * logs * parts.count
    return np.bincount(at, weights=terms, minlength=blocks.size.size)


def _segment_id(ids: Ids, blocks: Blocks, block: int) -> int | None:
    segment = int(blocks.segments[block])
    return int(ids[segment]) if segment < len(ids) else None


def _segment_name(ids: Ids, blocks: Blocks, block: int) -> str:
    found = _segment_id(ids, blocks, block)
    return "outside" if found is None else str(found)
