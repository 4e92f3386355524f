"""The protocol ``ner`` against seqeval in strict mode, for every scheme, well-formed tags and others."""

from __future__ import annotations

import math

import pytest
from seqeval.metrics import f1_score
from seqeval.metrics.v1 import precision_recall_fscore_support
from seqeval.scheme import BILOU, IOB1, IOB2, IOBES

import segmetry as sm
from tests.peers.protocols.entity_data import DEGENERATE, Corpus, corpora
from tests.protocols.references.table_values import same, shown

pytestmark = [pytest.mark.peers, pytest.mark.filterwarnings("ignore")]

HEADINGS = ("precision", "recall", "F1")


def lines(side: list[list[str]], scheme: str) -> sm.SpanLines:
    return sm.SpanLines.from_tags(side, scheme=scheme, malformed="drop")


def check(corpus: Corpus, scheme: str, peer: type) -> None:
    sides = [lines(side, scheme) for side in corpus]
    if not any(side.starts.size for side in sides):
        assert not sm.entity_f1(*sides).is_defined
        return
    true, pred = ({str(at): spans for at, spans in enumerate(side)} for side in sides)
    run = sm.evaluate(true, pred, protocol="ner", engine="serial")
    rows = shown(run)
    for average in ("micro", "macro", "weighted"):
        *values, _ = precision_recall_fscore_support(*corpus, average=average, scheme=peer)
        for heading, expected in zip(HEADINGS, values, strict=True):
            assert same(rows[average][heading], float(expected)), (average, heading, rows, values, corpus)
    names = sorted(
        {name for side in sides for name in side.names if any(name in (s.classes or {}).values() for s in side)}
    )
    *values, support = precision_recall_fscore_support(*corpus, average=None, scheme=peer)
    parts = run.summary().parts
    for at, name in enumerate(names):
        for key, column in zip(("entity_precision", "entity_recall", "entity_f1"), values, strict=True):
            assert same(parts[name][key]["pooled"].value, float(column[at])), (name, key, corpus)
        assert parts[name]["entity_f1"]["pooled"].details["true"] == support[at]
    assert same(sm.entity_f1(*sides).value, rows["micro"]["F1"] or 0)


def test_ner_equals_seqeval() -> None:
    for corpus in (*corpora(1), *DEGENERATE):
        check(corpus, "bio", IOB2)


@pytest.mark.parametrize(
    ("scheme", "letters", "peer"), [("iobes", "BIES", IOBES), ("bilou", "BILU", BILOU), ("iob1", "IIII", IOB1)]
)
def test_other_schemes_equal_seqeval(scheme: str, letters: str, peer: type) -> None:
    every = letters if scheme != "iob1" else "IIIB"
    for corpus in corpora(2, every, 60, truth_damaged=True):
        check(corpus, scheme, peer)


def test_seqeval_without_strict_counts_ill_formed_tags() -> None:
    """The minimal example of the named exception: an I that follows nothing is an entity unless mode is strict."""
    true, pred = [["O", "B-PER"]], [["O", "I-PER"]]
    assert f1_score(true, pred) == 1
    assert f1_score(true, pred, mode="strict", scheme=IOB2) == 0
    assert sm.entity_f1(lines(true, "bio"), lines(pred, "bio")).value == 0


def test_no_entity_at_all_is_undefined_where_seqeval_writes_zero() -> None:
    nothing = [["O", "O"]]
    precision, *_ = precision_recall_fscore_support(nothing, nothing, average="micro", scheme=IOB2)
    assert precision == 0 and math.isnan(sm.entity_precision(lines(nothing, "bio"), lines(nothing, "bio")).value)
