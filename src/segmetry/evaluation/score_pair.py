"""Scoring of one pair, as the metrics are defined or as a community's protocol reports them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from segmetry.alignments.candidates import MatchRule
from segmetry.alignments.policy import Policy
from segmetry.errors import OptionError
from segmetry.metrics import score_many
from segmetry.metrics.declare import refuse_facts
from segmetry.metrics.metric_names import MetricName
from segmetry.metrics.per_class import Groups
from segmetry.metrics.score_many import Scores
from segmetry.metrics.shared_options import BackgroundName, ClassMatching, PolicyName, ResolveName, RuleName

if TYPE_CHECKING:  # imported where they are needed: most scores follow no protocol
    from segmetry.evaluation.protocol_scores import ProtocolScores
    from segmetry.protocols.protocol import Protocol

ITEM = "pair"
"""The name of the item, for messages."""


@overload
def score(
    true: Any,
    pred: Any = None,
    metrics: Iterable[MetricName] | str | None = None,
    *,
    protocol: None = None,
    rule: MatchRule | RuleName | str | None = None,
    policy: Policy | PolicyName | None = None,
    resolve: ResolveName | None = None,
    classes: ClassMatching | None = None,
    background: BackgroundName | None = None,
    undefined: float | None = None,
    average: str | None = None,
    threads: int = 1,
    groups: Groups | None = None,
    options: Mapping[str, Mapping[str, Any]] | None = None,
) -> Scores: ...


@overload
def score(
    true: Any,
    pred: Any = None,
    metrics: Iterable[MetricName] | str | None = None,
    *,
    protocol: Protocol | str,
    rule: MatchRule | RuleName | str | None = None,
    policy: Policy | PolicyName | None = None,
    resolve: ResolveName | None = None,
    classes: ClassMatching | None = None,
    background: BackgroundName | None = None,
    undefined: float | None = None,
    average: str | None = None,
    threads: int = 1,
    groups: Groups | None = None,
    options: Mapping[str, Mapping[str, Any]] | None = None,
) -> ProtocolScores: ...


@refuse_facts
def score(
    true: Any,
    pred: Any = None,
    metrics: Iterable[MetricName] | str | None = None,
    *,
    protocol: Protocol | str | None = None,
    rule: MatchRule | RuleName | str | None = None,
    policy: Policy | PolicyName | None = None,
    resolve: ResolveName | None = None,
    classes: ClassMatching | None = None,
    background: BackgroundName | None = None,
    undefined: float | None = None,
    average: str | None = None,
    threads: int = 1,
    groups: Groups | None = None,
    options: Mapping[str, Mapping[str, Any]] | None = None,
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
        and their options, and how files are read. What is stated beside it overrides it and is named in
        :attr:`ProtocolScores.modified`; ``metrics`` are computed in addition. Two files or folders are evaluated whole.
    rule : MatchRule or str, optional
        A rule or its text, such as ``'theta_plus'`` (IoU > 1/2), ``'theta_and'`` (majority overlap) or
        ``'iou(above=3/4)'``. By default that of the policy.
    policy : Policy or str, optional
        How void elements and crowd segments are treated: a policy or its name. By default void elements are removed
        (``'strict-void'``) if there are any.
    resolve : {'error', 'assign', 'keep', 'by_score'}, optional
        What happens to segments with several partners, as for :func:`segmetry.align`; ``'by_score'`` first makes
        overlapping predicted masks disjoint.
    classes : {'match', 'ignore'}, optional
        ``'match'``, the default, pairs only segments of the same class, ``'ignore'`` any two.
    background : str, optional
        How clustering metrics treat elements in no segment: ``'segment'`` (one more segment of that side; the
        default), ``'singletons'``, ``'common'`` (only elements with a segment on both sides), ``'cremi'``,
        ``'snemi'`` or ``'foreground'`` (what is outside in the truth is left out).
    undefined : float, optional
        A number that replaces undefined values, as in some other packages; by default they stay undefined.
    average : {'class', 'segments'}, optional
        The scores of segments with classes: ``'class'``, the mean over the classes of the item, is the default where
        segments of the same class are matched; ``'segments'`` counts all segments together.
    threads : int, default 1
        The number of threads that count a large label array.
    groups : mapping of str to classes, optional
        Sets of classes to average over, such as ``{'things': …, 'stuff': …}``. A mean over classes that needs a
        group, such as ``stuff``, is computed together with the metric it belongs to.
    options : mapping, optional
        Keyword arguments of single metrics by key: ``{'false_hits': {'pi': 0.5}}``.

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
    >>> scores.headline, scores.table.headings
    ('cremi_score', ('VOI split', 'VOI merge', 'ARAND', 'CREMI', 'volumes'))
    >>> scores["vi_split"].value == scores.table["VOI split"]
    True
    """
    stated: dict[str, Any] = {
        "rule": rule,
        "policy": policy,
        "resolve": resolve,
        "classes": classes,
        "background": background,
        "undefined": undefined,
        "average": average,
        "groups": groups,
        "options": options,
    }
    values = {name: value for name, value in stated.items() if value is not None}
    if protocol is None:
        return score_many.score(true, pred, metrics, threads=threads, **values)
    return _under(protocol, true, pred, metrics=metrics, threads=threads, **values)


def _under(protocol: Protocol | str, true: Any, pred: Any, **stated: Any) -> ProtocolScores:
    """Evaluate a data set of one item, or two files, by a protocol."""
    from segmetry.evaluation.evaluate import evaluate
    from segmetry.evaluation.protocol_scores import ProtocolScores
    from segmetry.protocols.protocol import as_protocol

    found = as_protocol(protocol)
    if found is None or pred is None:
        raise OptionError(
            f"protocol= reads and counts both sides itself; found {type(true).__name__} alone; pass the true and the "
            "predicted segmentation: score(true, pred, protocol=…)"
        )
    are_paths = isinstance(true, str | Path) and isinstance(pred, str | Path)
    sides = (true, pred) if are_paths else ({ITEM: true}, {ITEM: pred})
    return ProtocolScores.of_run(evaluate(*sides, protocol=found, engine="serial", **stated), found)
