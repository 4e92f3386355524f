"""Every mistake a user can make with an input is one clear error: what was found, what was expected, what to do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import segmetry as sm
from segmetry.errors import (
    ClashError,
    ClassesError,
    EmptyInputError,
    FormatError,
    InputError,
    KindError,
    LabelTypeError,
    NegativeLabelError,
    OptionError,
    RunLengthError,
    SegmetryError,
    ShapeMismatchError,
    SpanError,
)

OVERLAPPING = sm.Masks.from_dense(np.ones((2, 3, 3), dtype=bool))
ONE = sm.Masks.from_dense(np.ones((1, 3, 3), dtype=bool))
ok = np.array([[1, 1], [2, 2]])

CASES: dict[str, tuple[Callable[[], Any], type[SegmetryError], str]] = {
    "shapes": (
        lambda: sm.pq(ok, ok.ravel()),
        ShapeMismatchError,
        r"true has shape \(2, 2\) and pred has shape \(4,\).*never resizes",
    ),
    "lengths": (
        lambda: sm.pq(sm.Spans.from_masses([3]), sm.Spans.from_masses([4])),
        ShapeMismatchError,
        "3 elements and pred has 4 elements",
    ),
    "kinds": (lambda: sm.pq(ok, sm.Spans.from_masses([4])), KindError, "true is a label array and pred is spans"),
    "no array": (lambda: sm.pq(ok, 7), KindError, "pred is a int; expected an integer array"),
    "no file": (lambda: sm.pq(ok, "pred.png"), FormatError, "pred.png: no such file or folder"),
    "pred missing": (lambda: sm.pq(ok), KindError, "pred is missing"),
    "float": (lambda: sm.pq(ok, ok * 1.0), LabelTypeError, "pred: labels have dtype float64.*allow_float=True"),
    "fraction": (lambda: sm.LabelArray([[0.5, 1.0]], allow_float=True), LabelTypeError, r"0.5 at \(0, 0\).*resampled"),
    "NaN": (lambda: sm.LabelArray([[1.0, np.nan]], allow_float=True), LabelTypeError, r"nan at \(0, 1\)"),
    "infinite": (lambda: sm.LabelArray([np.inf], allow_float=True), LabelTypeError, r"inf at \(0,\)"),
    "lost digits": (lambda: sm.LabelArray([2.0**60], allow_float=True), LabelTypeError, "lost digits"),
    "negative": (lambda: sm.pq(ok - 2, ok), NegativeLabelError, "true: label -1 is negative; if it means background"),
    "empty": (lambda: sm.pq(np.zeros((0, 3), dtype=int), ok), EmptyInputError, r"true: labels have shape \(0, 3\)"),
    "objects": (lambda: sm.pq(np.array([["a"]], dtype=object), ok), LabelTypeError, "dtype object"),
    "masked": (lambda: sm.pq(np.ma.array(ok, mask=ok > 1), ok), LabelTypeError, "true: labels are a masked array"),
    "text": (lambda: sm.pq(np.array([["a"]]), ok), LabelTypeError, "number them first"),
    "ragged": (lambda: sm.pq([[1, 2], [3]], ok), LabelTypeError, "ragged list"),
    "outside and void": (lambda: sm.LabelArray(ok, outside=1, void=[1, 2]), OptionError, "label 1 is declared both"),
    "outside of no integer": (lambda: sm.LabelArray(ok, outside=0.5), OptionError, "outside is 0.5"),  # type: ignore[arg-type]
    "spacing": (lambda: sm.LabelArray(ok, spacing=(1, -1)), OptionError, "positive finite"),
    "spacing axes": (lambda: sm.LabelArray(ok, spacing=(1,)), OptionError, "spacing has 1 values; expected 2"),
    "class missing": (
        lambda: sm.pq(sm.LabelArray(ok, classes={1: "car"}), sm.LabelArray(ok, classes={1: "car", 2: "car"})),
        ClassesError,
        "true: segment 2 has no class",
    ),
    "classes on one side": (
        lambda: sm.pq(sm.LabelArray(ok, classes={1: 1, 2: 1}), ok),
        ClassesError,
        "pred has no classes",
    ),
    "RLE too short": (
        lambda: sm.Masks.from_rle([{"size": [2, 2], "counts": [1, 2]}]),
        RunLengthError,
        "mask 0.*sum to height × width = 4",
    ),
    "RLE too long": (lambda: sm.Masks.from_rle([{"size": [2, 2], "counts": [1, 9]}]), RunLengthError, "= 4"),
    "RLE negative": (lambda: sm.Masks.from_rle([{"size": [2, 2], "counts": [5, -1]}]), RunLengthError, "= 4"),
    "RLE cut off": (lambda: sm.Masks.from_rle([{"size": [2, 2], "counts": b"o"}]), RunLengthError, "mask 0"),
    "RLE of no ASCII": (lambda: sm.Masks.from_rle([{"size": [2, 2], "counts": "ü"}]), RunLengthError, "not ASCII"),
    "RLE without counts": (lambda: sm.Masks.from_rle([{"size": [2, 2]}]), RunLengthError, "no field 'counts'"),
    "RLE of two sizes": (
        lambda: sm.Masks.from_rle([{"size": [1, 1], "counts": [1]}, {"size": [1, 2], "counts": [2]}]),
        RunLengthError,
        "expected one size",
    ),
    "no masks and no shape": (lambda: sm.Masks.from_rle([]), RunLengthError, "pass shape="),
    "stack of integers": (lambda: sm.Masks.from_dense(np.ones((1, 2, 2))), LabelTypeError, "expected bool"),
    "mask ids twice": (
        lambda: sm.Masks.from_dense(np.ones((2, 1, 1), dtype=bool), ids=[1, 1]),
        InputError,
        "one id per segment",
    ),
    "scores missing": (
        lambda: sm.pq(ONE, OVERLAPPING, resolve="by_score"),
        OptionError,
        "needs a score for every mask",
    ),
    "scores of labels": (lambda: sm.pq(ok, ok, resolve="by_score"), OptionError, "pred is a label array"),
    "score is NaN": (
        lambda: sm.Masks.from_dense(np.ones((1, 1, 1), dtype=bool), scores=[np.nan]),
        InputError,
        r"scores\[0\] is NaN",
    ),
    "overlapping masks": (
        lambda: sm.pq(ONE, OVERLAPPING),
        ClashError,
        "true segment 1 has several partners: the segments overlap.*assign",
    ),
    "rule that clashes": (
        lambda: sm.pq([[1, 1]], [[1, 2]], rule="iou(above=0.4)"),
        ClashError,
        "rule iou.above=2/5. does not guarantee one partner",
    ),
    "unknown resolve": (lambda: sm.pq(ok, ok, resolve="guess"), OptionError, "resolve is 'guess'"),
    "unknown policy": (lambda: sm.pq(ok, ok, policy="coca"), SegmetryError, "no policy 'coca'"),
    "unknown option": (lambda: sm.pq(ok, ok, treshold=1), OptionError, "pq has no option 'treshold'"),
    "undefined": (lambda: sm.score(ok, ok, ["pq"], undefined=2), OptionError, "undefined is 2; expected 0, 1 or nan"),
    "threads": (lambda: sm.score(ok, ok, ["pq"], threads=0), OptionError, "threads is 0"),
    "background": (lambda: sm.score(ok, ok, ["pq"], background="all"), OptionError, "background is 'all'"),
    "RLE of no size": (
        lambda: sm.Masks.from_rle([{"size": None, "counts": [4]}]),
        RunLengthError,
        "mask 0 has size None",
    ),
    "group of letters": (
        lambda: sm.score(ok, ok, ["pq"], groups={"things": "car"}),
        OptionError,
        "group 'things' is the text 'car'; expected a collection",
    ),
    "unknown metric": (lambda: sm.score(ok, ok, ["pqq"]), SegmetryError, "did you mean pq"),
    "no metric": (lambda: sm.score(ok, ok, ""), OptionError, "metrics is empty"),
    "options for nobody": (lambda: sm.score(ok, ok, ["pq"], options={"sq": {}}), OptionError, "options name 'sq'"),
    "classes option": (lambda: sm.pq(ok, ok, classes="merge"), OptionError, "classes is 'merge'"),
    "empty span": (lambda: sm.Spans.from_spans([(3, 3)], n=5), SpanError, r"span \[3, 3\) is empty"),
    "span beyond the end": (lambda: sm.Spans.from_spans([(3, 6)], n=5), SpanError, "is outside the sequence"),
    "overlapping spans": (lambda: sm.Spans.from_spans([(0, 3), (2, 5)], n=5), SpanError, r"\[2, 5\) overlaps \[0, 3\)"),
    "mass of zero": (lambda: sm.Spans.from_masses([2, 0]), SpanError, r"masses\[1\] is 0"),
    "bits": (lambda: sm.Spans.from_bits([1, 2]), SpanError, r"bits\[1\] is 2"),
    "boundary at 0": (lambda: sm.Spans.from_boundaries([0], n=5), SpanError, "boundary 0 is outside 1 … 4"),
    "boundary twice": (lambda: sm.Spans.from_boundaries([2, 2], n=5), SpanError, "boundary 2 occurs twice"),
    "tag": (lambda: sm.Spans.from_tags(["B-X", "X"]), SpanError, r"tags\[1\] is 'X'"),
    "tag without begin": (lambda: sm.Spans.from_tags(["O", "I-X"]), SpanError, "expected B-X first"),
    "float masses": (lambda: sm.Spans.from_masses([1.5]), SpanError, "expected a list of integers"),
    "empty set": (lambda: sm.Sets([set()]), InputError, "segment 1 is empty"),
    "element twice": (lambda: sm.Sets([[1, 1]]), InputError, "lists an element twice"),
    "text as set": (lambda: sm.Sets(["abc"]), InputError, "is the string 'abc'"),
    "stray element": (lambda: sm.Sets([{1, 9}], universe=[1]), InputError, "segment 1 contains 9"),
    "universes": (
        lambda: sm.pq(sm.Sets([{1}], universe=[1]), sm.Sets([{1}], universe=[1, 2])),
        ShapeMismatchError,
        "another of",
    ),
    "stray on the other side": (
        lambda: sm.pq(sm.Sets([{1}], universe=[1]), sm.Sets([{2}])),
        InputError,
        "pred contains 2",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_one_clear_error(case: str) -> None:
    act, error, message = CASES[case]
    with pytest.raises(error, match=message):
        act()


@pytest.mark.parametrize("case", CASES)
def test_errors_are_builtins_too_and_fit_one_line(case: str) -> None:
    act, error, _ = CASES[case]
    with pytest.raises((ValueError, TypeError, KeyError)) as caught:
        act()
    assert isinstance(caught.value, SegmetryError)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300
