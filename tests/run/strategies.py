"""Overlap tables of every kind a run file must hold, and runs of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

import segmetry as sm
from segmetry.overlaps.table import OverlapTable
from segmetry.testing.strategies import mask_pairs, set_pairs, span_pairs

IDS = (1, 2, 2**31, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1)
CLASSES = ("car", "3", 3, -7, "Straße", "=1+1")


@st.composite
def label_tables(draw: st.DrawFn) -> OverlapTable:
    """Tables of label arrays with outside, void, crowd, huge ids and classes of text and integers."""
    n = draw(st.integers(1, 12))
    classes = draw(st.booleans())

    def side() -> Any:
        labels = draw(st.lists(st.sampled_from((0, 255, *IDS)), min_size=n, max_size=n))
        facts: dict[str, Any] = {"void": 255}
        if classes:
            facts["classes"] = {label: draw(st.sampled_from(CLASSES)) for label in IDS}
        if draw(st.booleans()):
            facts["crowd"] = draw(st.sets(st.sampled_from(IDS), min_size=1, max_size=2))
        return sm.LabelArray(np.array([labels], dtype=np.uint64), **facts)

    return sm.overlap(side(), side())


@st.composite
def tables(draw: st.DrawFn) -> OverlapTable:
    """A table of any kind of segmentation."""
    return draw(
        st.one_of(
            label_tables(),
            span_pairs().map(lambda pair: sm.overlap(*pair)),
            mask_pairs(empty=False).map(lambda pair: sm.overlap(*pair)),
            set_pairs(disjoint=False).map(lambda pair: sm.overlap(*pair)),
            label_tables().map(with_empty_crowd),
        )
    )


def with_empty_crowd(table: OverlapTable) -> OverlapTable:
    """A crowd flag for every segment, none of them set: not the same as no flags."""
    none = np.zeros(len(table.true), dtype=bool)
    return replace(table, true=replace(table.true, crowd=none, superseded=None))  # only crowds are superseded
