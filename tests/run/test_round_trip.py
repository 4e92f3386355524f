"""What is written into a run file comes back as it was."""

from __future__ import annotations

import math
import threading
import warnings
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.errors import ClassesError
from segmetry.metrics.score import Counts, Score
from segmetry.overlaps.table import OverlapTable
from segmetry.run.run import Run
from segmetry.run.score_rows import score_of_row, score_row
from segmetry.run.settings import Settings
from segmetry.runfile.overlap_columns import RunTables
from segmetry.runfile.schema import ONE_THREAD
from segmetry.runfile.values import stored_class
from segmetry.runfile.writer import ItemResult, RunWriter
from tests.run.strategies import tables


@given(st.lists(tables(), min_size=1, max_size=4), st.randoms())
def test_every_field_of_every_table_comes_back(found: list[OverlapTable], order: object) -> None:
    names = [f"item {at}" for at in range(len(found))]
    writer = RunWriter.create(None, Settings.of().as_json(), {}, names)
    positions = list(range(len(found)))
    order.shuffle(positions)  # type: ignore[attr-defined]
    for at in positions:
        writer.add([(at + 1, ItemResult(names[at], found[at]))])
    writer.commit()
    loaded = RunTables.load(writer.connection)
    for at, table in enumerate(found):
        again = loaded.table(at)
        assert again == table
        assert (again.true.ids.dtype, again.pred.ids.dtype) == (table.true.ids.dtype, table.pred.ids.dtype)
        assert again.class_names is None or list(map(type, again.class_names)) == list(
            map(type, table.class_names or ())
        )


def test_the_largest_id_is_kept_through_a_file(tmp_path: Path) -> None:
    true = np.array([[2**64 - 1, 1, 0]], dtype=np.uint64)
    sm.evaluate({"a": true}, {"a": true}, out=tmp_path / "run.segm").close()
    with Run.open(tmp_path / "run.segm") as run:
        assert run.table("a") == sm.overlap(true, true)
        assert [row["true_id"] for row in run.segments()] == [1, 2**64 - 1]


SCORES = [
    Score.of("recall", 1, 4),
    Score.of("recall", 0, 0, "no true segments"),
    Score.of("recall", 0, 0).or_else(0.0),
    Score.of("rand_index", 2**80, 2**81 + 1, ties=3),
    Score.of("pk", Fraction(1, 3), Fraction(7)),
    Score.of("pq", 0.1 + 0.2, 3),
    Score.number("hausdorff", math.inf),
    Score.number("hausdorff", 1 / 3),
]


@pytest.mark.parametrize("score", SCORES, ids=repr)
def test_scores_come_back_to_the_bit(score: Score) -> None:
    again = score_of_row(score.key, score_row(score))
    assert repr(again.to_dict()) == repr(score.to_dict())
    assert isinstance(again, Score)
    assert (type(again.numerator), type(again.denominator)) == (type(score.numerator), type(score.denominator))


def test_counts_come_back() -> None:
    counts = Counts("pair_counts", {"both": 2**70, "neither": 1})
    assert score_of_row("pair_counts", score_row(counts)) == counts


@pytest.mark.parametrize("name", [("a", 1), 2**63, math.nan, None])
def test_a_class_that_sqlite_cannot_hold_is_rejected(name: object) -> None:
    with pytest.raises(ClassesError, match="cannot be kept in a run file"):
        stored_class(name)


def test_a_rejected_class_leaves_the_item_pending(tmp_path: Path) -> None:
    odd = sm.LabelArray([[1]], classes={1: ("a", "b")})
    with pytest.raises(ClassesError):
        sm.evaluate({"x": odd}, {"x": odd}, out=tmp_path / "run.segm")
    with Run.open(tmp_path / "run.segm") as run:
        assert run.n_done == 0


@pytest.mark.skipif(ONE_THREAD, reason="this SQLite allows no other thread")
def test_any_thread_may_read_a_run_and_be_the_last_to_hold_it(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for out in (None, tmp_path / "run.segm"):
            runs = [sm.evaluate({"a": [[1, 1, 2]]}, {"a": [[1, 2, 2]]}, metrics="pq", out=out)]
            expected = runs[0].scalars()
            found: list[object] = []

            def last(runs: list[sm.Run] = runs, found: list[object] = found) -> None:
                found.append(runs.pop().scalars())

            thread = threading.Thread(target=last)
            thread.start()
            thread.join()
            assert found == [expected]
