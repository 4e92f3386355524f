"""Scores per class, and their means over groups of classes: things, stuff, all."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Iterable, Mapping
from typing import Any

import numpy as np

from segmetry._base.exact import FloatArray
from segmetry.alignments.policy import Policy
from segmetry.alignments.tally import Tally, add_tallies
from segmetry.errors import OptionError
from segmetry.kernels.statistics.group_sums import rounded_sum
from segmetry.metrics.declare import METRICS, Metric
from segmetry.metrics.score import Score

Groups = Mapping[str, Collection[Hashable]]
ALL = "all"


def checked_undefined(undefined: Any) -> float | None:
    """Return the value that replaces an undefined one in a mean; None and NaN leave it out.

    >>> checked_undefined(0), checked_undefined(float("nan"))
    (0.0, None)
    """
    if undefined is None or (isinstance(undefined, float) and math.isnan(undefined)):
        return None
    if isinstance(undefined, bool) or undefined not in (0, 1):
        raise OptionError(f"undefined is {undefined!r}; expected 0, 1 or nan")
    return float(undefined)


def in_class_means(undefined: float | None, policy: Policy) -> float | None:
    """Return the value of an undefined score in a mean over classes: the user's, else that of the policy."""
    return policy.undefined if undefined is None else checked_undefined(undefined)


def checked_groups(groups: Groups | None) -> dict[str, frozenset[Hashable]]:
    """Return groups of classes by name; ``all`` is predefined and cannot be redefined."""
    for name, classes in (groups or {}).items():
        if isinstance(classes, str | bytes):
            raise OptionError(
                f"group {name!r} is the text {classes!r}; expected a collection of classes, such as [{classes!r}]"
            )
    classes_of = {name: frozenset(classes) for name, classes in (groups or {}).items()}
    if ALL in classes_of:
        raise OptionError("groups name 'all', which is predefined as all classes; choose another name")
    return classes_of


def members(name: str, groups: Mapping[str, frozenset[Hashable]], classes: Iterable[Hashable]) -> list[Hashable]:
    """Return the classes of a group among those that occur."""
    return [class_name for class_name in classes if name == ALL or class_name in groups[name]]


def is_count(key: str) -> bool:
    """Return whether a metric is a count: values of a data set and of groups are then sums, not quotients or means."""
    return METRICS[key].is_count


def class_options(metric: Metric, groups: Groups, options: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the options of a mean over classes, with the classes of groups where the metric takes them from there.

    None where the metric is not a mean over classes, or the classes of an option are not specified.

    >>> class_options(METRICS["pq"], {"stuff": ["sky"]}, {}) is None
    True
    """
    if metric.per_class is None:
        return None
    known = {name: groups[name] for name in metric.per_class.group_options if name in groups} | dict(options)
    return known if all(known.get(name) is not None for name in metric.per_class.group_options) else None


def mean_of(key: str, scores: Iterable[Score], undefined: float | None, reason: str, **details: Any) -> Score:
    """Return the mean of the defined values, and of ``undefined`` for the others unless it is None.

    The denominator is the number of values.

    >>> mean_of("sq", [Score.of("sq", 1, 2), Score.of("sq", 0, 0)], None, "nothing")
    Score(sq: 0.5)
    """
    return mean_of_values(
        key, (score.value if score.is_defined else math.nan for score in scores), undefined, reason, **details
    )


def mean_of_values(
    key: str, values: Iterable[float] | FloatArray, undefined: float | None, reason: str, **details: Any
) -> Score:
    """Return the mean of plain numbers, NaN where they are undefined.

    >>> mean_of_values("sq", [0.5, math.nan], 1.0, "nothing")
    Score(sq: 0.75)
    """
    if isinstance(values, np.ndarray):
        is_undefined = np.isnan(values)
        if undefined is not None:
            values = np.where(is_undefined, undefined, values)
        elif is_undefined.any():
            values = values[~is_undefined]
        return Score.of(key, rounded_sum(values), len(values), reason, **details)
    listed = list(values)
    total = math.fsum(listed)
    if math.isnan(total):
        used = [undefined if math.isnan(value) else value for value in listed]
        listed = [value for value in used if value is not None]
        total = math.fsum(listed)
    return Score.of(key, total, len(listed), reason, **details)


def tally_score(key: str, tally: Tally, options: Mapping[str, Any]) -> Score:
    """Return the score of a tally."""
    score = METRICS[key].compute(tally, **options)
    if not isinstance(score, Score):
        raise OptionError(f"{key} has several values and cannot be averaged")
    return score


def group_score(
    key: str,
    tallies: list[Tally],
    options: Mapping[str, Any],
    undefined: float | None,
) -> Score:
    """Return the score of a group of classes that occur: the mean over the classes or, for counts, the sum."""
    if is_count(key):
        if not tallies:
            return Score.of(key, 0, 1)
        return tally_score(key, add_tallies(tallies), options)
    listed = [tally_score(key, tally, options) for tally in tallies]
    return mean_of(key, listed, undefined, "no class of this group occurs")
