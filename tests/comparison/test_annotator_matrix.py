"""Every annotator against every other: each cell is the evaluation of that pair."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import segmetry as sm
from segmetry.errors import InputError, OptionError


def folders(root: Path) -> dict[str, Path]:
    rng = np.random.default_rng(9)
    named = {}
    for name, noise in (("ann", 0.0), ("bob", 0.1), ("eve", 0.4)):
        named[name] = root / name
        named[name].mkdir()
        for item in range(3):
            labels = np.kron(np.random.default_rng(item).integers(0, 4, (3, 3)), np.ones((4, 4), dtype=int))
            np.save(named[name] / f"{item}.npy", np.where(rng.random(labels.shape) < noise, 0, labels))
    return named


@pytest.mark.parametrize("options", [{}, {"rule": "tversky(alpha=1,beta=0,above=1/2)", "resolve": "keep"}])
def test_a_cell_is_the_evaluation_of_its_pair(tmp_path: Path, options: dict[str, Any]) -> None:
    named = folders(tmp_path)
    agreement = sm.agreement_matrix(named, metrics="precision,recall,rand_index", engine="serial", **options)
    assert (agreement.annotators, agreement.n_items) == (("ann", "bob", "eve"), 3)
    for (true, pred), scores in agreement.scores.items():
        summary = sm.evaluate(named[true], named[pred], metrics="precision,recall,rand_index", **options).summary()
        assert scores["rand_index"].value == summary["rand_index"].usual.value
        assert scores["recall"].value == summary["recall"].usual.value
    row = [agreement.value("recall", "bob", other) for other in ("ann", "eve")]
    assert agreement.against_others("recall", "bob") == pytest.approx(sum(row) / 2)
    everything = [agreement.value("recall", *pair) for pair in agreement.scores]
    assert len(everything) == 6 and agreement.mean("recall") == pytest.approx(sum(everything) / 6)


def test_what_is_undefined_is_left_out_of_means() -> None:
    agreement = sm.agreement_matrix({"a": {"x": [[0]]}, "b": {"x": [[0]]}, "c": {"x": [[1]]}}, metrics="pq")
    assert math.isnan(agreement.value("pq", "a", "b")) and agreement.against_others("pq", "a") == 0
    assert agreement.matrix("pq")[0] == {"annotator": "a", "a": None, "b": None, "c": 0.0, "others": 0.0}


def test_mistakes(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="annotators are a; expected at least two"):
        sm.agreement_matrix({"a": {"x": [[1]]}})
    with pytest.raises(OptionError, match="every pair of annotators is a run; leave it out"):
        sm.agreement_matrix({"a": {"x": [[1]]}, "b": {"x": [[1]]}}, out=tmp_path / "run.segm")
