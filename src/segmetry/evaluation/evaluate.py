"""Evaluate a data set: items are paired, counted and scored by an engine, and written to a run as they finish."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

from segmetry._base.frozen_dataclass import frozen_dataclass
from segmetry.alignments.candidates import MatchRule
from segmetry.alignments.policy import Policy
from segmetry.errors import OptionError
from segmetry.evaluation.block_checkpoint import BlockCheckpoint
from segmetry.evaluation.changed_chunks import are_chunks_of, unaffected
from segmetry.evaluation.commit_groups import CommitGroups
from segmetry.evaluation.crowd_note import note_crowds
from segmetry.evaluation.data_notes import warn_about
from segmetry.evaluation.engines.engine import check_engine, leaves_process, run_tasks
from segmetry.evaluation.inputs import EvaluationInputs, ItemTask, find_inputs, formats_of_files
from segmetry.evaluation.protocol_settings import read_under, settings_under
from segmetry.evaluation.schedule import Finished, FinishedLines, ProgressState, Schedule
from segmetry.evaluation.stages import Stage, run_stage
from segmetry.metrics.metric_names import MetricName
from segmetry.metrics.shared_options import BackgroundName, ClassMatching, PolicyName, ResolveName, RuleName
from segmetry.protocols.protocol import Protocol, as_protocol, protocol_of_format
from segmetry.readers.item_names import Pairing
from segmetry.readers.options import Formats, ReadOptions
from segmetry.run.labels_and_classes import NOTHING_KNOWN, LabelsAndClasses
from segmetry.run.run import Run
from segmetry.run.settings import Settings
from segmetry.run.shard import Shard
from segmetry.run.writer import RunWriter
from segmetry.storage.remote_path import is_remote

Progress = Callable[[int, int], None]
"""Called with the number of finished items and of all items, whenever one has finished.

