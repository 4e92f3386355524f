"""A dask cluster gives the same bits as a loop, whoever started it and whoever dies on the way."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import dask
import dask.array
import distributed
import pytest

import segmetry as sm
from segmetry.errors import EngineError, InputError, OptionError
from segmetry.evaluation.engines.dask import cluster as dask_cluster, in_flight
from segmetry.evaluation.engines.engine import SummedResult, run_tasks
from segmetry.evaluation.schedule import ProgressState
from segmetry.run.run import Run

FACTS: dict[str, Any] = {"threads_per_worker": 1, "dashboard_address": "127.0.0.1:0", "silence_logs": 50}
KILLED = Path(__file__).parents[1] / "run" / "killed.py"


def sides(root: Path) -> tuple[dict[str, Path], dict[str, Path]]:
    true, pred = ({path.name: path for path in sorted((root / side).iterdir())} for side in ("true", "pred"))
    return true, pred


class Watch:
    """Remembers what a run says."""

    def __init__(self) -> None:
        self.seen: list[ProgressState] = []

    def __call__(self, *_: int) -> None:
        raise AssertionError("update is called instead")

    def update(self, state: ProgressState) -> None:
        self.seen.append(state)


def test_items_and_blocks_are_bit_identical_on_every_engine(scheduler: str, folders: Path, volumes: Path) -> None:
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


class Added(NamedTuple):
    """A sum that tells how it came about."""

    total: int
    n_parts: int = 1
    widest: int = 0
    workers: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Addend:
    """A task whose result is a part of a sum."""

    number: int
    part_of: str
    seconds: float = 0.0

    @staticmethod
    def sum_results(results: list[Added]) -> Added:
        return Added(
            sum(one.total for one in results),
            sum(one.n_parts for one in results),
            max(len(results), *(one.widest for one in results)),
            frozenset({os.getpid()}).union(*(one.workers for one in results)),
        )


def one_addend(task: Addend) -> Added:
    if task.number == 13:
        raise InputError("thirteen")
    time.sleep(task.seconds)
    return Added(task.number)


def addends(count: int, seconds: float = 0.0) -> Iterator[tuple[int, Addend]]:
    """Numbers 100, 101, … that go into three sums in turn."""
    for at in range(count):
        yield at, Addend(100 + at, "abc"[at % 3], seconds)


def summed(results: Any, count: int) -> list[Added]:
    """The sums that came, after a look whether every task is in one of them and once."""
    seen: list[int] = []
    sums: list[Added] = []
    for number, found in results:
        numbers = found.numbers if isinstance(found, SummedResult) else (number,)
        sums.append(found.result if isinstance(found, SummedResult) else found)
        assert len({at % 3 for at in numbers}) == 1 and sums[-1].n_parts == len(numbers)
        assert sums[-1].total == sum(100 + at for at in numbers)
        seen += numbers
    assert sorted(seen) == list(range(count))
    return sums


def test_parts_of_a_sum_are_added_up_on_the_workers_in_a_tree(scheduler: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_flight, "AWAY_SECONDS", 600.0)
    sums = summed(run_tasks(one_addend, addends(90), scheduler), 90)
    assert 3 <= len(sums) < 12 and max(one.widest for one in sums) == in_flight.FAN_IN
    assert all(os.getpid() not in one.workers for one in sums)


def test_parts_do_not_stay_away_for_long(scheduler: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_flight, "AWAY_SECONDS", 0.0)
    assert len(summed(run_tasks(one_addend, addends(60, 0.02), scheduler), 60)) > 20


def test_an_error_in_a_part_of_a_sum_comes_through(scheduler: str) -> None:
    tasks = enumerate(Addend(number, "a") for number in range(30))
    with pytest.raises(InputError, match="thirteen"):
        list(run_tasks(one_addend, tasks, scheduler))


def test_parts_that_die_with_their_worker_are_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_flight, "AWAY_SECONDS", 600.0)
    with distributed.LocalCluster(n_workers=2, **FACTS) as cluster, distributed.Client(cluster) as client:
        victim = sorted(client.run(os.getpid).values())[0]
        killing = threading.Timer(1.0, os.kill, (victim, signal.SIGKILL))
        killing.start()
        summed(run_tasks(one_addend, addends(90, 0.05), client), 90)
        killing.join()
        assert victim not in client.run(os.getpid).values()


class Interrupting(Watch):
    """Interrupts a run when some blocks have come."""

    def update(self, state: ProgressState) -> None:
        super().update(state)
        if state.blocks > 4:
            raise KeyboardInterrupt


def test_blocks_that_were_added_up_on_workers_are_not_counted_again(
    scheduler: str, many_blocks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sides = [many_blocks / f"{side}.zarr" for side in ("true", "pred")]
    facts: dict[str, Any] = {"metrics": "pq,rand_index", "out": tmp_path / "run.segm"}
    monkeypatch.setattr(in_flight, "AWAY_SECONDS", 0.05)
    with pytest.raises(KeyboardInterrupt):
        sm.evaluate(*sides, engine=scheduler, progress=Interrupting(), **facts)
    again = Watch()
    run = sm.evaluate(*sides, engine=scheduler, progress=again, resume=True, **facts)
    assert 4 < next(one.blocks for one in again.seen if one.n_blocks) < 40 == again.seen[-1].blocks
    assert (
        run.content_digest()
        == sm.evaluate(*sides, engine="serial", **facts | {"out": tmp_path / "w.segm"}).content_digest()
    )


def die(number: int) -> int:
    if number == 5:
        os._exit(9)
    return number


def test_workers_that_die_at_one_task_are_an_error_that_says_what_to_do() -> None:
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        distributed.LocalCluster(n_workers=1, **FACTS) as cluster,
        distributed.Client(cluster) as client,
        pytest.raises(EngineError, match=r"workers died repeatedly at one task.*--resume"),
    ):
        list(run_tasks(die, enumerate(range(8)), client))


def test_threads_are_killed_and_the_cluster_goes_on(scheduler: str, folders: Path, tmp_path: Path) -> None:
    out = tmp_path / "run.segm"
    program = subprocess.Popen(
        [sys.executable, str(KILLED), str(folders), str(out), "threads"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        bufsize=1,
    )
    assert program.stdin is not None and program.stdout is not None
    program.stdin.write("start\n")
    lines = [program.stdout.readline().strip() for _ in range(10)]
    os.kill(next(int(line) for line in lines if line.isdecimal()), signal.SIGKILL)
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


def test_workers_find_files_that_are_named_from_another_folder(
    scheduler: str, volumes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import zarr

    monkeypatch.chdir(volumes)
    whole = sm.evaluate("true.zarr", "pred.zarr", engine="serial", metrics="pq")
    assert (
        sm.evaluate("true.zarr", "pred.zarr", engine=scheduler, metrics="pq").content_digest() == whole.content_digest()
    )
    true, pred = (zarr.open_array(name, mode="r") for name in ("true.zarr", "pred.zarr"))
    run = sm.evaluate({"a": true}, {"a": pred}, engine=scheduler, metrics="pq")
    assert run.table("a") == whole.table(whole.names[0])


SAYING = """
import sys, time
from segmetry.cli import progress
from segmetry.cli.main import main
if __name__ == "__main__":
    progress.SECONDS_BETWEEN_LINES = 0.0
    show = progress.Lines.show
    progress.Lines.show = lambda *values: (show(*values), time.sleep(0.05))
    main(sys.argv[1:])
