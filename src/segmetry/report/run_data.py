"""A run as plain data: settings, rules, classes, inputs, and the numbers computed in Python."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from segmetry.alignments import (
    CountedOverlaps,
    LocalRule,
    MatchRule,
    as_policy,
    as_rule,
    attains_bound,
    iou_lower_bound,
    rule_heading,
)
from segmetry.diagnosis import is_about_classes, n_defined
from segmetry.metrics import AVERAGES, METRICS, match_graph
from segmetry.receipts import neighbour_paths
from segmetry.report.head import item_words
from segmetry.report.page_records import (
    AggregatedData,
    AgreesBy,
    FingerprintData,
    GraphData,
    PageAverage,
    PathData,
    Provenance,
    RuleData,
    RunFacts,
    SettingsData,
)
from segmetry.report.segment_columns import PageRows, chosen_column, is_wide, largest
from segmetry.run import Run
from segmetry.runfile import RunTables
from segmetry.statistics import Averages, Summary

SHOWN_INPUTS = 20


def run_facts(run: Run, rules: list[str], rows: PageRows) -> RunFacts:
    """Return what a run says of itself: items, settings, rules, and its scores as they are stored."""
    summary = run.summary()
    tables = run.tables_together
    kinds, axes = [item.kind for item in tables.items], [item.axes for item in tables.items]
    class_names = [str(run.class_names.get(name, name)) for name in tables.class_names]
    return {
        "words": item_words(run),
        "items": [item.name for item in tables.items],
        "kinds": kinds[:1] if len(set(kinds)) == 1 else kinds,
        "axes": axes[:1] if len(set(axes)) == 1 else axes,
        "classes": class_names if tables.has_classes[0] else None,
        "pairs_only": not rows.are_all,
        "agrees_by": agrees_by(run),
        "settings": _settings(run, tables),
        "rules": [_rule(as_rule(name)) for name in rules],
        "chosen": {name: chosen_column(name) for name in rows.chosen},
        "graph": _graph(run, tables),
        "summaries": {rule: _scores(run, rule, summary) for rule in (run.settings.rule, *run.settings.also)},
        "keys": list(summary.scores),
        "left_out": list(run.left_out),
    }


def agrees_by(run: Run) -> AgreesBy | None:
    """Return what makes an element right: the same class, or the same id of an object; None for partners."""
    if run.headline == "j_and_f":
        options = run.data.source(run.headline).options
        return "ids" if options.get("task", "semi-supervised") == "semi-supervised" else None
    return "classes" if is_about_classes(run) else None


def _settings(run: Run, tables: RunTables) -> SettingsData:
    settings, policy = run.settings, as_policy(run.settings.policy)
    codes = {name: code for code, name in enumerate(tables.class_names)}
    return {
        "rule": settings.rule,
        "policy": {
            "name": policy.name,
            "summary": policy.summary,
            "crowd": policy.crowd,
            "undefined": policy.undefined,
        },
        "undefined": settings.undefined,
        "average": "class" if run.data.average == "class" else "segments",
        "resolve": settings.resolve,
        "classes": settings.classes,
        "background": settings.background,
        "groups": {
            group: [codes[name] for name in classes if name in codes] for group, classes in settings.groups.items()
        },
        "reading": settings.reading,
        "protocol": run.header,
        "headline_average": None if run.protocol is None else page_average(run.protocol.headline_cell.average),
        "wide": is_wide(tables),
        "widest": min(largest(tables), 2**53),
    }


def _rule(rule: MatchRule) -> RuleData:
    clauses = None
    if isinstance(rule, LocalRule):
        clauses = [
            [(str(part.shared), str(part.missed), str(part.spurious), part.strict) for part in clause]
            for clause in rule.clauses
        ]
    return {
        "name": rule.name,
        "label": rule_heading(rule.name),
        "clauses": clauses,
        "one_to_one": rule.guarantees_one_to_one,
        "alpha": str(iou_lower_bound(rule, "iou")),
        "attained": attains_bound(rule, "iou"),
    }


def _paths(run: Run) -> list[PathData]:
    """Return how the number of each neighbour of the protocol becomes that of the run."""
    return [
        {
            "theirs": path.theirs.name,
            "program": path.theirs.program,
            "bars": [
                {"name": name, "number": number, "share": share, "start": start, "stop": stop}
                for name, number, share, start, stop in path.bars()
            ],
        }
        for path in neighbour_paths(run)
        if path.theirs is not None
    ]


def provenance(run: Run, fingerprint: FingerprintData) -> Provenance:
    """Return where a run comes from, and what is known of the fingerprints of its inputs."""
    inputs = run.inputs
    counts = run.counts()
    return {
        "segmetry": run.facts.get("segmetry"),
        "true": run.facts.get("true"),
        "pred": run.facts.get("pred"),
        "numbers": run.provenance()["words"],
        "paths": _paths(run) if run.is_quickly_resampled else [],
        "inputs": [
            {"side": entry["side"], "name": entry["name"], "sha256": entry["sha256"]} for entry in inputs[:SHOWN_INPUTS]
        ],
        "n_inputs": len(inputs),
        "true_segments": counts["true_segments"],
        "pred_segments": counts["pred_segments"],
        "overlap_rows": counts["overlap_rows"],
        **fingerprint,
    }


def _graph(run: Run, tables: RunTables) -> GraphData:
    """Return the numbers of split true and merged predicted segments, by class if there are classes."""
    overlaps = CountedOverlaps.of(tables.together, policy=run.settings.policy, classes=run.settings.classes)
    graph = match_graph(overlaps)
    counts: GraphData = {"splits": graph.splits, "merges": graph.merges, "by_class": None}
    if overlaps.table.class_names is not None:
        count = len(tables.class_names)
        counts["by_class"] = {
            "splits": np.bincount(tables.true.classes[graph.true_degree > 1], minlength=count).tolist(),
            "merges": np.bincount(tables.pred.classes[graph.pred_degree > 1], minlength=count).tolist(),
        }
    return counts


def _scores(run: Run, rule: str, own: Summary) -> dict[str, AggregatedData]:
    """Return every metric under a rule; those that do not depend on it only under the run's own rule."""
    is_own = rule == run.settings.rule
    scores = own.scores if is_own else run.rescore(rule).summary().scores
    return {key: page_scores(one) for key, one in scores.items() if is_own or METRICS[key].depends_on_rule}


def page_average(average: str) -> PageAverage:
    """Return what the page calls an average: it computes means over items, over classes, and of all segments."""
    if not AVERAGES[average].steps:
        return "pooled"
    return "by_item" if AVERAGES[average].steps[0] in ("item", "item*class") else "by_class"


def defined_value(value: float) -> float | None:
    """Return a value, None for NaN, which JSON cannot write."""
    return None if math.isnan(value) else value


def page_scores(averages: Averages) -> AggregatedData:
    """Return the scores of a metric by the averages of the page, the usual one of each kind first."""
    found: dict[str, Any] = {}
    for name, score in averages.items():
        found.setdefault(page_average(name), score.to_dict())
    return {
        "by_item": found.get("by_item"),
        "n": n_defined(averages),
        "by_class": found.get("by_class"),
        "pooled": found.get("pooled"),
    }
