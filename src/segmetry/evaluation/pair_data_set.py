"""The data set of one pair in memory: counted and scored as in a run, without one."""

from __future__ import annotations

from functools import cache

import numpy as np

from segmetry.alignments.align import align
from segmetry.alignments.policy import COCO
from segmetry.errors import SegmetryError
from segmetry.evaluation.data_notes import note_crowds, warn_about
from segmetry.evaluation.inputs import EvaluationInputs
from segmetry.evaluation.stages import metric_inputs
from segmetry.metrics.class_average import average_of
from segmetry.metrics.count_quotient import segment_counts
from segmetry.metrics.declare import METRICS
from segmetry.metrics.metric_inputs import MetricInputs
from segmetry.metrics.score import Score
from segmetry.metrics.score_aggregation import ScoreAggregation, item_scores, score_statistics
from segmetry.protocols.protocol import Protocol
from segmetry.run.collected_columns import collect
from segmetry.run.partition_scores import check_partitions
from segmetry.run.run_data_set import aligning, alignment_options, data_set_of
from segmetry.run.settings import Settings
from segmetry.run.stored_scores import other_scores
from segmetry.runfile.labels_and_classes import LabelsAndClasses
from segmetry.statistics.data_set import DataSet, MetricSource


def pair_data_set(inputs: EvaluationInputs, settings: Settings, protocol: Protocol, threads: int) -> DataSet:
    """Return the data set of the only item of inputs; warnings are those of a data set."""
    (task,) = inputs.tasks
    try:
        item = metric_inputs(task, settings, threads)
        data = _counted(task.name, item, settings, protocol)
    except SegmetryError as problem:
        raise problem.within(f"item {task.name}") from None
    measured = any(source.metric.needs in ("geometry", "shapes", "classes") for source in data.sources.values())
    facts = LabelsAndClasses.of(item.pair, item.table, measured=measured)
    warn_about([facts], labels_stated=inputs.labels_stated, classes=settings.classes)
    if settings.policy == COCO.name and item.table.true.superseded is not None:
        regions = np.zeros(np.count_nonzero(item.table.true.superseded), dtype=np.intp)
        under = cache(lambda policy: _counted(task.name, item, settings.changed(policy=policy), protocol))
        note_crowds(settings.policy, regions, under)
    return data


def _counted(name: str, item: MetricInputs, settings: Settings, protocol: Protocol) -> DataSet:
    metrics = settings.chosen(item.kind, item.axes)
    check_partitions(settings.of_partitions(item.kind, item.axes), item, settings)
    alignment = align(item.table, **alignment_options(aligning(settings, metrics)))
    segments = segment_counts(alignment), average_of(alignment, settings.average)
    sources: dict[str, MetricSource] = {}
    for metric in metrics:
        if metric.statistics is not None:
            options = {**metric.options, **settings.options_of(metric)}
            statistics = collect(item, metric, metric.statistics, settings, settings.rule)
            sources[metric.key] = MetricSource(metric, metric.statistics, statistics, options)
    scored = [metric.key for metric in metrics if metric.additive is None]
    for key, score in other_scores(item, scored, settings, settings.rule).items():
        if isinstance(score, Score):
            aggregation = ScoreAggregation(item_scores, is_count=METRICS[key].is_count)
            sources[key] = MetricSource(METRICS[key], aggregation, score_statistics([score]))
    return data_set_of((name,), segments, settings, sources, metrics, protocol)
