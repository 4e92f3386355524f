"""All engines do the same; none takes more tasks than there is room for; an error or an interrupt ends them."""

from __future__ import annotations

import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import segmetry as sm
from segmetry.errors import (
    DataWarning,
    EngineError,
    InputError,
    MissingExtraError,
    OptionError,
    ShapeMismatchError,
    UnknownNameError,
)
from segmetry.evaluation.engines import pools
from segmetry.evaluation.engines.engine import ENGINES, WINDOW, run_tasks
from segmetry.evaluation.engines.pools import MOST_TASKS, FinishedPack, TaskPacks
from segmetry.evaluation.fingerprint import object_fingerprint
from segmetry.evaluation.inputs import ItemTask
from segmetry.readers.items import Item
from segmetry.readers.reader import ReadOptions
from segmetry.readers.source import read_items
from tests.evaluation.tasks import dies, divides, needs_an_extra, square, warns
from tests.readers.data_sets import DATA_SETS

ALL = ("serial", "threads", "processes")


def test_these_are_the_engines() -> None:
    assert set(ENGINES) == {*ALL, "dask"}


@pytest.mark.parametrize("engine", ALL)
def test_every_task_is_done_once(engine: str) -> None:
    tasks = [(at, at + 20) for at in range(50)]
    assert sorted(run_tasks(square, tasks, engine)) == [(at, (at + 20) ** 2) for at in range(50)]


@pytest.mark.parametrize("engine", ALL)
def test_no_tasks_are_no_results(engine: str) -> None:
    assert list(run_tasks(square, [], engine)) == []


@pytest.mark.parametrize("engine", ALL)
def test_an_error_of_the_user_comes_through(engine: str) -> None:
    with pytest.raises(InputError, match="thirteen"):
        list(run_tasks(square, enumerate(range(30)), engine))


def slowly(number: int) -> int:
    time.sleep(0.011)
    return square(number)


@pytest.mark.parametrize(("engine", "is_slow"), [("serial", False), ("threads", False), ("threads", True)])
def test_the_window_is_bounded(engine: str, is_slow: bool) -> None:
    taken = 0

    def tasks() -> Iterator[tuple[int, int]]:
        nonlocal taken
        for at in range(200):
            taken += 1
            yield at, at + 20

    most, jobs = 0, 1 if engine == "serial" else 3
    for done, _ in enumerate(run_tasks(slowly if is_slow else square, tasks(), engine, jobs)):
        most = max(most, taken - done)
    assert most <= WINDOW * jobs * (1 if is_slow else MOST_TASKS)
    assert taken == 200


