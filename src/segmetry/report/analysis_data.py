"""What takes longest to compute for the page: intervals, the gain if errors are fixed, and fingerprints.

A report in a file contains it; one that is served is shown first, and asks for it then.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from itertools import pairwise

from segmetry._base import OnStage
from segmetry.alignments import rule_heading
from segmetry.comparison import compare
from segmetry.diagnosis import (
    AVERAGES,
    KEYS,
    KINDS,
    WORDS,
    Diagnosis,
    RunError,
    State,
    diagnose,
    difference,
    overlap_problem,
)
from segmetry.errors import ClashError, SegmetryError
from segmetry.metrics import METRICS, Score, value_or_none
from segmetry.report.error_data import error_facts
from segmetry.report.head import item_words, plural
from segmetry.report.overview_data import headline_interval
from segmetry.report.page_records import (
    Analysis,
    BudgetData,
    BudgetKind,
    BudgetPart,
    ByAverage,
    CheckedInputs,
    FingerprintData,
    IntervalData,
    IntervalEnds,
    PageAverage,
    Problem,
    RuleIntervals,
)
from segmetry.report.run_data import page_average
from segmetry.run import Run, segments_of
from segmetry.statistics import DataSet, Interval, Resampling, intervals, summarise

MANY_ITEMS = 10_000
"""The most items of a run whose errors are analysed unasked."""
BEING_COMPUTED: Analysis = {
    "intervals": None,
    "budget": {"problem": "The error analysis is being computed; it appears here when it is done."},
    "errors": {"problem": "The list of errors is being computed; it appears here when it is done."},
    "headline": {"low": None, "high": None, "problem": "the interval is being computed", "detectable": None},
    "run": {"content": None, "checked": {"state": "stated", "words": "being checked"}},
}
"""What stands in the page until it is known."""


def analysis_facts(
    run: Run,
    rules: Sequence[str],
    checked: CheckedInputs,
    progress: OnStage,
    most_items: int = MANY_ITEMS,
    listed: list[Sequence[RunError]] | None = None,
) -> Analysis:
    """Return intervals under some rules and of the headline, the error analysis, and the fingerprints."""
    progress("intervals")
    intervals = interval_facts(run, rules, own_intervals(run))
    headline = headline_interval(run)
    progress("error analysis")
    budget = budget_facts(run, most_items)
    errors = error_facts(run, most_items, listed)
    fingerprint: FingerprintData = {"content": run.content_digest(), "checked": checked}
    return {"intervals": intervals, "headline": headline, "budget": budget, "errors": errors, "run": fingerprint}


HEADLINE = ("pq", "sq", "rq")
PageIntervals = Mapping[str, Mapping[PageAverage, Interval]]
"""Intervals by metric and by average, as the page names averages."""


def own_intervals(run: Run) -> dict[str, dict[PageAverage, Interval]]:
    """Return the intervals of all metrics of a run under its own rule, those of ``segmetry score --interval``."""
    return {key: page_intervals(averages) for key, averages in run.intervals(parts=False).scores.items()}


def page_intervals(averages: Mapping[str, Interval]) -> dict[PageAverage, Interval]:
    """Return the intervals of a metric by the averages of the page."""
    intervals: dict[PageAverage, Interval] = {}
    for name, interval in averages.items():
        intervals.setdefault(page_average(name), interval)
    return intervals


def interval_facts(run: Run, rules: Sequence[str], own: PageIntervals) -> IntervalData:
    """Return the intervals of PQ, SQ and RQ under each rule, and those of all metrics under the run's own."""
    resampling = Resampling(cluster=run.cluster)
    by_rule: dict[str, PageIntervals] = {}
    for rule in rules:
        known = own if rule == run.settings.rule else {}
        if all(key in known for key in HEADLINE):
            by_rule[rule] = known
            continue
        try:
            by_rule[rule] = {**_headline_scores(run, rule, resampling), **known}
        except ClashError:
            continue
    return {
        "level": resampling.level,
        "resamples": resampling.resamples,
        "seed": resampling.rng,
        "words": f"95 % by bootstrap over items, BCa where it exists, else percentiles; {resampling.resamples} "
        f"resamples, seed {resampling.rng}.",
        "by_rule": {rule: _plain_ends(row, run.few_items()) for rule, row in by_rule.items()},
        "differences": {rule: ends for rule in by_rule if (ends := _change_by_rule(run, rule)) is not None},
    }


MOST_PAIRED = 2_000
"""Items of the largest run of which rules are compared item by item: a second or two."""


def _change_by_rule(run: Run, rule: str) -> IntervalEnds | None:
    """Return the interval of the change of the headline under another rule, paired by item."""
    cell, own = run.cell(), run.settings.rule
    is_known = METRICS[cell.metric].depends_on_rule and run.few_items() is None
    if rule == own or not is_known or not 1 < len(run.names) <= MOST_PAIRED:
        return None
    try:
        row = compare(run, rules=[own, rule], metrics=[cell.metric]).difference(cell.metric, cell.average)
    except SegmetryError:  # a rule that gives segments several partners, a metric that needs the inputs
        return None
    return None if row.interval.best is None else {"low": row.interval.best[0], "high": row.interval.best[1]}


