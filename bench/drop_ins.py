"""Drop-ins of ``segmetry.compat`` against the packages whose names, signatures and results they have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bench.cases import Contest, Limit, case, optional
from bench.detections import PYCOCOTOOLS, evaluation_of
from bench.entities import tagged_corpus
from bench.shapes import cells, shifted
from segmetry.compat import medpy, nltk, seqeval, stardist, surface_distance

SEQEVAL, NLTK = "seqeval f1_score", "nltk windowdiff"
MEDPY, SURFACES, STARDIST = "medpy hd95", "surface-distance", "stardist matching"


def _contest(peer: str, ours: Callable[..., Any], theirs: Any, *args: Any) -> Contest:
    return Contest(lambda: ours(*args), {peer: None if theirs is None else lambda: theirs(*args)})


@case("COCO, COCOeval of masks, 300 images, 30,000 predictions", Limit(PYCOCOTOOLS, at_least=1.2))
def detections() -> Contest:
    ours = evaluation_of("segmetry.compat.pycocotools", "COCO", "COCOeval", "segm")
    assert ours is not None
    return Contest(ours, {PYCOCOTOOLS: evaluation_of("pycocotools", "COCO", "COCOeval", "segm")})


@case("f1_score of 2·10⁴ sentences of 12 tags", Limit(SEQEVAL, at_least=5))
def entities() -> Contest:
    return _contest(SEQEVAL, seqeval.f1_score, optional("seqeval.metrics", "f1_score"), *tagged_corpus(20_000, 1))


@case("windowdiff of 10⁴ gaps, windows of 50", Limit(NLTK, at_least=10))
def windows() -> Contest:
    rng = np.random.default_rng(0)
    gaps = ["".join(rng.choice(["0", "1"], 10**4, p=[0.9, 0.1])) for _ in range(2)]
    return _contest(NLTK, nltk.windowdiff, optional("nltk.metrics.segmentation", "windowdiff"), *gaps, 50)


@case("hd95 of two organs in 128³", Limit(MEDPY, at_least=5))
def percentiles() -> Contest:
    true = cells((128, 128, 128), 8, seed=1) == 3
    theirs = optional("medpy.metric.binary", "hd95")
    return _contest(MEDPY, medpy.hd95, theirs, shifted(true, 3), true, (1.0, 1.0, 2.5))


@case("surface distances of two organs in 128³", Limit(SURFACES, at_least=3))
def surfaces() -> Contest:
    true = cells((128, 128, 128), 8, seed=1) == 3
    theirs = optional("surface_distance", "compute_surface_distances")
    ours = surface_distance.compute_surface_distances
    return _contest(SURFACES, ours, theirs, true, shifted(true, 3), (1.0, 1.0, 2.5))


@case("matching of 500 cells, 1024²", Limit(STARDIST))
def matches() -> Contest:
    true = cells((1024, 1024), 500, seed=1) + 1
    return _contest(STARDIST, stardist.matching, optional("stardist.matching", "matching"), true, shifted(true, 3))
