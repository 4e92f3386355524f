"""Metrics by the names that people type: keys and aliases, in any case, with - or _.

An alias may bring options along (``f1@75`` is ``f1_at`` with ``t=3/4``). What is neither says so,
with the names that are near, or with the package that computes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from segmetry._base import METRIC_ALIASES
from segmetry.errors import OptionError, UnknownNameError
from segmetry.metrics.declare import METRICS, Metric, is_family
from segmetry.metrics.metric_function import MetricFunction
from segmetry.metrics.score import Result

MetricName = str | MetricFunction[..., Result]
"""A metric by its key, an alias or its function."""

_TRACKING = "a metric of tracks, not of segments; TrackEval computes it"
_SALIENCY = "a metric of saliency maps with grey values; pysodmetrics computes it"
_CELLS = "a metric of the Cell Tracking Challenge; py-ctcmetrics computes it"
_BOXES = "a measure of two boxes; torchvision.ops computes it"
_SCORED = "a metric of predicted probabilities, not of segments; scikit-learn computes it"
_LOW = (
    "f1 under a rule that admits IoUs below 1/2: choose f1 and rule='greedy(weight=iou, at_least={at})', or "
    "segmental_f1@{percent} for actions in videos"
)

NOT_COMPUTED: Mapping[str, str] = {
    "box_ap": "the average precision of boxes; pycocotools computes it",
    "brier": _SCORED,
    "ciou": _BOXES,
    "diou": _BOXES,
    "e_measure": _SALIENCY,
    "ece": "a calibration error of predicted probabilities; torchmetrics computes it (CalibrationError)",
    "f1@10": _LOW.format(at="0.10", percent=10),
    "f1@25": _LOW.format(at="0.25", percent=25),
    "giou": _BOXES,
    "mota": _TRACKING,
    "motp": _TRACKING,
    **{
        f"{key}_{group[:2]}": f"the mean of {key} over a group of classes: choose {key} and groups={{'{group}': …}}, "
        f"and read groups['{group}']"
        for key in ("pq", "rq", "sq")
        for group in ("stuff", "things")
    },
    "roc_auc": _SCORED,
    "s_measure": _SALIENCY,
    "tra": _CELLS,
}
"""Names that people type for something that is not a metric here: what to write instead, or which package computes it.

A name of this table is neither a key nor an alias; a test checks this, so an entry goes when its metric comes.
"""
ALL = "all"
"""Stands for the metrics of all families that fit the input."""


class NamedMetric(NamedTuple):
    """What a name stands for: a metric, and the options that an alias brings along."""

    metric: Metric
    options: Mapping[str, Any]


def find_metric(name: str, *, or_family: bool = False) -> NamedMetric:
    """Return the metric of a key or an alias; ``or_family`` says in the hint of the error that families were possible.

    >>> find_metric("HD95").metric.key, find_metric("f1@75").metric.key, dict(find_metric("f1@75").options)
    ('hausdorff95', 'f1_at', {'t': '3/4'})
    >>> find_metric("MOTA")
    Traceback (most recent call last):
    segmetry.errors.UnknownNameError: there is no metric 'MOTA': a metric of tracks, not of segments; TrackEval ...
    """
    if name in METRICS:
        return NamedMetric(METRICS[name], {})
    written = _folded(name)
    if written in METRICS:
        return NamedMetric(METRICS[written], {})
    if written in METRIC_ALIASES:
        metric = METRICS[METRIC_ALIASES[written]]
        if written in metric.aliases:
            return NamedMetric(metric, metric.aliases[written])
    for alias, named in aliases():
        if alias == written:
            return named
    raise UnknownNameError(_unknown(name, written, or_family=or_family))


def aliases() -> Iterator[tuple[str, NamedMetric]]:
    """Yield every alias and what it stands for."""
    for metric in METRICS.values():
        for alias, options in metric.aliases.items():
            yield alias, NamedMetric(metric, options)


def canonical_names(
    names: Iterable[MetricName] | str | None, options: Mapping[str, Mapping[str, Any]] | None = None
) -> tuple[list[str] | None, dict[str, dict[str, Any]]]:
    """Return keys and families for the names of metrics and families, and the options of single metrics by key.

    An option that is stated overrides that of an alias.

    >>> canonical_names("PQ, f1@75", {"hd95": {"points": "all"}})
    (['pq', 'f1_at'], {'hausdorff95': {'points': 'all'}, 'f1_at': {'t': '3/4'}})
    """
    stated = {find_metric(name).metric.key: dict(own) for name, own in (options or {}).items()}
    if names is None:
        return None, stated
    brought: dict[str, tuple[str, Mapping[str, Any]]] = {}
    found: dict[str, None] = {}
    for name in map(_text, names.split(",") if isinstance(names, str) else names):
        if not name or name.lower() == ALL or is_family(name.lower()):
            found[name.lower()] = None
            continue
        metric, own = find_metric(name, or_family=True)
        first, before = brought.setdefault(metric.key, (name, own))
        if dict(before) != dict(own):
            raise OptionError(
                f"{first} and {name} are both {metric.key} with different options, and a result has one value of it; "
                "choose one of them for each call"
            )
        found[metric.key] = None
    for key, (_, own) in brought.items():
        if own:
            stated[key] = {**own, **stated.get(key, {})}
    return list(found), stated


def _text(name: MetricName) -> str:
    return name.strip() if isinstance(name, str) else name.__name__


def _folded(name: str) -> str:
    """Return a name as keys are written.

    >>> _folded(" Window-Diff")
    'window_diff'
    """
    return name.strip().lower().replace("-", "_").replace(" ", "_")


def _unknown(name: str, written: str, *, or_family: bool) -> str:
    from difflib import get_close_matches

    if written in NOT_COMPUTED:
        return f"there is no metric {name!r}: {NOT_COMPUTED[written]}"
    families = (ALL, *(metric.family for metric in METRICS.values())) if or_family else ()
    known = {word: word for word in (*METRICS, *families)}
    known |= {alias: named.metric.key for alias, named in aliases()}
    near = get_close_matches(written, known, n=3, cutoff=0.5)
    if not near:
        return f"there is no metric {name!r}; `segmetry metrics` (sm.list_metrics()) lists all {len(METRICS)}"
    hints = dict.fromkeys(word if known[word] == word else f"{word} ({known[word]})" for word in near)
    return f"there is no metric {name!r}; did you mean {' or '.join(hints)}?"