def _headline_scores(run: Run, rule: str, resampling: Resampling) -> PageIntervals:
    settings = run.settings.changed(rule=rule)
    counter = segments_of(run.tables_together, settings)
    data = DataSet.of_segments(
        run.data.items, counter.segments(), counter.average, settings.policy, HEADLINE, undefined=settings.undefined
    )
    rows = intervals(data, summarise(data), resampling, parts=False).scores
    return {key: page_intervals(averages) for key, averages in rows.items()}


def _plain_ends(row: PageIntervals, few: str | None) -> RuleIntervals:
    def ends(interval: Interval) -> IntervalEnds | None:
        return None if few or interval.best is None else {"low": interval.best[0], "high": interval.best[1]}

    of_items = row["pq"].get("by_item")
    return {
        "scores": {key: {name: ends(one) for name, one in averages.items()} for key, averages in row.items()},
        "reason": few or (None if of_items is None or of_items.best else of_items.reason),
    }


FIXES = {
    "class": "the predicted segment takes the class of the true one",
    "split": "all pieces of a true segment become one segment",
    "merge": "the predicted segment is cut along the true segments it swallows",
    "missed": "the true segment is predicted exactly",
    "spurious": "the predicted segment is dropped",
    "boundary": "the predicted segment becomes its true partner, exactly",
}
"""How the prediction changes when an error of each kind is fixed."""


def budget_facts(run: Run, most_items: int = MANY_ITEMS) -> BudgetData | Problem:
    """Return the error analysis under the run's own rule, or why there is none; of runs of at most ``most_items``."""
    items = len(run.tables_together)
    if items > most_items:
        return {
            "problem": f"Left out: the run has {items} items, more than {most_items}; segmetry open shows it, and "
            "segmetry diagnose computes it from the run file."
        }
    words = item_words(run)
    overlapping = overlap_problem(run.tables_together, plural(words["item"]), plural(words["segment"]))
    if overlapping is not None:
        return {"problem": f"No error analysis: {overlapping}"}
    try:
        return _analysed(diagnose(run))
    except SegmetryError as problem:
        return {"problem": f"No error analysis: {problem}"}


def _analysed(diagnosis: Diagnosis) -> BudgetData:
    steps = [diagnosis.base, *diagnosis.cumulative.values()]
    kinds: dict[str, BudgetKind] = {
        kind: {
            "words": WORDS[kind],
            "fixed": FIXES[kind],
            "errors": diagnosis.counts[kind]["errors"],
            "missed": diagnosis.counts[kind]["missed"],
            "spurious": diagnosis.counts[kind]["spurious"],
            "individually": _values(diagnosis.individually[kind]),
            "cumulative": _values(diagnosis.cumulative[kind]),
            "gain_individually": _gains(diagnosis.base, diagnosis.individually[kind]),
            "gain_cumulative": _gains(before, diagnosis.cumulative[kind]),
        }
        for kind, before in zip(KINDS, steps, strict=False)
    }
    confusion = [
        (diagnosis.called(row.true_class), diagnosis.called(row.pred_class), row.pairs) for row in diagnosis.confusion
    ]
    return {
        "problem": None,
        "rule": rule_heading(diagnosis.rule),
        "policy": diagnosis.policy,
        "order": list(KINDS),
        "keys": list(KEYS),
        "base": _values(diagnosis.base),
        "kinds": kinds,
        "size_edges": list(diagnosis.size_edges),
        "by_size": _parts(diagnosis, "size", list(diagnosis.base.sizes)),
        "by_class": _parts(diagnosis, "class", diagnosis.worst_classes) if diagnosis.has_classes else None,
        "confusion": confusion if diagnosis.has_classes and diagnosis.classes == "match" else None,
    }


def _parts(diagnosis: Diagnosis, level: str, names: Sequence[Hashable]) -> list[BudgetPart]:
    """Return PQ of every class or size, and its gain if each kind is fixed, in the order of the kinds."""
    steps = [diagnosis.base, *diagnosis.cumulative.values()]
    rows: list[BudgetPart] = []
    for name in names:
        values = [state.part(level, name).get("pq") for state in steps]
        rows.append(
            {
                "name": diagnosis.called(name) if level == "class" else str(name),
                "pq": value_or_none(values[0]),
                "individually": [diagnosis.gain(kind, level=level, name=name) for kind in diagnosis.individually],
                "cumulative": [difference(before, after) for before, after in pairwise(values)],
            }
        )
    return rows


def _values(state: State) -> dict[str, ByAverage]:
    return {key: {average: value_or_none(score) for average, score in _averages(state, key).items()} for key in KEYS}


def _gains(before: State, after: State) -> ByAverage:
    first, second = _averages(before, "pq"), _averages(after, "pq")
    return {average: difference(first[average], second.get(average)) for average in first}


def _averages(state: State, key: str) -> dict[PageAverage, Score]:
    found: dict[PageAverage, Score | None] = {average: state.scores[key].find(average) for average in AVERAGES}
    return {average: score for average, score in found.items() if score is not None}