"""


def test_an_interrupt_of_the_terminal_ends_workers_without_a_word(folders: Path, tmp_path: Path) -> None:
    script, out = tmp_path / "saying.py", tmp_path / "run.segm"
    script.write_text(SAYING)
    words = ["score", str(folders / "true"), str(folders / "pred"), "--engine", "dask", "--jobs", "1", "-o", str(out)]
    program = subprocess.Popen(
        [sys.executable, str(script), *words], stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    assert program.stderr is not None
    assert any("items" in line for line in program.stderr)  # the first that tells of progress; not to its end
    os.killpg(program.pid, signal.SIGINT)
    said = program.communicate(timeout=60)[1]
    assert program.returncode == 130 and "continue it with resume" in said and "Traceback" not in said
    with Run.open(out) as run:
        assert 0 < run.n_done < 40


def test_an_error_of_an_item_comes_through_and_names_it(scheduler: str, folders: Path) -> None:
    true, pred = sides(folders)
    pred["07.npy"] = folders / "true" / "absent.npy"
    with pytest.raises(InputError, match=r"item 07.npy: .*absent.npy: no such file"):
        sm.evaluate(true, pred, engine=scheduler, metrics="pq")


def test_a_worker_of_another_version_is_rejected(scheduler: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_flight, "_versions", lambda: {"segmetry": "99.0"})
    with pytest.raises(EngineError, match=r"a dask worker runs segmetry .*, this is 99.0; install the same version"):
        list(run_tasks(abs, [(1, -1)], scheduler))


def test_a_large_task_is_sent_without_advice_to_authors_of_graphs(scheduler: str) -> None:
    assert list(run_tasks(len, [(1, b"x" * 2 * 10**7)], scheduler)) == [(1, 2 * 10**7)]


def needs_what_is_not_there(_: int) -> None:
    raise ModuleNotFoundError("No module named 'segmetry'")


def test_a_worker_without_segmetry_is_said(scheduler: str) -> None:
    with pytest.raises(EngineError, match=r"cannot run the task: No module named 'segmetry'; install the same"):
        list(run_tasks(needs_what_is_not_there, [(1, 1)], scheduler))


def test_a_scheduler_that_does_not_answer_is_named(monkeypatch: pytest.MonkeyPatch, folders: Path) -> None:
    monkeypatch.setattr(dask_cluster, "CONNECT_SECONDS", 0.3)
    with pytest.raises(EngineError, match=r"no dask scheduler answers at tcp://127.0.0.1:9"):
        sm.evaluate(*sides(folders), engine="tcp://127.0.0.1:9")
    with pytest.raises(OptionError, match=r"'nonsense://x' is not the address of a dask scheduler"):
        sm.evaluate(*sides(folders), engine="nonsense://x")


def test_a_client_that_cannot_be_waited_for_is_rejected(scheduler: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with distributed.Client(scheduler) as client, monkeypatch.context() as patched:
        patched.setattr(distributed.Client, "asynchronous", True)
        with pytest.raises(OptionError, match=r"a distributed.Client that is asynchronous"):
            run_tasks(abs, [], client)
        patched.undo()
    with pytest.raises(OptionError, match=r"a distributed.Client that is closed"):
        run_tasks(abs, [], client)


def test_a_scheduler_without_workers_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_flight, "WORKER_SECONDS", 0.5)
    with (
        distributed.LocalCluster(n_workers=0, processes=False, **FACTS) as cluster,
        pytest.raises(EngineError, match=r"has no workers after"),
    ):
        list(run_tasks(abs, [(1, 1)], cluster.scheduler_address))


def slow(number: int) -> int:
    time.sleep(0.2)
    return number


def test_a_cluster_that_goes_away_leaves_a_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_flight, "WORKER_SECONDS", 1.0)
    monkeypatch.setattr(in_flight, "POLL_SECONDS", 0.2)
    with distributed.LocalCluster(n_workers=1, processes=False, **FACTS) as cluster:
        results = run_tasks(slow, enumerate(range(50)), cluster.scheduler_address)
        next(results)
        cluster.scale(0)
        with pytest.raises(EngineError, match=re.compile(r"--resume")):
            list(results)


def dashboards(engine: Any, **options: Any) -> list[bytes]:
    """What is behind the links that an engine tells of, looked at while it works."""
    pages = []

    def notify(message: str) -> None:
        link = re.fullmatch(r"dask dashboard: (http://\S+)", message)
        assert link is not None
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(link[1], timeout=30) as answer:
            assert answer.status == 200
            pages.append(answer.read())

    assert list(run_tasks(abs, [(1, -1)], engine, notify=notify, **options)) == [(1, 1)]
    return pages


def test_the_link_to_the_dashboard_leads_there(scheduler: str) -> None:
    pytest.importorskip("bokeh")
    for pages in (dashboards("dask", jobs=1), dashboards(scheduler)):
        assert len(pages) == 1 and b"Dask Diagnostic UI" in pages[0]


def test_a_dashboard_that_is_switched_off_is_not_linked() -> None:
    facts = FACTS | {"scheduler_kwargs": {"dashboard": False}}
    with distributed.LocalCluster(n_workers=1, **facts) as cluster:
        assert dashboards(cluster.scheduler_address) == []


def test_the_command_line_prints_the_link(scheduler: str, folders: Path) -> None:
    pytest.importorskip("bokeh")
    paths = [str(folders / "true"), str(folders / "pred")]
    program = [sys.executable, "-m", "segmetry", "score", *paths, "--metrics", "pq", "--dask-scheduler", scheduler]
    done = subprocess.run(program, check=True, capture_output=True, text=True)
    assert re.search(r"^dask dashboard: http://127.0.0.1:\d+/status$", done.stderr, re.MULTILINE)


@pytest.mark.parametrize("options", [{"jobs": 2}])
def test_a_running_cluster_has_its_own_workers(scheduler: str, options: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match="has its own workers; leave jobs out"):
        run_tasks(abs, [], scheduler, **options)
