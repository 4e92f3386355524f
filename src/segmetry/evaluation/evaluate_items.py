"""Evaluate a data set: items are paired, counted and scored by an engine, and written to a run as they finish."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Unpack

from segmetry.alignments import COCO
from segmetry.errors import FormatError, OptionError
from segmetry.evaluation.changed_chunks import are_chunks_of, unaffected
from segmetry.evaluation.commit_groups import Checkpoints, CommitGroups
from segmetry.evaluation.data_notes import NOTHING_KNOWN, LabelsAndClasses, note_crowds, warn_about
from segmetry.evaluation.engines.engine import check_engine, leaves_process, run_tasks
from segmetry.evaluation.inputs import EvaluationInputs, InputOptions, find_inputs, formats_of_files
from segmetry.evaluation.protocol_settings import read_under, settings_under
from segmetry.evaluation.schedule import Finished, FinishedLines, ProgressState, Schedule
from segmetry.evaluation.stages import run_stage
from segmetry.metrics import ScoringOptions, check_names, takes_options
from segmetry.protocols import Protocol, as_protocol, protocol_of_format
from segmetry.readers import ReadOptions
from segmetry.run import Run, Settings
from segmetry.runfile import RunWriter, Shard
from segmetry.statistics import DataSet
from segmetry.storage import is_remote

Progress = Callable[[int, int], None]
"""Called with the number of finished items and of all items, whenever one has finished.

