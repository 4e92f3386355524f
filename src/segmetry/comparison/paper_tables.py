"""What a paper shows of a comparison: systems as rows, ranks across metrics, rank tests, margins, methods."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from statistics import NormalDist
from string import ascii_lowercase
from typing import TYPE_CHECKING, Any

from segmetry._base import __version__
from segmetry.comparison.comparison_tables import ARROWS, label_of, labels, level_heading
from segmetry.comparison.gates import Gate, compared_cell
from segmetry.comparison.verdict import SIGNIFICANT
from segmetry.metrics import METRICS
from segmetry.results import UNDEFINED, Cell, Entry, ResultTable, Table, Value, counted, number, p_value, percent
from segmetry.statistics import CORRECTIONS, Intervals, Place

if TYPE_CHECKING:
    from segmetry.comparison.across_metrics import AcrossMetrics
    from segmetry.comparison.compare_runs import Comparison
    from segmetry.statistics import Difference, Interval, RankTest

SPREADS = ("interval", "sd", "none")


def _columns(comparison: Comparison, *, parts: bool) -> Iterator[tuple[str, Place, Cell]]:
    """Yield heading, place and cell of every column: the usual average of every metric, the headline by class."""
    keys = list(dict.fromkeys(row.key for row in comparison.differences))
    for key in keys:
        average = comparison.averages(key)[0]
        cell = comparison.cell(key, average)
        yield metric_heading(cell), ("data set", None, key, average), cell
    seen: dict[Hashable, Place] = {}
    for row in comparison.differences if parts else ():
        if row.key == comparison.headline and row.level not in ("data set", "group"):
            seen.setdefault((row.level, row.name), (row.level, row.name, row.key, row.average))
    for place in seen.values():
        cell = comparison.cell(comparison.headline, comparison.averages(comparison.headline)[0])
        yield f"{cell.name}\n{comparison.class_names.get(place[1], place[1])}", place, cell


def _values(comparison: Comparison, place: Place) -> list[tuple[str, Interval | None, bool, Difference | None]]:
    """Return of every system: its value, whether it is the best, and its difference from the best."""
    rows = [row for row in comparison.differences if (row.level, row.name, row.key, row.average) == place]
    known: dict[str, float] = {}
    for row in rows:
        known |= {row.first: row.first_value, row.second: row.second_value}
    sign = -1 if METRICS[place[2]].better == "lower" else 1
    defined = [name for name, value in known.items() if not math.isnan(value)]
    best = max(defined, key=lambda name: sign * known[name], default=None)
    if METRICS[place[2]].better == "neither":
        best = None
    against = {({row.first, row.second} - {best}).pop(): row for row in rows if best in (row.first, row.second)}
    found = []
    for name in comparison.systems:
        values = comparison.values[name]
        own = values.scores if place[0] == "data set" else values.parts.get(place[1], {})
        interval = own.get(place[2], {}).get(place[3])
        found.append((name, interval, best is not None and known.get(name) == known[best], against.get(name)))
    return found


def _is_worse(comparison: Comparison, gap: Difference | None) -> bool:
    p, ends = (None, None) if gap is None else (comparison.p_of(gap), gap.interval.best)
    return p is not None and p < SIGNIFICANT and ends is not None and not ends[0] <= 0 <= ends[1]


def systems_table(comparison: Comparison, *, parts: bool = False, spread: str = "interval") -> ResultTable:
    """Return one row per system for a paper: values with their interval, or the standard deviation over items (of the
    data set only), the best in bold, and a mark where one is significantly worse than the best.
    """
    columns, rows = list(_columns(comparison, parts=parts)), []
    entries: dict[str, list[Entry]] = {name: [name] for name in comparison.systems}
    for _, place, cell in columns:
        for name, value, is_best, gap in _values(comparison, place):
            mark = "*" if _is_worse(comparison, gap) else ""
            if value is None or math.isnan(value.value):
                entries[name].append(Value(cell, math.nan))
                continue
            sd = comparison.spreads.get((name, place[2])) if place[0] == "data set" else None
            if spread == "interval" and value.best is not None:
                mark = f" [{cell.text(value.best[0])}, {cell.text(value.best[1])}]{mark}"
            elif spread == "sd" and sd is not None:
                mark = f" ± {cell.text(sd)}{mark}"
            entries[name].append(Value(cell, value.value, beside=mark, tone="best" if is_best else None))
    rows = list(entries.values())
    method = CORRECTIONS[comparison.correction]
    beside = {"interval": f"; [ ]: {level_heading(comparison.level)}", "sd": "; ±: standard deviation over items"}
    note = (
        f"Bold: best{beside.get(spread, '')}; *: worse than the best, p < {SIGNIFICANT} after {method}, and the "
        f"interval of the difference excludes 0. {comparison.units}."
    )
    return ResultTable("systems", ("system", *(heading for heading, _, _ in columns)), rows, [note])


def systems_records(comparison: Comparison, *, parts: bool = False) -> Table:
    """Return one plain row per system and value, for CSV and Parquet."""
    rows: list[dict[str, Any]] = []
    for _, (level, part, key, average), cell in _columns(comparison, parts=parts):
        for name, value, is_best, gap in _values(comparison, (level, part, key, average)):
            low, high = (value and value.best) or (None, None)
            rows.append(
                {"system": name, "level": level, "name": part, "class_name": comparison.class_names.get(part)}
                | {"key": key, "average": average, "unit": cell.unit}
                | {"value": None if value is None or math.isnan(value.value) else value.value, "low": low, "high": high}
                | {"sd": comparison.spreads.get((name, key)) if level == "data set" else None, "best": is_best}
                | {"p_to_best": None if gap is None else comparison.p_of(gap)}
            )
    return Table("systems", rows)


def across_table(across: AcrossMetrics) -> ResultTable:
    """Return the rank of every system by every metric, with its interval, and how the rankings agree."""
    names = labels(across.systems)
    rows: list[Sequence[Entry]] = []
    for row in across.by_metric:
        ends = [rank_text(low, high) for low, high in row.rank_intervals]
        ranks = [f"{rank} ({end})" for rank, end in zip(row.ranks, ends, strict=True)]
        swapped = [" ".join(label_of(across.systems, name) for name in pair) for pair in row.changed]
        agreement = number(row.tau, 2), percent(row.stable), ", ".join(swapped) or "no"
        rows.append((metric_heading(row.cell), *ranks, *agreement))
    note = f"{across_words(across)} swapped: pairs in another order."
    title = f"ranks across metrics: {counted(across.n_items, 'item')}"
    return ResultTable(title, ("metric", *names, "tau", "stable", "swapped"), rows, [note], breaks=True)


def metric_heading(cell: Cell) -> str:
    """Return what a metric is called above its values, with its unit and the direction that is better."""
    return f"{cell.heading}{ARROWS[METRICS[cell.metric].better]}"


def rank_text(low: int, high: int) -> str:
    """Return the interval of a rank."""
    return f"{low}" if low == high else f"{low}-{high}"


def across_words(across: AcrossMetrics) -> str:
    """Return what stands below ranks across metrics."""
    return (
        f"Rank ({100 * across.level:g} % interval of it). tau: Kendall's tau with the first metric. stable: share of "
        f"{across.resamples:,} resamples (seed {across.seed}) with this order."
    )


def rank_test_table(comparison: Comparison, test: RankTest) -> ResultTable:
    """Return the mean ranks of the systems over items; those with a letter in common do not differ."""
    groups = {way: test.groups(way) for way in ("nemenyi", "wilcoxon")}
    order = sorted(range(len(test.systems)), key=test.mean_ranks.__getitem__)
    rows = []
    for at in order:
        name = test.systems[at]
        same = [
            "".join(ascii_lowercase[n % 26] for n, group in enumerate(groups[way]) if name in group) for way in groups
        ]
        rows.append(
            (label_of(comparison.systems, name), number(test.mean_ranks[at], 2), *(one or UNDEFINED for one in same))
        )
    what = f"{test.n} {comparison.cluster or 'item'}s"
    title = f"mean ranks by {comparison.cell(test.key, comparison.averages(test.key)[0]).name} over {what}"
    note = (
        f"Friedman: chi2 = {number(test.statistic, 2)}, p {_p_text(test.p)}. Critical difference (Nemenyi): "
        f"{number(test.critical_difference, 3)}. Systems that share a letter do not differ at "
        f"{100 * (1 - test.level):g} %."
    )
    return ResultTable(title, ("system", "mean rank", "Nemenyi", "Wilcoxon-Holm"), rows, [note], frozenset((0, 2, 3)))


def _p_text(p: float) -> str:
    return p_value(p) if p < 0.0001 else f"= {p_value(p)}"


def margins(comparison: Comparison, gates: Iterable[Gate]) -> Table:
    """Return whether each system is worse than the first by less than a margin, for every margin.

    ``worse`` is by how much, ``worse_up_to`` the end of its interval, ``p`` one-sided: that of a difference as small as
    this or smaller, were it the margin (normal, with the bootstrap's standard error).
    """
    rows = []
    for gate in gates:
        cell = compared_cell(comparison, gate)
        margin, base = gate.within(cell), comparison.systems[0]
        for name in comparison.systems[1:]:
            gap = comparison.difference(cell.metric, cell.average, base, name)
            ends, error, sign = (
                gap.interval.best,
                gap.interval.standard_error,
                1 if METRICS[cell.metric].better == "lower" else -1,
            )
            least, most = sorted((sign * ends[0], sign * ends[1])) if ends else (math.nan, math.nan)
            p = NormalDist().cdf((sign * gap.value - margin) / error) if error else None
            decision = "inferior" if least > margin else "inconclusive"
            if most < margin:
                decision = "equivalent" if least > -margin else "superior" if most < 0 else "non-inferior"
            rows.append(
                {"system": name, "baseline": base, "key": cell.metric, "average": cell.average, "margin": margin}
                | {"worse": _or_none(sign * gap.value), "worse_up_to": _or_none(most), "p": p, "decision": decision}
            )
    return Table("margins", rows)


def _or_none(value: float) -> float | None:
    return None if math.isnan(value) else value


def margins_table(comparison: Comparison, found: Table) -> ResultTable:
    """Return the margins as they are printed."""
    rows = []
    for row in found:
        cell = comparison.cell(row["key"], row["average"])
        texts = [cell.text(row[name]) for name in ("margin", "worse", "worse_up_to")]
        rows.append(
            (label_of(comparison.systems, row["system"]), cell.words, *texts, p_value(row["p"]), row["decision"])
        )
    end = f"up to ({100 * (1 + comparison.level) / 2:g} %)"
    title = f"not worse than {comparison.systems[0]} by the margin?"
    return ResultTable(
        title, ("system", "metric", "margin", "worse by", end, "p", ""), rows, texts=frozenset((0, 1, 6))
    )


def methods_sentences(comparison: Comparison, header: str | None = None) -> str:
    """Return two sentences for the methods section of a paper: what was compared how, and with which statistics."""
    cells = [
        comparison.cell(key, comparison.averages(key)[0]) for key in comparison.values[comparison.systems[0]].scores
    ]
    rules = f"alignment {' and '.join(comparison.rules or [comparison.rule])}, policy {comparison.policy}"
    drawn = f"{comparison.cluster}s" if comparison.cluster else "items"
    exact = all(row.exact for row in comparison.differences)
    ways = "all" if exact else f"{comparison.differences[0].n_permutations:,} random"
    named = ", ".join(cell.words for cell in cells)
    return (
        f"{len(comparison.systems)} systems were compared on {comparison.units} by {named} ({header or rules}) with "
        f"segmetry {__version__}. Intervals are {100 * comparison.level:g} % BCa bootstrap intervals from "
        f"{comparison.resamples:,} resamples of {drawn} (seed {comparison.seed}); p-values are those of paired "
        f"permutation tests over {ways} exchanges of {drawn}, corrected over {' and '.join(comparison.correct)} by "
        f"{CORRECTIONS[comparison.correction]}."
    )


def cases_needed(found: Comparison | Intervals, wanted: float) -> Table:
    """Return how many items (or clusters) are needed, from a pilot: of a run, for an interval of this width; of a
    comparison, to detect this difference with 80 % power. Standard errors fall with the square root of their number.
    """
    rows: list[dict[str, Any]] = []
    for key, averages in (found.scores if isinstance(found, Intervals) else {}).items():
        for average, value in averages.items():
            error, n = value.standard_error, found.n_units  # type: ignore[union-attr]
            width = None if error is None else 2 * NormalDist().inv_cdf((1 + found.level) / 2) * error
            rows.append({"key": key, "average": average, "standard_error": error, "n": n, "now": width})
    for gap in () if isinstance(found, Intervals) else found.differences:
        if gap.level == "data set":
            n = found.n_clusters or found.n_items  # type: ignore[union-attr]
            facts = {"key": gap.key, "average": gap.average, "standard_error": gap.interval.standard_error}
            rows.append({"first": gap.first, "second": gap.second, **facts, "n": n, "now": gap.detectable})
    for row in rows:
        now = row["now"]
        row["needed"] = None if now is None else max(2, math.ceil(row["n"] * (now / wanted) ** 2))
    return Table("items_needed", rows)


def cases_table(
    found: Comparison | Intervals, wanted: float, cell_of: Callable[[str], Cell] | None = None
) -> ResultTable:
    """Return the items needed for a width or a difference as they are printed."""
    what = "width" if isinstance(found, Intervals) else "detect"
    rows = []
    for row in cases_needed(found, wanted):
        name = f"{row['key']}.{row['average']}"
        cell = found.cell(row["key"], row["average"]) if cell_of is None else cell_of(name)  # type: ignore[union-attr]
        pair = f" {row['second']} − {row['first']}" if "first" in row else ""
        needed = UNDEFINED if row["needed"] is None else f"{row['needed']:,}"
        now = Value(cell, math.nan if row["now"] is None else row["now"])
        rows.append((f"{cell.words}{pair}", now, row["n"], needed))
    aim = "an interval of width" if what == "width" else "a difference of"
    title = f"items needed for {aim} {wanted:g} ({100 * wanted:g} %)"
    return ResultTable(title, ("metric", f"{what} now", "n now", "n needed"), rows, breaks=True)


FEW = 50
"""The number of items or clusters from which 95 % intervals cover 93 % or more in the simulation of docs/compare.md."""
RARE = 10


def cautions(comparison: Comparison) -> list[str]:
    """Return why intervals are known to be too narrow, a line each: few cases, rare classes in a mean."""
    n, noun = comparison.n_clusters or comparison.n_items, comparison.cluster or "item"
    lines = []
    if n < FEW:
        lines.append(
            f"Only {counted(n, noun)}: 95 % intervals of fewer than {FEW} cover less (88 % with 25, 84 % with 10)."
        )
    rare = [
        str(comparison.class_names.get(name, name)) for name, items in comparison.class_items.items() if items < RARE
    ]
    of_classes = [row for row in comparison.differences if "class" in row.average and row.level == "data set"]
    if rare and of_classes:
        shown = ", ".join(rare[:5]) + (" …" if len(rare) > 5 else "")
        lines.append(
            f"Means over classes contain classes of fewer than {RARE} items ({shown}): their intervals are too narrow."
        )
    return lines
