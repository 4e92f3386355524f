"""A run that was interrupted goes on and ends as if nothing had happened; what changed in between is refused."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import segmetry as sm
from segmetry.errors import FormatError, InputError, OptionError
from segmetry.run.run import Run
from segmetry.runfile import writer as writing
from tests.profiles import count
from tests.run.remains import copied_after

KILLED = Path(__file__).with_name("killed.py")
N_ITEMS = 60


@pytest.fixture
def data(tmp_path: Path) -> Path:
    numbers = np.random.default_rng(7)
    for side in ("true", "pred"):
        (tmp_path / side).mkdir()
        for at in range(N_ITEMS):
            np.save(tmp_path / side / f"{at:02}.npy", numbers.integers(0, 5 + at % 3, (8, 9)))
    return tmp_path


def sides(data: Path) -> tuple[dict[str, Path], dict[str, Path]]:
    true, pred = ({path.name: path for path in sorted((data / side).iterdir())} for side in ("true", "pred"))
    return true, pred


def evaluated(data: Path, name: str = "run.segm", **options: Any) -> Run:
    return sm.evaluate(*sides(data), out=data / name, **options)


def lines_of_one(program: subprocess.Popen[str]) -> Iterator[str]:
    """Let the program fork an evaluation; yield its process id and a line for every item that it writes."""
    assert program.stdin is not None and program.stdout is not None
    program.stdin.write("begin\n")
    program.stdin.flush()
    while (line := program.stdout.readline()) != "ended\n":
        assert line, "the program has ended"
        yield line


def kill_after(program: subprocess.Popen[str], n_written: int, seconds: float) -> None:
    """Let the program fork an evaluation, and kill that some time after it has written some items."""
    lines = lines_of_one(program)
    process = int(next(line for line in lines if line != "written\n"))
    for _ in zip(range(n_written), lines, strict=False):
        pass
    time.sleep(seconds)
    with suppress(ProcessLookupError):  # it has finished
        os.kill(process, signal.SIGKILL)
    for _ in lines:
        pass


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["serial", "threads"])
def test_a_killed_run_resumes_to_the_same_content(data: Path, engine: str) -> None:
    whole = evaluated(data, "whole.segm", engine="serial").content_digest()
    chance, moments = random.Random(len(engine)), Counter[str]()  # noqa: S311 - moments, not secrets
    out = data / "killed.segm"
    command = [sys.executable, str(KILLED), str(data), str(out), engine]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        for _ in range(min(50, count(3 / 4))):
            kill_after(program, chance.randint(0, 5), chance.random() * 0.01)
            if not out.exists():
                moments["before the file"] += 1
                continue
            with Run.open(out) as run:
                moments["finished" if run.is_complete else "in between"] += 1
                if run.is_complete:
                    break
                assert run.n_done < N_ITEMS
    assert program.returncode == 0
    assert moments["in between"] >= 3
    done = evaluated(data, "killed.segm", resume=True)
    assert done.content_digest() == whole
    assert not list(data.glob("*-wal"))
    assert done.summary().to_dict() == Run.open(data / "whole.segm").summary().to_dict()


def interrupt_after(count: int) -> Any:
    def progress(done: int, total: int) -> None:
        if done == count:
            raise KeyboardInterrupt

    return progress


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["serial", "threads", "processes"])
def test_an_interrupted_run_says_how_to_go_on(data: Path, engine: str) -> None:
    with pytest.raises(KeyboardInterrupt, match=rf"run.segm holds 7 of {N_ITEMS} items; continue it with resume"):
        evaluated(data, engine=engine, progress=interrupt_after(7))
    with Run.open(data / "run.segm") as run:
        assert (run.n_done, run.is_complete) == (7, False)
        with pytest.raises(InputError, match=f"not finished: 7 of {N_ITEMS} items are done"):
            run.summary()
        assert run.summary(partial=True).n_items == 7
    seen: list[int] = []
    done = evaluated(data, engine=engine, resume=True, progress=lambda count, total: seen.append(count))
    assert seen == list(range(8, N_ITEMS + 1))
    assert done.content_digest() == evaluated(data, "whole.segm").content_digest()


def test_finished_items_are_not_read_again(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(KeyboardInterrupt):
        evaluated(data, progress=interrupt_after(50), engine="serial")
    seen: list[str] = []
    from segmetry.evaluation.inputs import ItemTask

    load = ItemTask.load
    monkeypatch.setattr(ItemTask, "load", lambda task: (seen.append(task.name), load(task))[1])
    evaluated(data, resume=True, engine="serial")
    assert seen == [f"{at:02}.npy" for at in range(50, N_ITEMS)]


def test_resuming_a_finished_run_changes_nothing(data: Path) -> None:
    first = evaluated(data).content_digest()
    assert evaluated(data, resume=True).content_digest() == first


def test_resume_begins_a_run_that_does_not_exist(data: Path) -> None:
    assert evaluated(data, resume=True).is_complete


def begun(data: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        evaluated(data, progress=interrupt_after(3))


def test_a_changed_input_is_rejected(data: Path) -> None:
    begun(data)
    array = np.load(data / "pred" / "41.npy")
    array[0, 0] += 1
    np.save(data / "pred" / "41.npy", array)
    with pytest.raises(InputError, match=r"the input 41.npy of pred has changed since the run started"):
        evaluated(data, resume=True)


def test_an_input_that_stopped_the_first_item_may_be_mended(data: Path) -> None:
    whole = (data / "true" / "00.npy").read_bytes()
    expected = evaluated(data, "whole.segm").content_digest()
    (data / "true" / "00.npy").write_bytes(whole[:-9])
    with pytest.raises(FormatError, match=r"00\.npy"):
        evaluated(data, engine="serial")
    (data / "true" / "00.npy").write_bytes(whole)
    assert evaluated(data, resume=True).content_digest() == expected


def test_a_changed_array_is_rejected(tmp_path: Path) -> None:
    true = {"a": sm.LabelArray([[1, 2]]), "b": sm.LabelArray([[1, 2]])}
    settings = {"policy": "none", "out": tmp_path / "run.segm"}
    sm.evaluate(true, true, **settings)
    with pytest.raises(InputError, match=r"the input b of true has changed"):
        sm.evaluate({**true, "b": sm.LabelArray([[1, 2]], void=9)}, true, **settings, resume=True)


@pytest.mark.parametrize("change", ["less", "more"])
def test_an_item_more_or_less_is_rejected(data: Path, change: str) -> None:
    begun(data)
    for side in ("true", "pred"):
        if change == "less":
            (data / side / "05.npy").unlink()
        else:
            (data / side / "new.npy").write_bytes((data / side / "05.npy").read_bytes())
    words = "the input 05.npy of pred is gone" if change == "less" else "the input new.npy of pred is new"
    with pytest.raises(InputError, match=rf"{words} since the run started \(and 1 more\)"):
        evaluated(data, resume=True)


@pytest.mark.parametrize(
    "other", [{"rule": "theta_and"}, {"policy": "coco"}, {"metrics": "pq"}, {"classes": "ignore"}, {"undefined": 0}]
)
def test_other_settings_are_rejected(data: Path, other: dict[str, Any]) -> None:
    begun(data)
    with pytest.raises(InputError, match=f"started with other settings: .*{next(iter(other))} was .* and is now"):
        evaluated(data, resume=True, **other)


def test_another_version_of_segmetry_is_rejected(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun(data)
    monkeypatch.setattr(writing, "__version__", "99.0")
    with pytest.raises(InputError, match=r"was started by segmetry .*, this is 99.0"):
        evaluated(data, resume=True)


def test_an_existing_file_is_not_overwritten(data: Path) -> None:
    (data / "run.segm").write_text("precious")
    with pytest.raises(OptionError, match="exists already; continue it with resume"):
        evaluated(data)
    with pytest.raises(FormatError, match="not an SQLite database"):
        evaluated(data, resume=True)
    assert (data / "run.segm").read_text() == "precious"


def test_a_name_that_another_run_took_meanwhile_is_left_to_it(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill = writing.fill_run

    def slowly(*arguments: Any) -> None:
        fill(*arguments)
        (data / "run.segm").write_text("the other run")

    monkeypatch.setattr(writing, "fill_run", slowly)
    with pytest.raises(OptionError, match="exists already; continue it with resume"):
        evaluated(data)
    assert (data / "run.segm").read_text() == "the other run"
    assert sorted(path.name for path in data.iterdir()) == ["pred", "run.segm", "true"]


def test_a_file_system_without_links(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_links(*_: Any) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "link", no_links)
    assert evaluated(data).n_done == N_ITEMS


def unwritable(folder: Path) -> Path:
    """A folder in which nobody may write; the superuser may, except where the kernel makes the files."""
    if os.geteuid() == 0:
        return Path("/proc/self")
    folder.chmod(0o555)
    return folder


def test_a_folder_that_cannot_be_written_is_an_error_before_work_starts(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from segmetry.evaluation.inputs import ItemTask

    monkeypatch.setattr(ItemTask, "load", lambda task: pytest.fail("work has started"))
    monkeypatch.setattr("segmetry.runfile.schema.LEAST_ROOM", -(10**12))
    locked = data / "locked"
    locked.mkdir()
    with pytest.raises(OptionError, match=r"run.segm: cannot be written: "):
        sm.evaluate(*sides(data), out=unwritable(locked) / "run.segm")
    with pytest.raises(OptionError, match=r"cannot be written: there is no folder .*absent"):
        evaluated(data, "absent/run.segm")


def test_a_full_disk_is_an_error_before_work_starts(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: type("Usage", (), {"free": 1000}))
    with pytest.raises(OptionError, match="the disk has 1000 bytes left, the run needs about"):
        evaluated(data)
    assert not (data / "run.segm").exists()


def test_a_disk_that_fills_up_leaves_a_run_that_resumes(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = writing.RunWriter._opened.__func__  # type: ignore[attr-defined]

    def small(cls: type, path: Path) -> writing.RunWriter:
        writer: writing.RunWriter = opened(cls, path)
        pages = writer.connection.execute("PRAGMA page_count").fetchone()[0]
        writer.connection.execute(f"PRAGMA max_page_count = {pages + 1}")
        return writer

    with monkeypatch.context() as patch:
        patch.setattr(writing.RunWriter, "_opened", classmethod(small))
        with pytest.raises(FormatError, match="the disk is full; make room, then continue the run"):
            evaluated(data)
    with Run.open(data / "run.segm") as run:
        assert 0 < run.n_done < N_ITEMS
    done = evaluated(data, resume=True)
    assert done.content_digest() == evaluated(data, "whole.segm").content_digest()


@pytest.mark.slow
def test_two_writers_do_not_mix(data: Path) -> None:
    def second(done: int, total: int) -> None:
        with pytest.raises(FormatError, match="another process is writing this run"):
            evaluated(data, resume=True)

    begun(data)
    sm.evaluate(
        *sides(data), out=data / "run.segm", resume=True, progress=lambda d, t: second(d, t) if d == 4 else None
    )


def test_resume_without_a_file_is_an_error(data: Path) -> None:
    with pytest.raises(OptionError, match="resume continues a run file, but out names none"):
        sm.evaluate(*sides(data), resume=True)


def test_what_a_killed_run_left_does_not_get_into_the_next_of_that_name(data: Path) -> None:
    out, copy = data / "run.segm", data / "killed.segm"
    evaluated(data, engine="serial", progress=copied_after(20, out, copy))
    with Run.open(copy) as killed:
        assert killed.n_done == 20
    copy.unlink()
    for begin in (evaluated, lambda *_, **__: sm.merge_runs([out], copy)):
        with pytest.raises(OptionError, match=r"killed.segm-wal: belongs to an interrupted run whose file .* is gone"):
            begin(data, "killed.segm", metrics="pq")
    assert not copy.exists()
    copy.with_name("killed.segm-wal").unlink()
    assert evaluated(data, "killed.segm").n_done == N_ITEMS


def test_a_run_killed_in_a_change_of_its_file_is_continued(data: Path) -> None:
    """SQLite has a journal as a run begins and ends, and only who may write can undo what it was for."""
    whole = evaluated(data, engine="serial").content_digest()
    copy = data / "killed.segm"
    with closing(sqlite3.connect(data / "run.segm", isolation_level=None)) as connection:
        connection.execute("PRAGMA cache_size = 1")  # what does not fit is written before the end of the transaction
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("UPDATE item SET name = name || '!'")
        connection.execute("CREATE TABLE filler (text)")
        connection.executemany("INSERT INTO filler VALUES (?)", [("x" * 500,)] * 500)
        for end in ("", "-journal"):
            shutil.copyfile(data / f"run.segm{end}", data / f"killed.segm{end}")
        connection.execute("ROLLBACK")
    with pytest.raises(FormatError, match=r"killed while it changed the file.*continue the run with resume"):
        Run.open(copy)
    assert evaluated(data, "killed.segm", resume=True, engine="serial").content_digest() == whole
    assert not list(data.glob("*-journal"))
