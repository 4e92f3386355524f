"""A run: the result of evaluating a data set, and every score that follows from it."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from segmetry._base import errors_within
from segmetry.alignments import Breakdown, MatchRule, segment_rows
from segmetry.errors import InputError, OptionError
from segmetry.metrics import (
    AVERAGES,
    Counts,
    Metric,
    RescoringOptions,
    Result,
    RuleName,
    Score,
    ScoreAggregation,
    Scores,
    ScoringOptions,
    Statistics,
    check_names,
    item_scores,
    score_statistics,
    short_keys,
    takes_options,
    value_or_none,
)
from segmetry.overlaps import ClassTable, matrix_table, merge_class_tables
from segmetry.protocols import (
    PROTOCOLS,
    Protocol,
    cell_of_name,
    protocol_header,
    protocol_table,
    provenance_of,
    value_of_cell,
)
from segmetry.results import Cell, ColumnType, Exported, NumberStyle, ResultTable, Table, Value, counted
from segmetry.run.collected_columns import StoredColumns, collected_sources, rescored_options
from segmetry.run.part_rows import ByItem
from segmetry.run.run_data_set import aligning, data_set_of, item_alignment, items_alike, segments_of
from segmetry.run.settings import Settings
from segmetry.run.stored_scores import StoredScores, partition_scores
from segmetry.runfile import RunContents, RunInMemory, RunTables, merge_files
from segmetry.segmentation import element_word
from segmetry.statistics import DataSet, MetricSource, Summary, summarise

if TYPE_CHECKING:
    from segmetry.diagnosis import RunErrors
    from segmetry.statistics import Interval, Intervals

ITEM_TYPES: dict[str, ColumnType] = {"item": "text", "n_elements": "integer", "unit": "text", "distance_unit": "text"}
SEGMENT_TYPES: dict[str, ColumnType] = {
    **dict.fromkeys(("item", "outcome", "kind", "size_bin", "true_class_name", "pred_class_name", "unit"), "text"),
    **dict.fromkeys(("true_id", "pred_id", "nearest_id", "true_size", "pred_size"), "integer"),
    **dict.fromkeys(("shared", "missed", "spurious"), "integer"),
    **dict.fromkeys(("iou", "nearest_iou"), "number"),
    "small": "flag",
}
SEGMENT_ABSENT = {
    **dict.fromkeys(("true_id", "pred_id", "nearest_id", "true_class", "pred_class"), -1),
    **dict.fromkeys(("true_size", "pred_size"), 0),
}


MOST_ITEMS = 2_000
"""Items of the largest run whose interval is computed unasked: a second or two."""
MOST_RANKED = 500
"""The same of metrics that put the segments of all items in order, which every resample does again."""


class Run(RunContents, Exported):
    """A data set evaluated once: overlaps, sizes and stored scores of every item, read from a run file or from memory.

    ``loaders`` return the segmentations of a run of objects, by item name; those of a run of files are read again from
    the files (``loaders_of``). ``left_out`` names the requested metrics that need the inputs again under the present
    settings (see :meth:`rescore`).

    >>> import segmetry as sm
    >>> run = sm.evaluate({"a": [[1, 1, 2]], "b": [[1, 1, 1]]}, {"a": [[1, 1, 2]], "b": [[1, 1, 0]]}, metrics="pq,sq")
    >>> run
    Run(2 items, rule theta_plus, policy none)
    >>> run.items()[1]["pq"], run.summary()["pq"]["by_item"].value
    (0.6666666666666666, 0.8333333333333333)
    """

    def __init__(
        self, source: sqlite3.Connection | RunInMemory, path: Path | None = None, settings: Settings | None = None
    ) -> None:
        super().__init__(source, path)
        with errors_within(str(path or "the run")):
            self._first = Settings.from_json(self.facts.get("settings", ""))
        self.settings: Settings = self._first if settings is None else settings

    def report(self, path: str | Path, **options: Any) -> None:
        """Write the run as one HTML file that aligns and scores by itself; see :func:`segmetry.report.page.render`.

        ``maps`` says which items have pictures (``"all"``, ``"none"``, or how many of the worst); ``true`` and ``pred``
        name the inputs where they have been moved. ``images`` is a folder of photographs to show under the masks, and
        ``image_budget`` how many megabytes they may take up. ``sensitivity`` is what :func:`segmetry.sensitivity`
        returns for the inputs of the run, or the JSON file that ``segmetry sensitivity`` has written. ``title`` is the
        title of the report; ``by`` are columns about items (:class:`segmetry.ByItem`) that the report filters by.
        """
        from segmetry.report import write_report

        write_report([self], path, **options)

    @takes_options(RescoringOptions, ScoringOptions)
    def rescore(
        self,
        rule: MatchRule | RuleName | str | None = None,
        *,
        verdicts: str | Path | None = None,
        **options: Unpack[RescoringOptions],
    ) -> Run:
        """Return the run under another rule (or policy, …), from the overlap rows alone: no input is read.

        Metrics that need the inputs and depend on what changed are named in ``left_out`` of the new run.
        Options that are left out stay as they are.

        Parameters
        ----------
        rule : MatchRule or str, optional
            Which true and predicted segments are a pair, as for :func:`segmetry.evaluate`.
        verdicts : str or Path, optional
            A CSV file with the columns item, error and verdict (``real``, ``label`` or ``unclear``), as the report
            exports it: the truth is put right where the label is wrong, and void where it is unclear.
        **options
            Those of :func:`segmetry.evaluate` for which the overlaps suffice; ``options`` of metrics of the data set,
            such as other ``thresholds`` of ``average_precision``.

        Returns
        -------
        Run
            Another view of the same overlaps.

        Examples
        --------
        >>> import segmetry as sm
        >>> run = sm.evaluate({"a": [[1, 1, 1, 2]]}, {"a": [[3, 4, 4, 4]]}, metrics="pq")
        >>> run.summary()["pq"]["by_item"].value, run.rescore("theta_and").summary()["pq"]["by_item"].value
        (0.0, 0.25)
        """
        check_names("rescore", options, RescoringOptions)
        if options.get("options") is not None:
            options["options"] = rescored_options(self.settings.options, options["options"] or {})
        run = self._view(self.settings.changed(rule=rule, **options))
        if verdicts is None:
            return run
        from segmetry.diagnosis import Verdicts, judged

        return judged(run, Verdicts.read(verdicts))

    def with_metrics(self, *keys: str) -> Run:
        """Return the run with other metrics, which follow from its overlaps.

        >>> import segmetry as sm
        >>> run = sm.evaluate({"a": [[1, 1, 1, 2]]}, {"a": [[1, 1, 1, 1]]}, metrics="pq")
        >>> run.with_metrics("dice").summary()["dice"].usual.value
        0.42857142857142855
        """
        return self._view(replace(self.settings, metrics=keys, protocol=None, modified=()))

    def _view(self, settings: Settings) -> Run:
        run = Run(self._source, self.path, settings)
        for shared in ("tables_together", "class_names", "_stored", "_stored_columns", "_partition_scores"):
            run.__dict__[shared] = getattr(self, shared)
        run.loaders, run.cluster = self.loaders, self.cluster
        return run

    def with_tables(self, tables: RunTables, keys: Collection[str]) -> Run:
        """Return a run of other overlaps under the same settings, with those metrics that follow from overlaps."""
        run = Run(self._source, self.path, self.settings)
        metrics = [metric for metric in self.metrics if metric.key in keys]
        nothing = {"_stored_columns": {}, "_stored": StoredScores({}, self.settings)}
        run.__dict__.update(tables_together=tables, metrics=metrics, cluster=self.cluster, **nothing)
        return run

    cluster: ByItem | None = None
    """What intervals and tests draw and exchange as a whole, such as the patient of each slice; None: every item."""

    @property
    def protocol(self) -> Protocol | None:
        """The protocol that the run follows; None where it follows none, or where its package is not installed."""
        name = self.settings.protocol
        return None if name is None or name not in PROTOCOLS else PROTOCOLS[name]

    @property
    def modified(self) -> tuple[str, ...]:
        """The settings that differ from those of the protocol."""
        return self.settings.modified

    def name_classes(self, names: Mapping[Hashable, str]) -> None:
        """Give classes of the run other names, wherever they are shown; others are ignored, unless none occurs.

        >>> import segmetry as sm
        >>> run = sm.evaluate({"a": [[1, 1, 2]]}, {"a": [[1, 2, 2]]}, metrics="dice", read={"labels": "classes"})
        >>> run.name_classes({1: "liver"})
        >>> [row["class_name"] for row in run.classes()]
        ['liver', None]
        """
        known = {*self.class_names, *self.data.parts}
        if not known.intersection(names):
            listed = ", ".join(map(repr, [*names][:5]))
            raise OptionError(f"the run has no class {listed}; found {', '.join(map(repr, [*known][:10])) or 'none'}")
        own = {label: name for label, name in names.items() if label in known}
        self.__dict__["class_names"] = {**self.class_names, **own}
        self.__dict__.pop("_summary", None)

    @property
    def header(self) -> str | None:
        """What the protocol reads how and averages over what, and what was modified, in one line.

        >>> import segmetry as sm
        >>> true, pred = ({"a": sm.LabelArray([[1, 1, 2]], classes={1: "car", 2: "sky"})} for _ in range(2))
        >>> run = sm.evaluate(true, pred, protocol="coco-panoptic", rule="theta_and")
        >>> run.header.split("; ")[-1], run.modified
        ('modified: rule', ('rule',))
        """
        own = self.settings
        return None if self.protocol is None else protocol_header(self.protocol, self.modified, own.rule, own.policy)

    def protocol_table(
        self, *, classes: bool = False, partial: bool = False, numbers: NumberStyle | None = None
    ) -> ResultTable | None:
        """Return the table that the protocol prints, or with ``classes`` its table of classes; None where it has none.

        >>> import segmetry as sm
        >>> true, pred = ({"a": sm.LabelArray([[1, 1, 2]], classes={1: "car", 2: "sky"})} for _ in range(2))
        >>> table = sm.evaluate(true, pred, protocol="coco-panoptic").protocol_table(classes=True)
        >>> [row[0] for row in table.rows]
        ['car', 'sky']
        """
        protocol = self.protocol
        cells = None if protocol is None else protocol.class_cells if classes else protocol.cells
        if protocol is None or cells is None:
            return None
        self.check_complete(partial=partial)
        return protocol_table(
            protocol,
            self.data,
            cells=cells,
            numbers=numbers,
            class_names=self.class_names,
            options=self.settings.options,
        )

    @cached_property
    def metrics(self) -> list[Metric]:
        """The metrics of the run, as its first item chose them."""
        if not self.tables_together.items:
            return []
        items = self.tables_together.items
        return list(self.settings.metrics_of(items.kinds[0], items.axes[0]).chosen)

    @property
    def left_out(self) -> tuple[str, ...]:
        """Metrics that cannot be computed under these settings without the inputs."""
        others = [metric for metric in self.metrics if metric.needs != "tally"]
        return tuple(
            metric.key for metric in others if not self._stored.offers(metric, self.settings, self.tables_together)
        )

    @cached_property
    def _aligning(self) -> Settings:
        return aligning(self.settings, self.metrics)

    @cached_property
    def data(self) -> DataSet:
        """The statistics of all finished items: everything that summarises, resamples or compares asks them."""
        return self._data_of(None)

    def _data_of(self, items: Sequence[int] | None) -> DataSet:
        segments = segments_of(self.tables_together, self._aligning, items)
        names, sources = self._item_names, self._sources
        if items is not None:
            names = tuple(names[at] for at in items)
            sources = {key: replace(made, statistics=made.statistics.select(items)) for key, made in sources.items()}
        data = data_set_of(names, segments, self.settings, sources, self.metrics, self.protocol, self.class_names)
        return replace(data, file=self.tables_together.file)

    @property
    def headline(self) -> str:
        """The metric that the community ranks by, that was named first, or that one looks at first."""
        own = {metric.key for metric in self.metrics}
        if self.protocol is not None and self.protocol.headline_cell.metric in own:
            return self.protocol.headline_cell.metric
        keys = [metric.key for metric in self.metrics if metric.better != "neither"] or [self.metrics[0].key]
        named = [key for key in self.settings.metrics or () if key in keys]
        items = self.tables_together.items
        return named[0] if named else short_keys(keys, (items.kinds[0] if items else None) or "")[0]

    def cell(self, name: str | None = None, numbers: NumberStyle | None = None) -> Cell:
        """Return what a name means, as every output and every bound reads it; by default the headline.

        >>> import segmetry as sm
        >>> run = sm.evaluate({"a": [[1, 1, 2]]}, {"a": [[1, 1, 2]]}, protocol="stardist")
        >>> run.cell().words, run.cell("segment_f1.by_class").words
        ('accuracy (IoU ≥ 0.5)', 'f1 (mean over classes)')
        """
        return cell_of_name(name or self.headline, self.data, self.protocol, numbers)

    def measured_cell(self, name: str | None = None, numbers: NumberStyle | None = None) -> Cell:
        """Return the same; its unit is that of its distances, where it is one."""
        cell = self.cell(name, numbers)
        unit = self.data.source(cell.metric).unit if cell.unit == "fraction" else None
        return cell if unit is None else replace(cell, unit=unit)

    def value(self, name: str | None = None, numbers: NumberStyle | None = None) -> Value | None:
        """Return the value of a cell; None where the run has no such value."""
        return value_of_cell(self.cell(name, numbers), self.data, self.class_names)

    def provenance(self, name: str | None = None) -> dict[str, Any]:
        """Return whose number a value is, by default the headline: that of a program, a modified one, or ours.

        The entries are ``words``, the ``reference`` (None where the definition is ours), what is ``modified``, and
        the ``decisions`` behind the number, by name.

        >>> import segmetry as sm
        >>> run = sm.evaluate({"a": [[1, 1, 2]]}, {"a": [[1, 1, 2]]}, protocol="dsb2018", rule="theta_and")
        >>> run.provenance()["words"]
        'as Kaggle 2018, the page of the competition (transcribed), but for rule'
        """
        own = self.settings
        return provenance_of(self.cell(name), self.protocol, self.modified, own, own.reading)

    @cached_property
    def _sources(self) -> dict[str, MetricSource]:
        """The statistics of the metrics that do not follow from segments alone."""
        available = [metric for metric in self.metrics if metric.needs != "tally" and metric.key not in self.left_out]
        sources = collected_sources(self._stored_columns, available, self.settings, self.tables_together)
        for metric in available:
            if metric.additive is None and (statistics := self._score_statistics(metric)) is not None:
                sources[metric.key] = MetricSource(
                    metric, ScoreAggregation(item_scores, is_count=metric.is_count), statistics
                )
        return sources

    def _score_statistics(self, metric: Metric) -> Statistics | None:
        """Return the scores of items of a metric, as statistics; None for one with several values per item."""
        known = self._scores_together.get(metric.key)
        if known is not None:
            return known
        scores = [self._kept_scores[name].get(metric.key) for name in self._item_names]
        if any(isinstance(score, Counts) for score in scores) or not any(score is not None for score in scores):
            return None
        return score_statistics([score for score in scores if not isinstance(score, Counts)])

    @cached_property
    def _item_names(self) -> tuple[str, ...]:
        return self.tables_together.items.names

    @cached_property
    def _stored(self) -> StoredScores:
        known = self.score_columns()
        if known is not None:
            return StoredScores({}, self._first, known=known)
        return StoredScores.of(self.stored_scores(), self._first, str(self.path or "the run"))

    @cached_property
    def _stored_columns(self) -> StoredColumns:
        with errors_within(str(self.path or "the run")):
            return self.collected()

    @cached_property
    def _partition_scores(self) -> dict[tuple[str, str], Statistics]:
        """The scores of two partitions that were computed so far, by key and options: the same under every rule."""
        return {}

    @cached_property
    def _scores_together(self) -> dict[str, Statistics]:
        """Scores of all items at once: stored numbers, and those of two partitions; items of several kinds have
        different metrics.
        """
        items = self.tables_together.items
        if len(set(zip(items.kinds, items.axes, strict=True))) > 1:
            return {}
        scored = [metric for metric in self.metrics if metric.additive is None and metric.key not in self.left_out]
        stored = self._stored.statistics(scored, self.settings, self._item_names)
        return stored | partition_scores(scored, self.settings, self.tables_together, self._partition_scores)

    @cached_property
    def _kept_scores(self) -> Mapping[str, Mapping[str, Result]]:
        """Scores of items that are not in columns."""
        kept = [
            metric
            for metric in self.metrics
            if metric.additive is None and metric.key not in (*self.left_out, *self._scores_together)
        ]
        return self._stored.under(kept, self.settings, self.tables_together)

    def check_complete(self, *, partial: bool = False) -> None:
        """Raise an error for a run that is not finished, unless ``partial``, and for a run without a finished item."""
        done, total = self.n_done, len(self.names)
        if "shard" in self.facts and not partial:
            raise InputError(
                f"{self.path}: is the part {self.facts['shard']} of a run; merge the parts with "
                "segmetry.merge_runs (segmetry merge), or pass partial=True"
            )
        if done < total and not partial:
            raise InputError(
                f"{self.path}: the run is not finished: {done} of {total} items are done; "
                "continue it with resume (--resume), or pass partial=True"
            )
        if not done:
            raise InputError(f"{self.path or 'the run'}: no item is finished; there is nothing to summarise")

    def summary(self, *, partial: bool = False) -> Summary:
        """Return every metric in its averages, total and by class; ``partial`` accepts an unfinished run."""
        self.check_complete(partial=partial)
        return self._summary

    @cached_property
    def _summary(self) -> Summary:
        with errors_within(self.data.file):
            return summarise(self.data, self.class_names)

    def intervals(self, *, partial: bool = False, parts: bool = True, **options: Any) -> Intervals:
        """Return confidence intervals of every value of the summary, by resampling items.

        Options are ``resamples`` (10000), ``level`` (0.95), ``rng`` (2024) and ``cluster`` (:attr:`cluster`);
        ``parts=False`` leaves out classes.

        >>> import segmetry as sm
        >>> true, pred = {"a": [[1, 1, 2]], "b": [[1, 2, 2]]}, {"a": [[1, 1, 2]], "b": [[1, 1, 2]]}
        >>> sm.evaluate(true, pred, metrics="pq").intervals(rng=7)["pq"]["by_item"].percentile
        (0.0, 1.0)
        """
        from segmetry.statistics import Resampling, intervals

        resampling = Resampling(**{"cluster": self.cluster, **options})
        return intervals(self.data, self.summary(partial=partial), resampling, parts=parts)

    def interval(self, key: str, average: str | None = None, **options: Any) -> Interval:
        """Return the confidence interval of one value of the data set, by default in the usual average.

        It is the one that :meth:`intervals` has there, without the work for the others.
        """
        from segmetry.statistics import Resampling, one_interval

        self.check_complete()
        return one_interval(self.data, key, average, Resampling(**{"cluster": self.cluster, **options}))

    def few_items(self, noun: str = "item") -> str | None:
        """Return that the items are too few for an interval that nobody asked for; None from ten items on, and of one.

        >>> import segmetry as sm
        >>> sides = {"a": [[1, 1, 2]], "b": [[1, 2, 2]]}
        >>> sm.evaluate(sides, sides, metrics="pq").few_items("scan")
        '2 scans are too few'
        """
        from segmetry.statistics import FEWEST_ITEMS

        if self.cluster is not None:
            noun = self.cluster.name
        n = len(self.names) if self.cluster is None else len(self.cluster.groups(self.names))
        return f"{counted(n, noun)} are too few" if 1 < n < FEWEST_ITEMS else None

    def headline_interval(self, noun: str = "item") -> Interval:
        """Return the interval that stands beside the headline, none of few items, which are called ``noun``."""
        from segmetry.statistics import Interval

        cell, few = self.cell(), self.few_items(noun)
        value = self.data.score(cell.metric, cell.average).value
        return self._headline_interval if few is None or math.isnan(value) else Interval(value, reason=few)

    @cached_property
    def _headline_interval(self) -> Interval:
        return self.interval(self.cell().metric, self.cell().average)

    @property
    def is_quickly_resampled(self) -> bool:
        """Whether the interval of the headline takes a second or two at most, and is computed unasked."""
        cell = self.cell()
        is_ranked = self.data.reading(cell.metric, cell.average).is_ranked
        return len(self.names) <= (MOST_RANKED if is_ranked else MOST_ITEMS)

    def item_scores(self) -> Iterator[tuple[str, Scores]]:
        """Yield name and scores of every finished item, in the order of the data set."""
        scores: dict[str, dict[str, Result | None]] = {name: {} for name in self._item_names}
        for items in items_alike(self.tables_together):
            data = self.data if items is None else self._data_of(items)
            with errors_within(data.file):
                for key in data.sources:
                    for name, score in zip(data.items, data.item_scores(key), strict=True):
                        scores[name][key] = score
        for name, found in scores.items():
            own: dict[str, Result | None] = {**self._kept_scores.get(name, {}), **found}
            results = {
                metric.key: result.or_else(self.settings.undefined)
                for metric in self.metrics
                if (result := own.get(metric.key)) is not None
            }
            yield name, Scores(results, self.settings.rule, self.settings.policy)

    def items(self) -> Table:
        """Return one row per finished item: its size and the value of every metric; undefined is None.

        ``unit`` says what ``n_elements`` counts, ``distance_unit`` in what distances are measured; ``true_file`` and
        ``pred_file`` are the item's files in the folders of the inputs, or the inputs themselves if they are files.

        >>> import segmetry as sm
        >>> sm.evaluate({"a": [[1, 1, 2]]}, {"a": [[1, 1, 2]]}, metrics="pq").items()[0]
        {'item': 'a', 'n_elements': 3, 'unit': 'pixels', 'pq': 1.0}
        """
        items = self.tables_together.items
        facts = dict(
            zip(items.names, zip(items.counts[:, 0].tolist(), items.kinds, items.axes, strict=True), strict=True)
        )
        rows = [
            {
                "item": name,
                **self._item_files(name),
                "n_elements": facts[name][0],
                "unit": element_word(*facts[name][1:]),
                **distance_unit(scores),
                **{key: value_or_none(score) for key, score in scores.items() if isinstance(score, Score)},
            }
            for name, scores in self.item_scores()
        ]
        return Table("items", rows, ITEM_TYPES | {metric.key: "number" for metric in self.metrics})

    def records(self) -> Table:
        """Return :meth:`items`."""
        return self.items()

    def to_dict(self) -> dict[str, Any]:
        """Return summary and items as plain data for JSON."""
        return {**self.summary(partial=True).to_dict(), "items": list(self.items())}

    def _item_files(self, item: str) -> dict[str, str]:
        """Return the item's own files in the folders of the inputs, or the inputs; nothing for a run of objects."""
        own = self.files.get(item, (None, None))
        return {
            f"{side}_file": file or self.facts[side]
            for side, file in zip(("true", "pred"), own, strict=True)
            if side in self.facts
        }

    def classes(self, *, partial: bool = False) -> Table:
        """Return one row per class: every metric over the data set and, as ``…_by_item``, its mean over items."""
        summary = self.summary(partial=partial)
        names = self.class_names
        rows = [
            {
                "class": name,
                **({"class_name": names.get(name)} if names else {}),
                **{key: value_or_none(averages.usual) for key, averages in row.items()},
                **{f"{key}_by_item": value_or_none(averages["by_item"]) for key, averages in row.items()},
            }
            for name, row in (summary.parts if summary.by == "class" else {}).items()
        ]
        types: dict[str, ColumnType] = {
            f"{metric.key}{end}": "number" for metric in self.metrics for end in ("", "_by_item")
        }
        return Table("classes", rows, {**types, "class_name": "text"})

    def item_classes(self) -> Table:
        """Return one row per finished item and class: the value of every metric of classes; undefined is None.

        These are the metrics that are defined for a class of an item, such as ``dice`` and ``class_hausdorff95``.

        >>> import segmetry as sm
        >>> true, pred = {"a": [[1, 1, 2]]}, {"a": [[1, 1, 0]]}
        >>> run = sm.evaluate(true, pred, metrics="dice", read={"labels": "classes"})
        >>> [tuple(row.values()) for row in run.item_classes()]
        [('a', 1, 1.0), ('a', 2, 0.0)]
        """
        from segmetry.run.part_rows import item_class_rows

        return item_class_rows(self)

    def parts(self, by: str | Breakdown | ByItem = "size", *, partial: bool = False) -> Table:
        """Return one row per part of the run: its items, segments, and every metric over the part and by item.

        ``by`` is a column about items (:class:`segmetry.ByItem`), where every group of items is scored as a data set of
        its own, or a breakdown of segments: ``'size'``, ``'class'``, :class:`segmetry.BySize`,
        :class:`segmetry.ByGroup`; those have the metrics that follow from counts of segments.

        >>> import segmetry as sm
        >>> run = sm.evaluate({"a": [[1, 1, 2]], "b": [[1, 1, 1]]}, {"a": [[1, 1, 2]], "b": [[1, 1, 0]]}, metrics="pq")
        >>> [(row["tissue"], row["pq"]) for row in run.parts(sm.ByItem("tissue", {"a": "liver", "b": "skin"}))]
        [('liver', 1.0), ('skin', 0.6666666666666666)]
        >>> [(row["size"], row["true"], row["pq"]) for row in run.parts(sm.BySize((2,)))]
        [('< 2', 1, 1.0), ('≥ 2', 2, 0.8333333333333333)]
        """
        from segmetry.run.part_rows import part_rows

        self.check_complete(partial=partial)
        return part_rows(self, by)

    def class_table(self) -> ClassTable:
        """Return how many elements of each true class are predicted as each class, over all finished items."""
        tables = self.tables_together
        return merge_class_tables([tables.table(at).by_class() for at in range(len(tables))])

    def confusion_matrix(self, *, shares: bool = False) -> Table:
        """Return the confusion matrix over all finished items; see :func:`segmetry.confusion_matrix`.

        >>> import segmetry as sm
        >>> true, pred = ({"a": sm.LabelArray.from_classes([labels])} for labels in ([1, 1, 2], [1, 2, 2]))
        >>> sm.evaluate(true, pred, metrics="mean_iou").confusion_matrix(shares=True)["2"]
        [0.5, 1.0]
        """
        return matrix_table(self.class_table(), self.class_names, shares=shares)

    def errors(self, *, partial: bool = False) -> RunErrors:
        """Return every single error with its cost: the points (× 100) that the headline gains if it alone is fixed.

        The costliest come first. Costs of single errors do not add up to the gain of their kind (see
        :func:`segmetry.diagnose`). Class maps, texts, recordings and videos are read again.

        >>> import segmetry as sm
        >>> run = sm.evaluate({"a": [[1, 1, 1, 2, 2, 0]]}, {"a": [[1, 1, 1, 0, 0, 3]]}, metrics="pq")
        >>> [(error.error, error.kind, round(error.cost, 1)) for error in run.errors()]
        [('t2', 'missed', 30.0), ('p3', 'spurious', 16.7)]
        """
        from segmetry.diagnosis import errors_of

        return errors_of(self, partial=partial)

    def splits_and_merges(self) -> Table:
        """Return one row per true segment that is split and per predicted segment that merges, worst first per item.

        ``bits`` are what it adds to the variation of information (vi_split, vi_merge) of its item, under the run's
        treatment of the background; ``parts`` names its largest parts and their sizes.

        >>> import segmetry as sm
        >>> run = sm.evaluate({"a": [[1, 1, 1, 1, 2, 2]]}, {"a": [[3, 3, 4, 4, 4, 4]]}, metrics="vi_split")
        >>> run.splits_and_merges()[0]["parts"]
        '3: 2, 4: 2'
        """
        from segmetry.metrics import SPLIT_TYPES, splits_and_merges_of

        tables = self.tables_together
        rows = [
            {"item": facts.name, **row}
            for at, facts in enumerate(tables.items)
            for row in splits_and_merges_of(tables.table(at), self.settings.background)
        ]
        return Table("splits", rows, SPLIT_TYPES)

    def segments(self) -> Table:
        """Return one row per pair and per segment without a partner, item after item (:func:`segmetry.segment_rows`).

        ``unit`` says what sizes count. In CSV the id of a partner that does not exist is -1, its size 0.
        """
        names = self.class_names
        rows = []
        for at, facts in enumerate(self.tables_together.items):
            files = self._item_files(facts.name)
            for row in segment_rows(item_alignment(self.tables_together, at, self.settings), facts.name):
                sides = ("true", "pred") if names else ()
                named = {f"{side}_class_name": names.get(row[f"{side}_class"]) for side in sides}
                rows.append({**row, **named, "unit": element_word(facts.kind, facts.axes), **files})
        return Table("segments", rows, SEGMENT_TYPES, SEGMENT_ABSENT)

    def scalars(self, *, partial: bool = False) -> dict[str, float]:
        """Return every summary value under a flat name, for experiment trackers; undefined is NaN.

        >>> import segmetry as sm
        >>> sm.evaluate({"a": [[1, 1, 2]]}, {"a": [[1, 1, 2]]}, metrics="pq").scalars()
        {'pq/by_item': 1.0, 'pq/pooled': 1.0}

        Classes are called by their names where each has one of its own, else by their labels.
        """
        scalars: dict[str, float] = {}
        called = self.class_names if len({*self.class_names.values()}) == len(self.class_names) else {}
        for row in self.summary(partial=partial).rows():
            name = called.get(row["name"], row["name"]) if row["level"] == "class" else row["name"]
            place = "" if name is None else f"{row['level']}/{name}/"
            scalars[f"{place}{row['key']}/{row['average']}"] = math.nan if row["value"] is None else row["value"]
        return scalars

    def log_to(
        self, target: Any, *, step: int | None = None, prefix: str = "", classes: bool = True, partial: bool = False
    ) -> None:
        """Log every summary value to an experiment tracker, or write it to a flat JSON file.

        Parameters
        ----------
        target : tracker or path
            MLflow (the module), a run of Weights & Biases, a ``SummaryWriter`` of TensorBoard, a logger of Lightning,
            a ``Live`` of DVCLive, or the name of a JSON file, such as a metrics file of DVC.
        step : int, optional
            The step or epoch the values belong to.
        prefix : str
            What the names begin with, such as ``'val/'``.
        classes : bool
            Whether to log the values of single classes.
        partial : bool
            Whether to accept an unfinished run.

        Examples
        --------
        >>> import segmetry as sm
        >>> class Tracker:
        ...     def log_metrics(self, values, step=None):
        ...         print(step, values)
        >>> sm.evaluate({"a": [[1, 1, 2]]}, {"a": [[1, 1, 2]]}, metrics="pq").log_to(Tracker(), step=1, prefix="val/")
        1 {'val/pq/by_item': 1.0, 'val/pq/pooled': 1.0}
        """
        from segmetry.adapters import log_provenance, log_scalars

        scalars = self.scalars(partial=partial)
        kept = {name: value for name, value in scalars.items() if classes or not name.startswith("class/")}
        log_scalars({f"{prefix}{name}": value for name, value in kept.items()}, target, step=step)
        log_provenance(self.provenance()["words"], target)

    def __repr__(self) -> str:
        done, total = self.n_done, len(self.names)
        count = counted(total, "item") if done == total else f"{done} of {counted(total, 'item')}"
        return f"Run({count}, rule {self.settings.rule}, policy {self.settings.policy})"

    def __str__(self) -> str:
        return f"{self!r}\n{self.summary(partial=True)}" if self.n_done else repr(self)

    def _repr_html_(self) -> str:
        from segmetry.report import run_card

        done, total = self.n_done, len(self.names)
        words = counted(total, "item") if done == total else f"{done} of {counted(total, 'item')} done"
        table = self.protocol_table(partial=True) if done else None
        if table is not None:
            table = replace(table, title=f"Run: {words}, {self.header}")
        else:
            rows = [
                (row["key"], AVERAGES[row["average"]].words, row["value"], "" if row["n"] is None else row["n"])
                for row in (self.summary(partial=True).rows() if done else ())
                if row["level"] == "data set"
            ]
            title = f"Run: {words}, rule {self.settings.rule}, policy {self.settings.policy}"
            table = ResultTable.of_rows(title, ("metric", "average", "value", "n"), rows, len(rows))
        return run_card(self) + table._repr_html_() if done == total else table._repr_html_()


def distance_unit(scores: Mapping[str, Result]) -> dict[str, str]:
    """Return the column with the unit of the distances among the scores of an item, if there are any."""
    distances = [score for score in scores.values() if isinstance(score, Score) and "unit" in score.details]
    units = {str(score.details["unit"]) for score in distances}
    return {"distance_unit": " or ".join(sorted(units))} if units else {}


def merge_runs(parts: Iterable[str | Path], out: str | Path) -> Run:
    """Merge several parts of a run into one file.

    Parameters
    ----------
    parts : iterable of str or Path
        The run files of the parts.
    out : str or Path
        The file to write; if it exists already, it is one of the parts.

    Returns
    -------
    Run
        The merged run.

    Examples
    --------
    >>> import segmetry as sm, tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> true, pred = {"a": [[1, 2]], "b": [[1, 1]]}, {"a": [[1, 1]], "b": [[1, 1]]}
    >>> for part in ("1/2", "2/2"):
    ...     _ = sm.evaluate(true, pred, metrics="pq", out=folder / part[0], shard=part)
    >>> merge_runs([folder / "1", folder / "2"], folder / "all").summary()["pq"]["by_item"].value
    0.5
    """
    merge_files(parts, Path(out))
    return Run.open(out)
