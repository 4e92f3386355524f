"""The headline is one cell: the same number, name and unit in everything that states it, for every protocol."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from html import escape
from typing import Any

import pytest

import segmetry as sm
from segmetry.adapters.sklearn_scorers import _signed_value
from segmetry.cli.score_output import headline_line
from segmetry.comparison.annotator_matrix import agreement_matrix
from segmetry.comparison.comparison_tables import comparison_table, differences_table
from segmetry.comparison.gates import Gate, failed_bounds, failed_differences
from segmetry.comparison.several_rules import document, under_rules
from segmetry.comparison.verdict import verdict_sentence
from segmetry.metrics.declare import METRICS
from segmetry.protocols.protocol import PROTOCOLS
from segmetry.report.column_blocks import ColumnBlock
from segmetry.report.overview_data import headline_facts, headline_interval
from segmetry.results.result_table import Value
from segmetry.run.part_rows import ByItem
from tests.protocols.small_data_sets import small_data_set

pytestmark = pytest.mark.filterwarnings("ignore")
ITEMS = 12
"""Enough for an interval beside the headline: the three items of a data set four times."""


def repeated(side: Mapping[str, Any]) -> dict[str, Any]:
    names = list(side)
    return {f"item {at:02}": side[names[at % len(names)]] for at in range(ITEMS)}


@pytest.fixture(scope="module", params=sorted(PROTOCOLS))
def runs(request: pytest.FixtureRequest) -> tuple[sm.Run, sm.Run]:
    """A run, and one whose first items are those of the truth or of another item: other numbers of the same truth."""
    true, pred = map(repeated, small_data_set(request.param))
    names = list(true)
    has_facts = isinstance(pred[names[0]], sm.Masks | sm.LabelArray)  # scores, void: the truth is no prediction
    other = {**pred, **{names[at]: pred[names[at - 1]] if has_facts else true[names[at]] for at in range(2)}}
    first, second = (sm.evaluate(true, one, protocol=request.param, engine="serial") for one in (pred, other))
    return first, second


@pytest.fixture(scope="module")
def run(runs: tuple[sm.Run, sm.Run]) -> sm.Run:
    return runs[0]


@pytest.fixture(scope="module")
def headline(run: sm.Run) -> Value:
    value = run.value()
    assert value is not None and 0 < value.value < math.inf, "the data set is too easy, or has no value"
    return value


def test_the_table_and_the_notebook_have_it(run: sm.Run, headline: Value) -> None:
    table = run.protocol_table()
    assert table is not None and table.headline is not None
    entry = table.value(table.headline)
    assert entry is not None and (entry.value, str(entry)) == (headline.value, str(headline))
    assert f">{headline}<" in run._repr_html_() and escape(headline.cell.name) in run._repr_html_()


def test_the_first_line_states_it_with_an_interval(run: sm.Run, headline: Value) -> None:
    line, interval = headline_line(run), run.headline_interval()
    assert line is not None
    words, _, certain = line.partition(", 95 % interval ")
    shown = words.removeprefix(f"{headline.cell.name} ").split()[0]
    assert words == " ".join(part for part in (headline.cell.name, shown, f"({headline.cell.of})") if part != "()")
    percent = headline.cell.unit == "percent"
    decimals = len(shown.partition(".")[2])
    assert shown == f"{headline.value * (100 if percent else 1):.{decimals}f}"
    assert decimals <= headline.cell.decimals
    assert interval.best is not None
    assert certain == " to ".join(headline.cell.text(end, ends=interval.best) for end in interval.best)


def test_json_and_trackers_have_it(run: sm.Run, headline: Value) -> None:
    plain = json.loads(json.dumps(document(under_rules(run, [run.settings.rule]))))
    stated = plain["headline"]
    assert (stated["name"], stated["value"], stated["text"]) == (headline.cell.name, headline.value, str(headline))
    assert headline.value in [value for row in plain["table"]["rows"] for value in row["values"]]
    scores = next(iter(plain["rules"].values()))["scores"][headline.cell.metric]
    assert next(iter(scores.values()))["value"] == headline.value
    assert run.scalars()[f"{headline.cell.metric}/{headline.cell.average}"] == headline.value


def test_a_bound_is_in_its_unit(run: sm.Run, headline: Value) -> None:
    unit = 100 if headline.cell.unit == "percent" else 1
    is_lower = METRICS[headline.cell.metric].better == "lower"
    for name in (headline.cell.name, headline.cell.metric):
        kept, broken = (headline.value * unit * (1 + sign * 1e-6 * (1 if is_lower else -1)) for sign in (1, -1))
        assert list(failed_bounds(run, [Gate.parse(f"{name}={kept!r}", "=")])) == []
        (line,) = failed_bounds(run, [Gate.parse(f"{name}={broken!r}", "=")])
        assert line.startswith(f"{headline.cell.words} is ")


def test_groups_of_items_have_it(run: sm.Run, headline: Value) -> None:
    """A group of all items has the number of the data set, in the same average."""
    (row,) = run.parts(ByItem("scanner", dict.fromkeys(run.names, "one")))
    assert row[headline.cell.metric] == headline.value


def test_comparisons_have_it(runs: tuple[sm.Run, sm.Run], headline: Value) -> None:
    first, second = runs
    other = second.value()
    assert other is not None and other.value != headline.value
    comparison = sm.compare({"old": first, "new": second}, resamples=100)
    assert comparison.headline == headline.cell.metric
    row = comparison.difference(comparison.headline)
    assert (row.first_value, row.second_value) == (headline.value, other.value)
    assert row.value == other.value - headline.value
    amount = f"new − old = {headline.cell.text(row.value, sign=True)} {headline.cell.words}"
    assert amount in verdict_sentence(comparison)
    listed = [entry for entries in differences_table(comparison, "old", "new").printed() for entry in entries]
    assert f" {headline.cell.name}" in listed and str(headline) in listed and str(other) in listed
    assert str(headline) in [entry for entries in comparison_table(comparison).printed() for entry in entries]
    is_worse = (row.value > 0) == (METRICS[row.key].better == "lower")
    lines = list(failed_differences(comparison, [Gate.parse(f"{headline.cell.name}:0", ":")]))
    assert len(lines) == is_worse
    assert all(line.startswith(f"new against old: {headline.cell.words} is worse by ") for line in lines)


def test_the_report_has_it(run: sm.Run, headline: Value) -> None:
    facts = headline_facts(run, ColumnBlock(), headline_interval(run))
    assert (facts["key"], facts["name"], facts["value"]) == (headline.cell.metric, headline.cell.name, headline.value)
    assert (facts["percent"], facts["decimals"]) == (headline.cell.unit == "percent", headline.cell.decimals)
    assert (facts["low"], facts["high"]) == run.headline_interval().best


def test_adapters_have_it(run: sm.Run, headline: Value) -> None:
    sign = -1 if METRICS[headline.cell.metric].better == "lower" else 1
    assert _signed_value(run, headline.cell.metric, None) == sign * headline.value


@pytest.mark.parametrize("name", sorted(PROTOCOLS))
def test_agreement_of_annotators_has_it(name: str) -> None:
    true, pred = small_data_set(name)
    if isinstance(true["item 0"], sm.Masks):
        with pytest.raises(sm.errors.SegmetryError, match="needs a score for every predicted mask"):
            agreement_matrix({"a": true, "b": pred}, protocol=name)
        return
    matrix = agreement_matrix({"a": true, "b": pred}, protocol=name)
    value = sm.evaluate(true, pred, protocol=name, engine="serial").value()
    assert value is not None
    assert matrix.value(value.cell.metric, "a", "b") == value.value
    assert matrix.cells[value.cell.metric] == value.cell
    assert matrix.keys[0] == value.cell.metric


def test_stardist_has_every_score_at_the_threshold_one_quotes() -> None:
    run = sm.evaluate(*small_data_set("stardist"), protocol="stardist", engine="serial")
    table, scalars = run.protocol_table(), run.scalars()
    assert table is not None
    for column, key in (("precision", "segment_precision"), ("f1", "segment_f1"), ("PQ", "segment_pq")):
        assert table["IoU ≥ 0.5", column] == scalars[f"{key}/pooled"] == run.summary()[key].usual.value
    hits, spurious, missed = (table["IoU ≥ 0.5", count] for count in ("TP", "FP", "FN"))
    assert hits and spurious is not None and missed is not None
    assert table["IoU ≥ 0.5", "accuracy"] == hits / (hits + spurious + missed)


@pytest.mark.parametrize("name", sorted(PROTOCOLS))
def test_a_metric_has_one_name(name: str) -> None:
    names = PROTOCOLS[name].metric_names
    assert len({*names.values()}) == len(names), "two metrics would be two equal rows of a comparison"
    assert names[PROTOCOLS[name].headline_cell.metric] == PROTOCOLS[name].headline_cell.name
