"""Two alignments of one run: the summary of spec and paper from the run file, against item by item."""

from __future__ import annotations

import json
from collections import Counter
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import segmetry as sm
from segmetry.comparison.rules_of_run import quartiles
from segmetry.errors import InputError, KindError, OptionError
from segmetry.statistics.wider_rule import TwoAlignments, two_rules
from tests.comparison.made import CLASSES, blurred, run, truth


def shifted(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Every segment moved by one to five places: some pairs are kept under the wider rule only."""
    return {name: np.roll(labels, 1 + at % 5) for at, (name, labels) in enumerate(arrays.items())}


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
    json.dumps(comparison.to_dict(), allow_nan=False)


def test_pq_is_counted_as_the_policy_says() -> None:
    crowd = sm.LabelArray(np.array([1, 1, 1, 2, 2, 2]), classes={1: "a", 2: "a"}, crowd=(2,))
    pred = sm.LabelArray(np.array([1, 1, 0, 2, 2, 3]), classes={1: "a", 2: "a", 3: "a"})
    kept = sm.evaluate({"x": crowd}, {"x": pred}, metrics="pq", policy="coco", rule="theta_plus")
    assert sm.two_alignments(kept).summary.narrow_pq == kept.summary()["pq"]["by_item_of_classes"].value == 2 / 3


def test_the_difference_of_two_rules_is_that_of_rescored_runs_with_an_exact_permutation_test() -> None:
    """Every sign of every item: the p value of the mean over items, by enumeration."""
    true = truth(10)
    kept = run(true, shifted(true), classes=False)
    found = sm.compare(kept, rules=["theta_plus", "theta_and"])
    assert found.rules == ("theta_plus", "theta_and") == found.systems
    for key in ("pq", "rq", "recall"):
        row = found.difference(key, "by_item")
        per_item = [
            [scores[key].value for _, scores in kept.rescore(rule).item_scores()]
            for rule in ("theta_plus", "theta_and")
        ]
        gaps = np.array(per_item[1]) - np.array(per_item[0])
        assert row.value == pytest.approx(gaps.mean()) and row.value > 0
        signs = np.array(list(product((-1, 1), repeat=len(gaps))))
        assert row.exact and row.p == pytest.approx((abs(signs @ gaps) >= abs(gaps.sum()) - 1e-12).mean())
        assert row.outcomes is not None and row.outcomes.won == (gaps > 0).sum() and row.outcomes.lost == 0


def test_what_the_rules_do_not_change_is_left_out() -> None:
    true = truth(4)
    kept = run(true, blurred(true, 0.3, 4), metrics="pq,rand_index")
    assert {row.key for row in sm.compare(kept, rules=["theta_plus", "theta_and"]).differences} == {"pq"}
    with pytest.raises(OptionError, match="rand_index: the same under every rule"):
        sm.compare(kept, rules=["theta_plus", "theta_and"], metrics="rand_index")
    with pytest.raises(OptionError, match="expected different rules"):
        sm.compare(kept, rules=["theta_and", "theta_and"])
    with pytest.raises(OptionError, match="expected a list of two or more rules"):
        sm.compare(kept, rules="theta_and")
    with pytest.raises(OptionError, match="rules= compares one run"):
        sm.compare(kept, kept, rules=["theta_and", "theta_plus"])
    with pytest.raises(OptionError, match="exclude each other"):
        sm.compare(kept, rule="theta_and", rules=["theta_and", "theta_plus"])


def test_different_predictions_under_different_rules_are_not_compared() -> None:
    true = truth(4)
    runs = [run(true, blurred(true, 0.2, seed), rule=rule) for seed, rule in ((1, "theta_and"), (2, "theta_plus"))]
    with pytest.raises(InputError, match=r"rule is 'theta_and' in run 1 .*rule= \(--rule\) scores both"):
        sm.compare(*runs)


def test_additional_pairs_by_class_and_false_hits_by_pi_over_sets() -> None:
    true = truth(40)
    pred = shifted(true)
    found = sm.two_alignments(run(true, pred), pi="3/5", small=9)
    added: Counter[str] = Counter()
    of_class: Counter[str] = Counter()
    up_to: list[tuple[float, int]] = []
    for name, labels in true.items():
        t, h = ({i: set(np.flatnonzero(side == i)) for i in range(1, 5)} for side in (labels, pred[name]))
        for i, elements in t.items():
            if not elements:
                continue
            of_class[CLASSES[i]] += 1
            for j, other in h.items():
                s, m, p = len(elements & other), len(elements - other), len(other - elements)
                if CLASSES[i] == CLASSES[j] and s > m and s > p:
                    rival = max(len(t[k] & other) for k in t if k != i)
                    up_to.append((min(rival, m) / s, len(elements)))
                    added[CLASSES[i]] += s <= m + p
    assert found.summary.n_additional == sum(added.values()) == len(found.pairs) > 5
    assert {row["class"]: row["additional"] for row in found.classes} == {label: added[label] for label in of_class}
    for row in found.classes:
        assert row["share_of_true"] == added[row["class"]] / of_class[row["class"]]
        assert row["share_of_additional"] == added[row["class"]] / sum(added.values())
    assert [row["pi"] for row in found.false_hits] == [0.5, 0.6, 0.7, 0.75, 0.8, 0.9, 1.0]
    for row in found.false_hits:
        hits = [size for most, size in up_to if most >= row["pi"] - 1e-12]
        assert (row["n"], row["small"]) == (len(hits), sum(size < 9 for size in hits))
    assert found.false_hits[1]["n"] == found.summary.n_false_hits == sum(row["is_false_hit"] for row in found.pairs) > 0


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


def test_the_example_of_quartiles() -> None:
    assert quartiles([1, 2, 3]) == (1.5, 2.0, 2.5)
