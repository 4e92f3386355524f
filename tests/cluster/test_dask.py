"""A dask cluster gives the same bits as a loop, whoever started it and whoever dies on the way."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import dask
import dask.array
import distributed
import pytest

import segmetry as sm
from segmetry.engines import dask_cluster, run_tasks
from segmetry.errors import EngineError, InputError, OptionError
from segmetry.jobs import Standing
from segmetry.run.run import Run

FACTS: dict[str, Any] = {"threads_per_worker": 1, "dashboard_address": "127.0.0.1:0", "silence_logs": 50}
KILLED = Path(__file__).parents[1] / "run" / "killed.py"


def sides(root: Path) -> tuple[dict[str, Path], dict[str, Path]]:
    true, pred = ({path.name: path for path in sorted((root / side).iterdir())} for side in ("true", "pred"))
    return true, pred


class Watch:
    """Remembers what a run says."""

    def __init__(self) -> None:
        self.seen: list[Standing] = []

    def __call__(self, *_: int) -> None:
        raise AssertionError("watch is called instead")

    def watch(self, standing: Standing) -> None:
        self.seen.append(standing)


def test_items_and_blocks_give_the_same_bits_on_every_engine(scheduler: str, folders: Path, volumes: Path) -> None:
    true, pred = sides(folders)
    whole = sm.evaluate(true, pred, engine="serial").content_digest()
    assert sm.evaluate(true, pred, engine=scheduler).content_digest() == whole
    large = {side: volumes / f"{side}.zarr" for side in ("true", "pred")}
    metrics = "panoptic,shape_index,rand_index"
    digests, blocks = set(), set()
    for engine in ("serial", "threads", "processes", scheduler):
        watch = Watch()
        run = sm.evaluate(large["true"], large["pred"], engine=engine, metrics=metrics, progress=watch)
        digests.add(run.content_digest())
        last = watch.seen[-1]
        assert last.items == last.n_items == 1 and last.blocks == last.n_blocks and last.read_bytes == last.n_bytes
        blocks.add(last.n_blocks)
    assert len(digests) == 1 and blocks == {last.n_blocks} and last.n_blocks > 1
    assert last.n_bytes == 2 * 2 * 200**3


def test_a_client_stays_connected_and_dask_arrays_stay_lazy(scheduler: str, volumes: Path) -> None:
    paths = [volumes / f"{side}.zarr" for side in ("true", "pred")]
    arrays = [dask.array.from_zarr(str(path)) for path in paths]
    tables = sm.overlap(*arrays)
    with distributed.Client(scheduler) as client:
        for true, pred in (arrays, [array.persist() for array in arrays]):
            run = sm.evaluate({"a": true}, {"a": sm.LabelArray(pred)}, engine=client, metrics="pq")
            assert run.table("a") == tables
        assert client.submit(sum, [1, 2]).result() == 3
    assert tables == sm.overlap(*(dask.array.from_zarr(str(path)).compute() for path in paths))


def test_a_killed_worker_changes_nothing(folders: Path, volumes: Path) -> None:
    true, pred = sides(folders)
    for side, given in (("true", true), ("pred", pred)):
        given["volume"] = volumes / f"{side}.zarr"
    whole = sm.evaluate(true, pred, engine="serial", metrics="pq,rand_index").content_digest()
    with distributed.LocalCluster(n_workers=2, **FACTS) as cluster, distributed.Client(cluster) as client:
        victims = sorted(client.run(os.getpid).values())[:1]

        def kill(done: int, total: int) -> None:
            if done == 3:
                os.kill(victims.pop(), signal.SIGKILL)

        run = sm.evaluate(true, pred, engine=client, metrics="pq,rand_index", progress=kill)
        assert not victims
        assert run.content_digest() == whole


def die(number: int) -> int:
    if number == 5:
        os._exit(9)
    return number


def test_workers_that_die_at_one_task_are_an_error_that_says_what_to_do() -> None:
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        distributed.LocalCluster(n_workers=1, **FACTS) as cluster,
        distributed.Client(cluster) as client,
        pytest.raises(EngineError, match=r"workers died again and again at one task.*--resume"),
    ):
        list(run_tasks(die, enumerate(range(8)), client))


def test_threads_are_killed_and_the_cluster_goes_on(scheduler: str, folders: Path, tmp_path: Path) -> None:
    out = tmp_path / "run.segm"
    program = subprocess.Popen(
        [sys.executable, str(KILLED), str(folders), str(out), "threads"], stdout=subprocess.PIPE, text=True
    )
    assert program.stdout is not None
    for _ in range(9):
        program.stdout.readline()
    program.send_signal(signal.SIGKILL)
    program.communicate()
    with Run.open(out) as run:
        assert 5 < run.n_done < 40
    true, pred = sides(folders)
    done = sm.evaluate(true, pred, engine=scheduler, out=out, resume=True)
    assert done.content_digest() == sm.evaluate(true, pred, out=tmp_path / "whole.segm").content_digest()


def test_the_command_line_finds_a_scheduler_or_starts_workers(scheduler: str, folders: Path, tmp_path: Path) -> None:
    outputs = []
    for at, words in enumerate((["--dask-scheduler", scheduler], ["--engine", "dask", "--jobs", "1"], [])):
        paths = [str(folders / "true"), str(folders / "pred")]
        program = [sys.executable, "-m", "segmetry", "score", *paths, "--metrics", "pq", "--csv", "-"]
        outputs.append(
            subprocess.run(
                [*program, "--out", str(tmp_path / f"{at}.segm"), *words], check=True, capture_output=True, text=True
            ).stdout
        )
    assert outputs[0] == outputs[1] == outputs[2] and outputs[0].count("\n") == 81
    assert len({Run.open(tmp_path / f"{at}.segm").content_digest() for at in range(3)}) == 1


def test_an_error_of_an_item_comes_through_and_names_it(scheduler: str, folders: Path) -> None:
    true, pred = sides(folders)
    pred["07.npy"] = folders / "true" / "absent.npy"
    with pytest.raises(InputError, match=r"item 07.npy: .*absent.npy: no such file"):
        sm.evaluate(true, pred, engine=scheduler, metrics="pq")


def test_a_worker_of_another_version_is_refused(scheduler: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_cluster, "_versions", lambda: {"segmetry": "99.0"})
    with pytest.raises(EngineError, match=r"a dask worker runs segmetry .*, this is 99.0; install the same version"):
        list(run_tasks(abs, [(1, -1)], scheduler))


def needs_what_is_not_there(_: int) -> None:
    raise ModuleNotFoundError("No module named 'segmetry'")


def test_a_worker_without_segmetry_is_said(scheduler: str) -> None:
    with pytest.raises(EngineError, match=r"cannot do the work: No module named 'segmetry'; install the same"):
        list(run_tasks(needs_what_is_not_there, [(1, 1)], scheduler))


def test_a_scheduler_that_does_not_answer_is_named(monkeypatch: pytest.MonkeyPatch, folders: Path) -> None:
    monkeypatch.setattr(dask_cluster, "CONNECT_SECONDS", 0.3)
    with pytest.raises(EngineError, match=r"no dask scheduler answers at tcp://127.0.0.1:9"):
        sm.evaluate(*sides(folders), engine="tcp://127.0.0.1:9")
    with pytest.raises(OptionError, match=r"'nonsense://x' is no address of a dask scheduler"):
        sm.evaluate(*sides(folders), engine="nonsense://x")


def test_a_scheduler_without_workers_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_cluster, "WORKER_SECONDS", 0.5)
    with (
        distributed.LocalCluster(n_workers=0, processes=False, **FACTS) as cluster,
        pytest.raises(EngineError, match=r"has no workers after"),
    ):
        list(run_tasks(abs, [(1, 1)], cluster.scheduler_address))


def slow(number: int) -> int:
    time.sleep(0.2)
    return number


def test_a_cluster_that_goes_away_leaves_a_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_cluster, "WORKER_SECONDS", 1.0)
    monkeypatch.setattr(dask_cluster, "LOOK_SECONDS", 0.2)
    with distributed.LocalCluster(n_workers=1, processes=False, **FACTS) as cluster:
        results = run_tasks(slow, enumerate(range(50)), cluster.scheduler_address)
        next(results)
        cluster.scale(0)
        with pytest.raises(EngineError, match=re.compile(r"--resume")):
            list(results)


@pytest.mark.parametrize("options", [{"jobs": 2}])
def test_a_running_cluster_has_its_own_workers(scheduler: str, options: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match="has its own workers; leave jobs out"):
        run_tasks(abs, [], scheduler, **options)
