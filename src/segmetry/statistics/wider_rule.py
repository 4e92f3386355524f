"""Two alignments of one data set side by side: what the wider rule adds to the narrower [vanheusden2024sharper].

*Additional* pairs are those of the wider alignment that are not in the narrower one. The distributions of IoU are
compared by the two-sample Kolmogorov–Smirnov test over all pairs (never over distinct values); the distribution of
classes likewise, with classes in descending order of frequency among all pairs of the wider alignment (ties by
name), because classes have no order of their own.
"""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from segmetry._base import Threshold, distinct
from segmetry.alignments import SMALL, Alignment, false_hits
from segmetry.errors import InputError, OptionError
from segmetry.results import Exported

PairIds = tuple[int, int]


@dataclass(frozen=True)
class TwoAlignments:
    """One item under two rules: the pairs (true id, pred id) with their IoUs, and the number of segments.

    ``classes`` (of the wider rule's pairs) and ``false_hit_sizes`` are None where only published lists are available.
    """

    item: str
    narrow: dict[PairIds, float]
    wide: dict[PairIds, float]
    n_true: int
    n_pred: int
    classes: dict[PairIds, Hashable] | None = None
    false_hit_sizes: tuple[int, ...] | None = None

    @classmethod
    def of_lists(
        cls,
        item: str,
        narrow: tuple[Iterable[Sequence[int]], Sequence[float]],
        wide: tuple[Iterable[Sequence[int]], Sequence[float]],
        n_true: int,
        n_pred: int,
    ) -> TwoAlignments:
        """Return the alignments of an item from plain lists: pairs and their IoUs under each rule."""
        return cls(item, _as_pairs(item, *narrow), _as_pairs(item, *wide), n_true, n_pred)

    @classmethod
    def of(cls, item: str, narrow: Alignment, wide: Alignment, *, pi: Threshold = "3/4") -> TwoAlignments:
        """Return the alignments of an item from two alignments of one table.

        >>> import segmetry as sm
        >>> table = sm.overlap([[1, 1, 1, 2]], [[1, 2, 2, 2]])
        >>> item_alignments = TwoAlignments.of("a", table.align("theta_plus"), table.align("theta_and"))
        >>> item_alignments.narrow, item_alignments.wide
        ({}, {(1, 2): 0.5})
        """
        if narrow.table is not wide.table:
            raise InputError(
                f"item {item!r}: the two alignments come from different tables; expected one table, two rules"
            )
        table = wide.table
        hits = table.true.sizes[wide.at_true[false_hits(wide, pi)]]
        named: dict[PairIds, Hashable] | None = None
        if table.class_names is not None and table.true.classes is not None:
            codes = table.true.classes[wide.at_true].tolist()
            named = {pair: table.class_names[code] for pair, code in zip(_ids(wide), codes, strict=True)}
        return cls(
            item,
            dict(zip(_ids(narrow), narrow.iou.tolist(), strict=True)),
            dict(zip(_ids(wide), wide.iou.tolist(), strict=True)),
            len(table.true),
            len(table.pred),
            named,
            tuple(hits.tolist()),
        )

    @property
    def additional(self) -> dict[PairIds, float]:
        """The pairs of the wider rule that are not pairs of the narrower one."""
        return {pair: iou for pair, iou in self.wide.items() if pair not in self.narrow}

    def is_one_to_one(self, rule: str) -> bool:
        """Return whether no segment occurs in two pairs of the ``narrow`` or the ``wide`` alignment."""
        pairs = self.narrow if rule == "narrow" else self.wide
        return len({t for t, _ in pairs}) == len({h for _, h in pairs}) == len(pairs)


@dataclass(frozen=True)
class Distribution:
    """Mean, sample standard deviation, linear quartiles, histogram over [0, 1]; None where there are too few values."""

    n: int
    mean: float | None
    sd: float | None
    quartiles: tuple[float, float, float] | None
    histogram: tuple[int, ...]

    @classmethod
    def of(cls, values: Sequence[float], bins: int = 20) -> Distribution:
        """Return the distribution of some IoUs; bin k counts k/bins ≤ x < (k+1)/bins, the last bin also 1."""
        n = len(values)
        mean = math.fsum(values) / n if n else None
        spread = math.sqrt(math.fsum((v - mean) ** 2 for v in values) / (n - 1)) if mean is not None and n > 1 else None
        quartiles = tuple(np.quantile(np.array(values), [0.25, 0.5, 0.75]).tolist()) if n else None
        edges = [_least_float(Fraction(k, bins)) for k in range(1, bins)]
        counts = np.bincount(np.searchsorted(edges, np.asarray(values, float), "right"), minlength=bins)
        return cls(n, mean, spread, quartiles, tuple(counts.tolist()))


