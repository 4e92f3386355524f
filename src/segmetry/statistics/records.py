"""The contribution of one item to a data set: exact tallies, sums by class, and scores that need more than a tally."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any

import numpy as np

from segmetry._base.frozen_dataclass import frozen_dataclass
from segmetry.alignments.alignment import Alignment
from segmetry.alignments.breakdown import Breakdown, as_breakdown, break_down
from segmetry.alignments.tally import Tally
from segmetry.errors import InputError, OptionError
from segmetry.metrics.class_average import average_of, mean_over_tallies
from segmetry.metrics.class_quotient import ClassSum, needs_classes, sums_by_class, sums_in_scores
from segmetry.metrics.declare import METRICS
from segmetry.metrics.per_class import tally_score
from segmetry.metrics.score import Score

By = str | Breakdown | Sequence[str | Breakdown]


@frozen_dataclass(eq=False)
class ItemRecord:
    """The facts about one item.

    ``whole`` is the tally of all its segments, ``parts`` the tallies by class (or by the breakdown ``by``),
    ``average`` says whether its scores are means over classes (``"class"``) or of all ``"segments"``, ``class_sums``
    are the sums by class of every metric that is a mean over classes, ``scores`` results of metrics that do not follow
    from a tally.
    """

    item: str
    rule: str
    policy: str
    whole: Tally
    by: str | None = None
    parts: Mapping[Hashable, Tally] = field(default_factory=dict)
    class_sums: Mapping[str, Mapping[Hashable, ClassSum]] = field(default_factory=dict)
    scores: Mapping[str, Score] = field(default_factory=dict)
    average: str = "segments"

    def facts(self) -> tuple[Any, ...]:
        """Return everything as plain values, equal for two records of the same item under the same rule and policy."""
        return (
            self.item,
            self.rule,
            self.policy,
            self.by,
            self.average,
            _facts(self.whole),
            {name: _facts(tally) for name, tally in self.parts.items()},
            {
                key: {name: (sorted(cell.terms.tolist()), cell.denominator) for name, cell in sums.items()}
                for key, sums in self.class_sums.items()
            },
            {key: repr(score.as_dict()) for key, score in self.scores.items()},
        )


def record_of(
    item: str,
    alignment: Alignment,
    *,
    by: By | None = None,
    per_class: Mapping[str, Mapping[str, Any]] | None = None,
    scores: Mapping[str, Score] | None = None,
    average: str | None = None,
) -> ItemRecord:
    """Return the record of one item's alignment, broken down by class where its segments carry classes.

    Parameters
    ----------
    item : str
        The name of the item.
    alignment : Alignment
        Its alignment.
    by : str or breakdown, optional
        Another breakdown than that by class, such as ``'size'``.
    per_class : mapping, optional
        The metrics that are means over classes, with the options of each: ``{key: {option: value}}``.
    scores : mapping of str to Score, optional
        Further scores of the item, by key.
    average : {'class', 'segments'}, optional
        Whether its scores are means over classes, the default where segments of the same class are matched and the
        breakdown is by class, or of all segments.

    Returns
    -------
    ItemRecord
        What :func:`segmetry.summarise` and :func:`segmetry.intervals` take.

    Examples
    --------
    >>> import segmetry as sm
    >>> alignment = sm.align(sm.overlap([[1, 1, 2]], [[1, 1, 3]]))
    >>> record_of("a.png", alignment, by="size").parts
    {'small': Tally(2 pairs, 0 missed, 0 spurious)}
    """
    chosen: By | None = "class" if by is None and alignment.table.class_names is not None else by
    parts = {} if chosen is None else {name: part.tally for name, part in break_down(alignment, chosen).items()}
    sums = {key: _class_sums(key, alignment, chosen, options) for key, options in (per_class or {}).items()}
    by_class = chosen is not None and _name(chosen) == "class"
    if average == "class" and chosen is not None and not by_class:
        raise OptionError("average is 'class', but the item is not broken down by class; expected 'segments'")
    if by_class:
        sums |= sums_in_scores(scores or {})
    for name in {name: None for known in sums.values() for name in known}:
        parts.setdefault(name, alignment.tally.emptied())
    return ItemRecord(
        item=str(item),
        rule=alignment.rule.name,
        policy=alignment.policy.name,
        whole=alignment.tally,
        by=None if chosen is None else _name(chosen),
        average=average_of(alignment, average if by_class or chosen is None else "segments"),
        parts=parts,
        class_sums=sums,
        scores=dict(scores or {}),
    )


def item_score(key: str, record: ItemRecord, options: Mapping[str, Any], undefined: float | None) -> Score:
    """Return a metric of a tally for one item; ``undefined`` replaces an undefined class, None leaves it out."""
    whole = tally_score(key, record.whole, options)
    if record.average == "segments" or METRICS[key].is_count:
        return whole
    tallies = [tally for tally in record.parts.values() if tally.occurs]
    return mean_over_tallies(METRICS[key].compute, tallies, undefined, whole, **options)


def _class_sums(
    key: str, alignment: Alignment, by: By | None, options: Mapping[str, Any]
) -> Mapping[Hashable, ClassSum]:
    quotient = METRICS[key].per_class
    if quotient is None:
        raise OptionError(f"per_class names {key!r}, which is not a mean over classes; pass its score in scores=")
    if by is None:
        raise needs_classes(key)
    if _name(by) != "class":
        raise OptionError(f"{key} is a mean over classes, but by= names {_name(by)}; expected 'class'")
    return sums_by_class(key, quotient, alignment, options)


def unite(records: Iterable[ItemRecord]) -> list[ItemRecord]:
    """Return records sorted by item name, each item once; two that disagree about an item are an error.

    A retried or duplicated item changes nothing, and neither does the order in which records arrive.
    """
    by_item: dict[str, ItemRecord] = {}
    for record in records:
        known = by_item.setdefault(record.item, record)
        if known is not record and known.facts() != record.facts():
            raise InputError(
                f"item {record.item!r} has two records that differ; expected one result per item (is the name unique?)"
            )
    united = [by_item[item] for item in sorted(by_item)]
    for record in united[1:]:
        if _how(record) != _how(united[0]):
            raise InputError(
                f"item {united[0].item!r} was scored with {_how(united[0])} "
                f"and item {record.item!r} with {_how(record)}; expected the same"
            )
    return united


def _how(record: ItemRecord) -> str:
    return f"rule {record.rule}, policy {record.policy}, by {record.by or 'nothing'}, average {record.average}"


def _name(by: By) -> str:
    listed = [by] if isinstance(by, str) or not isinstance(by, Sequence) else list(by)
    return " × ".join(as_breakdown(breakdown).name for breakdown in listed)


def _facts(tally: Tally) -> tuple[Any, ...]:
    triples = sorted(map(tuple, np.stack((tally.shared, tally.missed, tally.spurious), axis=1).tolist()))
    return (triples, tally.n_unmatched_true, tally.n_unmatched_pred, tally.weight, tally.own)
