"""The headline of a protocol is a value of its own table, and the same number wherever it is stated."""

from __future__ import annotations

import json
import math

import pytest

import segmetry as sm
from segmetry.cli.score_output import headline_line
from segmetry.protocols.protocol import PROTOCOLS
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
    shown = json.loads(json.dumps(table.to_dict()))
    assert stated(run) in [value for row in shown["rows"] for value in row["values"]]


def test_the_terminal_prints_it(run: sm.Run) -> None:
    table, value = run.protocol_table(), run.value()
    assert table is not None and value is not None and table.headline is not None
    entry = table.value(table.headline)
    assert entry is not None and (str(entry), entry.value) == (str(value), value.value)
    line = headline_line(run)
    assert line is not None and line.startswith(f"{value.cell.name} {value}")
    assert line.endswith("; no interval: 3 items are too few")
    assert any(value.cell.name in heading for row in table.rows for heading in (str(row[0]), *table.headings[1:]))


def test_it_is_the_value_of_its_interval(run: sm.Run) -> None:
    assert run.interval(run.headline, resamples=100).value == stated(run)


def test_one_pair_has_it(run: sm.Run) -> None:
    assert run.protocol is not None
    true, pred = (next(iter(side.values())) for side in small_data_set(run.protocol.name))
    scores = sm.score(true, pred, protocol=run.protocol.name)
    assert scores[scores.headline].value == headline_of(scores.table)
