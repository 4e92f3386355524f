"""The options of scoring, listed once: names, types and help, and their checked values in one record.

``score``, ``evaluate``, ``Run.rescore``, the adapters and the command line take :class:`ScoringOptions`, metrics those
that belong to their inputs; signatures, help and the type stub are composed from it. The settings of a run and the
declaration of a protocol are a :class:`Scoring` with further fields.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from dataclasses import field
from os import PathLike
from types import MappingProxyType
from typing import Any, Literal, TypedDict, Unpack

from numpy.typing import ArrayLike

from segmetry._base import frozen_dataclass
from segmetry.alignments import Alignment, MatchRule, Policy, Tally, as_policy, as_rule, checked_classes
from segmetry.metrics.average import Groups, checked_average, checked_groups, checked_undefined
from segmetry.metrics.declare import unknown_option
from segmetry.metrics.metric_names import MetricName, canonical_names
from segmetry.overlaps import OverlapTable, checked_background
from segmetry.segmentation import Annotations, Segmentation, SpanLines, Spans

RuleName = Literal[
    "theta_plus",
    "theta_and",
    "iou",
    "dice",
    "tversky",
    "mutual_coverage",
    "coverage",
    "largest_overlap",
    "maximum_weight",
    "greedy",
]
"""The names of rules; a rule with options is a text such as ``"iou(above=3/4)"``, or an object."""
PolicyName = Literal["none", "coco", "coco-all-crowds", "torchmetrics", "strict-void"]
ResolveName = Literal["error", "by_score", "assign", "keep"]
ClassMatching = Literal["match", "ignore"]
BackgroundName = Literal["segment", "singletons", "common", "cremi", "snemi", "foreground"]
ItemAverage = Literal["class", "segments"]
SegmentationLike = Segmentation | ArrayLike | PathLike[str]
"""A segmentation, an array of integers (numpy, nested lists, tensors), which becomes a label array, or a path."""
LinesLike = SpanLines | SegmentationLike
"""The spans of many lines, or of one."""
Counted = OverlapTable | Alignment
"""What a metric of counts takes instead of two segmentations."""
Tallied = OverlapTable | Alignment | Tally
"""What a metric of a tally takes instead of two segmentations."""
AnnotationsLike = Annotations | Mapping[str, Mapping[str, Spans]] | Mapping[str, Spans]
"""The segmentations of several annotators: item → annotator → Spans, or annotator → Spans."""


class RescoringOptions(TypedDict, total=False):
    """The options for which the overlaps of a run suffice; :class:`ScoringOptions` documents them."""

    policy: Policy | PolicyName | None
    classes: ClassMatching | None
    background: BackgroundName | None
    undefined: float | None
    average: ItemAverage | None
    options: Mapping[str, Any] | None


class PairOptions(RescoringOptions, total=False):
    """The options of scoring one pair; :class:`ScoringOptions` documents them."""

    rule: MatchRule | RuleName | str | None
    resolve: ResolveName | None
    groups: Groups | None


class ScoringOptions(PairOptions, total=False):
    """How is scored; what is left out or None is decided by the protocol, the policy and the data.

    Parameters
    ----------
    rule : MatchRule or str, optional
        Which true and predicted segments are a pair: a rule or its text, such as ``'theta_plus'`` (IoU > ½),
        ``'theta_and'`` (majority overlap) or ``'iou(above=3/4)'``. By default the rule of the policy.
    also : iterable of MatchRule or str, optional
        Further rules for which metrics that need the inputs are stored.
    policy : Policy or str, optional
        How void elements and crowd segments are treated; by default void elements are removed (``'strict-void'``) if
        there are any.
    metrics : iterable of str or function, or str, optional
        Keys, aliases, functions or families of metrics, or ``'all'``; by default PQ, SQ, RQ with their counts and a
        few that are customary for the kind of input.
    resolve : {'error', 'by_score', 'assign', 'keep'}, optional
        What happens to segments with several partners: ``'error'``, ``'assign'`` (the assignment with the largest sum
        of IoUs), ``'keep'`` (all pairs), or ``'by_score'``: overlapping predicted masks are first made disjoint in
        descending order of score.
    classes : {'match', 'ignore'}, optional
        ``'match'`` pairs only segments of the same class, ``'ignore'`` any two.
    background : {'segment', 'singletons', 'common', 'cremi', 'snemi', 'foreground'}, optional
        Elements in no segment: ``'segment'`` treats the outside of a side as one more segment, ``'singletons'`` each
        such element as a segment, ``'common'`` counts only what both sides cover; ``'cremi'``, ``'snemi'`` and
        ``'foreground'`` leave out what is outside in the truth.
    undefined : float, optional
        A number that replaces undefined values, as in some other packages; by default they stay undefined.
    average : {'class', 'segments'}, optional
        The score of segments with classes: ``'class'``, the mean over their classes, is the default where only
        segments of the same class are matched; ``'segments'`` counts all segments together.
    groups : mapping of str to classes, optional
        Sets of classes to average over, such as ``{'things': …, 'stuff': …}``. A mean over classes that needs a group,
        such as ``stuff``, is computed together with the metric it belongs to.
    options : mapping, optional
        Keyword arguments of single metrics by key: ``{'false_hits': {'pi': 0.5}}``. One that stands by itself,
        ``{'iou_type': 'bbox'}``, is that of all metrics that take it, where a data set is evaluated.
    """

    metrics: Iterable[MetricName] | str | None
    also: Iterable[MatchRule | RuleName | str] | None


METRIC_DEFAULTS: Mapping[str, Any] = MappingProxyType({"classes": "match", "background": "segment"})
"""The values of options that have one where neither a protocol nor the user states another."""
_CHECKS: Mapping[str, Callable[[Any], Any]] = MappingProxyType(
    {
        "rule": as_rule,
        "also": lambda rules: tuple(map(as_rule, rules)),
        "policy": as_policy,
        "classes": checked_classes,
        "background": checked_background,
        "undefined": checked_undefined,
        "average": checked_average,
        "groups": checked_groups,
    }
)


@frozen_dataclass(kw_only=True)
class Scoring:
    """Checked options of scoring; None where the protocol, the policy or the data decide.

    Rules and policies are objects as they are checked, and their names in records that are stored.
    """

    rule: MatchRule | str | None = None
    also: tuple[MatchRule | str, ...] = ()
    policy: Policy | str | None = None
    metrics: tuple[str, ...] | None = None
    resolve: str | None = None
    classes: str = METRIC_DEFAULTS["classes"]
    background: str | None = METRIC_DEFAULTS["background"]
    undefined: float | None = None
    average: str | None = None
    groups: Mapping[str, Collection[Hashable]] | None = field(default_factory=dict)
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @classmethod
    def of(cls, **stated: Unpack[ScoringOptions]) -> Scoring:
        """Return checked options; metrics and their options by key.

        >>> scoring = Scoring.of(rule="iou(above=0.75)", metrics="PQ, hd95")
        >>> scoring.rule.name, scoring.metrics
        ('iou(above=3/4)', ('pq', 'hausdorff95'))
        """
        values: dict[str, Any] = {name: value for name, value in stated.items() if value is not None}
        names, values["options"] = canonical_names(values.get("metrics"), values.get("options"))
        values["metrics"] = None if names is None else tuple(names)
        return cls(**{name: _CHECKS[name](value) if name in _CHECKS else value for name, value in values.items()})


def check_names(asker: str, stated: Iterable[str], record: Any) -> None:
    """Raise OptionError for an option that a record does not have."""
    for name in stated:
        if name not in record.__annotations__:
            raise unknown_option(asker, name, record.__annotations__)
