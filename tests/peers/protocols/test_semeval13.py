"""The protocol ``semeval13`` against nervaluate."""

from __future__ import annotations

import pytest
from nervaluate.evaluator import Evaluator

import segmetry as sm
from tests.peers.protocols.entity_data import DEGENERATE, TYPES, Corpus, corpora
from tests.protocols.references.table_values import same, shown

pytestmark = [pytest.mark.peers, pytest.mark.filterwarnings("ignore")]

PEER = {"strict": "strict", "exact": "exact", "partial": "partial", "type": "ent_type"}
FIELDS = {
    "COR": "correct",
    "INC": "incorrect",
    "PAR": "partial",
    "MIS": "missed",
    "SPU": "spurious",
    "precision": "precision",
    "recall": "recall",
    "F1": "f1",
}


def check(corpus: Corpus) -> None:
    sides = [sm.SpanLines.from_tags(side, malformed="keep") for side in corpus]
    if not any(side.starts.size for side in sides):
        assert not sm.semeval_strict(*sides).is_defined
        return
    true, pred = ({str(at): spans for at, spans in enumerate(side)} for side in sides)
    run = sm.evaluate(true, pred, protocol="semeval13", engine="serial")
    rows, parts = shown(run), run.summary().parts
    reference = Evaluator(*corpus, tags=list(TYPES), loader="list").evaluate()
    for schema, name in PEER.items():
        expected = reference["overall"][name]
        for heading, field in FIELDS.items():
            assert same(rows[schema][heading], float(getattr(expected, field))), (schema, heading, rows, corpus)
        for kind, results in reference["entities"].items():
            score = parts[kind][f"semeval_{schema}"]["pooled"]
            assert same(score.value, float(results[name].f1)), (schema, kind, corpus)
            assert score.details["SPU"] == results[name].spurious


def test_semeval13_equals_nervaluate() -> None:
    for corpus in (*corpora(3), *DEGENERATE):
        check(corpus)


def test_a_prediction_takes_the_first_overlapping_truth_in_the_order_of_the_text() -> None:
    """The habit in one example: the long prediction takes the first of two truths, and the second is missed."""
    true = sm.Spans.from_tags(["B-PER", "B-LOC", "I-LOC", "I-LOC"])
    pred = sm.Spans.from_tags(["B-LOC", "I-LOC", "I-LOC", "I-LOC"])
    details = sm.semeval_partial(true, pred).details
    assert (details["PAR"], details["MIS"], details["SPU"]) == (1, 1, 0)
    check(([["B-PER", "B-LOC", "I-LOC", "I-LOC"]], [["B-LOC", "I-LOC", "I-LOC", "I-LOC"]]))
