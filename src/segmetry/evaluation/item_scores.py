"""The result of an item, or of several items that are counted and scored together."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import field, replace
from functools import partial
from typing import Any

from segmetry._base import frozen_dataclass
from segmetry.evaluation.data_notes import NOTHING_KNOWN, LabelsAndClasses, facts_of_tables
from segmetry.evaluation.label_groups import LabelGroup, ReadInputs
from segmetry.metrics import (
    FROM_TABLE,
    LineBoundaries,
    LinePairs,
    Metric,
    MetricInputs,
    Result,
    ScoreColumn,
    check_classes,
)
from segmetry.overlaps import FARTHEST, count_lines, count_together
from segmetry.run import (
    RowsOfColumns,
    Settings,
    check_partitions,
    collect_item,
    collect_lines,
    other_scores,
    score_row,
)
from segmetry.runfile import GroupResults, ItemResult, stored_classes
from segmetry.segmentation import LabelArray, SpanLines, Spans


@frozen_dataclass(eq=False)
class EvaluatedItem(ItemResult):
    """The result of an item with facts about it that a run does not store."""

    facts: LabelsAndClasses = field(default_factory=LabelsAndClasses)


@frozen_dataclass(eq=False)
class EvaluatedGroup(GroupResults):
    """The results of items that were evaluated together, with such facts about each of them."""

    facts: Sequence[LabelsAndClasses] = ()


def score_item(name: str, inputs: MetricInputs, settings: Settings) -> EvaluatedItem:
    """Return the table of an item, and its scores that are not a function of a tally."""
    return _ItemScores.of(inputs.kind, inputs.axes, settings).result(name, inputs)


def score_items(names: Sequence[str], inputs: Sequence[MetricInputs], settings: Settings) -> list[EvaluatedItem]:
    """Return the same for several items: overlaps and scores are computed together as far as that is possible."""
    pairs = [item.pair for item in inputs if item.pair is not None]
    lines = [(pair.true, pair.pred) for pair in pairs if type(pair.true) is Spans and type(pair.pred) is Spans]
    if len(lines) < len(inputs):
        return [score_item(name, item, settings) for name, item in zip(names, inputs, strict=True)]
    for item, table in zip(inputs, count_together(pairs), strict=True):
        item.counted = table
    scores = _ItemScores.of(Spans.kind, None, settings)
    together = scores.of_lines([true for true, _ in lines], [pred for _, pred in lines])
    rest = replace(scores, without_rule=tuple(metric for metric in scores.without_rule if metric.key not in together))
    return [
        rest.result(name, item, score_rows)
        for name, item, score_rows in zip(names, inputs, RowsOfColumns(together, len(inputs)), strict=True)
    ]


def score_lines(lines: Sequence[tuple[Any, Any]], settings: Settings) -> EvaluatedGroup | None:
    """Return the results of lines that are computed together; None where they need more than that."""
    if not all(_are_lines(true, pred) for true, pred in lines):
        return None
    sides = [side for pair in lines for side in pair]
    with_classes = sides[0].classes is not None
    if any((side.classes is not None) != with_classes for side in sides):
        return None
    true, pred = (SpanLines.of(side) for side in zip(*lines, strict=True))
    return score_line_columns(true, pred, settings, has_classes=with_classes)


def score_line_columns(
    true: SpanLines, pred: SpanLines, settings: Settings, *, has_classes: bool
) -> EvaluatedGroup | None:
    """Return the results of all lines of two sides; None where a metric or a setting needs them one by one."""
    settings.check_options(Spans.kind, None)
    scores = _ItemScores.of(Spans.kind, None, settings)
    if (
        settings.resolve == "by_score"
        or scores.needs_items(with_classes=has_classes)
        or float(true.lengths.sum(dtype=float)) >= FARTHEST
    ):
        return None
    for metric in scores.partitioned:
        metric.check_kind(MetricInputs.of(true[0], pred[0]))
    together = scores.of_lines(true, pred)
    if len(together) < len(scores.without_rule):
        return None
    stored_classes([*true.names, *pred.names])  # one that cannot be stored is an error of its item
    collected = collect_lines(true, pred, scores.collecting, settings)
    facts, classes = LabelsAndClasses(), None
    if has_classes:
        classes = frozenset(true.names), frozenset(pred.names)
        facts = LabelsAndClasses(true_classes=classes[0], pred_classes=classes[1])
    return EvaluatedGroup(
        n=len(true),
        count=partial(count_lines, true, pred, has_classes=has_classes),
        kind=Spans.kind,
        classes=classes,
        scores=RowsOfColumns(together, len(true)),
        collected=collected,
        facts=_facts_of_group(facts, len(true)),
    )


def score_labels(group: LabelGroup, read: ReadInputs, settings: Settings) -> EvaluatedGroup | None:
    """Return the results of label arrays that are counted together; None where a metric or an item needs them one by
    one.

    The first item is also scored by itself, which raises the errors that all of them would lead to.
    """
    settings.check_options(LabelArray.kind, group.axes)
    scores = _ItemScores.of(LabelArray.kind, group.axes, settings)
    if settings.resolve is not None or scores.needs_segmentations or (counted := group.counted(read, 1)) is None:
        return None
    tables, shapes = counted
    if tables.table.class_names is None and (
        scores.of_classes or any(metric.needs == "alignment" for metric in scores.collecting)
    ):
        return None
    scores.result(group.tasks[0].name, read(group.tasks[0]))
    facts, classes = facts_of_tables(tables, group.meanings[0].template, shapes)
    return EvaluatedGroup(len(tables), partial(copy, tables), LabelArray.kind, group.axes, classes, facts=facts)


def _facts_of_group(facts: LabelsAndClasses, n: int) -> list[LabelsAndClasses]:
    """Return facts about n items together, as those of the first."""
    return [facts, *[NOTHING_KNOWN] * (n - 1)]


def _are_lines(true: Any, pred: Any) -> bool:
    """Return whether both sides are spans of one line."""
    return type(true) is Spans and type(pred) is Spans and true.n == pred.n and true.tick is pred.tick


@frozen_dataclass(eq=False)
class _ItemScores:
    """What is computed for the items of one kind: metrics by whether they depend on the rule, and collected columns."""

    settings: Settings
    without_rule: tuple[Metric, ...]
    with_rule: tuple[Metric, ...]
    collecting: tuple[Metric, ...]
    rules: tuple[str, ...]
    partitioned: tuple[Metric, ...]
    of_classes: tuple[Metric, ...]
    measured: bool

    @classmethod
    def of(cls, kind: str | None, axes: int | None, settings: Settings) -> _ItemScores:
        """Return what is computed for items of a kind, found out once."""
        known: _ItemScores | None = settings.derived.get((cls, kind, axes))
        if known is not None:
            return known
        chosen, kept, of_partitions = settings.metrics_of(kind, axes)
        scored = [metric for metric in kept if metric.statistics is None]
        scores = settings.derived[cls, kind, axes] = cls(
            settings=settings,
            without_rule=tuple(metric for metric in scored if not metric.depends_on_rule),
            with_rule=tuple(metric for metric in scored if metric.depends_on_rule),
            collecting=tuple(metric for metric in kept if metric.statistics is not None),
            rules=tuple(dict.fromkeys((settings.rule, *settings.also))),
            partitioned=of_partitions,
            of_classes=tuple(metric for metric in chosen if metric.needs_classes),
            measured=any(metric.needs in ("geometry", "shapes", "classes") for metric in chosen),
        )
        return scores

    @property
    def needs_segmentations(self) -> bool:
        """Whether something is computed, or checked, that needs more of an item than its overlap table."""
        with_options = any(self.settings.options_of(metric) for metric in self.partitioned)
        from_tables = all(metric.needs in FROM_TABLE for metric in self.collecting)
        return bool(self.without_rule or self.with_rule or with_options or self.measured or not from_tables)

    def needs_items(self, *, with_classes: bool) -> bool:
        """Whether something is computed, or checked, that needs each item by itself."""
        with_options = any(self.settings.options_of(metric) for metric in self.partitioned)
        alone = [m for m in self.collecting if m.statistics is None or not m.statistics.takes_many_lines]
        lacking = (self.of_classes or self.collecting) and not with_classes
        return bool(self.with_rule or with_options or alone or lacking)

    def of_lines(self, true: SpanLines | Sequence[Spans], pred: SpanLines | Sequence[Spans]) -> dict[str, ScoreColumn]:
        """Return those scores without a rule that can be computed for all lines at once."""
        together = [metric for metric in self.without_rule if metric.of_lines is not None]
        if not together:
            return {}
        lines = LinePairs(LineBoundaries.of(true), LineBoundaries.of(pred))
        columns = {metric.key: metric.line_scores(lines, self.settings.options_of(metric)) for metric in together}
        return {key: column for key, column in columns.items() if column is not None}

    def result(self, name: str, inputs: MetricInputs, score_rows: Sequence[tuple[Any, ...]] = ()) -> EvaluatedItem:
        """Return the result of one item; ``score_rows`` are further scores of it."""
        settings = self.settings
        check_partitions(self.partitioned, inputs, settings)
        if self.of_classes:
            check_classes(settings.metrics, self.of_classes, inputs.table)
        scores: dict[tuple[str, str], Result] = {}
        if self.without_rule:
            keys = [metric.key for metric in self.without_rule]
            scores = {(key, ""): score for key, score in other_scores(inputs, keys, settings, settings.rule).items()}
        for rule in self.rules if self.with_rule else ():
            keys = [metric.key for metric in self.with_rule]
            scores |= {(key, rule): score for key, score in other_scores(inputs, keys, settings, rule).items()}
        collected = collect_item(inputs, self.collecting, settings, self.rules) if self.collecting else {}
        facts = LabelsAndClasses.of(inputs.pair, inputs.table, measured=self.measured)
        rows = [*((*place, *score_row(score)) for place, score in scores.items()), *score_rows]
        return EvaluatedItem(name, inputs.table, inputs.kind, inputs.axes, rows, collected, facts)
