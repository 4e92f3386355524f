"""From many items to one data set: readings of it under any weights, confidence intervals, permutation tests, ranks."""

from typing import TYPE_CHECKING

from segmetry._base import names_on_demand

if TYPE_CHECKING:
    from segmetry.statistics.bootstrap import Interval as Interval, LEVEL as LEVEL, interval_of as interval_of
    from segmetry.statistics.data_set import DataSet as DataSet, MetricSource as MetricSource, Reading as Reading
    from segmetry.statistics.data_set import SegmentCounter as SegmentCounter
    from segmetry.statistics.difference import Difference as Difference, Outcomes as Outcomes, corrected as corrected
    from segmetry.statistics.difference import detectable_difference as detectable_difference
    from segmetry.statistics.difference import items_needed as items_needed, outcomes as outcomes
    from segmetry.statistics.permutation import permutation_test as permutation_test
    from segmetry.statistics.random_draws import RESAMPLES as RESAMPLES, SEED as SEED
    from segmetry.statistics.ranks import RankStability as RankStability, orders_of as orders_of
    from segmetry.statistics.ranks import rank_stability as rank_stability, ranks_of as ranks_of
    from segmetry.statistics.readings import Stack as Stack
    from segmetry.statistics.resampled_intervals import Asked as Asked, Intervals as Intervals, Place as Place
    from segmetry.statistics.resampled_intervals import Resampling as Resampling, every_place as every_place
    from segmetry.statistics.resampled_intervals import interval_row as interval_row, intervals as intervals
    from segmetry.statistics.resampled_intervals import intervals_of_rows as intervals_of_rows
    from segmetry.statistics.resampled_intervals import one_interval as one_interval, sampled as sampled
    from segmetry.statistics.summary import Averages as Averages, Summary as Summary
    from segmetry.statistics.summary import SummaryRowScores as SummaryRowScores, restricted as restricted
    from segmetry.statistics.summary import summarise as summarise
    from segmetry.statistics.wider_rule import TwoAlignments as TwoAlignments, TwoRules as TwoRules
    from segmetry.statistics.wider_rule import two_rules as two_rules
else:
    __getattr__, __dir__ = names_on_demand(__name__)