def _least_float(bound: Fraction) -> float:
    """Return the least float that is no less than a bound."""
    nearest = float(bound)
    return nearest if Fraction(nearest) >= bound else math.nextafter(nearest, math.inf)


@dataclass(frozen=True)
class TwoRules(Exported):
    """A wider rule compared with a narrower rule over a data set."""

    n_items: int
    n_narrow: int
    n_wide: int
    n_additional: int
    additional_fraction: float | None
    narrow_iou: Distribution
    wide_iou: Distribution
    additional_iou: Distribution
    ks_statistic: float | None
    ks_p: float | None
    correlation: float | None
    correlation_p: float | None
    class_ks_statistic: float | None
    class_ks_p: float | None
    n_false_hits: int | None
    false_hit_sizes: tuple[int, ...] | None
    false_hits_below_small: float | None
    narrow_pq: float | None
    wide_pq: float | None
    narrow_not_one_to_one: tuple[str, ...] = field(repr=False)
    wide_not_one_to_one: tuple[str, ...] = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return asdict(self)


def two_rules(items: Iterable[TwoAlignments], *, bins: int = 20, small: int = SMALL) -> TwoRules:
    """Compare two alignments over a data set: counts, IoU distributions, tests, correlation, false hits.

    Parameters
    ----------
    items : iterable of TwoAlignments
        The pairs of each item under both rules.
    bins : int, default 20
        The number of bins of the histograms of IoUs.
    small : int, default 1024
        The number of elements below which a segment is small.

    Returns
    -------
    TwoRules
        Counts, distributions, tests, correlation and false hits.

    Notes
    -----
    ``correlation`` is Pearson's, of additional pairs with true segments per item, ``correlation_p`` that of its
    two-sided t test. PQ is pooled over all items and
    classes; a pred with several partners counts as often as it is matched (``…_not_one_to_one`` names such items).

    Examples
    --------
    >>> comparison = two_rules([TwoAlignments("a", {(1, 1): 0.8}, {(1, 1): 0.8, (2, 3): 0.4}, 2, 3)])
    >>> comparison.n_additional, comparison.additional_fraction, comparison.ks_statistic
    (1, 0.5, 0.5)
    """
    if bins < 1:
        raise OptionError(f"bins is {bins!r}; expected a number of bins")
    listed = sorted(items, key=lambda item: item.item)
    narrow = [iou for item in listed for iou in item.narrow.values()]
    wide = [iou for item in listed for iou in item.wide.values()]
    added = [list(item.additional.values()) for item in listed]
    additional = [iou for ious in added for iou in ious]
    statistic, p = _ks(narrow, wide)
    class_statistic, class_p = _class_ks(listed)
    sizes = _false_hit_sizes(listed)
    correlation, correlation_p = _pearson([len(ious) for ious in added], [item.n_true for item in listed])
    return TwoRules(
        n_items=len(listed),
        n_narrow=len(narrow),
        n_wide=len(wide),
        n_additional=len(additional),
        additional_fraction=len(additional) / len(wide) if wide else None,
        narrow_iou=Distribution.of(narrow, bins),
        wide_iou=Distribution.of(wide, bins),
        additional_iou=Distribution.of(additional, bins),
        ks_statistic=statistic,
        ks_p=p,
        correlation=correlation,
        correlation_p=correlation_p,
        class_ks_statistic=class_statistic,
        class_ks_p=class_p,
        n_false_hits=None if sizes is None else len(sizes),
        false_hit_sizes=sizes,
        false_hits_below_small=sum(size < small for size in sizes) / len(sizes) if sizes else None,
        narrow_pq=_pq(listed, "narrow"),
        wide_pq=_pq(listed, "wide"),
        narrow_not_one_to_one=tuple(item.item for item in listed if not item.is_one_to_one("narrow")),
        wide_not_one_to_one=tuple(item.item for item in listed if not item.is_one_to_one("wide")),
    )