@pytest.mark.parametrize("engine", ["threads", "processes"])
def test_quick_tasks_are_handed_over_in_packs(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes, learn = [], TaskPacks.learn

    def observed(packs: TaskPacks, pack: FinishedPack) -> None:
        sizes.append(len(pack.results))
        learn(packs, pack)

    monkeypatch.setattr(TaskPacks, "learn", observed)
    assert len(list(run_tasks(square, enumerate(range(20, 220)), engine, 1))) == sum(sizes) == 200
    assert max(sizes) > 1


def test_a_fault_in_a_process_has_its_traceback() -> None:
    with pytest.raises(ZeroDivisionError) as raised:
        list(run_tasks(divides, enumerate([1, 2, 0]), "processes", 1))
    assert "in divides" in raised.value.__notes__[0]


def test_slow_tasks_after_quick_ones_are_shared() -> None:
    """A thread that has taken a pack of quick tasks, as it seemed, gives back what it has not begun."""
    workers: dict[int, list[int]] = {}

    def work(number: int) -> int:
        time.sleep(0.02 if number >= 200 else 0)
        workers.setdefault(threading.get_ident(), []).append(number)
        return number

    assert sorted(run_tasks(work, enumerate(range(216)), "threads", 4)) == [(at, at) for at in range(216)]
    assert max(sum(number >= 200 for number in done) for done in workers.values()) <= 8


def test_a_task_that_follows_a_lone_one_runs_in_a_thread() -> None:
    """The caller's thread stays free to handle an interrupt where there is something to save."""
    numbers, threads = [1], []

    class Again:
        """Tasks that follow from results: it goes on after its end."""

        def __iter__(self) -> Again:
            return self

        def __next__(self) -> tuple[int, int]:
            if not numbers:
                raise StopIteration
            return 0, numbers.pop()

    for _, number in run_tasks(lambda number: (threads.append(threading.get_ident()), number)[1], Again(), "threads"):
        numbers += [number + 1] if number < 3 else []
    assert [thread == threading.get_ident() for thread in threads] == [True, False, False]


def test_results_before_an_error_are_not_lost() -> None:
    results = run_tasks(square, enumerate([*range(20, 200), 13, *range(20, 200)]), "threads", 1)
    received: list[int] = []
    with pytest.raises(InputError, match="thirteen"):
        received.extend(number for number, _ in results)
    assert received == list(range(180))


def test_threads_work_at_the_same_time() -> None:
    together = threading.Barrier(3, timeout=30)
    assert len(list(run_tasks(lambda _: together.wait(), enumerate(range(3)), "threads", 3))) == 3


def test_what_has_not_begun_is_dropped_when_nobody_wants_it() -> None:
    begun: list[int] = []

    def slow(number: int) -> int:
        begun.append(number)
        time.sleep(0.02)
        return number

    results = run_tasks(slow, enumerate(range(100)), "threads", 1)
    next(results)
    results.close()  # type: ignore[attr-defined]
    assert len(begun) <= WINDOW


@pytest.mark.parametrize("jobs", [0, -1])
def test_jobs_must_be_positive(jobs: int) -> None:
    with pytest.raises(OptionError, match=f"jobs is {jobs}"):
        run_tasks(square, [], "threads", jobs)


def test_the_serial_engine_has_one_job() -> None:
    with pytest.raises(OptionError, match="does one thing at a time"):
        run_tasks(square, [], "serial", 2)


def test_an_unknown_engine_is_named() -> None:
    with pytest.raises(UnknownNameError, match="there is no engine 'thread'; did you mean threads"):
        run_tasks(square, [], "thread")


def test_errors_with_another_constructor_travel_between_processes() -> None:
    with pytest.raises(MissingExtraError, match=r"reading zarr needs an optional dependency: pip install"):
        list(run_tasks(needs_an_extra, [(1, 1)], "processes", 1))


def test_a_worker_that_does_not_end_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """As one does not whose neighbour was killed in the moment in which it held the lock of their queue."""
    monkeypatch.setattr(pools, "PATIENCE", 0.2)
    with ProcessPoolExecutor(1) as pool:
        pool.submit(time.sleep, 600)
        workers = list(pool._processes.values())
        pools._end(pool)
    assert [worker.exitcode for worker in workers] == [-signal.SIGKILL]


def test_a_worker_that_dies_is_said() -> None:
    with pytest.raises(EngineError, match="a worker process died"):
        list(run_tasks(dies, [(1, 1)], "processes", 1))


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["processes", pytest.param("dask", marks=pytest.mark.cluster)])
def test_a_script_that_starts_itself_again_gets_advice(engine: str, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    words = f"engine={engine!r}, jobs=1"
    script.write_text(f"import segmetry as sm\nsm.evaluate({{'a': [[1]]}}, {{'a': [[1]]}}, metrics='pq', {words})\n")
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    last = done.stderr.strip().splitlines()[-1]
    assert "EngineError" in last and "must stand under if __name__ == '__main__':" in last


@pytest.mark.parametrize(
    ("engine", "jobs", "words"),
    [
        ("tcp://127.0.0.1", None, "missing port number"),
        ("http://127.0.0.1:80", None, "unknown address scheme 'http'"),
        ("tcp://127.0.0.1:99999", None, "invalid port number"),
        ("tls://127.0.0.1:8786", None, "needs the keys of the cluster"),
        ("tcp://127.0.0.1:8786", 2, "has its own workers; leave jobs out"),
        ("serial", 2, "does one thing at a time"),
        ("threads", 0, "expected the number of items"),
        (7, None, "engine is a int; expected a name"),
    ],
)
def test_what_no_engine_can_do_is_rejected_before_anything_is_written(
    engine: object, jobs: int | None, words: str, tmp_path: Path
) -> None:
    with pytest.raises(OptionError, match=words):
        sm.evaluate(*data(1), engine=engine, jobs=jobs, out=tmp_path / "run.segm")
    assert not list(tmp_path.iterdir())


def data(count: int) -> tuple[dict[str, sm.LabelArray], dict[str, sm.LabelArray]]:
    numbers = np.random.default_rng(3)

    def side() -> dict[str, sm.LabelArray]:
        classes = {label: ("car", 5)[label % 2] for label in range(1, 6)}
        return {
            f"item {at}": sm.LabelArray(numbers.integers(0, 6, (6, 7)), classes=classes, crowd=4, void=5)
            for at in range(count)
        }

    return side(), side()


def test_all_engines_write_the_same_content(tmp_path: Path) -> None:
    true, pred = data(30)
    digests = {
        sm.evaluate(
            true, pred, policy="coco", engine=engine, jobs=jobs, out=tmp_path / f"{engine}{jobs}"
        ).content_digest()
        for engine, jobs in (("serial", 1), ("threads", 1), ("threads", 5), ("processes", 2))
    }
    assert len(digests) == 1


@pytest.mark.parametrize("name", [name for name, found in DATA_SETS.items() if found.needs is None])
def test_items_are_read_where_they_are_worked_on(name: str, tmp_path: Path) -> None:
    """What goes to a worker says how to read an item; the segmentation itself is not among it."""
    path = DATA_SETS[name].write(tmp_path)
    read = ReadOptions(**DATA_SETS[name].options)
    for item in read_items(path, None if DATA_SETS[name].sniffed else name, read):
        if not item.is_lazy:
            continue
        sent = pickle.dumps(ItemTask(item.name, item, item))
        assert pickle.loads(sent).true.is_lazy  # noqa: S301 - our own bytes
        first, second = pickle.loads(sent).load()  # noqa: S301 - our own bytes
        assert object_fingerprint(first) == object_fingerprint(second) == object_fingerprint(item.load())


def test_a_loader_that_cannot_travel_is_called_before() -> None:
    item = Item("a", lambda: sm.LabelArray([[1, 2]]))
    sent = pickle.loads(pickle.dumps(ItemTask("a", item, item)))  # noqa: S301 - our own bytes
    assert isinstance(sent.true, Item) and not sent.true.is_lazy
    assert sent.load()[0].labels.tolist() == [[1, 2]]


@pytest.mark.parametrize("engine", ALL)
def test_warnings_reach_the_caller(engine: str) -> None:
    with pytest.warns(DataWarning) as caught:
        assert sorted(run_tasks(warns, [(1, 5), (2, 6)], engine)) == [(1, 5), (2, 6)]
    assert sorted(str(one.message) for one in caught) == ["about 5", "about 6"]


def test_all_engines_read_files_alike(tmp_path: Path) -> None:
    path = DATA_SETS["coco-panoptic"].write(tmp_path)
    digests = {
        sm.evaluate(path, path, engine=engine, out=tmp_path / f"{engine}.segm").content_digest() for engine in ALL
    }
    assert len(digests) == 1


def test_another_input_is_another_content() -> None:
    true, pred = data(3)
    first = sm.evaluate(true, pred, metrics="pq").content_digest()
    assert sm.evaluate(pred, true, metrics="pq").content_digest() != first


@pytest.mark.parametrize("engine", ALL)
def test_an_error_names_its_item(engine: str) -> None:
    true, pred = data(4)
    pred["item 2"] = sm.LabelArray([[1]])
    with pytest.raises(ShapeMismatchError, match=r"^item item 2: true has shape"):
        sm.evaluate(true, {**pred, "item 2": sm.LabelArray([[1]])}, engine=engine)


ENDLESS = """
import itertools
from segmetry.evaluation.engines.engine import run_tasks
for number, _ in run_tasks(abs, ((at, at) for at in itertools.count()), "processes", 2):
    print(number, flush=True)
"""


@pytest.mark.slow
def test_workers_do_not_outlive_a_parent_that_is_killed() -> None:
    """They have its standard output, too, which ends when the last of them has gone."""
    process = subprocess.Popen([sys.executable, "-c", ENDLESS], stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline()
    process.kill()
    process.communicate(timeout=30)
