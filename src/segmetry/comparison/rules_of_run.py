"""Two alignments of one run: what a wider rule adds to a narrower one, from the run file alone [vanheusden2024sharper].

Adds to the summary of :func:`segmetry.two_rules` the error kinds and sizes of all pairs and of the additional pairs,
the additional pairs themselves, how they are distributed over the classes, and the false hits for several π.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from itertools import compress
from pathlib import Path
from typing import Any

import numpy as np

from segmetry._base import Threshold, fraction_in
from segmetry.alignments import (
    KINDS,
    SMALL,
    Alignment,
    MatchRule,
    Tally,
    add_tallies,
    align,
    as_rule,
    error_kinds,
    false_hits_up_to,
)
from segmetry.errors import KindError, OptionError, SegmetryError
from segmetry.metrics import pq
from segmetry.overlaps import OverlapTable
from segmetry.results import Table, Tabular
from segmetry.run import Run, alignment_options
from segmetry.statistics import TwoAlignments, TwoRules, two_rules

Quartiles = tuple[float, float, float]


@dataclass(frozen=True)
class PairSizes:
    """The sizes of the true segments of some pairs; ``small`` counts those that have fewer than 1,024 elements."""

    n: int
    small: int
    quartiles: Quartiles | None


@dataclass(frozen=True)
class TwoOfRun(Tabular):
    """A run under two rules. The plots show ``narrow_ious``, ``wide_ious`` and ``additional_ious``."""

    narrow_rule: str
    wide_rule: str
    policy: str
    summary: TwoRules
    wide_kinds: dict[str, int]
    additional_kinds: dict[str, int]
    wide_sizes: PairSizes
    additional_sizes: PairSizes
    narrow_ious: tuple[float, ...]
    wide_ious: tuple[float, ...]
    additional_ious: tuple[float, ...]
    pairs: Table
    """One row per additional pair; ``false_hit_up_to`` is the largest π for which it is a false hit."""
    classes: Table
    """One row per class: its additional pairs, their share of its true segments and of all additional pairs."""
    false_hits: Table
    """One row per π: how many of the wider rule's pairs are false hits, and the sizes of their true segments."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "narrow_rule": self.narrow_rule,
            "wide_rule": self.wide_rule,
            "policy": self.policy,
            **self.summary.to_dict(),
            "wide_kinds": self.wide_kinds,
            "additional_kinds": self.additional_kinds,
            "wide_sizes": asdict(self.wide_sizes),
            "additional_sizes": asdict(self.additional_sizes),
            "additional_by_class": list(self.classes),
            "false_hits_by_pi": list(self.false_hits),
            "additional_pairs": list(self.pairs),
        }

    @property
    def tables(self) -> dict[str, Table]:
        """The rows of the sets of pairs, of the additional pairs, of classes, of false hits, and of tests."""
        found = self.summary
        tests = {
            "Kolmogorov-Smirnov of IoUs": (found.ks_statistic, found.ks_p),
            "Kolmogorov-Smirnov of classes": (found.class_ks_statistic, found.class_ks_p),
            "correlation with true segments": (found.correlation, found.correlation_p),
        }
        rows = [{"test": name, "statistic": statistic, "p": p} for name, (statistic, p) in tests.items()]
        own = {"pairs": self.pairs, "classes": self.classes, "false_hits": self.false_hits}
        return {"sets": self.rows(), **own, "tests": Table("tests", rows)}

    def rows(self) -> Table:
        """Return one plain row per set of pairs: of the narrow rule, of the wide rule, and the additional pairs."""
        rows = (
            (self.narrow_rule, self.summary.narrow_iou, None, None),
            (self.wide_rule, self.summary.wide_iou, self.wide_kinds, self.wide_sizes),
            ("additional", self.summary.additional_iou, self.additional_kinds, self.additional_sizes),
        )
        found = [
            {"pairs": name, "n": iou.n, "iou_mean": iou.mean, "iou_sd": iou.sd}
            | dict(zip(("iou_q1", "iou_median", "iou_q3"), iou.quartiles or (None,) * 3, strict=True))
            | {kind: None if kinds is None else kinds[kind] for kind in KINDS}
            | {"small": None if sizes is None else sizes.small}
            for name, iou, kinds, sizes in rows
        ]
        return Table("sets", found)


