"""Evaluating a data set: items are paired, counted and scored by an engine, and written to a run as they finish."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from segmetry.engines import run_tasks
from segmetry.errors import OptionError, SegmetryError
from segmetry.readers.options import Formats, ReadOptions
from segmetry.run.result import ItemResult
from segmetry.run.run import Run
from segmetry.run.settings import Settings
from segmetry.run.stored import other_scores
from segmetry.run.writer import RunWriter
from segmetry.scores.comparison import Comparison
from segmetry.scores.score import Result
from segmetry.work import Task, Work, work_of

Progress = Callable[[int, int], None]
"""Called with the number of finished items and of all items, whenever one has finished."""


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
    engine: str = "threads",
    jobs: int | None = None,
    threads: int = 1,
    out: str | Path | None = None,
    resume: bool = False,
    format: Formats = None,  # noqa: A002 - the word of the command line
    read: ReadOptions | None = None,
    pred_coder: str | None = None,
    missing: str = "error",
    progress: Progress | None = None,
) -> Run:
    """Evaluate a data set: two paths, or two mappings from item names to segmentations or paths.

    The run is kept in the file ``out`` (in memory without one) and written as items finish. ``resume=True`` continues
    a run that was interrupted, and begins one that does not exist; changed inputs or other settings are refused.
    ``engine`` is ``"threads"``, ``"processes"`` or ``"serial"`` with ``jobs`` items at once (all cores by default);
    the result does not depend on it. ``format`` names the format of both sides, or of each: ``("page-xml", "alto")``.
    ``also`` names rules for which metrics that need the inputs are kept beside those of ``rule``. A run of objects
    keeps them at hand, for the pictures of its report. The other options are those of :func:`segmetry.score`.

    >>> true, pred = {"a": [[1, 1, 2]], "b": [[1, 2, 2]]}, {"a": [[1, 1, 2]], "b": [[1, 1, 2]]}
    >>> run = evaluate(true, pred, metrics=["pq", "rand_index"])
    >>> run.summary()["pq"].mean.value, run.summary()["rand_index"].n
    (0.5, 2)
    """
    if resume and out is None:
        raise OptionError("resume continues a run file, but out names none; pass out='run.segm' (--out run.segm)")
    work = work_of(true, pred, chosen=format, read=read or ReadOptions(), pred_coder=pred_coder, missing=missing)
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
    writer = _writer(None if out is None else Path(out), settings, work, resume=resume)
    one = partial(evaluate_item, settings=settings, threads=threads)
    _work_off(writer, one, work.tasks, engine, jobs, progress)
    run = Run(writer.connection) if writer.path is None else Run.open(writer.path)
    if not work.facts:
        run.loaders = {task.name: task.load for task in work.tasks}
    return run


def _writer(out: Path | None, settings: Settings, work: Work, *, resume: bool) -> RunWriter:
    names = [task.name for task in work.tasks]
    inputs = work.fingerprints() if out is not None else {}
    if out is not None and resume and out.exists():
        return RunWriter.resume(out, settings, inputs, names)
    return RunWriter.create(out, settings, inputs, names, work.facts, work.class_names)


def _work_off(
    writer: RunWriter,
    one: Callable[[Task], ItemResult],
    tasks: list[Task],
    engine: str,
    jobs: int | None,
    progress: Progress | None,
) -> None:
    """Every pending item, written as it comes; whatever ends this early leaves a run that can be resumed."""
    total = len(tasks)
    done = total - len(writer.pending)
    results = run_tasks(one, ((item, tasks[item - 1]) for item in writer.pending), engine, jobs)
    try:
        for item, found in results:
            writer.add(item, found)
            done += 1
            if progress is not None:
                progress(done, total)
    except KeyboardInterrupt:
        writer.close()
        words = (
            "nothing was kept, as no file was named"
            if writer.path is None
            else f"{writer.path} holds {done} of {total} items"
        )
        way_on = "" if writer.path is None else "; continue it with resume (--resume)"
        raise KeyboardInterrupt(f"interrupted; {words}{way_on}") from None
    except BaseException:
        writer.close()
        raise
    writer.finish()


def evaluate_item(task: Task, *, settings: Settings, threads: int = 1) -> ItemResult:
    """Count one item and score what is no function of a tally; an error names the item."""
    try:
        true, pred = task.load()
        comparison = Comparison.of(true, pred, resolve=settings.resolve, classes=settings.classes, threads=threads)
        chosen = [one for one in settings.chosen(comparison.kind, comparison.axes) if one.needs != "tally"]
        free = [one.key for one in chosen if not one.depends_on_rule]
        bound = [one.key for one in chosen if one.depends_on_rule]
        scores: dict[tuple[str, str], Result] = {}
        for key, found in other_scores(comparison, free, settings, settings.rule).items():
            scores[key, ""] = found
        for rule in dict.fromkeys((settings.rule, *settings.also)):
            for key, found in other_scores(comparison, bound, settings, rule).items():
                scores[key, rule] = found
        return ItemResult(task.name, comparison.table, comparison.kind, comparison.axes, scores)
    except SegmetryError as problem:
        raise problem.within(f"item {task.name}") from None
