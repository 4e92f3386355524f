"""What the page decides under a rule that is entered is what Python decides: pairs, and everything drawn from them.

The formulas of scores are compared in ``test_page_formulas``.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import segmetry as sm
from segmetry.alignments.align_table import align
from segmetry.alignments.candidates import as_rule
from segmetry.alignments.counted_overlaps import CountedOverlaps
from segmetry.alignments.curves import Curves, attains_bound, iou_lower_bound
from segmetry.alignments.pair_errors import KINDS, error_kinds, false_hits
from segmetry.alignments.rule_labels import rule_heading
from segmetry.errors import ClashError
from segmetry.metrics.declare import METRICS
from segmetry.metrics.tally_quotient import tally_of
from segmetry.metrics.windows.window_metrics import pk, window_diff
from segmetry.outputs.plots.precision_recall_plot import item_points, segment_points
from segmetry.report.item_pictures import worst_first
from segmetry.report.run_data import page_average, page_scores
from segmetry.results.number_format import number
from segmetry.run.run_data_set import alignment_options
from segmetry.statistics.wider_rule import TwoAlignments, two_rules
from tests.report.generated_runs import blobs, huge_spans, overlapping_masks
from tests.report.page_scripts import answer

RULES = (
    "theta_plus",
    "theta_and",
    "iou(above=1/3)",
    "iou(at_least=1/2)",
    "iou(above=617/1000)",
    "iou(at_least=1)",
    "dice(above=2/3)",
    "dice(at_least=4/5)",
    "tversky(alpha=1/2,beta=1/2,at_least=3/4)",
    "tversky(alpha=2,beta=3/2,above=1/2)",
    "tversky(alpha=0,beta=1,above=1/2)",
)


def with_void_and_crowds() -> sm.Run:
    numbers = np.random.default_rng(11)
    true, pred = {}, {}
    for at in range(6):
        labels = np.kron(numbers.integers(0, 7, (4, 4)), np.ones((4, 4), int))
        guessed = np.where(numbers.random(labels.shape) < 0.8, labels, np.roll(labels, 1))
        classes = {label: "ab"[label % 2] for label in range(1, 6)}
        true[f"{at}"] = sm.LabelArray(labels, void=6, classes=classes, crowd=[5])
        pred[f"{at}"] = sm.LabelArray(np.where(guessed == 6, 0, guessed), classes=classes)
    return sm.evaluate(true, pred, metrics="panoptic", policy="coco")


def loose_lines() -> sm.Run:
    """Lines of which θ& aligns many segments at an IoU below one half."""
    numbers = np.random.default_rng(9)
    true, pred = {}, {}
    for at in range(12):
        cuts = np.cumsum(numbers.integers(4, 12, 3 + at))
        moved = np.unique(np.clip(cuts + numbers.integers(-3, 4, cuts.size), 1, cuts[-1]))
        true[f"{at}"], pred[f"{at}"] = (
            sm.Spans.from_masses(np.diff([0, *side.tolist()]).tolist())
            for side in (cuts, np.append(moved[moved < cuts[-1]], cuts[-1]))
        )
    return sm.evaluate(true, pred, metrics="panoptic")


RUNS: dict[str, Callable[[], sm.Run]] = {
    "classes": lambda: sm.evaluate(*blobs(8, seed=1), metrics="panoptic"),
    "no classes": lambda: sm.evaluate(*blobs(8, seed=2, classes=0), metrics="panoptic", rule="greedy(weight=dice)"),
    "void and crowds": with_void_and_crowds,
    "lines": loose_lines,
    "beyond 2^53": lambda: sm.evaluate(*huge_spans(), metrics="panoptic"),
    "overlapping, kept": lambda: sm.evaluate(*overlapping_masks(5), metrics="panoptic", resolve="keep"),
    "overlapping, assigned": lambda: sm.evaluate(*overlapping_masks(5), metrics="panoptic", resolve="assign"),
}


DISJOINT = [name for name in RUNS if not name.startswith("overlapping")]
"""Runs in which segments of a side do not overlap: others have no kinds of errors and no curves."""


@pytest.fixture(scope="module", params=RUNS)
def run(request: pytest.FixtureRequest) -> sm.Run:
    return RUNS[request.param]()


@pytest.fixture(scope="module", params=DISJOINT)
def disjoint(request: pytest.FixtureRequest) -> sm.Run:
    return RUNS[request.param]()


def known_rules(run: sm.Run) -> list[str]:
    """The page assigns under the rules it was written for only."""
    return list(RULES[:2]) if run.settings.resolve == "assign" else [*dict.fromkeys((*RULES, run.settings.rule))]


def aligned(run: sm.Run, rule: str, tables: Any = None) -> list[Any]:
    """Return the alignment of every item with all its pairs, also where a segment has several partners."""
    options = alignment_options(run.settings) | {"rule": rule}
    resolve = run.settings.resolve or "keep"
    return [align(table, **(options | {"resolve": resolve})) for _, table in tables or run.tables()]


PAIRS = """
import { align, alignRun } from "./scoring/align.js";
import { ruleNamed } from "./scoring/rules.js";
import { valuesOf } from "./scoring/best_partners.js";
const answer = (model, rules) => rules.map((name) => {
  const rule = ruleNamed(name, model);
  return model.items.map((item) => {
    const { pairs, unmatchedTrue, unmatchedPred, clash } = align(item, rule);
    const values = valuesOf(item, rule);
    const side = ({ value, above, shown }) =>
      [...value.keys()].map((at) => (shown[at] ? [value[at], above[at]] : null));
    return {
      pairs: pairs.map(({ t, p, shared, missed, spurious, iou }) => [t, p, `${shared} ${missed} ${spurious}`, iou]),
      unmatched: [unmatchedTrue, unmatchedPred],
      clash: clash !== null,
      values: [side(values.true), side(values.pred)],
    };
  });
});
"""


def test_pairs_and_segments_without_a_partner(run: sm.Run, tmp_path: Path) -> None:
    rules = known_rules(run)
    for rule, items in zip(rules, answer(run, PAIRS, rules, tmp_path), strict=True):
        for alignment, item in zip(aligned(run, rule), items, strict=True):
            counts = zip(alignment.shared.tolist(), alignment.missed.tolist(), alignment.spurious.tolist(), strict=True)
            columns = (alignment.at_true.tolist(), alignment.at_pred.tolist(), (f"{s} {m} {p}" for s, m, p in counts))
            pairs = [list(pair) for pair in zip(*columns, alignment.iou.tolist(), strict=True)]
            assert item["pairs"] == pairs, rule
            for side, at, skipped, listed in (
                (alignment.table.true, alignment.at_true, alignment.ignored_true, item["unmatched"][0]),
                (alignment.table.pred, alignment.at_pred, alignment.ignored_pred, item["unmatched"][1]),
            ):
                assert listed == [n for n in range(len(side)) if n not in set(at.tolist()) and not skipped[n]], rule
            has_several = not len(alignment) == len(set(columns[0])) == len(set(columns[1]))
            assert item["clash"] == (has_several and run.settings.resolve != "keep"), rule


SEGMENT_INPUTS = {"classes": lambda: blobs(8, seed=1), "overlapping, kept": lambda: overlapping_masks(5)}


@pytest.mark.parametrize("name", SEGMENT_INPUTS)
def test_best_partners(name: str, tmp_path: Path) -> None:
    run, (true, pred) = RUNS[name](), SEGMENT_INPUTS[name]()
    rules = [rule for rule in known_rules(run) if "(" not in rule or "iou" in rule]
    for rule, items in zip(rules, answer(run, PAIRS, rules, tmp_path), strict=True):
        for (item, table), shown in zip(run.tables(), items, strict=True):
            maps = sm.maps(true[item], pred[item], rule=rule)
            for at, (side, painted) in enumerate(((table.true, maps.true_values), (table.pred, maps.pred_values))):
                values = zip(painted.ids.tolist(), painted.values.tolist(), painted.above.tolist(), strict=True)
                expected = {segment: [value, int(above)] for segment, value, above in values}
                listed = zip(side.ids.tolist(), shown["values"][at], strict=True)
                assert {segment: pair for segment, pair in listed if pair is not None} == expected, rule


ENTERED = """
import { accepts, ruleNamed } from "./scoring/rules.js";
import { written } from "./scoring/exact.js";
const answer = (model, { rules, pairs }) => rules.map((name) => {
  const rule = ruleNamed(name, model);
  return { ...rule, clauses: null, alpha: written(rule.alpha), accepted: pairs.map((pair) => accepts(rule, ...pair)) };
});
"""


def test_rules_that_are_entered(tmp_path: Path) -> None:
    numbers = np.random.default_rng(5)
    thresholds = [f"{sign}={top}/7" for sign in ("above", "at_least") for top in range(1, 7)]
    weights = [
        f"tversky(alpha={a},beta={b},{limit})" for a in ("0", "1/3", "2") for b in ("1", "5/2") for limit in thresholds
    ]
    names = [*RULES[2:], *(f"{kind}({limit})" for kind in ("iou", "dice") for limit in thresholds), *weights]
    pairs = numbers.integers(0, 12, (400, 3)).tolist()
    run = RUNS["no classes"]()
    for name, entered in zip(names, answer(run, ENTERED, {"rules": names, "pairs": pairs}, tmp_path), strict=True):
        rule = as_rule(name)
        assert entered["name"] == rule.name
        if not name.startswith("tversky"):  # which has no heading but its name in Python
            assert entered["label"] == rule_heading(name)
        assert entered["alpha"] == str(iou_lower_bound(rule, "iou")), name
        assert entered["attained"] == attains_bound(rule, "iou"), name
        assert entered["oneToOne"] == rule.guarantees_one_to_one, name
        shared, missed, spurious = np.array(pairs).T
        assert entered["accepted"] == rule.accepts(shared, missed, spurious).tolist(), name


FILTERED = """
import { ruleNamed } from "./scoring/rules.js";
import { TALLY_KEYS } from "./scoring/scores.js";
import { worstFirst } from "./scoring/headline.js";
import { summarise } from "./scoring/summary.js";
const answer = (model, { rules, items }) => rules.map((name) => {
  const rule = ruleNamed(name, model);
  const { whole, groups, clashes } = summarise(model, rule, new Set(items));
  const values = (row) => Object.fromEntries(["by_item", "by_class", "pooled"].filter((name) => row[name]).map(
    (name) => [name, Object.fromEntries(TALLY_KEYS.map((key) => [key, row[name][key].value]))]));
  const order = worstFirst(model, { rule, selected: null });
  return { whole: values(whole), groups: groups.map((row) => [row.name, values(row)]), clashes: clashes.size, order };
});
"""


@pytest.mark.parametrize("undefined", [None, 1])
def test_averages_under_a_filter(undefined: float | None, tmp_path: Path) -> None:
    true, pred = blobs(8, seed=1, classes=6)  # some items have no segment of the group
    options: dict[str, Any] = {"metrics": "panoptic", "groups": {"some": ["class 5"]}, "undefined": undefined}
    run, items = sm.evaluate(true, pred, **options), [0, 3, 4, 7]
    names = [run.names[at] for at in items]
    part = sm.evaluate({name: true[name] for name in names}, {name: pred[name] for name in names}, **options)
    asked = {"rules": known_rules(run), "items": items}
    for rule, shown in zip(asked["rules"], answer(run, FILTERED, asked, tmp_path), strict=True):
        try:
            summary = part.rescore(rule).summary()
        except ClashError:
            assert shown["clashes"], rule
            continue
        assert shown["order"] == worst_first(run.rescore(rule))
        rows = {"whole": summary.scores, **summary.groups}
        for group, values in (("whole", shown["whole"]), *shown["groups"]):
            for average, by_key in values.items():
                for key, value in by_key.items():
                    found: Any = page_scores(rows[group][key])
                    if found[average] is None and METRICS[key].is_count:  # a count of a group is added over its classes
                        n = len(items) if average == "by_item" else 1
                        expected = pytest.approx(found["pooled"]["value"] / n, rel=1e-15)
                    else:
                        expected = found[average]["value"]
                    assert value == expected, (rule, group, average, key)


HEADLINE = """
import { headlineOf, inItsUnit } from "./scoring/headline.js";
import { score, writeScoresIn } from "./scoring/exact.js";
const answer = (model) => {
  writeScoresIn(model.data.overview.headline);
  const rule = model.rule(model.settings.rule);
  const { name, value, low, high, isLive, items } = headlineOf(model, { rule, selected: null });
  const texts = [value, low, high].map((one) => inItsUnit(model, one, low, high));
  return { name, texts, isLive, first: score(items[0]), change: score(-items[0], true) };
};
"""


@pytest.mark.parametrize(("protocol", "is_live"), [("coco-panoptic", True), ("conic", False), ("hover-net", True)])
def test_the_headline_is_the_cell_of_the_terminal(protocol: str, is_live: bool, tmp_path: Path) -> None:
    """conic counts the classes that no image has, which the page does not know: its number is that of Python."""
    true, pred = blobs(12, seed=1, classes=0 if protocol == "hover-net" else 3)
    names = {f"class {at}": f"class {at}" for at in range(6)}
    run = sm.evaluate(true, pred, protocol=protocol, class_names=names if protocol == "conic" else None)
    shown, cell, ends = answer(run, HEADLINE, None, tmp_path), run.cell(), run.headline_interval().best
    assert ends is not None
    numbers = (run.value().value, *ends)
    assert shown["texts"] == [cell.text(one, ends=ends) for one in numbers] and shown["name"] == cell.name
    assert shown["isLive"] is is_live
    item = run.data.item_values(cell.metric)[0]
    assert (shown["first"], shown["change"]) == (cell.text(item), cell.text(-item, sign=True)), "in the same unit"


CURVES = """
import { ruleNamed } from "./scoring/rules.js";
import { parseFraction } from "./scoring/exact.js";
import { summarise } from "./scoring/summary.js";
import { curveOf } from "./scoring/threshold_curves.js";
const answer = (model, { rules, thresholds }) => rules.map((name, at) => {
  const rule = ruleNamed(name, model);
  const curve = curveOf(model, rule, null, summarise(model, rule).tally);
  return thresholds[at].map((text) => {
    const kept = curve.kept(parseFraction(text));
    return [kept, ...["precision", "recall", "f1"].map((measure) => curve.value(measure, kept))];
  });
});
"""


def test_curves_over_the_threshold(disjoint: sm.Run, tmp_path: Path) -> None:
    rules = ["theta_plus", "theta_and"]
    curves = [Curves.of(tally_of(disjoint.rescore(rule).data.segments)) for rule in rules]
    thresholds = [[*(str(step) for step in one.steps if step.denominator < 10**15), "0", "1/2", "1"] for one in curves]
    shown = answer(disjoint, CURVES, {"rules": rules, "thresholds": thresholds}, tmp_path)
    for one, texts, readings in zip(curves, thresholds, shown, strict=True):
        for text, (kept, *values) in zip(texts, readings, strict=True):
            assert kept == one.n_kept(text)
            expected = [one.at(text, measure) for measure in ("precision", "recall", "f1")]
            assert values == [None if value is None else float(value) for value in expected]


TWO_RULES = """
import { disagreement, widePairs } from "./scoring/additional_pairs.js";
import { parseFraction } from "./scoring/exact.js";
const answer = (model, asked) => {
  const pairs = widePairs(model);
  return {
    pairs: pairs.map(({ item, t, p, iou, isAdditional, isSmall, kind }) =>
      [item, t - Number(model.true.start[item]), p - Number(model.pred.start[item]), iou, isAdditional, isSmall, kind]),
    by: asked.map((pi) => {
      const { hits, distance, correlation } = disagreement(model, pairs, parseFraction(pi), null);
      return { hits: pairs.map((pair) => hits.has(pair)), distance, correlation };
    }),
  };
};
"""


def test_lines_have_pairs_about_which_two_rules_disagree() -> None:
    wide, narrow = (sum(map(len, aligned(loose_lines(), rule))) for rule in ("theta_and", "theta_plus"))
    assert wide >= narrow + 3


def test_what_two_rules_disagree_about(disjoint: sm.Run, tmp_path: Path) -> None:
    tables = list(disjoint.tables())
    wide, narrow = (aligned(disjoint, rule, tables) for rule in ("theta_and", "theta_plus"))
    rows = []
    for at, (one, other) in enumerate(zip(wide, narrow, strict=True)):
        kinds, known = error_kinds(one), set(other.rows.tolist())
        columns = (one.at_true, one.at_pred, one.iou, [row not in known for row in one.rows.tolist()], kinds.small)
        for *values, kind in zip(*(np.asarray(column).tolist() for column in columns), kinds.kinds, strict=True):
            rows.append([at, *values, KINDS[kind]])
    pis = ["3/4", "0.6", "1"]
    shown = answer(disjoint, TWO_RULES, pis, tmp_path)
    assert shown["pairs"] == rows
    for pi, found in zip(pis, shown["by"], strict=True):
        items = zip(disjoint.names, narrow, wide, strict=True)
        result = two_rules([TwoAlignments.of(name, one, other, pi=pi) for name, one, other in items])
        assert found["hits"] == [hit for one in wide for hit in false_hits(one, pi).tolist()]
        assert found["distance"] == result.ks_statistic
        assert found["correlation"] == result.correlation


POINTS = """
import { itemPoints, segmentPoints } from "./scoring/scatter_points.js";
const answer = (model) => [segmentPoints(model), itemPoints(model)].map((points) =>
  points.map(({ recall, precision, corner }) => [recall, precision, corner]));