def two_alignments(
    run: Run | str | Path,
    narrow: Any = "theta_plus",
    wide: Any = "theta_and",
    *,
    pi: Threshold = "3/4",
    dominance: Threshold = 2,
    small: int = SMALL,
    bins: int = 20,
) -> TwoOfRun:
    """Compare a run under a narrower and a wider rule: additional pairs, IoUs, tests, error kinds, false hits, sizes.

    Parameters
    ----------
    run : Run, str or Path
        A run, or the path of its file.
    narrow : MatchRule or str, default 'theta_plus'
        The rule that admits fewer pairs.
    wide : MatchRule or str, default 'theta_and'
        The rule that admits more pairs.
    pi : number, default '3/4'
        How much of the best overlap another overlap must reach for a false hit.
    dominance : number, default 2
        How many times the missed elements must be the spurious ones, or the reverse, to dominate.
    small : int, default 1024
        The number of elements below which a segment is small.
    bins : int, default 20
        The number of bins of the histograms of IoUs.

    Returns
    -------
    TwoOfRun
        The comparison, with the kinds and sizes of additional pairs.

    Examples
    --------
    >>> import segmetry as sm
    >>> run = sm.evaluate({"a": [[1, 1, 1, 2]]}, {"a": [[1, 2, 2, 2]]}, metrics="pq")
    >>> comparison = two_alignments(run)
    >>> comparison.summary.n_additional, comparison.additional_kinds["partial"], comparison.additional_ious
    (1, 0, (0.5,))
    """
    if isinstance(run, str | Path):
        with Run.open(run) as opened:
            return two_alignments(opened, narrow, wide, pi=pi, dominance=dominance, small=small, bins=bins)
    if not isinstance(run, Run):
        raise KindError(f"run is a {type(run).__name__}; expected a Run, or the path of a run file (*.segm)")
    rules, share = _two_rules(narrow, wide), fraction_in(pi, "pi", 0, 1, open_low=True)
    run.summary()  # an unfinished run, or a clash, is an error here
    options = [alignment_options(run.settings.changed(rule=rule)) for rule in rules]
    kinds: tuple[Counter[str], Counter[str]] = Counter(), Counter()
    sizes: tuple[list[int], list[int]] = [], []
    items: list[TwoAlignments] = []
    tallies: tuple[list[Tally], list[Tally]] = [], []
    added: list[dict[str, Any]] = []
    hits: list[tuple[Fraction, int]] = []
    true_classes: Counter[Hashable] = Counter()
    for name, table in run.tables():
        narrow_alignment, wide_alignment = (_aligned(name, table, chosen) for chosen in options)
        item = TwoAlignments.of(name, narrow_alignment, wide_alignment, pi=pi)
        items.append(item)
        for side, alignment in zip(tallies, (narrow_alignment, wide_alignment), strict=True):
            side.append(alignment.tally)
        is_added = [(pair.true_id, pair.pred_id) not in item.narrow for pair in wide_alignment.pairs()]
        of_pairs = error_kinds(wide_alignment, dominance=dominance, small=small).names()
        of_sizes: list[int] = wide_alignment.table.true.sizes[wide_alignment.at_true].tolist()
        kinds[0].update(of_pairs)
        kinds[1].update(compress(of_pairs, is_added))
        hits_up_to = false_hits_up_to(wide_alignment)
        hits.extend(zip(hits_up_to, of_sizes, strict=True))
        true_classes.update(_classes_of(run, table, np.flatnonzero(~wide_alignment.ignored_true)))
        described = zip(
            wide_alignment.pairs(),
            _classes_of(run, table, wide_alignment.at_true),
            of_pairs,
            of_sizes,
            hits_up_to,
            wide_alignment.iou.tolist(),
            strict=True,
        )
        added += [
            {
                "item": name,
                "true_id": pair.true_id,
                "pred_id": pair.pred_id,
                "class": label,
                **{count: getattr(pair, count) for count in ("shared", "missed", "spurious")},
                "iou": iou,
                "kind": kind,
                "size": size,
                "is_small": size < small,
                "false_hit_up_to": float(up_to),
                "is_false_hit": up_to >= share,
            }
            for pair, label, kind, size, up_to, iou in compress(described, is_added)
        ]
        sizes[0].extend(of_sizes)
        sizes[1].extend(compress(of_sizes, is_added))
    listed = sorted(items, key=lambda item: item.item)
    comparison = two_rules(listed, bins=bins, small=small)
    _check_order(comparison, rules)
    return TwoOfRun(
        narrow_rule=rules[0].name,
        wide_rule=rules[1].name,
        policy=run.settings.policy,
        summary=replace(
            comparison, narrow_pq=_pq(tallies[0], comparison.narrow_pq), wide_pq=_pq(tallies[1], comparison.wide_pq)
        ),
        wide_kinds={kind: kinds[0][kind] for kind in KINDS},
        additional_kinds={kind: kinds[1][kind] for kind in KINDS},
        wide_sizes=_sizes(sizes[0], small),
        additional_sizes=_sizes(sizes[1], small),
        narrow_ious=tuple(iou for item in listed for iou in item.narrow.values()),
        wide_ious=tuple(iou for item in listed for iou in item.wide.values()),
        additional_ious=tuple(iou for item in listed for iou in item.additional.values()),
        pairs=Table("additional pairs", added, {"class": "text", "kind": "text", "item": "text", "is_small": "flag"}),
        classes=_by_class(true_classes, Counter(row["class"] for row in added)),
        false_hits=_by_pi(hits, sorted({*PIS, share}), small),
    )


