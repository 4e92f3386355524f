"""The headline of a protocol is a value of its own table, and the same number wherever it is stated."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

import segmetry as sm
from segmetry.cli.headline_output import headline_line
from segmetry.comparison.gates import Gate, failed_bounds
from segmetry.comparison.several_rules import UnderRule
from segmetry.metrics.declare import METRICS
from segmetry.protocols.protocol import PROTOCOLS
from segmetry.protocols.protocol_cells import metric_cell
from segmetry.report.column_blocks import ColumnBlock
from segmetry.report.overview_data import headline_facts
from segmetry.results.result_table import ResultTable
from tests.protocols.small_data_sets import small_data_set

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module", params=sorted(PROTOCOLS))
def run(request: pytest.FixtureRequest) -> sm.Run:
    evaluated = sm.evaluate(*small_data_set(request.param), protocol=request.param, engine="serial")
    assert evaluated.modified == ()
    return evaluated


def stated(run: sm.Run) -> float:
    return run.summary()[run.headline].usual.value


def headline_of(table: ResultTable | None) -> float | None:
    assert table is not None and table.headline is not None
    return table[table.headline]


def test_it_is_in_the_table_of_the_protocol(run: sm.Run) -> None:
    table, protocol = run.protocol_table(), run.protocol
    assert table is not None and protocol is not None
    assert run.headline == protocol.headline_cell.metric
    assert 0 < stated(run) < math.inf, "the data set is too easy, or has no value"
    assert headline_of(table) == stated(run)
    shown = json.loads(json.dumps(table.as_dict()))
    assert stated(run) in [value for row in shown["rows"] for value in row["values"]]


def test_scalars_and_json_have_it(run: sm.Run) -> None:
    key = run.headline
    average = next(iter(run.summary()[key]))
    assert run.scalars()[f"{key}/{average}"] == stated(run)
    plain: dict[str, Any] = json.loads(json.dumps(run.summary().as_dict()))
    assert next(iter(plain["scores"][key].values()))["value"] == stated(run)


def test_a_gate_tests_it(run: sm.Run) -> None:
    key, value = run.headline, stated(run)
    above = math.nextafter(value, -math.inf if METRICS[key].better == "lower" else math.inf)
    assert list(failed_bounds(run, [Gate.parse(f"{key}={value!r}", "=")])) == []
    assert len(list(failed_bounds(run, [Gate.parse(f"{key}={above!r}", "=")]))) == 1


def test_the_report_shows_it(run: sm.Run) -> None:
    nothing: Any = {"low": None, "high": None, "problem": None, "detectable": None}
    facts = headline_facts(run, ColumnBlock(), nothing)
    assert (facts["key"], facts["value"]) == (run.headline, stated(run))
    assert facts["name"] not in [beside["name"] for beside in facts["beside"]]


def test_the_terminal_prints_it(run: sm.Run) -> None:
    assert run.protocol is not None
    numbers = run.protocol.numbers
    line = headline_line(UnderRule(run, [], run.summary()), run.headline, numbers)
    assert line is not None and f" {metric_cell(run.headline, numbers=numbers).text(stated(run))}" in line
    table = run.protocol_table()
    assert table is not None and any(
        heading in line for row in table.rows for heading in (str(row[0]), *table.headings[1:])
    )


def test_it_is_the_value_of_its_interval(run: sm.Run) -> None:
    assert run.interval(run.headline, resamples=100).value == stated(run)


def test_one_pair_has_it(run: sm.Run) -> None:
    assert run.protocol is not None
    true, pred = (next(iter(side.values())) for side in small_data_set(run.protocol.name))
    scores = sm.score(true, pred, protocol=run.protocol.name)
    assert scores[scores.headline].value == headline_of(scores.table)