A method ``update``, if it has one, is called instead with a ``ProgressState`` after every job, so it sees the blocks of
large items too. A method ``notify`` is called with messages of the engine, such as the address of its dashboard.
"""


@frozen_dataclass()
class _Execution:
    """The engine, how many jobs it runs at once, the threads of each, and the part of the run: items or slabs."""

    engine: Any
    jobs: int | None
    threads: int
    part: Shard | None = None
    slab: Shard | None = None

    def tasks(self, inputs: EvaluationInputs) -> dict[int, ItemTask]:
        """Return the items of this part, counted from 1; where the parts are slabs, all of them."""
        part = self.part if self.slab is None else None
        return {item: task for item, task in enumerate(inputs.tasks, 1) if part is None or part.takes(item)}


def evaluate(
    true: Any,
    pred: Any,
    *,
    protocol: Protocol | str | None = None,
    rule: MatchRule | RuleName | str | None = None,
    also: Iterable[MatchRule | RuleName | str] = (),
    policy: Policy | PolicyName | None = None,
    metrics: Iterable[MetricName] | str | None = None,
    resolve: ResolveName | None = None,
    classes: ClassMatching | None = None,
    background: BackgroundName | None = None,
    undefined: float | None = None,
    average: str | None = None,
    groups: Mapping[str, Collection[Hashable]] | None = None,
    class_names: Mapping[Hashable, str] | None = None,
    options: Mapping[str, Any] | None = None,
    engine: Any = "threads",
    jobs: int | None = None,
    threads: int = 1,
    out: str | Path | None = None,
    resume: bool = False,
    shard: str | None = None,
    format: Formats = None,  # noqa: A002 - the word of the command line
    read: ReadOptions | Mapping[str, Any] | None = None,
    isolate: bool | Mapping[str, Any] | None = None,
    pred_coder: str | None = None,
    missing: Literal["error", "as-empty"] = "error",
    pairing: Pairing | Mapping[str, Any] | None = None,
    batch: bool = False,
    force: bool = False,
    progress: Progress | None = None,
) -> Run:
    r"""Evaluate a data set: two paths, two mappings from item names to segmentations or paths, or two lists of them.

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
        the policy, the metrics and their options. What is stated here as well overrides it, and the run records it
        in :attr:`Run.modified`; ``metrics`` are computed in addition to those of the protocol. By default that of
        the format of ``true``, if it has one.
    rule : MatchRule or str, optional
        Scoring. A rule or its text, such as ``'theta_plus'`` (IoU > 1/2), ``'theta_and'`` (majority overlap) or
        ``'iou(above=3/4)'``.
    also : iterable of MatchRule or str
        Further rules for which metrics that need the inputs are stored.
    policy : Policy or str, optional
        How void elements and crowd segments are treated: a policy or its name. By default void elements are removed
        (``'strict-void'``) if there are any.
    metrics : iterable of str or function, or str, optional
        Keys, aliases, functions or families of metrics.
    resolve : str, optional
        What happens to segments with several partners, as for :func:`segmetry.align`.
    classes : {'match', 'ignore'}, optional
        ``'match'`` pairs only segments of the same class, ``'ignore'`` any two.
    background : str, optional
        How clustering metrics treat elements in no segment, as for :func:`segmetry.score`.
    undefined : float, optional
        A number that replaces undefined values, as in some other packages; by default they stay undefined.
    average : {'class', 'segments'}, optional
        The scores of an item whose segments carry classes: ``'class'``, the mean over its classes, is the default where
        segments of the same class are matched; ``'segments'`` counts all its segments together.
    groups : mapping of str to classes, optional
        Sets of classes to average over, such as ``{'things': …, 'stuff': …}``.
    class_names : mapping of classes to str, optional
        How classes are called in tables and in the report, for labels that are numbers: ``{0: 'road', 1: 'sky'}``. By
        default as the files or the protocol call them.
    options : mapping, optional
        Keyword arguments of single metrics by key: ``{'false_hits': {'pi': 0.5}}``. One that stands by itself,
        ``{'iou_type': 'bbox'}``, is that of all metrics that take it.
    engine : str or distributed.Client, default 'threads'
        Running. ``'threads'``, ``'processes'``, ``'dask'`` (workers on this machine) or ``'serial'``, or the
        address of a dask scheduler, or a client; the result does not depend on it.
    jobs : int, optional
        How many items are processed at once; by default as many as there are cores.
    threads : int, default 1
        The number of threads that count a large label array. Large label arrays that are stored (zarr, HDF5, npy,
        dask) are counted block by block.
    out : str or Path, optional
        The run file, written as items finish; by default the run is kept in memory.
    resume : bool, default False
        Continue a run that was interrupted, and start one that does not exist; other settings are refused, and so
        are changed inputs once an item is finished, except restored chunks of unfinished items.
    shard : str, optional
        ``'3/16'`` evaluates every 16th item from the third on; with fewer items than parts, a slab of each stored
        volume. :func:`segmetry.merge_runs` merges the parts.
    format : str or pair of str, optional
        Reading. The format of both sides, or of each: ``('npy', 'png')``; by default it is found.
    read : mapping or ReadOptions, optional
        Options of the reader by name: ``{'void': 255}``.
    isolate : bool or mapping, optional
        Whether files are decoded in a child process, so that a decoder that crashes or hangs is one error: ``True``,
        ``False``, or limits, ``{'seconds': 60, 'memory': 2**32}``. By default the formats whose decoder was seen to
        crash on damaged files are. The results do not depend on it.
    pred_coder : str, optional
        The annotator that is the prediction, where one file contains several.
    missing : {'error', 'as-empty'}, default 'error'
        How to treat items without a prediction.
    pairing : mapping or Pairing, optional
        How the names of both sides relate where they differ: ``{'strip': '_gt'}``, ``{'pair': r'(\d+)'}`` or
        ``{'pairs': 'pairs.csv'}``.
    batch : bool, default False
        Take two arrays whose first axis is the items, such as tensors of shape (B, H, W).
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
    >>> run.summary()["pq"].by_item.value, run.summary()["rand_index"].n
    (0.5, 2)
    """
    _check_call(out, resume=resume, shard=shard, threads=threads, force=force)
    if isolate is not None:
        read = ReadOptions.of(read).replaced(isolate=isolate)
    named = as_protocol(protocol)
    check_engine(engine, jobs)
    part = None if shard is None else Shard.of(shard)
    formats = _format_under(named, format, (true, pred))
    found = formats_of_files(true, pred, formats)
    reads_by = named or (None if found is None else protocol_of_format(*found))
    inputs = find_inputs(
        true,
        pred,
        formats=formats,
        found=found,
        read=read_under(reads_by, read, (true, pred), found),
        pred_coder=pred_coder,
        missing=missing,
        pairing=pairing,
        batch=batch,
        leaves_process=leaves_process(engine),
    )
    chosen = named or inputs.protocol
    declared = {} if chosen is None else chosen.class_names
    inputs = replace(inputs, class_names={**declared, **inputs.class_names, **(class_names or {})})
    stated = {
        "rule": rule,
        "also": tuple(also) or None,
        "policy": policy,
        "metrics": metrics,
        "resolve": resolve,
        "classes": classes,
        "background": background,
        "undefined": undefined,
        "average": average,
        "groups": groups,
        "options": options,
    }
    settings = settings_under(
        chosen,
        stated,
        named=named is not None,
        policy=inputs.policy,
        groups=inputs.groups,
        reading=inputs.reading,
    )
    writer = _writer(None if out is None else Path(out), settings, inputs, part, resume=resume, force=force)
    execute = partial(run_stage, settings=settings, threads=threads)
    slab = part if part is not None and part.divides_volumes(len(inputs.tasks)) else None
    facts = _run_pending(writer, inputs, execute, _Execution(engine, jobs, threads, part, slab), progress)
    warn_about(facts, labels_stated=inputs.labels_stated, classes=settings.classes)
    run = Run(writer.connection) if writer.path is None else Run.open(writer.path)
    if not inputs.facts:
        run.loaders = {task.name: task.load for task in inputs.tasks}
    note_crowds(run)
    return run


def _format_under(protocol: Protocol | None, stated: Formats, sides: tuple[Any, Any]) -> Formats:
    """Return the format the user states, else that of a named protocol where both sides are paths."""
    are_paths = all(isinstance(side, str | Path) for side in sides)
    return protocol.format if stated is None and protocol is not None and are_paths else stated


def _check_call(out: str | Path | None, *, resume: bool, shard: str | None, threads: int, force: bool) -> None:
    """Refuse contradictory options before anything is read."""
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
        return RunWriter.resume(out, settings, fingerprints, names, shard, partial(are_chunks_of, inputs))
    facts = inputs.facts if part is None else {**inputs.facts, "shard": str(part)}
    return RunWriter.create(out, settings, fingerprints, names, facts, inputs.class_names, replace=force)


def _check_outside(out: Path, paths: Iterable[Path]) -> None:
    """Refuse a run file in a folder of inputs: it would be a new input itself, and could never be resumed."""
    for path in paths:
        if not is_remote(path) and path.is_dir() and Path(os.path.realpath(out)).is_relative_to(os.path.realpath(path)):
            raise OptionError(f"{out}: is inside the input {path} and would change it; keep the run elsewhere")


def _run_pending(
    writer: RunWriter,
    inputs: EvaluationInputs,
    execute: Callable[[Stage], Any],
    execution: _Execution,
    progress: Progress | None,
) -> list[LabelsAndClasses]:
    """Evaluate every pending item and write its result; an early end leaves a run that can be resumed."""
    facts: list[LabelsAndClasses] = []
    tasks = execution.tasks(inputs)
    pending = {item: tasks[item] for item in writer.pending if item in tasks}
    digest = "" if writer.path is None else writer.digest()  # of a run in memory no block is saved
    checkpoint = BlockCheckpoint(writer.path, digest, writer.digest_before)
    counted = unaffected(inputs, writer.changed, writer.counted | checkpoint.load())
    if writer.changed:
        writer.keep_counted({item: blocks for item, blocks in counted.items() if item in writer.counted})
    schedule = Schedule(
        pending,
        execute,
        blocks_per_job=execution.threads,
        n_done=len(tasks) - len(pending),
        counted=counted,
        slab=execution.slab,
    )
    notify = getattr(progress, "notify", None)
    interval, reported, groups = getattr(progress, "interval", 0.0), 0.0, CommitGroups()
    try:
        for number, result in run_tasks(execute, schedule, execution.engine, execution.jobs, notify):
            finished = schedule.receive(number, result)
            added = _add(writer, finished)
            facts += added
            if checkpoint.is_due:
                checkpoint.save(schedule.counted_blocks())
            reports = progress is not None and time.monotonic() - reported >= interval
            if writer.path is not None and (reports or (added and groups.is_due())):
                writer.commit()  # before it is reported
            if reports:
                _report_progress(progress, schedule.state, len(added))
                reported = time.monotonic()
            if schedule.problem is not None:
                raise schedule.problem
    except KeyboardInterrupt:
        checkpoint.save(schedule.counted_blocks())
        writer.close()
        raise KeyboardInterrupt(f"interrupted; {_interrupted(writer, schedule.state)}") from None
    except BaseException:
        checkpoint.save(schedule.counted_blocks())
        writer.close()
        raise
    if execution.slab is not None:
        writer.keep_counted(schedule.counted_blocks())
    checkpoint.save({})
    writer.finish()
    if interval:
        _report_progress(progress, schedule.state, 0)
    return facts


def _add(writer: RunWriter, finished: Finished) -> list[LabelsAndClasses]:
    """Add finished items to the run; return the facts about them."""
    if isinstance(finished, FinishedLines):
        writer.add_lines(*finished)
        return [NOTHING_KNOWN] * len(finished.items)
    if finished:
        writer.add_all(finished)
    return [result.facts for _, result in finished]


def _interrupted(writer: RunWriter, state: ProgressState) -> str:
    if writer.path is None:
        return "nothing was kept, as no file was named"
    return f"{writer.path} holds {writer.n_done} of {state.n_items} items; continue it with resume (--resume)"


def _report_progress(progress: Progress | None, state: ProgressState, finished: int) -> None:
    update = getattr(progress, "update", None)
    if update is not None:
        update(state)
    elif progress is not None:
        for items in range(state.items - finished + 1, state.items + 1):
            progress(items, state.n_items)
