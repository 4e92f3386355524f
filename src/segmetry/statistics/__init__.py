"""From many items to one data set: readings of it under any weights, confidence intervals, permutation tests, ranks."""

from typing import TYPE_CHECKING

from segmetry._base import names_on_demand

if TYPE_CHECKING:
    from segmetry.statistics.bootstrap import FEWEST_ITEMS, LEVEL, Interval, interval_of, median_interval
    from segmetry.statistics.data_set import DataSet, MetricSource, SegmentCounter
    from segmetry.statistics.difference import CORRECTIONS, FAMILIES, Difference, Outcomes, corrected
    from segmetry.statistics.difference import detectable_difference, families, gaps_of_items, items_needed, outcomes
    from segmetry.statistics.permutation import Permuted, permutation_tests
    from segmetry.statistics.random_draws import RESAMPLES, SEED, Draws
    from segmetry.statistics.rank_tests import Heterogeneity, Paired, RankTest, cochran_q, paired, rank_test
    from segmetry.statistics.ranks import RankStability, kendall_tau, orders_of, rank_stability, ranks_of
    from segmetry.statistics.readings import Stack
    from segmetry.statistics.resampled_intervals import Asked, Intervals, Place, Resampling, every_place, interval_row
    from segmetry.statistics.resampled_intervals import intervals, intervals_of_rows, means_of_clusters, one_interval
    from segmetry.statistics.resampled_intervals import sampled
    from segmetry.statistics.summary import Averages, Summary, SummaryRowScores, restricted, summarise
    from segmetry.statistics.wider_rule import TwoAlignments, TwoRules, two_rules
else:
    __getattr__, __dir__ = names_on_demand(__name__)
