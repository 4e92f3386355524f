"""The worked numbers of the specification for BCubed, ELM, panoptic quality and clustering indices of spans."""

from __future__ import annotations

from typing import Any

import pytest

import segmetry as sm
from tests.metrics.linear_pairs import Value, assert_value, pair

THREE: dict[str, dict[str, tuple[Value, Value, Value]]] = {
    "bcubed over pairs": {
        "A": ("3/4", "3/4", 0.742063),
        "B": ("4/5", "3/5", 0.635556),
        "C": ("3/4", "7/8", 0.736310),
        "31/13": ("2/3", "2/3", "5/9"),
        "91/55": ("2/3", "2/3", 0.5397),
        "28/10": ("1/2", "1", 0.6111),
        "118/811": (0.6, 0.6, 0.3278),
        "X0": ("1", "1", "1"),
        "X1": ("1", "1/10", 0.1818),
        "X2": ("1/10", "1", 0.1818),
        "X3": ("1", "1", "1"),
        "U1": ("1", "1", "1"),
    },
    "bcubed": {
        "A": ("23/26", "57/65", "55/63"),
        "B": (0.876923, 0.807692, 0.808547),
        "C": (0.785714, 0.873016, 0.770068),
        "31/13": ("2/3", "2/3", "7/12"),
        "91/55": ("0.84", 0.5556, 0.6190),
        "28/10": ("0.68", "1", 0.7778),
        "118/811": ("0.675", "0.675", 0.5389),
        "X0": ("1", "1", "1"),
        "X1": ("1", "1/10", 0.1818),
        "X2": ("1/10", "1", 0.1818),
        "X3": ("1", "1", "1"),
        "U1": ("1", "1", "1"),
    },
    "elm": {
        "A": ("11/13", "11/13", "379/455"),
        "B": (0.846154, 0.743590, 0.725275),
        "C": (0.733333, 0.847619, 0.690249),
        "SB": ("5/11", "1", "5/8"),
        "SC": ("5/6", "5/6", "245/297"),
        "X0": ("1", "1", "1"),
        "X1": ("1", "0", "0"),
        "X2": ("0", "1", "0"),
        "X3": ("1", "1", "1"),
        "U1": ("1", "1", "1"),
        "U2b": ("0", "1", "0"),
        "U2c": ("1", "0", "0"),
    },
}


@pytest.mark.parametrize(("family", "name"), [(family, name) for family, rows in THREE.items() for name in rows])
def test_bcubed_and_elm_of_spans(family: str, name: str) -> None:
    stem, _, over = family.partition(" over ")
    options: dict[str, Any] = {"over": over} if over else {}
    for part, expected in zip(("precision", "recall", "f1"), THREE[family][name], strict=True):
        assert_value(sm.list_metrics()[f"{stem}_{part}"](*pair(name), **options), expected)


@pytest.mark.parametrize(
    ("name", "f1"),
    [("A", 0.880752), ("B", 0.840885), ("C", 0.827068), ("31/13", "2/3"), ("91/55", 0.6688), ("28/10", 0.8095)],
)
def test_bcubed_f_of_the_means(name: str, f1: Value) -> None:
    assert_value(sm.list_metrics()["bcubed_f1"](*pair(name), average="means"), f1)


@pytest.mark.parametrize("rule", ["theta_plus", "theta_and"])
@pytest.mark.parametrize(
    ("name", "tp", "sq", "precision", "recall", "f1", "weighted_f1"),
    [
        ("A", 3, "17/20", "1", "1", "1", "17/20"),
        ("B", 2, "9/10", "1/2", "2/3", "4/7", "18/35"),
        ("C", 4, "41/48", "2/3", "4/7", "8/13", "41/78"),
        ("SB", 0, None, "0", "0", "0", "0"),
        ("X0", 1, "1", "1", "1", "1", "1"),
        ("X1", 0, None, "0", "0", "0", "0"),
        ("X2", 0, None, "0", "0", "0", "0"),
        ("X3", 10, "1", "1", "1", "1", "1"),
    ],
)
def test_panoptic_quality_of_spans(
    rule: str, name: str, tp: int, sq: Value, precision: Value, recall: Value, f1: Value, weighted_f1: Value
) -> None:
    expected = {"n_matched": str(tp), "sq": sq, "precision": precision, "recall": recall, "f1": f1}
    for key, value in (expected | {"weighted_f1": weighted_f1, "pq": weighted_f1}).items():
        assert_value(sm.list_metrics()[key](*pair(name), rule=rule), value)


def test_the_two_alignments_part_on_the_smallest_example() -> None:
    true, pred = pair("31/13")
    assert_value(sm.n_matched(true, pred, rule="theta_plus"), "0")
    assert_value(sm.n_matched(true, pred, rule="theta_and"), "1")
    assert_value(sm.sq(true, pred, rule="theta_and"), "1/2")
    assert_value(sm.weighted_f1(true, pred, rule="theta_and"), "1/4")


@pytest.mark.parametrize(
    ("name", "purity", "coverage", "covering"),
    [
        ("A", "12/13", "12/13", "45/52"),
        ("B", "12/13", "11/13", "51/65"),
        ("C", "17/21", "19/21", "29/42"),
        ("X1", "1", "1/10", "1/10"),
        ("X2", "1/10", "1", "1/10"),
    ],
)
def test_purity_coverage_and_covering_of_spans(name: str, purity: Value, coverage: Value, covering: Value) -> None:
    for key, value in (("purity", purity), ("coverage", coverage), ("covering", covering)):
        assert_value(sm.list_metrics()[key](*pair(name)), value)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("rand_index", 0.910256),
        ("adjusted_rand_index", 0.781425),
        ("pair_precision", 0.863636),
        ("pair_recall", 0.826087),
        ("pair_f", 0.844444),
        ("v_measure", 0.831279),
    ],
)
def test_clustering_indices_of_spans(key: str, value: float) -> None:
    assert_value(sm.list_metrics()[key](*pair("A")), value)
