"""Evaluating a data set: items are paired, counted and scored by an engine, and written to a run as they finish."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from segmetry.errors import OptionError
from segmetry.evaluation.block_checkpoint import BlockCheckpoint
from segmetry.evaluation.engines.engine import check_engine, leaves_process, run_tasks
from segmetry.evaluation.inputs import EvaluationInputs, ItemTask, find_inputs
from segmetry.evaluation.schedule import ProgressState, Schedule
from segmetry.evaluation.stages import Stage, run_stage
from segmetry.readers.options import Formats, ReadOptions
from segmetry.run.run import Run
from segmetry.run.settings import Settings
from segmetry.run.shard import Shard
from segmetry.run.writer import RunWriter

Progress = Callable[[int, int], None]
"""Called with the number of finished items and of all items, whenever one has finished.

If it has a method ``watch`` that is called instead, with a ``ProgressState``, after every job: blocks of
large items are seen, too. A method ``tell`` is called with what an engine has to say, such as where its dashboard is.
"""


@dataclass(frozen=True)
class _Execution:
    """Where jobs are done, and how many at once."""

    engine: Any
    jobs: int | None
    threads: int


def evaluate(
    true: Any,
    pred: Any,
    *,
    rule: Any = None,
    also: Iterable[Any] = (),
    policy: Any = None,
    metrics: Iterable[str] | str | None = None,
    resolve: str | None = None,
    classes: str = "match",
    uncovered: str = "common",
    undefined: float | None = None,
    groups: Mapping[str, Collection[Hashable]] | None = None,
    options: Mapping[str, Mapping[str, Any]] | None = None,
    engine: Any = "threads",
    jobs: int | None = None,
    threads: int = 1,
    out: str | Path | None = None,
    resume: bool = False,
    shard: str | None = None,
    format: Formats = None,  # noqa: A002 - the word of the command line
    read: ReadOptions | Mapping[str, Any] | None = None,
    pred_coder: str | None = None,
    missing: str = "error",
    progress: Progress | None = None,
) -> Run:
    """Evaluate a data set: two paths, or two mappings from item names to segmentations or paths.

    The run is kept in the file ``out`` (in memory without one) and written as items finish. ``resume=True`` continues
    a run that was interrupted, and begins one that does not exist; other settings are refused, and so are changed
    inputs once an item is finished.
    ``engine`` is ``"threads"``, ``"processes"``, ``"dask"`` (workers on this machine) or ``"serial"``, with ``jobs``
    at once (all cores by default), or the address of a dask scheduler, or a ``distributed.Client``; the result does not
    depend on it. Large label arrays that are stored (zarr, HDF5, npy, dask) are counted block by block. ``format``
    names the format of both sides, or of each: ``("npy", "png")``; ``read`` are options of its reader by name,
    ``{"void": 255}``. ``also`` names rules for which metrics that
    need the inputs are kept beside those of ``rule``. ``shard="3/16"`` evaluates every 16th item from the third on;
    :func:`segmetry.merge_runs` puts the parts together. A run of objects keeps them at hand, for the pictures of its
    report. The other options are those of :func:`segmetry.score`.

    >>> true, pred = {"a": [[1, 1, 2]], "b": [[1, 2, 2]]}, {"a": [[1, 1, 2]], "b": [[1, 1, 2]]}
    >>> run = evaluate(true, pred, metrics=["pq", "rand_index"])
    >>> run.summary()["pq"].mean.value, run.summary()["rand_index"].n
    (0.5, 2)
    """
    _check_call(out, resume=resume, shard=shard, threads=threads)
    check_engine(engine, jobs)
    part = None if shard is None else Shard.of(shard)
    work = find_inputs(
        true,
        pred,
        formats=format,
        read=read,
        pred_coder=pred_coder,
        missing=missing,
        leaves_process=leaves_process(engine),
    )
    settings = Settings.of(
        rule=rule,
        also=also,
        policy=work.policy if policy is None else policy,
        metrics=metrics,
        resolve=resolve,
        classes=classes,
        uncovered=uncovered,
        undefined=undefined,
        groups=work.groups if groups is None and classes == "match" else groups,
        options=options,
        reading=work.reading,
    )
    writer = _writer(None if out is None else Path(out), settings, work, part, resume=resume)
    one = partial(run_stage, settings=settings, threads=threads)
    mine = {item: task for item, task in enumerate(work.tasks, 1) if part is None or part.takes(item)}
    _run_pending(writer, mine, one, _Execution(engine, jobs, threads), progress)
    run = Run(writer.connection) if writer.path is None else Run.open(writer.path)
    if not work.facts:
        run.loaders = {task.name: task.load for task in mine.values()}
    return run


def _check_call(out: str | Path | None, *, resume: bool, shard: str | None, threads: int) -> None:
    """Refuse options that cannot be meant, before anything is read."""
    if resume and out is None:
        raise OptionError("resume continues a run file, but out names none; pass out='run.segm' (--out run.segm)")
    if shard is not None and out is None:
        raise OptionError("shard makes a part of a run, but out names no file; pass out='part.segm' (--out part.segm)")
    if threads < 1:
        raise OptionError(f"threads is {threads}; expected at least 1")


def _writer(
    out: Path | None, settings: Settings, work: EvaluationInputs, part: Shard | None, *, resume: bool
) -> RunWriter:
    names = [task.name for task in work.tasks]
    if out is not None:
        _check_outside(out, work.paths)
    inputs = work.fingerprints() if out is not None else {}
    if out is not None and resume and out.exists():
        return RunWriter.resume(out, settings, inputs, names, None if part is None else str(part))
    facts = work.facts if part is None else {**work.facts, "shard": str(part)}
    return RunWriter.create(out, settings, inputs, names, facts, work.class_names)


def _check_outside(out: Path, places: Iterable[Path]) -> None:
    """A run that lies in a folder of inputs is itself a new input, and could never be resumed."""
    for place in places:
        if place.is_dir() and Path(os.path.realpath(out)).is_relative_to(os.path.realpath(place)):
            raise OptionError(f"{out}: is inside the input {place} and would change it; keep the run elsewhere")


def _run_pending(
    writer: RunWriter,
    tasks: Mapping[int, ItemTask],
    work: Callable[[Stage], Any],
    how: _Execution,
    progress: Progress | None,
) -> None:
    """Every pending item, written as it comes; whatever ends this early leaves a run that can be resumed."""
    total = len(tasks)
    pending = {item: tasks[item] for item in writer.pending if item in tasks}
    keeper = BlockCheckpoint(writer.path, writer.digest())
    jobs = Schedule(pending, work, together=how.threads, done=total - len(pending), kept=keeper.load())
    try:
        for number, found in run_tasks(work, jobs, how.engine, how.jobs, getattr(progress, "tell", None)):
            finished = jobs.answer(number, found)
            if finished is not None:
                writer.add(*finished)
            if keeper.is_due:
                keeper.save(jobs.kept())
            _report(progress, jobs.standing, item=finished is not None)
    except KeyboardInterrupt:
        keeper.save(jobs.kept())
        writer.close()
        words = (
            "nothing was kept, as no file was named"
            if writer.path is None
            else f"{writer.path} holds {jobs.standing.items} of {total} items"
        )
        way_on = "" if writer.path is None else "; continue it with resume (--resume)"
        raise KeyboardInterrupt(f"interrupted; {words}{way_on}") from None
    except BaseException:
        keeper.save(jobs.kept())
        writer.close()
        raise
    keeper.save({})
    writer.finish()


def _report(progress: Progress | None, standing: ProgressState, *, item: bool) -> None:
    watch = getattr(progress, "watch", None)
    if watch is not None:
        watch(standing)
    elif progress is not None and item:
        progress(standing.items, standing.n_items)