"""


def test_the_points_of_the_scatter_plot(disjoint: sm.Run, tmp_path: Path) -> None:
    tables, options = dict(disjoint.tables()), {"policy": disjoint.settings.policy}
    segments = [dot for table in tables.values() for dot in segment_points(CountedOverlaps.of(table, **options))]
    shown = answer(disjoint, POINTS, None, tmp_path)
    for points, dots in zip(shown, (segments, item_points(tables, **options)), strict=True):
        assert points == [[float(dot.recall), float(dot.precision), dot.corner] for dot in dots]


WINDOWS = """
import { boundaries, windows, windowSize } from "./scoring/windows.js";
const answer = (model, lines) => lines.map(([n, ...sides]) => {
  const [ours, theirs] = sides.map((spans) => boundaries(spans, n));
  return [windowSize(ours, n), 2, 3].flatMap((k) => [false, true].map((padded) => {
    const counted = windows(ours, theirs, n, k, padded);
    return [k, counted.pk, counted.windowDiff, counted.count];
  }));
});
"""


def test_windows_of_lines(tmp_path: Path) -> None:
    numbers = np.random.default_rng(7)
    lines = []
    for n in range(4, 40):
        cuts = [np.flatnonzero(numbers.random(n - 1) < 0.3) + 1 for _ in range(2)]
        lines.append([sm.Spans.from_masses(np.diff([0, *side.tolist(), n]).tolist()) for side in cuts])
    asked = [
        [true.n, *(np.stack((side.starts, side.stops), 1).tolist() for side in (true, pred))] for true, pred in lines
    ]
    for (true, pred), shown in zip(lines, answer(RUNS["no classes"](), WINDOWS, asked, tmp_path), strict=True):
        choices = [(k, padded) for k in (None, 2, 3) for padded in (False, True)]
        for (k, padded), (size, wrong, different, count) in zip(choices, shown, strict=True):
            scores = [metric(true, pred, k=k, padded=padded) for metric in (pk, window_diff)]
            assert [score.denominator for score in scores] == [count, count] and scores[0].details["k"] == size
            assert [score.numerator for score in scores] == [wrong, different]


NUMBERS = """
import { show } from "./scoring/exact.js";
const answer = (model, values) => values.map((value) => show(value));
"""


def test_numbers_are_printed_with_the_same_digits(tmp_path: Path) -> None:
    random = np.random.default_rng(3)
    values = [0.0, 1.0, 1 / 32, 3 / 32, 0.99995, 12.34565, 99.99995, 100.0, 123.45, 1e6, -1 / 32, -0.25]
    values += (random.integers(0, 2**12, 200) / 2**12).tolist() + random.normal(0, 40, 100).tolist()
    assert answer(RUNS["no classes"](), NUMBERS, values, tmp_path) == [number(value) for value in values]


def test_the_example_of_page_average() -> None:
    assert (page_average("by_item_of_classes"), page_average("by_class_of_items"), page_average("pooled")) == (
        "by_item",
        "by_class",
        "pooled",
    )
