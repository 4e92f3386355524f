"""The protocols of text and page streams against their references on random data sets, degenerate ones included."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from nltk.metrics import segmentation as nltk_segmentation
from sklearn.metrics import f1_score

from segmetry.segmentation.spans import Spans
from tests.peers.linear_data import gap_string, masses
from tests.protocols.references.table_values import same
from tests.protocols.references.test_page_streams import (
    evaluated,
    line_data_sets,
    mean,
    stream_row as definitions,
    window_size,
)

with warnings.catch_warnings():
    warnings.simplefilter("ignore", SyntaxWarning)
    import segeval

pytestmark = pytest.mark.peers


def segeval_row(true: Spans, pred: Spans) -> dict[str, float | None]:
    """The values of segeval; None where it has none, S 1 where neither side has a boundary (a named exception)."""
    size = segeval.compute_window_size(masses(true), boundary_format=segeval.BoundaryFormat.mass)
    bounded = true.boundaries.size + pred.boundaries.size > 0
    sides = masses(pred), masses(true)
    return {
        "Pk": float(segeval.pk(*sides)) if size < true.n else None,
        "WD": float(segeval.window_diff(*sides)) if size < true.n else None,
        "B": float(segeval.boundary_similarity(*sides)) if bounded else None,
        "S": float(segeval.segmentation_similarity(*sides)) if bounded else 1.0 if true.n > 1 else None,
    }


def test_text_equals_segeval() -> None:
    for pairs in line_data_sets(41):
        rows = [segeval_row(*pair) for pair in pairs]
        values = evaluated(pairs, "text")
        for heading in ("Pk", "WD", "B", "S"):
            expected = mean([row[heading] for row in rows])
            assert same(values[heading], expected), (heading, values, expected, pairs)


def stream_row(true: Spans, pred: Spans) -> dict[str, float | None]:
    """WindowDiff of nltk and F1 of scikit-learn in the place of their definitions."""
    row = definitions(true, pred)
    if true.n > 1:
        gaps = [gap_string(side) for side in (true, pred)]
        row["WD"] = nltk_segmentation.windowdiff(*gaps, window_size(true))
        bits = [np.array(list(map(int, side)), dtype=int) for side in gaps]
        row["boundary F1"] = float(f1_score(*bits)) if any(side.any() for side in bits) else None
    return row


def test_page_streams_equal_nltk_and_scikit_learn() -> None:
    for pairs in line_data_sets(42):
        rows = [stream_row(*pair) for pair in pairs]
        values = evaluated(pairs, "page-streams")
        for heading in rows[0]:
            expected = mean([row[heading] for row in rows])
            assert same(values[heading], expected), (heading, values, expected, pairs)
