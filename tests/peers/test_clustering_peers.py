"""Clustering metrics against scikit-learn, scikit-image and the definitions of CREMI on random cases.

Every known difference has a name and an example.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import segmetry as sm
from tests.cli.running import Runner

pytestmark = pytest.mark.peers

CASES = 1300
ENOUGH = 1000
"""So many of them must be defined, and are compared."""
Labels = NDArray[np.int64]


def pairs(seed: int, *, outside: bool = False, cases: int = CASES) -> Iterator[tuple[Labels, Labels]]:
    """Labels of all granularities: from one segment to single elements, related or not."""
    rng = np.random.default_rng(seed)
    lowest = 0 if outside else 1
    for _ in range(cases):
        n = int(rng.integers(1, 120))
        true = rng.integers(lowest, int(rng.integers(1, n + 1)) + 1, n)
        pred = rng.integers(lowest, int(rng.integers(1, n + 1)) + 1, n)
        if rng.random() < 0.7:
            kept = rng.random(n) < rng.random()
            pred = np.where(kept, true, pred)
        yield true, pred


def whole(labels: Labels) -> sm.LabelArray:
    """Every label is a segment, as the peers see it."""
    return sm.LabelArray(labels, outside=None)


def sklearn(name: str) -> Callable[..., float]:
    found: Callable[..., float] = getattr(pytest.importorskip("sklearn.metrics"), name)
    return found


SKLEARN = {
    "rand_index": "rand_score",
    "adjusted_rand_index": "adjusted_rand_score",
    "fowlkes_mallows": "fowlkes_mallows_score",
    "homogeneity": "homogeneity_score",
    "completeness": "completeness_score",
    "v_measure": "v_measure_score",
}
"""Where ours is undefined the peer writes a number: see the exceptions below."""


@pytest.mark.parametrize("key", sorted(SKLEARN))
def test_equal_to_scikit_learn_wherever_ours_is_defined(key: str) -> None:
    peer, defined = sklearn(SKLEARN[key]), 0
    for true, pred in pairs(1):
        found = getattr(sm, key)(whole(true), whole(pred))
        if found.is_defined:
            defined += 1
            assert found.value == pytest.approx(peer(true, pred), abs=1e-11)
    assert defined >= ENOUGH


@pytest.mark.parametrize("average", ["arithmetic", "geometric", "min", "max"])
@pytest.mark.parametrize(
    ("key", "name"), [("nmi", "normalized_mutual_info_score"), ("ami", "adjusted_mutual_info_score")]
)
def test_normalised_information(key: str, name: str, average: str) -> None:
    peer, defined = sklearn(name), 0
    for true, pred in pairs(2):
        found = getattr(sm, key)(whole(true), whole(pred), average=average)
        if not found.is_defined:
            continue
        expected = peer(true, pred, average_method=average)
        defined += 1
        assert found.value == pytest.approx(expected, abs=1e-8 if key == "ami" else 1e-11)
    assert defined >= ENOUGH


def test_mutual_information_is_in_bits() -> None:
    peer = sklearn("mutual_info_score")
    for true, pred in pairs(3):
        assert sm.mutual_information(whole(true), whole(pred)).value * math.log(2) == pytest.approx(
            peer(true, pred), abs=1e-12
        )


def test_pair_counts_are_half_of_the_pair_confusion_matrix() -> None:
    peer = pytest.importorskip("sklearn.metrics.cluster").pair_confusion_matrix
    for true, pred in pairs(4):
        (n00, n01), (n10, n11) = peer(true, pred) // 2
        assert dict(sm.pair_counts(whole(true), whole(pred)).parts) == {"n11": n11, "n10": n10, "n01": n01, "n00": n00}


@pytest.mark.parametrize(
    ("key", "true", "pred", "writes"),
    [
        ("adjusted_rand_index", [1, 1], [1, 1], 1.0),
        ("adjusted_rand_index", [1, 2], [1, 2], 1.0),
        ("homogeneity", [1, 1], [1, 2], 1.0),
        ("completeness", [1, 2], [1, 1], 1.0),
        ("v_measure", [1, 1], [1, 1], 1.0),
        ("rand_index", [1], [1], 1.0),
        ("fowlkes_mallows", [1, 2], [1, 1], 0.0),
        ("fowlkes_mallows", [1, 2], [1, 2], 0.0),
    ],
)
def test_exception_scikit_learn_writes_a_number_for_nought_by_nought(
    key: str, true: list[int], pred: list[int], writes: float
) -> None:
    assert not getattr(sm, key)(whole(np.array(true)), whole(np.array(pred))).is_defined
    assert sklearn(SKLEARN[key])(true, pred) == writes


@pytest.mark.parametrize(("true", "pred"), [([1, 1], [1, 1]), ([1, 2], [1, 2])])
def test_exception_ami_where_chance_is_perfect(true: list[int], pred: list[int]) -> None:
    assert not sm.ami(whole(np.array(true)), whole(np.array(pred))).is_defined
    assert sklearn("adjusted_mutual_info_score")(true, pred) == 1.0


def skimage(name: str) -> Callable[..., Any]:
    found: Callable[..., Any] = getattr(pytest.importorskip("skimage.metrics"), name)
    return found


@pytest.mark.parametrize(("background", "ignored"), [("segment", ()), ("foreground", (0,)), ("cremi", (0,))])
def test_variation_of_information_equals_scikit_image(background: str, ignored: tuple[int, ...]) -> None:
    """Its default counts label 0 as a segment on both sides; ignore_labels is about the truth only."""
    peer = skimage("variation_of_information")
    keys = ("vi_split", "vi_merge", "variation_of_information")
    for true, pred in pairs(5, outside=True):
        if ignored and not true.any():
            continue
        split, merge = peer(true, pred, ignore_labels=ignored)
        found = [getattr(sm, key)(true, pred, background=background).value for key in keys]
        assert found == pytest.approx([split, merge, split + merge], abs=1e-11)


def test_the_default_of_scikit_image_counts_everything() -> None:
    true, pred = np.array([0, 0, 1, 1, 2]), np.array([0, 3, 3, 3, 0])
    assert tuple(skimage("variation_of_information")(true, pred)) == pytest.approx(
        (sm.vi_split(true, pred).value, sm.vi_merge(true, pred).value)
    )
    error, *_ = skimage("adapted_rand_error")(true, pred)
    found = sm.adapted_rand_error(true, pred, background="foreground", self_pairs=False)
    assert found.value == pytest.approx(error)


@pytest.mark.parametrize(("background", "ignored"), [("segment", ()), ("foreground", (0,))])
def test_adapted_rand_error_equals_scikit_image(background: str, ignored: tuple[int, ...]) -> None:
    peer, defined = skimage("adapted_rand_error"), 0
    for true, pred in pairs(6, outside=True):
        found = sm.adapted_rand_error(true, pred, background=background, self_pairs=False)
        if not found.is_defined:
            continue
        with np.errstate(invalid="ignore", divide="ignore"):
            error, *_ = peer(true, pred, ignore_labels=ignored)
        defined += 1
        assert found.value == pytest.approx(error, abs=1e-12)
    assert defined >= ENOUGH


def test_foreground_is_the_adjusted_rand_index_of_the_true_foreground() -> None:
    """FG-ARI: scikit-learn's ARI on the elements that the truth labels, the prediction's 0 a cluster like any other."""
    peer, defined = sklearn("adjusted_rand_score"), 0
    for true, pred in pairs(7, outside=True):
        found = sm.adjusted_rand_index(true, pred, background="foreground")
        if found.is_defined:
            defined += 1
            assert found.value == pytest.approx(peer(true[true > 0], pred[true > 0]), abs=1e-11)
    assert defined >= ENOUGH


@pytest.mark.parametrize("key", sorted(SKLEARN))
def test_raw_arrays_give_the_value_of_scikit_learn(key: str) -> None:
    """By default, what lies outside (label 0) is one segment on its side."""
    peer, defined = sklearn(SKLEARN[key]), 0
    for true, pred in pairs(8, outside=True):
        found = getattr(sm, key)(true, pred)
        if found.is_defined:
            defined += 1
            assert found.value == pytest.approx(peer(true, pred), abs=1e-11)
    assert defined >= ENOUGH


def cremi_voi(true: Labels, pred: Labels) -> tuple[float, float]:
    """H(pred | true) and H(true | pred) in bits over the elements that the truth labels, as the script of CREMI."""
    true, pred = true[true > 0], pred[true > 0]
    joint = Counter(zip(true.tolist(), pred.tolist(), strict=True))
    sizes = Counter(true.tolist()), Counter(pred.tolist())
    given_true = -sum(k * math.log2(k / sizes[0][t]) for (t, _), k in joint.items()) / true.size
    given_pred = -sum(k * math.log2(k / sizes[1][p]) for (_, p), k in joint.items()) / true.size
    return given_true, given_pred


def cremi_arand(true: Labels, pred: Labels, zeros: str = "script") -> float:
    """1 − F of ordered pairs with self-pairs; ``zeros``: what the predicted zeros add to the sums.

    The script adds their number divided by the number of all voxels, where the definition it implements adds their
    number (each one a segment of its own); see cremi_python, issue 3.
    """
    inside = true > 0
    joint = Counter(zip(true[inside].tolist(), pred[inside].tolist(), strict=True))
    n_zero = sum(k for (_, p), k in joint.items() if p == 0)
    extra = Fraction(n_zero, true.size) if zeros == "script" else Fraction(n_zero)
    preds: Counter[int] = Counter()
    for (_, p), k in joint.items():
        preds[p] += k
    both = sum(k**2 for (_, p), k in joint.items() if p) + extra
    true_sum = sum(k**2 for k in Counter(true[inside].tolist()).values())
    pred_sum = sum(k**2 for p, k in preds.items() if p) + extra
    return float(1 - 2 * both / (true_sum + pred_sum))


def test_cremi_splits_merges_and_rand() -> None:
    """Equal for predictions without label 0, as the submissions are; the information terms equal with it, too."""
    for true, pred in pairs(9, outside=True):
        if not true.any():
            continue
        found = [getattr(sm, key)(true, pred, background="cremi").value for key in ("vi_split", "vi_merge")]
        assert found == pytest.approx(cremi_voi(true, pred), abs=1e-11)
        filled = pred + 1
        assert sm.adapted_rand_error(true, filled, background="cremi").value == pytest.approx(
            cremi_arand(true, filled), abs=1e-12
        )
        score = math.sqrt(sum(cremi_voi(true, filled)) * cremi_arand(true, filled))
        assert sm.cremi_score(true, filled).value == pytest.approx(score, abs=1e-6)


def test_snemi_is_what_the_script_of_cremi_means_with_predicted_zeros() -> None:
    for true, pred in pairs(10, outside=True):
        if true.any():
            assert sm.adapted_rand_error(true, pred, background="snemi").value == pytest.approx(
                cremi_arand(true, pred, zeros="single"), abs=1e-12
            )


def test_exception_the_script_of_cremi_scales_predicted_zeros_by_the_number_of_voxels() -> None:
    true, pred = np.array([1, 1, 2, 2]), np.array([0, 0, 0, 0])
    assert cremi_arand(true, pred) == pytest.approx(1 - 2 / 9)
    assert sm.adapted_rand_error(true, pred, background="snemi").value == pytest.approx(1 - 8 / 12)
    assert sm.adapted_rand_error(true, pred, background="cremi").value == pytest.approx(1 / 3)


def test_the_values_of_the_packages_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(11)
    true, pred = rng.integers(0, 6, (20, 30)), rng.integers(0, 6, (20, 30))
    for name, labels in (("true", true), ("pred", pred)):
        np.save(tmp_path / f"{name}.npy", labels)
    files = tmp_path / "true.npy", tmp_path / "pred.npy"

    def printed(key: str, *options: str) -> float:
        found = Runner(capsys, monkeypatch)("score", *files, "--metrics", key, *options, "--json", "-").first_rule
        (scores,) = found["items"].values()
        return float(next(iter(scores.values()))["value"])

    split, merge = skimage("variation_of_information")(true, pred)
    inside, _ = skimage("variation_of_information")(true, pred, ignore_labels=(0,))
    error, *_ = skimage("adapted_rand_error")(true, pred)
    ari, labelled = sklearn("adjusted_rand_score"), true > 0
    assert printed("vi_split") == pytest.approx(split)
    assert printed("vi_merge") == pytest.approx(merge)
    assert printed("vi_split", "--background", "cremi") == pytest.approx(inside)
    scikit_image = ("--background", "foreground", "--option", "adapted_rand_error.self_pairs=false")
    assert printed("adapted_rand_error", *scikit_image) == pytest.approx(error)
    assert printed("adapted_rand_error", "--background", "snemi") == pytest.approx(
        cremi_arand(true.ravel(), pred.ravel(), zeros="single")
    )
    assert printed("adjusted_rand_index") == pytest.approx(ari(true.ravel(), pred.ravel()))
    assert printed("fg_ari") == pytest.approx(ari(true[labelled], pred[labelled]))


def test_exception_scikit_image_names_precision_and_recall_the_other_way_round() -> None:
    true, pred = np.array([1, 1, 1, 2, 2]), np.array([1, 1, 2, 2, 3])
    _, precision, recall = skimage("adapted_rand_error")(true, pred)
    ours = sm.pair_precision(whole(true), whole(pred)).value, sm.pair_recall(whole(true), whole(pred)).value
    assert ours == (0.5, 0.25)
    assert (precision, recall) == (0.25, 0.5)
