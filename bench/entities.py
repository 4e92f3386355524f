"""Entities of many sentences against seqeval, both from lists of tags; parsing them is part of both times.

Every tag of the 2·10⁴ sentences is a text of its own, as a reader of files makes them; those of the 10⁶ sentences share
one object per distinct tag, so that they fit in memory.
"""

from __future__ import annotations

import numpy as np

import segmetry as sm
from bench.cases import Call, Contest, Limit, case, optional

SEQEVAL = "seqeval f1_score, strict"
SEQEVAL_SHORT = "seqeval on 2·10⁴ of them"
Corpus = list[list[str]]


def tagged_corpus(n: int, seed: int) -> tuple[Corpus, Corpus]:
    """Return sentences of 12 tokens with entities of up to 3, and a prediction of which one tag in ten differs."""
    rng = np.random.default_rng(seed)
    kinds = np.array(["PER", "LOC", "ORG", "MISC"])
    begins = rng.random((n, 12)) < 0.15
    inside = np.zeros_like(begins)
    for gap in (1, 2):
        inside[:, gap:] |= begins[:, :-gap] & (rng.random((n, 12 - gap)) < 0.5 if gap == 1 else inside[:, 1:-1])
    kind = np.repeat(kinds[rng.integers(0, 4, n)][:, None], 12, axis=1)
    tags = np.where(begins, np.char.add("B-", kind), np.where(inside, np.char.add("I-", kind), "O"))
    other = np.where(rng.random((n, 12)) < 0.1, "O", tags)
    return tags.tolist(), other.tolist()


def _shared(corpus: Corpus) -> Corpus:
    known: dict[str, str] = {}
    return [[known.setdefault(tag, tag) for tag in tags] for tags in corpus]


def _seqeval(true: Corpus, pred: Corpus) -> Call | None:
    f1_score, scheme = optional("seqeval.metrics", "f1_score"), optional("seqeval.scheme", "IOB2")
    if f1_score is None:
        return None
    return lambda: f1_score(true, pred, mode="strict", scheme=scheme)


def _ours(true: Corpus, pred: Corpus) -> float:
    first, second = (sm.SpanLines.from_tags(side, scheme="bio", malformed="drop") for side in (true, pred))
    return sm.entity_f1(first, second).value


@case("exact F1 of the entities of 2·10⁴ sentences of 12 tokens, from tags", Limit(SEQEVAL, at_least=50))
def sentences() -> Contest:
    corpus = tagged_corpus(20_000, 1)
    return Contest(lambda: _ours(*corpus), {SEQEVAL: _seqeval(*corpus)})


@case(
    "the same of 10⁶ sentences, against seqeval on 2·10⁴ (50 times fewer)", Limit(SEQEVAL_SHORT, at_most=1), quick=False
)
def many_sentences() -> Contest:
    true, pred = map(_shared, tagged_corpus(20_000, 2))
    few, corpus = (true, pred), (true * 50, pred * 50)
    return Contest(lambda: _ours(*corpus), {SEQEVAL_SHORT: _seqeval(*few)})
