"""Large items in blocks on the engines of one machine: the same content as in memory, and progress that adds up."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

import segmetry as sm
from segmetry.errors import NegativeLabelError
from segmetry.evaluation.evaluate_items import counted_again, evaluate
from segmetry.evaluation.inputs import ItemTask
from segmetry.evaluation.schedule import ProgressState, Schedule
from segmetry.evaluation.stages import BlockedItem, CountBlocks, InspectItem, ScoreCounts, run_stage
from segmetry.kernels.pairs import PairCounts
from segmetry.run.settings import Settings
from segmetry.runfile.writer import ItemResult
from segmetry.storage.stored_arrays import regular_edges
from tests.profiles import examples
from tests.stored_arrays import Chunked, edges_of, label_pairs, small_blocks

METRICS = "pq,shape_index,rand_index,hausdorff"


@examples(1 / 4)
@given(st.data(), st.lists(label_pairs(axes=(2, 3)), min_size=1, max_size=3), st.sampled_from(["serial", "threads"]))
def test_blocks_on_an_engine_give_the_content_of_arrays_in_memory(
    data: st.DataObject, pairs: list[tuple[NDArray[Any], NDArray[Any]]], engine: str
) -> None:
    sides: list[dict[str, Any]] = [{str(at): pair[side] for at, pair in enumerate(pairs)} for side in (0, 1)]
    whole = sm.evaluate(*sides, metrics=METRICS, engine="serial")
    with small_blocks():
        stored = [
            {name: Chunked(array, data.draw(edges_of(array.shape))) for name, array in side.items()} for side in sides
        ]
        threads = data.draw(st.integers(1, 3))
        run = sm.evaluate(*stored, metrics=METRICS, engine=engine, threads=threads)
    assert run.content_digest() == whole.content_digest()


def stored_pair(side: int = 40) -> tuple[Chunked, Chunked]:
    labels = np.arange(side * side).reshape(side, side) // 100 % 9
    edges = regular_edges(labels.shape, (10, 10))
    return Chunked(labels, edges), Chunked(np.roll(labels, 3), edges)


def test_blocks_may_come_in_any_order_and_progress_adds_up() -> None:
    true, pred = stored_pair()
    tasks = {item: ItemTask(f"item {item}", true, pred) for item in (1, 2, 3)}
    how = Settings.of(metrics="pq,rand_index")
    found: dict[int, ItemResult] = {}
    with small_blocks(least=100, most=100):

        def execute(job: Any) -> Any:
            return run_stage(job, settings=how)

        jobs = Schedule(tasks, execute, n_done=2)
        waiting: list[tuple[int, Any]] = []
        numbers = np.random.default_rng(4)
        seen: list[ProgressState] = []
        while True:
            waiting += itertools.islice(jobs, 5)
            if not waiting:
                break
            number, job = waiting.pop(int(numbers.integers(len(waiting))))
            found |= dict(jobs.receive(number, execute(job)))
            seen.append(jobs.state)
    expected = sm.overlap(true.array, pred.array)
    assert sorted(found) == [1, 2, 3]
    assert all(one.table == expected for one in found.values())
    n_bytes = 3 * 2 * 1600 * 8
    assert seen[-1] == ProgressState(
        5, 5, blocks=48, n_blocks=48, read_bytes=n_bytes, n_bytes=n_bytes, partial_items=0.0
    )
    shares = [state.items + state.partial_items for state in seen]
    assert max(shares) == 5 and any(0 < state.partial_items < 1 for state in seen)


def test_an_item_is_looked_at_counted_and_finished() -> None:
    true, pred = stored_pair()
    task, how = ItemTask("a", true, pred), Settings.of(metrics="pq")
    with small_blocks(least=100, most=100):
        planned = run_stage(InspectItem(task), settings=how)
        assert isinstance(planned, BlockedItem) and len(planned.plan) == 16 and true.decoded == 0
        counted = run_stage(CountBlocks(task, planned.plan, 0, 16), settings=how, threads=2)
        assert isinstance(counted, PairCounts) and true.decoded == 1600
        finished = run_stage(ScoreCounts(task, counted), settings=how)
    assert isinstance(finished, ItemResult) and finished.table == sm.overlap(true.array, pred.array)
    assert true.decoded == 1600


def test_an_error_in_a_block_names_its_item() -> None:
    true, pred = stored_pair()
    pred.array[39, 39] = -1
    with small_blocks(), pytest.raises(NegativeLabelError, match=r"^item a: pred: label -1 is negative"):
        sm.evaluate({"a": true}, {"a": pred}, metrics="pq")


def test_dask_arrays_are_computed_block_by_block() -> None:
    dask_array = pytest.importorskip("dask.array")
    true, pred = stored_pair()
    computed: list[tuple[int, ...]] = []

    def seen(block: NDArray[Any]) -> NDArray[Any]:
        computed.append(block.shape)
        return block

    lazy = dask_array.from_array(true.array, chunks=(10, 20)).map_blocks(seen, dtype=true.dtype, meta=true.array[:0])
    expected = sm.overlap(true.array, pred.array)
    with small_blocks(least=200, most=200):
        run = sm.evaluate({"a": lazy}, {"a": sm.LabelArray(pred)}, metrics="pq", engine="threads", jobs=2)
        assert run.table("a") == expected
    assert sorted(computed) == [(10, 20)] * 8


class Interrupting:
    """Interrupts a run after some blocks, and remembers how far it was at first and at last."""

    def __init__(self, after: int | None = None) -> None:
        self.after = after
        self.seen: list[ProgressState] = []

    def update(self, state: ProgressState) -> None:
        self.seen.append(state)
        if state.blocks == self.after:
            raise KeyboardInterrupt


def interrupted(out: Path, engine: str, sides: list[dict[str, Any]]) -> None:
    with pytest.raises(KeyboardInterrupt, match="holds 0 of 1 items; continue it with resume"):
        sm.evaluate(*sides, metrics="pq", out=out, engine=engine, progress=Interrupting(after=7))  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["stored", "dask"])
def test_counted_blocks_of_an_unfinished_item_are_not_counted_again(kind: str, tmp_path: Path) -> None:
    true, pred = stored_pair()
    given: list[Any] = [true, pred]
    if kind == "dask":
        given = [pytest.importorskip("dask.array").from_array(one.array, chunks=(10, 10)) for one in given]
    sides: list[dict[str, Any]] = [{"a": one} for one in given]
    out = tmp_path / "run.segm"
    with small_blocks(least=100, most=100):
        whole = sm.evaluate(*sides, metrics="pq", out=tmp_path / "whole.segm").content_digest()
        interrupted(out, "serial", sides)
        with sm.Run.open(out) as unfinished:
            assert unfinished.counted_blocks == {"a": (7, 16)}
        again = Interrupting()
        run = sm.evaluate(*sides, metrics="pq", out=out, resume=True, engine="threads", progress=again)  # type: ignore[arg-type]
    assert next(one.blocks for one in again.seen if one.n_blocks) in (7, 8)
    assert again.seen[-1].blocks == 16 and again.seen[-1].items == 1
    assert run.content_digest() == whole
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run.segm", "whole.segm"]


def test_saved_blocks_of_other_inputs_are_counted_again(tmp_path: Path) -> None:
    true, pred = stored_pair()
    sides: list[dict[str, Any]] = [{"a": true}, {"a": pred}]
    out = tmp_path / "run.segm"
    with small_blocks(least=100, most=100):
        interrupted(out, "serial", sides)
        sides[1] = {"a": Chunked(np.roll(pred.array, 1), pred.edges)}
        again = Interrupting()
        run = sm.evaluate(*sides, metrics="pq", out=out, resume=True, engine="serial", progress=again)  # type: ignore[arg-type]
        assert run.table("a") == sm.overlap(true.array, sides[1]["a"].array)
    assert again.seen[0].blocks == 0 and run.counted_blocks == {}
    assert [path.name for path in tmp_path.iterdir()] == ["run.segm"]


def test_the_example_of_counted_again() -> None:
    run = evaluate({"a": [[1, 1, 2]], "b": [[1]]}, {"a": [[1, 2, 2]], "b": [[1]]}, metrics="pq")
    again = counted_again(run, [run.loaders["a"]])
    assert again.statistics_digests()["a"] == run.statistics_digests()["a"]
