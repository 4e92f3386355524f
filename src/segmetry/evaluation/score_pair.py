"""Scoring of one pair, as the metrics are defined or as a community's protocol reports them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack, cast, overload

from segmetry.errors import OptionError
from segmetry.metrics import (
    MetricName,
    PairOptions,
    Scores,
    ScoringOptions,
    check_names,
    score_pair_with as score_many_score,
    takes_options,
)

if TYPE_CHECKING:  # imported where they are needed: most scores follow no protocol
    from segmetry.evaluation.protocol_scores import ProtocolScores
    from segmetry.protocols import Protocol


@overload
def score(
    true: Any,
    pred: Any = None,
    metrics: Iterable[MetricName] | str | None = None,
    *,
    protocol: None = None,
    threads: int = 1,
    **options: Unpack[PairOptions],
) -> Scores: ...


@overload
def score(
    true: Any,
    pred: Any = None,
    metrics: Iterable[MetricName] | str | None = None,
    *,
    protocol: Protocol | str,
    threads: int = 1,
    **options: Unpack[PairOptions],
) -> ProtocolScores: ...


@takes_options(PairOptions, ScoringOptions)
def score(
    true: Any,
    pred: Any = None,
    metrics: Iterable[MetricName] | str | None = None,
    *,
    protocol: Protocol | str | None = None,
    threads: int = 1,
    **options: Unpack[PairOptions],
) -> Scores:
    """Score a prediction with several metrics.

    Parameters
    ----------
    true : segmentation, array or path, OverlapTable, Alignment or Tally
        The true segments, or the counts of both sides. Arrays of integers (0 is outside) become label arrays; files
        have one item each.
    pred : segmentation, array or path, optional
        The predicted segments, of the same kind and the same domain.
    metrics : iterable of str or function, or str, optional
        Keys, aliases, functions or families of metrics, or ``'all'``; by default PQ, SQ, RQ with their counts and a
        few that are customary for the kind of input.
    protocol : Protocol or str, optional
        A community's way of evaluating (``segmetry protocols`` lists them): it sets the rule, the policy, the metrics
        and their options, and how files are read. Options given explicitly override the protocol and are named in
        :attr:`ProtocolScores.modified`; ``metrics`` are computed in addition. Two files or folders are evaluated whole.
    **options
        How is scored: those of :class:`ScoringOptions` that one pair has.
    threads : int, default 1
        The number of threads that count a large label array.

    Returns
    -------
    Scores
        The results by key, with those of classes and groups; with a protocol :class:`ProtocolScores`, which also has
        the protocol's table.

    Examples
    --------
    >>> scores = score([[1, 1, 2, 2]], [[1, 1, 1, 2]], ["pq", "n_matched"])
    >>> scores["n_matched"].value, scores["pq"].value, scores.rule
    (1.0, 0.3333333333333333, 'theta_plus')
    >>> scores = score([[1, 1, 2, 2]], [[1, 1, 1, 2]], protocol="cremi")
    >>> scores.headline, scores.table.headings[1:]
    ('cremi_score', ['VOI split', 'VOI merge', 'ARAND', 'CREMI', 'volumes'])
    >>> scores["vi_split"].value == scores.table["VOI split"]
    True
    """
    if options:
        check_names("score", options, PairOptions)
    if protocol is None:
        return score_many_score(true, pred, metrics, threads=threads, **options)
    return _under(protocol, true, pred, metrics=metrics, threads=threads, **options)


def _under(protocol: Protocol | str, true: Any, pred: Any, *, threads: int, **stated: Any) -> ProtocolScores:
    """Score a pair in memory by a protocol, without a run; files are evaluated as a data set."""
    from segmetry.evaluation.pair_plan import ITEM, plan_of
    from segmetry.evaluation.protocol_scores import ProtocolScores

    if pred is None:
        raise OptionError(
            f"protocol= reads and counts both sides itself; found {type(true).__name__} alone; pass the true and the "
            "predicted segmentation: score(true, pred, protocol=…)"
        )
    are_files = isinstance(true, str | Path), isinstance(pred, str | Path)
    if any(are_files):
        from segmetry.evaluation.evaluate_items import evaluate
        from segmetry.protocols import as_protocol

        found = as_protocol(protocol)
        sides = (true, pred) if all(are_files) else ({ITEM: true}, {ITEM: pred})
        run = evaluate(*sides, protocol=found, engine="serial", threads=threads, **stated)
        return ProtocolScores(run.data, cast("Protocol", found), run.settings, run.class_names)
    plan = plan_of(protocol, true, pred, {name: value for name, value in stated.items() if value is not None})
    data = plan.data_set(true, pred, threads)
    return ProtocolScores(data, plan.protocol, plan.settings, plan.protocol.class_names)
