r"""Does the ranking of systems depend on the alignment rule? The same runs under several rules, side by side.

Kendall's τ_b says how far two rankings agree: with C pairs of systems in the same order under both rules, D in opposite
order, and n₁, n₂ pairs that are not tied under the first and the second, τ_b = (C − D) / √(n₁ n₂): 1 for the same
ranking, −1 for the reverse, undefined where a rule ties all systems.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from segmetry._base import short_repr
from segmetry.comparison.compare_runs import Compared, Prepared, prepare
from segmetry.comparison.systems import System, systems_of
from segmetry.errors import OptionError
from segmetry.metrics import METRICS, find_metric
from segmetry.results import Cell, Table, Tabular
from segmetry.run import ByItem
from segmetry.statistics import (
    LEVEL,
    RESAMPLES,
    SEED,
    Interval,
    Resampling,
    interval_row,
    kendall_tau,
    orders_of,
    ranks_of,
)

RULES = (
    "theta_plus",
    "theta_and",
    "iou(above=3/4)",
    "iou(above=9/10)",
    "dice(above=4/5)",
    "maximum_weight(weight=iou,above=0)",
)
"""The rules published numbers use: θ⁺, θ&, stricter IoUs, Dice (above 2/3 it would be θ⁺ again), assignment."""


@dataclass(frozen=True)
class RuleRow:
    """All systems under one rule: values with intervals, ranks (1 is best), and τ_b with the first rule's ranking.

    A system without a value has no rank, and τ_b leaves it out.
    ``changed`` names the pairs whose order is the opposite of that under the first rule, ``stable`` is the share of
    resamples with the ranking of the data set.
    """

    rule: str
    values: tuple[Interval, ...]
    ranks: tuple[int | None, ...]
    tau: float | None
    changed: tuple[tuple[str, str], ...]
    stable: float | None


@dataclass(frozen=True)
class RuleSensitivity(Tabular):
    """Systems under several rules, compared by one aggregated metric."""

    __repr__ = short_repr

    key: str
    average: str
    systems: tuple[str, ...]
    n_items: int
    policy: str
    level: float
    resamples: int
    seed: int
    by_rule: tuple[RuleRow, ...]
    cell: Cell
    """What the values are called and how they are written."""

    @property
    def ranking_changes(self) -> bool:
        """Whether any two systems change places between the first rule and another."""
        return any(row.changed for row in self.by_rule)

    def rows(self) -> Table:
        """Return one plain row per rule and system."""
        rows = [
            {"rule": row.rule, "system": name, "key": self.key, "average": self.average, "rank": rank}
            | interval_row(value)
            for row in self.by_rule
            for name, value, rank in zip(self.systems, row.values, row.ranks, strict=True)
        ]
        return Table("rules", rows)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        facts = ("key", "average", "n_items", "policy", "level", "resamples", "seed", "ranking_changes")
        return {
            "systems": list(self.systems),
            **{name: getattr(self, name) for name in facts},
            "rules": {
                row.rule: {
                    "values": {name: value.to_dict() for name, value in zip(self.systems, row.values, strict=True)},
                    "ranks": dict(zip(self.systems, row.ranks, strict=True)),
                    "tau": row.tau,
                    "changed": [list(pair) for pair in row.changed],
                    "stable": row.stable,
                }
                for row in self.by_rule
            },
        }


def rule_sensitivity(
    *runs: Any,
    rules: Sequence[Any] | str = RULES,
    key: str = "pq",
    average: str | None = None,
    names: Sequence[str] | None = None,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    rng: int = SEED,
    truth: str = "files",
    cluster: ByItem | None = None,
) -> RuleSensitivity:
    """Score the same runs under several rules: values with intervals, ranks, and pairs that change places.

    Parameters
    ----------
    *runs : Run, str, Path or mapping
        Runs, paths of run files, or one mapping of names to them.
    rules : sequence of MatchRule or str
        The rules to score under.
    key : str, default 'pq'
        The metric; one that depends on the rule.
    average : str, optional
        Which average over the data set is compared, such as ``'by_item'`` or ``'pooled'``; by default the usual one.
    names : sequence of str, optional
        The names of the systems; by default those of the files.
    resamples : int, default 10000
        The number of bootstrap resamples, and of permutations.
    level : float, default 0.95
        The confidence level of intervals.
    rng : int, default 2024
        The seed of the random numbers, not a generator: the same resamples on every machine and in every language.
    truth : {'files', 'segments'}, default 'files'
        ``'files'`` demands the same files of the truth, ``'segments'`` accepts the same true segments from other
        files.
    cluster : ByItem, optional
        What is drawn as a whole, as in :func:`segmetry.compare`.

    Returns
    -------
    RuleSensitivity
        One row per rule, and the pairs of systems whose order depends on the rule.

    Examples
    --------
    >>> import segmetry as sm
    >>> true = {"a": [[1, 1, 1, 2, 2, 3]], "b": [[1, 1, 2, 2, 3, 3]]}
    >>> first = sm.evaluate(true, {"a": [[1, 1, 1, 2, 2, 3]], "b": [[1, 1, 1, 2, 2, 2]]}, metrics="pq")
    >>> second = sm.evaluate(true, {"a": [[1, 1, 2, 2, 3, 3]], "b": [[1, 1, 2, 2, 2, 2]]}, metrics="pq")
    >>> result = rule_sensitivity(first, second, rules=["theta_plus", "theta_and"], resamples=100)
    >>> [(row.rule, row.ranks) for row in result.by_rule]
    [('theta_plus', (1, 2)), ('theta_and', (1, 2))]
    """
    rules = [rules] if isinstance(rules, str) else rules
    if not rules:
        raise OptionError("no rules to compare; name at least one")
    key = find_metric(key).metric.key
    if METRICS[key].better == "neither" or not METRICS[key].depends_on_rule:
        wrong = "depends on no rule" if METRICS[key].better != "neither" else "has no better value"
        raise OptionError(f"{key} {wrong}; expected a metric such as pq")
    with systems_of(runs, names, rule=rules[0], truth=truth) as systems:
        resampling = Resampling(resamples, level, rng, cluster or systems[0].run.cluster)
        by_rule: dict[str, RuleRow] = {}
        for rule in rules:
            ready = prepare([System(system.name, system.run.rescore(rule)) for system in systems], [key])
            name = ready[0].summary.rule
            if name in by_rule:
                raise OptionError(f"the rule {name} is named twice; expected different rules")
            known = [one.name for one in ready[0].data.averages(key)]
            average = average or known[0]
            if average not in known:
                raise OptionError(
                    f"{key} has no average {average}; choose one of {', '.join(known)} (average=, --average)"
                )
            before = next(iter(by_rule.values())).values if by_rule else None
            by_rule[name] = _rule_row(name, ready, resampling, key, average, before)
        return RuleSensitivity(
            key=key,
            average=str(average),
            systems=tuple(system.name for system in systems),
            n_items=len(systems[0].run.names),
            policy=systems[0].run.settings.policy,
            level=level,
            resamples=resamples,
            seed=rng,
            by_rule=tuple(by_rule.values()),
            cell=systems[0].run.cell(f"{key}.{average}"),
        )


def _rule_row(
    rule: str,
    ready: Sequence[Prepared],
    resampling: Resampling,
    key: str,
    average: str,
    before: Sequence[Interval] | None,
) -> RuleRow:
    """Return all systems under one rule; ``before`` are their values under the first rule."""
    compared = Compared(ready, resampling, averages=[average], tests=False)
    values = [compared.intervals(at).scores[key][average] for at in range(len(ready))]
    sign = 1 if METRICS[key].better == "higher" else -1
    numbers, first = (
        [sign * interval.value for interval in row] for row in (values, values if before is None else before)
    )
    opposite = orders_of(np.array(first)) * orders_of(np.array(numbers)) < 0
    pairs_of_systems = combinations(range(len(numbers)), 2)
    changed = [(ready[i].name, ready[j].name) for i, j in pairs_of_systems if opposite[i, j]]
    own = ranks_of(np.array(numbers)[:, None], higher=True)[:, 0].tolist()
    ranked = [None if math.isnan(number) else rank for number, rank in zip(numbers, own, strict=True)]
    stable = next((row.same_order for row in compared.ranks()), None)
    return RuleRow(rule, tuple(values), tuple(ranked), kendall_tau(first, numbers), tuple(changed), stable)
