"""Selection of metrics: by key, by family, or the default set for a kind of segmentation."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from inspect import Parameter
from typing import Any

from segmetry.errors import KindError, OptionError
from segmetry.metrics.declare import METRICS, Metric, is_family, metrics_of_family
from segmetry.metrics.metric_inputs import FROM_TABLE
from segmetry.metrics.metric_names import ALL

HEADLINE = ("pq", "sq", "rq", "n_matched", "n_missed", "n_spurious")
"""What is computed unless metrics are named, with a few metrics that are customary for a kind of segmentation."""
CUSTOMARY = {
    "labels": ("adjusted_rand_index", "variation_of_information"),
    "spans": ("pk", "window_diff", "boundary_f1", "boundary_similarity"),
}
SCORED = ("average_precision",)
"""Computed as well where predicted masks have scores."""

LINES = ("window_diff", "pk", "boundary_f1", "boundary_similarity", "pq", "rq")
MOST = 6
"""The most metrics of the short table."""


def short_keys(keys: Collection[str], kind: str) -> list[str]:
    """Return the metrics one looks at first: those of lines or of regions, or else the first that a run has.

    >>> short_keys(["pk", "pq", "sq", "nmi"], "spans"), short_keys(["pk", "pq", "sq", "nmi"], "labels")
    (['pk', 'pq'], ['pq', 'sq'])
    """
    first = LINES if kind == "spans" else HEADLINE
    return [key for key in first if key in keys] or list(keys)[:MOST]


def select_metrics(
    names: Iterable[str] | str | None, kind: str | None, axes: int | None = None, *, scored: bool = False
) -> list[Metric]:
    """Return the metrics with these keys or of these families, in display order; for None the default set of a kind.

    A family contributes the metrics that fit the input: its kind, the axes of a label array, whether masks are
    ``scored``; ``all`` stands for all families.

    >>> [metric.key for metric in select_metrics("sq,pq", "labels")]
    ['pq', 'sq']
    """
    if names is None and kind != "annotations":
        names = (*HEADLINE, *CUSTOMARY.get(kind or "", ()), *(SCORED if scored else ()))
    if names is None:
        return _fitting("agreement", kind, axes, scored=scored)
    is_all = ALL in (names.split(",") if isinstance(names, str) else names)
    keys, families = keys_and_families(names)
    for family in sorted(families):
        fitting = {metric.key for metric in _fitting(family, kind, axes, scored=scored)}
        if not fitting and not is_all:
            raise KindError(_misfit(family, kind, axes))
        keys |= fitting
    return list(METRICS.only(keys).values())


def keys_and_families(names: Iterable[str] | str) -> tuple[set[str], set[str]]:
    """Return the keys and the families among some names; a name that is neither is an error. ``all`` is every family.

    >>> keys_and_families("pq,regions")
    ({'pq'}, {'regions'})
    """
    distinct = {name.strip() for name in (names.split(",") if isinstance(names, str) else names)}
    if not any(distinct):
        raise OptionError("metrics is empty; expected keys or families, such as pq,regions")
    families = {name for name in distinct if name != ALL and is_family(name)}
    keys = distinct - families - {ALL}
    for name in sorted(keys):
        METRICS[name]
    return keys, {metric.family for metric in METRICS.values()} if ALL in distinct else families


def check_metric_options(options: Mapping[str, Mapping[str, Any]], metrics: Iterable[Metric]) -> None:
    """Check that options belong to the selected metrics and that every required option has a value."""
    by_key = {metric.key: metric for metric in metrics}
    for key in options:
        if key not in by_key:
            raise OptionError(
                f"options name {key!r}, which is not among the selected metrics: {', '.join(sorted(by_key))}"
            )
    for key, metric in by_key.items():
        for name, default in metric.options.items():
            if default is Parameter.empty and name not in options.get(key, {}):
                raise OptionError(
                    f"{key} needs {name}; pass options={{{key!r}: {{{name!r}: …}}}} (--option {key}.{name}=…)"
                )


def _fitting(family: str, kind: str | None, axes: int | None, *, scored: bool) -> list[Metric]:
    """Return the metrics of a family that fit the input and that a family includes by default."""
    return [
        metric
        for metric in metrics_of_family(family)
        if metric.default_in_family
        and (scored or not metric.needs_scores)
        and (metric.needs in FROM_TABLE if kind is None else metric.takes(kind, axes))
    ]


def _misfit(family: str, kind: str | None, axes: int | None) -> str:
    kinds = sorted({name for metric in metrics_of_family(family) for name in metric.kinds})
    shape = "" if axes is None else f" of {axes} axes"
    return (
        f"no metric of the family {family} fits: they take {', '.join(kinds)}, some need an option or scores; "
        f"found {kind or 'an overlap table'}{shape}"
    )
