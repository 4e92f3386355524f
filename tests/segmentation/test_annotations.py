"""Annotations: every coder on every item, on the same line."""

from __future__ import annotations

from typing import Any

import pytest

from segmetry.errors import InputError, KindError, ShapeMismatchError
from segmetry.segmentation.annotations import Annotations
from segmetry.segmentation.spans import Spans

TWO = Spans.from_masses([2])


def test_coders_and_their_pairs() -> None:
    found = Annotations.of({"a": TWO, "b": TWO, "c": TWO})
    assert found.annotator_pairs == (("a", "b"), ("a", "c"), ("b", "c"))
    assert len(found.ordered_pairs) == 6
    assert Annotations.of(found) is found


@pytest.mark.parametrize(
    ("items", "error", "message"),
    [
        ([TWO, TWO], KindError, "annotations are a list; expected a mapping"),
        ({}, InputError, "annotations have no items"),
        ({"x": [1, 2]}, KindError, "an item is a list; expected a mapping of annotators to Spans"),
        ({"x": {"a": TWO, "b": TWO}, "y": 3}, KindError, "item 'y' is a int"),
        ({"x": {"a": TWO}}, InputError, "item 'x' has 1 annotator; expected at least two"),
        ({"x": {"a": TWO, "b": TWO}, "y": {"a": TWO}}, InputError, "item 'y': annotator 'b' segmented only some"),
        ({"x": {"a": TWO, "b": [2]}}, KindError, "item 'x', annotator 'b' is a list; expected Spans"),
        (
            {"x": {"a": TWO, "b": Spans.from_masses([3])}},
            ShapeMismatchError,
            "item 'x': annotator 'a' has 2 elements and annotator 'b' has 3",
        ),
    ],
)
def test_bad_annotations_are_rejected(items: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Annotations.of(items)
