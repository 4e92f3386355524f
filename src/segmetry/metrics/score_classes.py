"""The scores of one item by class, and their means over groups of classes."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

from segmetry.alignments.alignment import Alignment
from segmetry.alignments.breakdown import break_down
from segmetry.alignments.tally import Tally
from segmetry.metrics.class_quotient import sums_by_class
from segmetry.metrics.declare import METRICS, Metric
from segmetry.metrics.per_class import ALL, group_score, in_class_means, mean_of, members, tally_score
from segmetry.metrics.score import Score

ClassScores = dict[Hashable, dict[str, Score]]
GroupScores = dict[str, dict[str, Score]]
OptionsByKey = Mapping[str, Mapping[str, Any]]


def score_classes(
    alignment: Alignment,
    tally_keys: list[str],
    class_means: OptionsByKey,
    options: OptionsByKey,
    groups: Mapping[str, frozenset[Hashable]],
    undefined: float | None,
) -> tuple[ClassScores, GroupScores]:
    """Return the scores of every class that occurs, and their means over each group and over all classes.

    ``tally_keys`` are metrics of a tally with their ``options``; ``class_means`` are the options of the metrics that
    are means over classes.
    """
    parts = {name: part.tally for name, part in break_down(alignment, "class").items()}
    tallies = {name: tally for name, tally in parts.items() if tally.occurs}
    per_class: ClassScores = {
        name: {key: tally_score(key, tally, options.get(key, {})).or_else(undefined) for key in tally_keys}
        for name, tally in tallies.items()
    }
    in_means = in_class_means(undefined, alignment.policy)
    means = {
        group: _group_scores(tally_keys, [tallies[name] for name in members(group, groups, tallies)], options, in_means)
        for group in (*groups, ALL)
    }
    for key, class_options in class_means.items():
        scores = _class_scores(METRICS[key], alignment, class_options, parts)
        for name, row in per_class.items():
            row[key] = scores[name].or_else(undefined)
        for group, row in means.items():
            of_group = [scores[name] for name in members(group, groups, scores)]
            row[key] = mean_of(key, of_group, None, "no class of this group occurs")
    return per_class, means


def _group_scores(
    keys: list[str], tallies: list[Tally], options: OptionsByKey, undefined: float | None
) -> dict[str, Score]:
    return {key: group_score(key, tallies, options.get(key, {}), undefined) for key in keys}


def _class_scores(
    metric: Metric, alignment: Alignment, options: Mapping[str, Any], names: Iterable[Hashable]
) -> dict[Hashable, Score]:
    """Return the value of a mean over classes for every class, undefined where the metric has no terms for it."""
    quotient = metric.per_class
    if quotient is None:
        return {}
    undefined = {name: Score.undefined(metric.key, quotient.reason) for name in names}
    sums = sums_by_class(metric.key, quotient, alignment, options)
    return undefined | {name: class_sum.score(metric.key, quotient.reason) for name, class_sum in sums.items()}
