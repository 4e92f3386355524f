"""The options that metrics share because they belong to their inputs: names, types, defaults and words.

:func:`shared_options` is a signature, never called: the functions that users call and the type stub copy its
parameters, so that names, types and defaults are written once.
"""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from types import MappingProxyType
from typing import Literal

from numpy.typing import ArrayLike

from segmetry.alignments.alignment import Alignment
from segmetry.alignments.candidates import MatchRule
from segmetry.alignments.policy import Policy
from segmetry.alignments.tally import Tally
from segmetry.overlaps.table import OverlapTable
from segmetry.segmentation.annotations import Annotations
from segmetry.segmentation.base import Segmentation
from segmetry.segmentation.span_lines import SpanLines
from segmetry.segmentation.spans import Spans

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


def shared_options(
    *,
    rule: MatchRule | RuleName | str | None = None,
    policy: Policy | PolicyName | None = None,
    resolve: ResolveName | None = None,
    classes: ClassMatching = "match",
    background: BackgroundName = "segment",
    average: ItemAverage | None = None,
) -> None:
    """State the shared options of metrics, with their types and defaults."""


SHARED_WORDS: Mapping[str, str] = MappingProxyType(
    {
        "rule": "Which true and predicted segments are a pair: a rule or its text, such as ``'theta_plus'`` (IoU > ½), "
        "``'theta_and'`` (majority overlap) or ``'iou(above=3/4)'``. By default the rule of the policy.",
        "policy": "How void elements and crowd segments are treated; by default void elements are "
        "removed (``'strict-void'``) if there are any.",
        "resolve": "What happens to segments with several partners: ``'error'``, ``'assign'`` (the assignment with the "
        "largest sum of IoUs), ``'keep'`` (all pairs), or ``'by_score'``: overlapping predicted masks are first made "
        "disjoint in descending order of score.",
        "classes": "``'match'`` pairs only segments of the same class, ``'ignore'`` any two.",
        "background": "Elements in no segment: ``'segment'`` treats the outside of a side as one more segment, "
        "``'singletons'`` each such element as a segment, ``'common'`` counts only what both sides cover; ``'cremi'``, "
        "``'snemi'`` and ``'foreground'`` leave out what is outside in the truth.",
        "average": "The score of segments with classes: ``'class'``, the mean over their classes, is the default where "
        "only segments of the same class are matched; ``'segments'`` counts all segments together.",
    }
)
