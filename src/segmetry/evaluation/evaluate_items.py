"""Evaluate a data set: items are paired, counted and scored by an engine, and written to a run as they finish."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Unpack

from segmetry.alignments import COCO
from segmetry.errors import FormatError, OptionError
from segmetry.evaluation.data_notes import DataFacts, LabelsAndClasses, note_crowds, warn_about
from segmetry.evaluation.engines.engine import available_cores, check_engine, leaves_process, run_tasks
from segmetry.evaluation.inputs import EvaluationInputs, InputOptions, ItemTask, find_inputs, formats_of_files
from segmetry.evaluation.item_scores import score_line_columns
from segmetry.evaluation.protocol_settings import read_under, settings_under
from segmetry.evaluation.schedule import Finished, FinishedGroup, ProgressState, Schedule
from segmetry.evaluation.stages import run_stage
from segmetry.metrics import ScoringOptions, check_names, takes_options
from segmetry.overlaps import BlockPlan
from segmetry.protocols import Protocol, as_protocol, protocol_of_format
from segmetry.readers import ReadOptions
from segmetry.run import ByItem, Run, Settings
from segmetry.runfile import CountedBlocks, RunInMemory, RunWriter, Shard
from segmetry.segmentation import LabelArray, Masks
from segmetry.statistics import DataSet
from segmetry.storage import Region, is_remote

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
    by: Sequence[ByItem] = (),
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
    by : sequence of ByItem
        Columns about items that parts, or :attr:`Run.cluster`, are asked for later: every item must be in them, which
        is checked before any is read.
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
    for column in by:
        column.groups(inputs.names)
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

    def run_items(progress: Progress | None) -> list[LabelsAndClasses]:
        tasks = {item: task for item, task in enumerate(inputs.tasks, 1) if items_of is None or items_of.takes(item)}
        pending = {item: tasks[item] for item in writer.pending if item in tasks}
        counted, n_done = unaffected(inputs, writer.changed, writer.counted), len(tasks) - len(pending)
        schedule = Schedule(pending, execute, blocks_per_job=threads, n_done=n_done, counted=counted, slab=slab)
        run_all = partial(run_tasks, execute, schedule, engine, jobs, getattr(progress, "notify", None))
        return _run_pending(writer, schedule, run_all, progress)

    facts = None
    if isinstance(writer, RunInMemory) and engine in ("threads", "serial"):
        facts = _add_at_once(writer, inputs, settings, 1 if engine == "serial" else jobs, partial(run_items, None))
    if facts is None:
        facts = run_items(progress)
    else:
        n = len(inputs.tasks)
        _report_progress(progress, ProgressState(n, n), n)
    warn_about(DataFacts(facts, inputs.labels_stated, settings))
    run = Run(writer) if isinstance(writer, RunInMemory) else Run.open(str(writer.path))
    if not inputs.facts:
        run.loaders = {task.name: task for task in inputs.tasks}
    _note_crowds(run)
    return run


def _add_at_once(
    writer: RunInMemory, inputs: EvaluationInputs, settings: Settings, jobs: int | None, count: Callable[[], Any]
) -> list[LabelsAndClasses] | None:
    """Add all items where their files were read at once, and return the facts about them; None for others.

    ``count`` adds the items one by one, where their overlaps are asked for.
    """
    if inputs.lines is not None:
        true, pred = inputs.lines
        lines = score_line_columns(true.lines, pred.lines, settings, has_classes=true.has_classes)
        if lines is None:
            return None
        writer.add_group(range(1, lines.n + 1), lines)
        return list(lines.facts[:1])
    if not any(getattr(getattr(task.true, "content", None), "is_scanned", False) for task in inputs.tasks[:1]):
        return None
    from segmetry.evaluation.scanned_files import score_scanned

    scanned = score_scanned(inputs, settings, available_cores() if jobs is None else jobs)
    if scanned is None:
        return None
    facts = scanned.facts
    writer.postpone(*scanned.collected, Masks.kind, {*facts.true_classes, *facts.pred_classes}, count)
    return [facts]


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
    found = formats_of_files(true, pred, formats, protocol)
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
) -> RunWriter | RunInMemory:
    names = inputs.names
    if out is None:
        return RunInMemory(settings.as_json(), names, inputs.facts, inputs.class_names)
    _check_outside(out, inputs.paths)
    fingerprints = inputs.fingerprints()
    if resume and out.exists():
        shard = None if part is None else str(part)
        return RunWriter.resume(out, settings.as_json(), fingerprints, names, shard, partial(are_chunks_of, inputs))
    facts = inputs.facts if part is None else {**inputs.facts, "shard": str(part)}
    return RunWriter.create(out, settings.as_json(), fingerprints, names, facts, inputs.class_names, replace=force)


def _check_outside(out: Path, paths: Iterable[Path]) -> None:
    """Raise for a run file in a folder of inputs: it would be a new input itself, and could never be resumed."""
    for path in paths:
        if not is_remote(path) and path.is_dir() and Path(os.path.realpath(out)).is_relative_to(os.path.realpath(path)):
            raise OptionError(f"{out}: is inside the input {path} and would change it; keep the run elsewhere")


def counted_again(run: Run, tasks: Sequence[ItemTask]) -> Run:
    """Return some items of a run counted once more, under its settings."""
    writer = RunInMemory(run.settings.as_json(), [task.name for task in tasks], {}, run.class_names)
    execute = partial(run_stage, settings=run.settings, threads=1)
    schedule = Schedule(dict(enumerate(tasks, 1)), execute)
    _run_pending(writer, schedule, partial(run_tasks, execute, schedule, "threads", None, None), None)
    return Run(writer)


def _run_pending(
    writer: RunWriter | RunInMemory,
    schedule: Schedule,
    run_all: Callable[[], Iterator[tuple[int, Any]]],
    progress: Progress | None,
) -> list[LabelsAndClasses]:
    """Evaluate every pending item and write its result; an early end leaves a run that can be resumed."""
    facts: list[LabelsAndClasses] = []

    def save_blocks() -> None:
        writer.save_counted(schedule.counted_blocks())

    checkpoints = Checkpoints(save_blocks)
    interval, reported, groups = getattr(progress, "interval", None), 0.0, CommitGroups()
    n_unreported = 0
    try:
        for number, result in run_all():
            finished = schedule.receive(number, result)
            added = _add(writer, finished)
            facts += added
            n_unreported += len(added)
            checkpoints.save_if_due()
            is_due = bool(added) and writer.path is not None and groups.is_due()
            if interval is not None:
                reports = progress is not None and time.monotonic() - reported >= interval
            else:  # quick items are reported together: each report of items waits for the disk
                reports = progress is not None and (is_due or not added or writer.path is None)
            if writer.path is not None and (reports or is_due):
                writer.commit(synced=reports and n_unreported > 0)  # the disk has it before it is reported
            if reports:
                _report_progress(progress, schedule.state, n_unreported)
                reported, n_unreported = time.monotonic(), 0
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
    if interval or n_unreported:
        _report_progress(progress, schedule.state, n_unreported)
    return facts


def _add(writer: RunWriter | RunInMemory, finished: Finished) -> list[LabelsAndClasses]:
    if isinstance(finished, FinishedGroup):
        writer.add_group(*finished)
        return list(finished.results.facts)
    if finished:
        writer.add(finished)
    return [result.facts for _, result in finished]


def _interrupted(writer: RunWriter | RunInMemory, state: ProgressState) -> str:
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


Changed = Collection[tuple[str, str]]
"""Changed inputs by side and name."""


def are_chunks_of(inputs: EvaluationInputs, changed: Changed, items: Iterable[int]) -> bool:
    """Return whether every changed input is a chunk of one of these items, which are counted from 1."""
    remaining = _paths(inputs, changed)
    for item in items:
        if not remaining:
            break
        if item > len(inputs.tasks):  # an item is gone
            return False
        remaining -= _chunks(inputs.tasks[item - 1], None)
    return not remaining


def unaffected(
    inputs: EvaluationInputs, changed: Changed, counted: Mapping[int, CountedBlocks]
) -> dict[int, CountedBlocks]:
    """Return the counted blocks of the items none of whose counted blocks contains a changed chunk.

    Anything else that has changed, such as the metadata of an array, affects all. A damaged chunk ends an evaluation
    with an error; after it has been restored, only these blocks and those that were not counted are counted again.
    """
    if not changed:
        return dict(counted)
    if not are_chunks_of(inputs, changed, counted):
        return {}
    paths = _paths(inputs, changed)
    kept = {}
    for item, blocks in counted.items():
        plan = BlockPlan(blocks.edges, (0, 0))
        boxes = [plan.box(number) for number in blocks.blocks]
        if not paths & _chunks(inputs.tasks[item - 1], boxes):
            kept[item] = blocks
    return kept


def _paths(inputs: EvaluationInputs, changed: Changed) -> set[Path]:
    """Return the paths of changed inputs; names are relative to the folder the input of a side is in."""
    return {(Path(inputs.facts.get(side, "")).parent / name).absolute() for side, name in changed}


def _chunks(task: ItemTask, boxes: Iterable[Region] | None) -> set[Path]:
    """Return the files of the chunks of an item that some boxes, or None for the entire item, are read from."""
    files: set[Path] = set()
    for side in task.load():
        if not isinstance(side, LabelArray) or side.stored is None:
            continue
        for box in [tuple(slice(0, length) for length in side.stored.shape)] if boxes is None else boxes:
            files.update(path.absolute() for path in side.stored.files(box) or ())
    return files


QUICK = 0.01
"""Seconds between two items that come quickly."""
IN_A_ROW = 64
"""How many of them must have come in a row: results of many workers may arrive together after a long time."""
LONGEST = 0.25
"""Seconds between two commits."""
SAVE_SECONDS = 20.0
"""Seconds between two checkpoints, at least."""
MOST_TIME_SHARE = 0.05
"""The largest share of the time that saving may take: large sums are saved less often."""


class CommitGroups:
    """Decides after each finished item whether to commit now, or in groups where items come quickly.

    A commit costs a few hundredths of a millisecond, as much as a small item. Items that took long are committed at
    once: a kill loses at most the quick items of the last moment, of which no report has been made.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._last = self._committed = clock()
        self._n_quick = 0

    def is_due(self) -> bool:
        """Return whether to commit, after one more item."""
        now = self._clock()
        self._n_quick = self._n_quick + 1 if now - self._last < QUICK else 0
        self._last = now
        if self._n_quick >= IN_A_ROW and now - self._committed < LONGEST:
            return False
        self._committed = now
        return True


class Checkpoints:
    """When the sums of the counted blocks of unfinished items are saved.

    Counting a volume may take hours, and its table is written when it is finished. After a crash only the blocks since
    the last checkpoint are counted again.
    """

    def __init__(self, save: Callable[[], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._save, self._clock = save, clock
        self._next = clock() + SAVE_SECONDS

    def save_if_due(self) -> None:
        """Save, if it is time to."""
        start = self._clock()
        if start >= self._next:
            self._save()
            now = self._clock()
            self._next = now + max(SAVE_SECONDS, (now - start) / MOST_TIME_SHARE)
