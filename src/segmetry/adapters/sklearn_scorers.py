"""Scorers for scikit-learn: any metric and protocol in ``cross_validate``, ``GridSearchCV`` and their relatives.

Metrics of which lower is better are negated, as scikit-learn expects it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from segmetry.evaluation import evaluate
from segmetry.metrics import METRICS, canonical_names
from segmetry.run import Run

Scorer = Callable[[Any, Any, Any], Any]


def segmentation_scorer(metrics: Any, *, average: str | None = None, **options: Any) -> Scorer:
    """Return a scorer ``(estimator, X, y)`` of what the estimator predicts.

    Parameters
    ----------
    metrics : str or function, or iterable of them
        One metric gives a scorer that returns a number, several one that returns a dictionary.
    average : str, optional
        By default that of the protocol, else by class, else by item.
    options
        Options of :func:`segmetry.evaluate`, such as ``protocol``, ``rule`` or ``read``.

    Returns
    -------
    callable
        Takes ``y`` as label maps, one item each, or as one label per sample: the partition of the samples, one item.

    Examples
    --------
    >>> class Copies:
    ...     def predict(self, X):
    ...         return X
    >>> segmentation_scorer("variation_of_information")(Copies(), [[[1, 2], [2, 2]]], [[[1, 1], [2, 2]]])
    -1.1887218755408673
    """
    single = (isinstance(metrics, str) and "," not in metrics) or callable(metrics)
    keys = list(canonical_names([metrics] if callable(metrics) else metrics)[0] or ())

    def scorer(estimator: Any, x: Any, y: Any) -> Any:
        true, pred = _label_items(y), _label_items(estimator.predict(x))
        run = evaluate(true, pred, metrics=keys, engine="serial", **options)
        values = {key: _signed_value(run, key, average) for key in keys}
        return values[keys[0]] if single else values

    return scorer


def _label_items(maps: Any) -> list[np.ndarray[Any, Any]]:
    """Return one array per item; labels of samples are one item."""
    if np.ndim(maps[0]) == 0:
        return [np.asarray(maps)]
    return [np.asarray(labels) for labels in maps]


def _signed_value(run: Run, key: str, average: str | None) -> float:
    found = run.value(key) if average is None else run.summary()[key].find(average)
    value = math.nan if found is None else float(found.value)
    return -value if METRICS[key].better == "lower" else value
