"""Metrics by the names that people type: keys and aliases, in any case, with - or _.

An alias may bring options along (``f1@75`` is ``f1_at`` with ``t=3/4``). What is neither says so,
with the names that are near, or with the package that computes it.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator, Mapping
from inspect import Parameter
from typing import Any, NamedTuple

from segmetry._base import METRIC_ALIASES
from segmetry.errors import ClassesError, KindError, OptionError, UnknownNameError
from segmetry.metrics.declare import METRICS, Metric, is_family, metrics_of_family
from segmetry.metrics.metric_function import MetricFunction
from segmetry.metrics.metric_inputs import FROM_TABLE
from segmetry.metrics.score import Result
from segmetry.overlaps import OverlapTable

MetricName = str | MetricFunction[..., Result]
"""A metric by its key, an alias or its function."""

_TRACKING = "a metric of tracks, not of segments; TrackEval computes it"
_SALIENCY = "a metric of saliency maps with grey values; pysodmetrics computes it"
_CELLS = "a metric of the Cell Tracking Challenge; py-ctcmetrics computes it"
_BOXES = "a measure of two boxes; torchvision.ops computes it"
_REFERRING = (
    "in referring segmentation {name} is iou with --option iou.foreground=true, {how}; of two boxes torchvision.ops "
    "computes it"
)
_SCORED = "a metric of predicted probabilities, not of segments; scikit-learn computes it"
_LOW = (
    "f1 under a rule that admits IoUs below 1/2: choose f1 and rule='greedy(weight=iou, at_least={at})', or "
    "segmental_f1@{percent} for actions in videos"
)

NOT_COMPUTED: Mapping[str, str] = {
    "box_ap": "the average precision of boxes; pycocotools computes it",
    "brier": _SCORED,
    "ciou": _REFERRING.format(name="cIoU", how="by class: the masks of all items added up"),
    "diou": _BOXES,
    "e_measure": _SALIENCY,
    "ece": "a calibration error of predicted probabilities; torchmetrics computes it (CalibrationError)",
    "f1@10": _LOW.format(at="0.10", percent=10),
    "f1@25": _LOW.format(at="0.25", percent=25),
    "giou": _REFERRING.format(name="gIoU", how="by item: the mean over items"),
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
    """Return the metric of a key or an alias; ``or_family``: the error hints at families, too."""
    if name in METRICS:
        return NamedMetric(METRICS[name], {})
    written = _folded(name)
    if written in METRICS:
        return NamedMetric(METRICS[written], {})
    if written in METRIC_ALIASES:
        metric = METRICS[METRIC_ALIASES[written]]
        if written in metric.aliases:
            return NamedMetric(metric, metric.aliases[written])
    known = dict(aliases())
    as_one_word = {word.replace("_", ""): word for word in (*known, *METRICS)}
    found = written if written in known else as_one_word.get(written.replace("_", ""))
    if found is not None:
        return known.get(found) or NamedMetric(METRICS[found], {})
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


_OF_CLASSES = {
    "average_surface_distance": "class_surface_distance",
    "hausdorff": "class_hausdorff",
    "hausdorff95": "class_hausdorff95",
    "surface_dice": "class_surface_dice",
}
"""Metrics of matched segments by key, and the same of whole classes."""


def of_classes(
    names: Iterable[MetricName] | str | None, options: Mapping[str, Any] | None = None
) -> tuple[list[str] | None, dict[str, Any] | None]:
    """Return names and options in which ``hd95``, ``nsd`` and ``assd`` are the metrics of classes: so fields call them
    in which labels are classes. A key, such as ``hausdorff95``, is that of matched segments, as always.
    """
    if names is None:
        return None, None if options is None else {**options}
    found: list[str] = []
    moved: dict[str, str] = {}
    for name in map(_text, names.split(",") if isinstance(names, str) else names):
        alias = _folded(name)
        named = None if alias in METRICS or alias not in METRIC_ALIASES else METRICS[METRIC_ALIASES[alias]]
        if named is None or named.key not in _OF_CLASSES:
            found.append(name)
            continue
        directed = named.aliases[alias].get("average") == "directed"
        moved[named.key] = "class_mean_surface_distance" if directed else _OF_CLASSES[named.key]
        found.append(moved[named.key])
    if options is None or not moved:
        return found, None if options is None else {**options}
    keys = {name: find_metric(name).metric.key if isinstance(own, Mapping) else name for name, own in options.items()}
    return found, {moved.get(keys[name], name): own for name, own in options.items()}


def known_key(name: str, known: Container[str]) -> str:
    """Return the key of a metric among those that are known; ``hd95`` may be that of classes."""
    if name in known:
        return name
    key = find_metric(name).metric.key
    return key if key in known else next((one for one in of_classes([name])[0] or () if one in known), key)


def _text(name: MetricName) -> str:
    return name.strip() if isinstance(name, str) else name.__name__


def _folded(name: str) -> str:
    """Return a name as keys are written."""
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
    """Return the metrics one looks at first: those of lines or of regions, or else the first that a run has."""
    first = LINES if kind == "spans" else HEADLINE
    return [key for key in first if key in keys] or list(keys)[:MOST]


def select_metrics(
    names: Iterable[str] | str | None, kind: str | None, axes: int | None = None, *, scored: bool = False
) -> list[Metric]:
    """Return the metrics with these keys or of these families, in display order; for None the default set of a kind.

    A family contributes the metrics that fit the input: its kind, the axes of a label array, whether masks are
    ``scored``; ``all`` stands for all families.
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
    """Return the keys and families of some names; a name that is neither is an error, and ``all`` is every family."""
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


def check_classes(names: Iterable[str] | str | None, metrics: Iterable[Metric], table: OverlapTable) -> None:
    """Raise if a metric that was asked for by its own name compares classes, and the segments carry none."""
    if names is None or table.class_names is not None or not len(table.true) + len(table.pred):
        return
    keys, _ = keys_and_families(names)
    for metric in metrics:
        if metric.needs_classes and metric.key in keys:
            raise ClassesError(
                f"{metric.key} compares classes, and the segments carry none; if labels are classes, state --labels "
                "classes (read={'labels': 'classes'}), and --no-outside ('outside': None) if 0 is one of them; objects "
                "in memory have classes="
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
