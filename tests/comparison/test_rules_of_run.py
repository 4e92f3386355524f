"""Two alignments of one run: the summary of spec and paper from the run file, against item by item."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import segmetry as sm
from segmetry.errors import InputError, KindError, OptionError
from segmetry.statistics.wider_rule import TwoAlignments, two_rules
from tests.comparison.made import run, truth


def test_the_summary_is_that_of_the_items(tmp_path: Path) -> None:
    true = truth(30)
    pred = {name: np.roll(labels, 3) for name, labels in true.items()}
    kept = run(true, pred, tmp_path / "run.segm")
    comparison = sm.two_alignments(kept, small=9)
    assert sm.two_alignments(tmp_path / "run.segm", small=9) == comparison
    tables = dict(kept.tables())
    items: list[TwoAlignments] = []
    kinds: Counter[str] = Counter()
    sizes: list[int] = []
    for name, table in tables.items():
        narrow, wide = table.align("theta_plus"), table.align("theta_and")
        items.append(TwoAlignments.of(name, narrow, wide))
        own = [(pair.true_id, pair.pred_id) for pair in narrow.pairs()]
        for pair, kind in zip(wide.pairs(), sm.error_kinds(wide).names(), strict=True):
            if (pair.true_id, pair.pred_id) not in own:
                kinds[kind] += 1
                sizes.append(int((true[name] == pair.true_id).sum()))
    assert comparison.summary == two_rules(items, small=9)
    assert comparison.summary.n_additional == sum(kinds.values()) > 0
    assert comparison.additional_kinds == {kind: kinds[kind] for kind in comparison.additional_kinds}
    assert sum(comparison.wide_kinds.values()) == comparison.summary.n_wide == len(comparison.wide_ious)
    assert comparison.additional_sizes.small == sum(size < 9 for size in sizes)
    assert comparison.additional_sizes.quartiles == pytest.approx(np.quantile(sizes, [0.25, 0.5, 0.75]))
    assert len(comparison.narrow_ious) == comparison.summary.n_narrow
    assert [row["n"] for row in comparison.rows()] == [
        comparison.summary.n_narrow,
        comparison.summary.n_wide,
        comparison.summary.n_additional,
    ]
    json.dumps(comparison.as_dict(), allow_nan=False)


def test_pq_is_counted_as_the_policy_says() -> None:
    crowd = sm.LabelArray(np.array([1, 1, 1, 2, 2, 2]), classes={1: "a", 2: "a"}, crowd=(2,))
    pred = sm.LabelArray(np.array([1, 1, 0, 2, 2, 3]), classes={1: "a", 2: "a", 3: "a"})
    kept = sm.evaluate({"x": crowd}, {"x": pred}, metrics="pq", policy="coco", rule="theta_plus")
    assert sm.two_alignments(kept).summary.narrow_pq == kept.summary()["pq"]["by_item_of_classes"].value == 2 / 3


def test_bad_input_is_named() -> None:
    plain = sm.evaluate({"a": [[1, 1]]}, {"a": [[1, 1]]}, metrics="pq")
    with pytest.raises(OptionError, match="both rules are theta_and"):
        sm.two_alignments(plain, "theta_and")
    with pytest.raises(KindError, match=r"run is a int; expected a Run, or the path"):
        sm.two_alignments(3)  # type: ignore[arg-type]
    wider = sm.evaluate({"a": [[1, 1, 1, 2]]}, {"a": [[1, 2, 2, 2]]}, metrics="pq")
    with pytest.raises(OptionError, match="theta_and has all 0 pairs of theta_plus, and more; name the narrower"):
        sm.two_alignments(wider, "theta_and", "theta_plus")
    twice, once = (sm.Masks.from_dense(np.ones((count, 1, 4), dtype=bool)) for count in (2, 1))
    with pytest.raises(InputError, match="item a: "):
        sm.two_alignments(sm.evaluate({"a": twice}, {"a": once}, metrics="pq"))
