"""Scorers in scikit-learn's own cross-validation and grid search."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import GridSearchCV, cross_validate

import segmetry as sm
from segmetry.adapters.sklearn_scorers import segmentation_scorer

RNG = np.random.default_rng(4)
IMAGES = RNG.random((8, 6, 6))
TRUE = (IMAGES > 0.4).astype(int) * (1 + (np.arange(6) > 2))


class Threshold(BaseEstimator):  # type: ignore[misc]
    def __init__(self, at: float = 0.5) -> None:
        self.at = at

    def fit(self, *_: Any) -> Threshold:
        return self

    def predict(self, images: Any) -> Any:
        return (images > self.at).astype(int) * (1 + (np.arange(6) > 2))


def test_a_grid_search_finds_the_threshold() -> None:
    search = GridSearchCV(Threshold(), {"at": [0.2, 0.4, 0.6]}, scoring=segmentation_scorer("pq"), cv=2)
    search.fit(IMAGES, TRUE)
    assert search.best_params_ == {"at": 0.4}
    assert search.best_score_ == 1


def test_several_metrics_and_their_signs() -> None:
    scorer = segmentation_scorer(["pq", sm.variation_of_information], average="by_item")
    found = cross_validate(Threshold(0.6), IMAGES, TRUE, scoring=scorer, cv=2)
    for fold, test in enumerate((slice(0, 4), slice(4, 8))):
        run = sm.evaluate(
            list(TRUE[test]), list(Threshold(0.6).predict(IMAGES[test])), metrics="pq,variation_of_information"
        )
        assert found["test_pq"][fold] == run.summary()["pq"].over_items.value
        assert found["test_variation_of_information"][fold] == -run.summary()["variation_of_information"].usual.value


def test_clusters_of_samples_are_one_item() -> None:
    points = np.concatenate([RNG.normal(centre, 1.0, (20, 2)) for centre in (0, 3)])
    labels = np.repeat([1, 2], 20)
    estimator = KMeans(2, n_init=1, random_state=0).fit(points)
    scorer = segmentation_scorer("adjusted_rand_index", read={"outside": None})
    assert scorer(estimator, points, labels) == pytest.approx(adjusted_rand_score(labels, estimator.predict(points)))


def test_a_protocol_gives_the_average() -> None:
    classes = segmentation_scorer("mean_iou", protocol="semantic")
    run = sm.evaluate(list(TRUE), list(Threshold(0.6).predict(IMAGES)), protocol="semantic")
    assert classes(Threshold(0.6), IMAGES, TRUE) == run.summary()["mean_iou"]["by_class"].value
