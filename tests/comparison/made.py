"""Small data sets: items of a few segments in three classes, and systems that blur them more or less."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import segmetry as sm

CLASSES = {1: "a", 2: "a", 3: "b", 4: "c"}
KEYS = "pq,sq,rq,recall,n_missed,npq"


def truth(n: int, seed: int = 0, length: int = 40) -> dict[str, Any]:
    numbers = np.random.default_rng(seed)
    return {f"{at:03}": np.sort(numbers.integers(0, 5, length)) for at in range(n)}


def blurred(true: dict[str, Any], noise: float, seed: int) -> dict[str, Any]:
    """Some labels replaced at random; some items untouched."""
    numbers = np.random.default_rng(seed)
    return {
        name: np.where(numbers.random(labels.size) < noise * numbers.integers(0, 3), numbers.integers(0, 5), labels)
        for name, labels in true.items()
    }


def labelled(arrays: dict[str, Any], *, classes: bool = True) -> dict[str, sm.LabelArray]:
    return {name: sm.LabelArray(one, classes=CLASSES if classes else None) for name, one in arrays.items()}


def run(
    true: dict[str, Any], pred: dict[str, Any], out: Path | None = None, *, classes: bool = True, **options: Any
) -> sm.Run:
    return sm.evaluate(
        labelled(true, classes=classes),
        labelled(pred, classes=classes),
        out=out,
        engine="serial",
        **{"metrics": KEYS, **options},
    )


def systems(n: int, noises: tuple[float, ...] = (0.1, 0.2), **options: Any) -> list[sm.Run]:
    true = truth(n)
    return [run(true, blurred(true, noise, seed), **options) for seed, noise in enumerate(noises, start=5)]