PIS = tuple(Fraction(percent, 100) for percent in (50, 60, 70, 75, 80, 90, 100))
"""The π for which false hits are counted besides the one asked for."""


def _classes_of(run: Run, table: OverlapTable, at: Any) -> list[Any]:
    """Return the classes of true segments by name; None where segments have none."""
    if table.class_names is None or table.true.classes is None:
        return [None] * len(at)
    labels = (table.class_names[code] for code in table.true.classes[at].tolist())
    return [str(run.class_names.get(label, label)) for label in labels]


def _by_class(true_segments: Counter[Hashable], added: Counter[Hashable]) -> Table:
    total = added.total()
    rows = [
        {
            "class": label,
            "additional": added[label],
            "true_segments": count,
            "share_of_true": added[label] / count,
            "share_of_additional": added[label] / total if total else None,
        }
        for label, count in sorted(true_segments.items(), key=lambda entry: (-added[entry[0]], str(entry[0])))
        if label is not None
    ]
    return Table("additional pairs by class", rows, {"class": "text"})


def _by_pi(hits: Sequence[tuple[Fraction, int]], pis: Sequence[Fraction], small: int) -> Table:
    """Return how many pairs are false hits for each π, given the largest π and the size of every pair."""
    rows, parts = [], [(*up_to.as_integer_ratio(), size) for up_to, size in hits]
    for pi in pis:
        found = [size for top, bottom, size in parts if top * pi.denominator >= pi.numerator * bottom]
        middle = dict(zip(("size_q1", "size_median", "size_q3"), quartiles(found) or (None,) * 3, strict=True))
        rows.append({"pi": float(pi), "n": len(found), "small": sum(size < small for size in found), **middle})
    return Table("false hits", rows, {})


def _two_rules(narrow: Any, wide: Any) -> tuple[MatchRule, MatchRule]:
    rules = as_rule(narrow), as_rule(wide)
    if rules[0].name == rules[1].name:
        raise OptionError(f"both rules are {rules[0].name}; expected two different rules, the narrower first")
    return rules


def _check_order(comparison: TwoRules, rules: tuple[MatchRule, MatchRule]) -> None:
    if comparison.n_wide < comparison.n_narrow and not comparison.n_additional:
        raise OptionError(
            f"{rules[0].name} has all {comparison.n_wide} pairs of {rules[1].name}, and more; "
            "name the narrower rule first"
        )


def _aligned(name: str, table: OverlapTable, options: dict[str, Any]) -> Alignment:
    try:
        return align(table, **options)
    except SegmetryError as problem:
        raise problem.within(f"item {name}") from None


def _pq(tallies: list[Tally], otherwise: float | None) -> float | None:
    """Return PQ of all items together as the policy counts segments, or ``otherwise`` where pairs clash."""
    together = add_tallies(tallies)
    if together.clash is not None:
        return otherwise
    score = pq.compute(together)
    return None if math.isnan(score.value) else score.value


def quartiles(sizes: Sequence[int]) -> Quartiles | None:
    """Return linearly interpolated quartiles; None without values."""
    return tuple(np.quantile(np.array(sizes), [0.25, 0.5, 0.75]).tolist()) if sizes else None


def _sizes(sizes: Sequence[int], small: int) -> PairSizes:
    return PairSizes(len(sizes), sum(size < small for size in sizes), quartiles(sizes))