def _pq(items: list[TwoAlignments], rule: str) -> float | None:
    """Return 2Σ IoU / (2 pairs + missed + spurious), where missed and spurious segments occur in no pair."""
    total: list[float] = []
    halves = 0
    for item in items:
        pairs = item.narrow if rule == "narrow" else item.wide
        total += pairs.values()
        missed, spurious = item.n_true - len({t for t, _ in pairs}), item.n_pred - len({h for _, h in pairs})
        halves += 2 * len(pairs) + missed + spurious
    return 2 * math.fsum(total) / halves if halves else None


def _ks(first: Sequence[float], second: Sequence[float]) -> tuple[float | None, float | None]:
    if not first or not second:
        return (None, None) if not (first or second) else (_gap(first, second), None)
    from scipy.stats import ks_2samp

    with warnings.catch_warnings():
        # scipy warns where its exact p fails by rounding and the asymptotic p is used: no action is needed.
        warnings.simplefilter("ignore", RuntimeWarning)
        return _gap(first, second), float(ks_2samp(first, second).pvalue)


def _gap(first: Sequence[float], second: Sequence[float]) -> float:
    """Return the largest gap of two empirical distribution functions, exact until the last step; 1 if one is empty.

    The product of two numbers of values in memory fits into 64 bits.
    """
    if not first or not second:
        return 1.0
    first_sorted, second_sorted = np.sort(np.array(first)), np.sort(np.array(second))
    at = distinct(np.concatenate((first_sorted, second_sorted)))
    first_below = np.searchsorted(first_sorted, at, side="right").astype(np.int64)
    second_below = np.searchsorted(second_sorted, at, side="right").astype(np.int64)
    gap = np.abs(first_below * second_sorted.size - second_below * first_sorted.size).max()
    return float(Fraction(int(gap), first_sorted.size * second_sorted.size))


def _class_ks(items: list[TwoAlignments]) -> tuple[float | None, float | None]:
    if not items or any(item.classes is None for item in items):
        return None, None
    names = [name for item in items for name in (item.classes or {}).values()]
    extra = [(item.classes or {})[pair] for item in items for pair in item.additional]
    if not extra:
        return None, None
    counts = Counter(names)
    rank = {name: at for at, name in enumerate(sorted(counts, key=lambda name: (-counts[name], str(name))))}
    return _ks([rank[name] for name in names], [rank[name] for name in extra])


def _pearson(first: Sequence[int], second: Sequence[int]) -> tuple[float | None, float | None]:
    """Return Pearson's correlation of two lists of integers, exact until the last step, and its p; None where one is
    constant, and no p of two items.
    """
    n = len(first)
    cross = n * sum(a * b for a, b in zip(first, second, strict=True)) - sum(first) * sum(second)
    spread_first = n * sum(a * a for a in first) - sum(first) ** 2
    spread_second = n * sum(b * b for b in second) - sum(second) ** 2
    if not spread_first or not spread_second:
        return None, None
    from scipy.stats import pearsonr

    p = float(pearsonr(np.array(first, dtype=float), np.array(second, dtype=float)).pvalue) if n > 2 else None
    return cross / math.sqrt(spread_first * spread_second), p


def _false_hit_sizes(items: list[TwoAlignments]) -> tuple[int, ...] | None:
    if any(item.false_hit_sizes is None for item in items):
        return None
    return tuple(sorted(size for item in items for size in item.false_hit_sizes or ()))


def _as_pairs(item: str, pairs: Iterable[Sequence[int]], ious: Sequence[float]) -> dict[PairIds, float]:
    listed = [(int(pair[0]), int(pair[1])) for pair in pairs]
    if len(listed) != len(ious) or len(set(listed)) != len(listed):
        raise InputError(
            f"item {item!r} lists {len(listed)} pairs and {len(ious)} IoUs; expected one IoU for each pair, each once"
        )
    return dict(zip(listed, map(float, ious), strict=True))


def _ids(alignment: Alignment) -> list[PairIds]:
    ids = alignment.table.true.ids[alignment.at_true], alignment.table.pred.ids[alignment.at_pred]
    return list(zip(*(column.tolist() for column in ids), strict=True))