A method ``update``, if it has one, is called instead with a ``ProgressState`` after every job, so it sees the blocks of
large items too. A method ``notify`` is called with messages of the engine, such as the address of its dashboard.
"""


class EvaluationOptions(ScoringOptions, InputOptions, total=False):
    """The options of :func:`evaluate`: how inputs are read, paired and scored."""


@takes_options(EvaluationOptions, ScoringOptions, InputOptions)
def evaluate(
    true: Any,
    pred: Any,
    *,
    protocol: Protocol | str | None = None,
    engine: Any = "threads",
    jobs: int | None = None,
    threads: int = 1,
    out: str | Path | None = None,
    resume: bool = False,
    shard: str | None = None,
    force: bool = False,
    progress: Progress | None = None,
    **options: Unpack[EvaluationOptions],
) -> Run:
    """Evaluate a data set: two paths, two mappings from item names to segmentations or paths, or two lists of them.

    Parameters are grouped: what is compared, how it is scored, how it is read and paired, and how it is run.

    Parameters
    ----------
    true : path, mapping, sequence or array
        The truth: the path of a file or folder, a mapping of item names to segmentations or paths, a sequence of
        them (the items are called "0", "1", …), or an array with ``batch=True``.
    pred : path, mapping, sequence or array
        The prediction, in the same form.
    protocol : Protocol or str, optional
        A community's way of evaluating (``segmetry protocols`` lists them): it sets how files are read, the rule,
        the policy, the metrics and their options. Options given explicitly override the protocol, and the run records
        them in :attr:`Run.modified`; ``metrics`` are computed in addition to those of the protocol. By default that of
        the format of ``true``, if it has one.
    **options
        How is scored (:class:`ScoringOptions`), and how inputs are read and paired (:class:`InputOptions`).
    engine : str or distributed.Client, default 'threads'
        ``'threads'``, ``'processes'``, ``'dask'`` (workers on this machine) or ``'serial'``, or the address of a dask
        scheduler, or a client; the result does not depend on it.
    jobs : int, optional
        How many items are processed at once; by default as many as there are cores.
    threads : int, default 1
        The number of threads that count a large label array. Large label arrays that are stored (zarr, HDF5, npy,
        dask) are counted block by block.
    out : str or Path, optional
        The run file, written as items finish; by default the run is kept in memory.
    resume : bool, default False
        Continue a run that was interrupted, and start one that does not exist; other settings are rejected, and so
        are changed inputs once an item is finished, except restored chunks of unfinished items.
    shard : str, optional
        ``'3/16'`` evaluates every 16th item from the third on; with fewer items than parts, a slab of each stored
        volume. :func:`segmetry.merge_runs` merges the parts.
    force : bool, default False
        Replace a run file that exists.
    progress : callable, optional
        Called with the number of finished items and of all items.

    Returns
    -------
    Run
        The evaluated data set. A run of objects keeps references to them for the pictures of its report.

    Examples
    --------
    >>> true, pred = {"a": [[1, 1, 2]], "b": [[1, 2, 2]]}, {"a": [[1, 1, 2]], "b": [[1, 1, 2]]}
    >>> run = evaluate(true, pred, metrics=["pq", "rand_index"])
    >>> run.summary()["pq"]["by_item"].value, run.summary()["rand_index"].n("by_item")
    (0.5, 2)
    """
    check_names("evaluate", options, EvaluationOptions)
    _check_call(out, resume=resume, shard=shard, threads=threads, force=force)
    named = as_protocol(protocol)
    check_engine(engine, jobs)
    part = None if shard is None else Shard.of(shard)
    inputs = inputs_under(named, true, pred, options, leaves_process=leaves_process(engine))
    settings = settings_under(
        named or inputs.protocol,
        options,
        policy=inputs.policy,
        groups=inputs.groups,
        reading=inputs.reading,
        named=named is not None,
    )
    writer = _writer(None if out is None else Path(out), settings, inputs, part, resume=resume, force=force)
    execute = partial(run_stage, settings=settings, threads=threads)
    slab = part if part is not None and part.divides_volumes(len(inputs.tasks)) else None
    items_of = part if slab is None else None
    tasks = {item: task for item, task in enumerate(inputs.tasks, 1) if items_of is None or items_of.takes(item)}
    pending = {item: tasks[item] for item in writer.pending if item in tasks}
    counted, n_done = unaffected(inputs, writer.changed, writer.counted), len(tasks) - len(pending)
    schedule = Schedule(pending, execute, blocks_per_job=threads, n_done=n_done, counted=counted, slab=slab)
    run_all = partial(run_tasks, execute, schedule, engine, jobs, getattr(progress, "notify", None))
    facts = _run_pending(writer, schedule, run_all, progress)
    warn_about(facts, labels_stated=inputs.labels_stated, classes=settings.classes)
    run = Run(writer.connection) if writer.path is None else Run.open(writer.path)
    if not inputs.facts:
        run.loaders = {task.name: task.load for task in inputs.tasks}
    _note_crowds(run)
    return run


def _note_crowds(run: Run) -> None:
    if run.settings.policy == COCO.name:
        true, is_complete = run.tables_together.true, run.n_done == len(run.names)

        def under(policy: Any) -> DataSet:
            return run.data if policy == COCO.name else run.rescore(policy=policy).data

        note_crowds(true.item[true.superseded], under if is_complete else None)


def inputs_under(
    protocol: Protocol | None, true: Any, pred: Any, options: Mapping[str, Any], *, leaves_process: bool
) -> EvaluationInputs:
    """Return the inputs, read as the user states, else as the protocol does that was named or is that of the format."""
    formats, read = options.get("format"), options.get("read")
    if protocol is not None and formats is None and all(isinstance(side, str | Path) for side in (true, pred)):
        formats = protocol.format
    if options.get("isolate") is not None:
        read = ReadOptions.of(read).replaced(isolate=options["isolate"])
    found = formats_of_files(true, pred, formats)
    reads_by = protocol or (None if found is None else protocol_of_format(*found))
    inputs = find_inputs(
        true,
        pred,
        formats=formats,
        found=found,
        read=read_under(reads_by, read, (true, pred), found),
        leaves_process=leaves_process,
        **{name: options[name] for name in ("pred_coder", "missing", "pairing", "batch") if name in options},
    )
    chosen = protocol or inputs.protocol
    declared = {} if chosen is None else chosen.class_names
    return replace(inputs, class_names={**declared, **inputs.class_names, **(options.get("class_names") or {})})


def _check_call(out: str | Path | None, *, resume: bool, shard: str | None, threads: int, force: bool) -> None:
    """Reject contradictory options before anything is read."""
    if resume and force:
        raise OptionError("resume continues a run file and force replaces it; pass one of them")
    if resume and out is None:
        raise OptionError("resume continues a run file, but out names none; pass out='run.segm' (--out run.segm)")
    if shard is not None and out is None:
        raise OptionError("shard makes a part of a run, but out names no file; pass out='part.segm' (--out part.segm)")
    if threads < 1:
        raise OptionError(f"threads is {threads}; expected at least 1")


def _writer(
    out: Path | None, settings: Settings, inputs: EvaluationInputs, part: Shard | None, *, resume: bool, force: bool
) -> RunWriter:
    names = [task.name for task in inputs.tasks]
    if out is not None:
        _check_outside(out, inputs.paths)
    fingerprints = inputs.fingerprints() if out is not None else {}
    if out is not None and resume and out.exists():
        shard = None if part is None else str(part)
        return RunWriter.resume(out, settings.as_json(), fingerprints, names, shard, partial(are_chunks_of, inputs))
    facts = inputs.facts if part is None else {**inputs.facts, "shard": str(part)}
    return RunWriter.create(out, settings.as_json(), fingerprints, names, facts, inputs.class_names, replace=force)


def _check_outside(out: Path, paths: Iterable[Path]) -> None:
    """Raise for a run file in a folder of inputs: it would be a new input itself, and could never be resumed."""
    for path in paths:
        if not is_remote(path) and path.is_dir() and Path(os.path.realpath(out)).is_relative_to(os.path.realpath(path)):
            raise OptionError(f"{out}: is inside the input {path} and would change it; keep the run elsewhere")


def _run_pending(
    writer: RunWriter, schedule: Schedule, run_all: Callable[[], Iterator[tuple[int, Any]]], progress: Progress | None
) -> list[LabelsAndClasses]:
    """Evaluate every pending item and write its result; an early end leaves a run that can be resumed."""
    facts: list[LabelsAndClasses] = []

    def save_blocks() -> None:
        writer.save_counted(schedule.counted_blocks())

    checkpoints = Checkpoints(save_blocks)
    interval, reported, groups = getattr(progress, "interval", 0.0), 0.0, CommitGroups()
    try:
        for number, result in run_all():
            finished = schedule.receive(number, result)
            added = _add(writer, finished)
            facts += added
            checkpoints.save_if_due()
            reports = progress is not None and time.monotonic() - reported >= interval
            if writer.path is not None and (reports or (added and groups.is_due())):
                writer.commit()  # before it is reported
            if reports:
                _report_progress(progress, schedule.state, len(added))
                reported = time.monotonic()
            if schedule.problem is not None:
                raise schedule.problem
    except BaseException as problem:
        with suppress(FormatError):  # the blocks can be counted again, and a full disk has been reported already
            save_blocks()
        writer.close()
        if isinstance(problem, KeyboardInterrupt):
            raise KeyboardInterrupt(f"interrupted; {_interrupted(writer, schedule.state)}") from None
        raise
    save_blocks()
    writer.finish()
    if interval:
        _report_progress(progress, schedule.state, 0)
    return facts


def _add(writer: RunWriter, finished: Finished) -> list[LabelsAndClasses]:
    if isinstance(finished, FinishedLines):
        writer.add_lines(*finished)
        return [NOTHING_KNOWN] * len(finished.items)
    if finished:
        writer.add(finished)
    return [result.facts for _, result in finished]


def _interrupted(writer: RunWriter, state: ProgressState) -> str:
    if writer.path is None:
        return "no output file given, results discarded"
    return f"{writer.path} holds {writer.n_done} of {state.n_items} items; continue it with resume (--resume)"


def _report_progress(progress: Progress | None, state: ProgressState, finished: int) -> None:
    update = getattr(progress, "update", None)
    if update is not None:
        update(state)
    elif progress is not None:
        for items in range(state.items - finished + 1, state.items + 1):
            progress(items, state.n_items)
