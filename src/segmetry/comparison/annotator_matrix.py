"""How well several annotators of the same items agree: every one of them scored against every other.

>>> import segmetry as sm
>>> annotators = {"Ann": {"a": [[1, 1, 2]]}, "Bob": {"a": [[1, 1, 2]]}, "Eve": {"a": [[1, 2, 2]]}}
>>> agreement = sm.agreement_matrix(annotators, metrics="pq")
>>> agreement.value("pq", "Ann", "Bob"), agreement.value("pq", "Ann", "Eve")
(1.0, 0.0)
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import permutations
from typing import Any

from segmetry.errors import InputError, KindError, OptionError
from segmetry.evaluation import evaluate
from segmetry.metrics import Score, value_or_none
from segmetry.results import Cell, ColumnType, ResultTable, ShownAsTable, Table, Tabular, number
from segmetry.run import Run

DEFAULT_METRICS = "pq,rq,dice"
"""Panoptic quality, F1 of segments, and Dice of what is in any segment."""
DEFAULT_OF_LINES = "boundary_similarity,window_diff,pq"
"""The same of texts and other lines: the similarity of boundaries, the error of windows, and panoptic quality."""


@dataclass(frozen=True, repr=False)
class AgreementMatrix(Tabular, ShownAsTable):
    """The scores of every ordered pair of annotators: the first as the truth, the second as the prediction.

    Parameters
    ----------
    annotators
        Their names, in the order given.
    scores
        The score of every pair by key, as ``segmetry score`` shows it: that of the protocol's table where there is one.
    n_items
        How many items they have segmented.
    cells
        What the scores are called and how they are written, by key.
    """

    annotators: tuple[str, ...]
    scores: Mapping[tuple[str, str], Mapping[str, Score]]
    n_items: int
    cells: Mapping[str, Cell] = field(default_factory=dict)

    @property
    def keys(self) -> tuple[str, ...]:
        """The metrics."""
        return tuple(next(iter(self.scores.values())))

    def value(self, key: str, true: str, pred: str) -> float:
        """Return a score of one pair; NaN where it is undefined."""
        return self.scores[true, pred][key].value

    def matrix(self, key: str) -> Table:
        """Return a score of all pairs: annotators as the truth in rows, as the prediction in columns."""
        rows = [
            {
                "annotator": true,
                **{pred: value_or_none(self.scores.get((true, pred), {}).get(key)) for pred in self.annotators},
                "others": _defined(self.against_others(key, true)),
            }
            for true in self.annotators
        ]
        types: dict[str, ColumnType] = dict.fromkeys((*self.annotators, "others"), "number")
        return Table(key, rows, {**types, "annotator": "text"})

    def against_others(self, key: str, annotator: str) -> float:
        """Return the mean of the scores of all others against one annotator as the truth; NaN where none is defined."""
        return _mean(self.value(key, annotator, other) for other in self.annotators if other != annotator)

    def mean(self, key: str) -> float:
        """Return the mean over all pairs, each in both orders; NaN where none is defined."""
        return _mean(self.value(key, *pair) for pair in self.scores)

    def rows(self) -> Table:
        """Return one plain row per ordered pair of annotators."""
        rows = [
            {"true": true, "pred": pred, **{key: value_or_none(score) for key, score in scores.items()}}
            for (true, pred), scores in self.scores.items()
        ]
        types: dict[str, ColumnType] = dict.fromkeys(self.keys, "number")
        return Table("agreement", rows, {**types, "true": "text", "pred": "text"})

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "annotators": list(self.annotators),
            "n_items": self.n_items,
            "mean": {key: _defined(self.mean(key)) for key in self.keys},
            "against_others": {
                key: {name: _defined(self.against_others(key, name)) for name in self.annotators} for key in self.keys
            },
            "pairs": list(self.rows()),
        }

    def __repr__(self) -> str:
        means = ", ".join(f"{key} {number(self.mean(key))}" for key in self.keys)
        return f"AgreementMatrix({len(self.annotators)} annotators of {self.n_items} items, mean {means})"

    def _as_table(self) -> ResultTable:
        table = self.rows()
        return ResultTable.of_rows(repr(self), list(table.columns), [list(row.values()) for row in table])


def agreement_matrix(
    annotators: Mapping[str, Any], *, metrics: Iterable[str] | str | None = None, **options: Any
) -> AgreementMatrix:
    """Score every annotator against every other.

    Parameters
    ----------
    annotators : mapping of str to path or mapping
        The segmentations of each annotator by name, each as :func:`segmetry.evaluate` takes them: a folder, a file, or
        a mapping of item names to segmentations. All annotators have segmented the same items.
    metrics : str or iterable of str, optional
        Keys of metrics; by default those of the protocol, or PQ, F1 of segments and Dice.
    **options
        Options of :func:`segmetry.evaluate`, such as ``protocol=``, ``rule=`` or ``read=``.

    Returns
    -------
    AgreementMatrix
        The score of every pair, of every annotator against the others, and of all.

    Examples
    --------
    >>> annotators = {"Ann": {"a": [[1, 1, 2]]}, "Bob": {"a": [[1, 1, 2]]}, "Eve": {"a": [[1, 2, 2]]}}
    >>> agreement_matrix(annotators, metrics="pq").matrix("pq")["others"]
    [0.5, 0.5, 0.0]
    """
    if "out" in options:
        raise OptionError("out names one run file, but every pair of annotators is a run; leave it out")
    if len(annotators) < 2:
        raise InputError(f"annotators are {', '.join(annotators) or 'none'}; expected at least two")
    is_default = metrics is None and options.get("protocol") is None
    scores: dict[tuple[str, str], Mapping[str, Score]] = {}
    n_items, cells = 0, dict[str, Cell]()
    for true, pred in permutations(annotators, 2):
        sides = annotators[true], annotators[pred]
        try:
            run = evaluate(*sides, metrics=DEFAULT_METRICS if is_default else metrics, **options)
        except KindError:
            if not is_default:
                raise
            run = evaluate(*sides, metrics=DEFAULT_OF_LINES, **options)
        scores[true, pred], n_items = _scores(run), len(run.names)
        cells = {key: run.cell(key) for key in scores[true, pred]}
    return AgreementMatrix(tuple(annotators), scores, n_items, cells)


def _scores(run: Run) -> dict[str, Score]:
    """Return the usual score of every metric, the headline first, then in the order in which they were asked for."""
    scores = run.summary().scores
    first = [] if run.protocol is None else [run.headline]
    named = [key for key in (*first, *(run.settings.metrics or ())) if key in scores]
    return {key: scores[key].usual for key in dict.fromkeys([*named, *scores])}


def _mean(values: Iterable[float]) -> float:
    defined = [value for value in values if not math.isnan(value)]
    return math.fsum(defined) / len(defined) if defined else math.nan


def _defined(value: float) -> float | None:
    return None if math.isnan(value) else value
