"""Entities found exactly and the outcomes of SemEval'13 against definitions over Python sets, and worked numbers."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.errors import OptionError, SpanError
from tests.profiles import examples

Sentence = list[str]


@st.composite
def sentences(draw: st.DrawFn) -> tuple[Sentence, Sentence]:
    n = draw(st.integers(0, 8))
    tag = st.sampled_from(["O", "B-x", "I-x", "B-y", "I-y"])
    side = st.lists(tag, min_size=n, max_size=n)
    return draw(side), draw(side)


def entities(corpus: list[Sentence]) -> set[tuple[int, int, int, str]]:
    """Sentence, first token, token after the last, and class; an I that follows nothing opens an entity."""
    found = set()
    for number, tags in enumerate(corpus):
        start = 0
        for at in range(1, len(tags) + 1):
            goes_on = at < len(tags) and tags[at][0] == "I" and tags[at][1:] == tags[at - 1][1:]
            if not goes_on:
                if tags[start] != "O":
                    found.add((number, start, at, tags[start][2:]))
                start = at
    return found


@examples(6)
@given(st.lists(sentences(), min_size=1, max_size=4))
def test_scores_of_a_corpus_equal_sets_of_entities(corpus: list[tuple[Sentence, Sentence]]) -> None:
    sides = [[pair[side] for pair in corpus] for side in (0, 1)]
    true, pred = (sm.SpanLines.from_tags(side, scheme="bio", malformed="keep") for side in sides)
    t, p = map(entities, sides)
    if not t | p:
        assert not sm.entity_f1(true, pred).is_defined
        return
    assert sm.entity_f1(true, pred).value == 2 * len(t & p) / (len(t) + len(p))
    assert sm.entity_precision(true, pred).value == (len(t & p) / len(p) if p else 0)
    assert sm.entity_recall(true, pred).value == (len(t & p) / len(t) if t else 0)
    run = sm.evaluate(list(true), list(pred), protocol="ner", engine="serial") if t and p else None
    if run is not None:
        names = {name for *_, name in t | p}
        of_class = {name: [{e for e in side if e[3] == name} for side in (t, p)] for name in names}
        f1 = {name: Fraction(2 * len(a & b), len(a) + len(b)) for name, (a, b) in of_class.items()}
        summary = run.summary()["entity_f1"]
        assert math.isclose(summary["by_class"].value, sum(f1.values()) / len(names), abs_tol=1e-15)
        weighted = sum(f1[name] * len(of_class[name][0]) for name in names) / len(t)
        assert math.isclose(summary["pooled"].details["weighted"], weighted, abs_tol=1e-15)


def test_many_lines_are_their_single_lines() -> None:
    lines = sm.SpanLines.from_tags([["B-x", "I-x"], [], ["O", "B-y"]])
    again = sm.SpanLines.of(list(lines))
    assert [column.tolist() for column in (again.starts, again.stops, again.lines)] == [[0, 1], [2, 2], [0, 2]]
    assert [spans.classes for spans in lines] == [{1: "x"}, {}, {1: "y"}]
    assert repr(lines) == "SpanLines(3 lines, 2 spans, 2 classes)"


@pytest.mark.parametrize(
    ("pred", "outcomes"),
    [
        ("B-PER I-PER I-PER O", {"strict": "COR", "exact": "COR", "partial": "COR", "type": "COR"}),
        ("B-LOC I-LOC I-LOC O", {"strict": "INC", "exact": "COR", "partial": "COR", "type": "INC"}),
        ("O B-PER I-PER I-PER", {"strict": "INC", "exact": "INC", "partial": "PAR", "type": "COR"}),
        ("O B-LOC I-LOC I-LOC", {"strict": "INC", "exact": "INC", "partial": "PAR", "type": "INC"}),
        ("O O O B-PER", {"strict": "SPU", "exact": "SPU", "partial": "SPU", "type": "SPU"}),
    ],
)
def test_the_scenarios_of_the_task(pred: str, outcomes: dict[str, str]) -> None:
    true = sm.Spans.from_tags(["B-PER", "I-PER", "I-PER", "O"])
    for schema, outcome in outcomes.items():
        details = getattr(sm, f"semeval_{schema}")(true, sm.Spans.from_tags(pred.split())).details
        assert details[outcome] == 1
        assert details["MIS"] == (outcome == "SPU")


def test_an_overlap_must_cover_the_least_share() -> None:
    true, pred = (
        sm.Spans.from_spans([(0, 200)], n=201, classes=["x"]),
        sm.Spans.from_spans([(199, 201)], 201, classes=["x"]),
    )
    assert sm.semeval_type(true, pred).details["SPU"] == 1
    assert sm.semeval_type(true, pred, least_share="0.005").details["COR"] == 1
    with pytest.raises(OptionError, match="least_share is 0; expected a share"):
        sm.semeval_type(true, pred, least_share=0)


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        (([0], [1], [0], [0], ("x",), []), "must ascend from 0 to -1"),
        (([0], [2], [0], [0], ("x",), [1]), r"line 0: span \[0, 2\) is empty, outside"),
        (([0, 1], [2, 3], [0, 0], [0, 0], ("x",), [3]), r"line 0: span \[1, 3\) is empty, outside"),
        (([0], [2, 3], [0, 0], [0, 0], ("x",), [3]), r"have \[1, 2\] entries; expected one length"),
    ],
)
def test_wrong_columns_are_one_clear_error(columns: tuple[object, ...], words: str) -> None:
    import numpy as np

    arrays = [np.array(column, dtype=np.int64) if isinstance(column, list) else column for column in columns]
    with pytest.raises(SpanError, match=words):
        sm.SpanLines(*arrays)
    with pytest.raises(SpanError, match=r"line 1: tags\[0\] is 'Q'; expected O, or one of B"):
        sm.SpanLines.from_tags([["O"], ["Q"]])
    with pytest.raises(SpanError, match=r"line 1: tags\[1\] is 'I-x' but no x is open"):
        sm.SpanLines.from_tags([["O"], ["O", "I-x"]])
