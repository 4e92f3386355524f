"""A label array that is known as runs is the same segmentation as the array itself."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from PIL import Image

import segmetry as sm
from segmetry.errors import NegativeLabelError
from segmetry.evaluation.fingerprint import object_fingerprint
from segmetry.kernels.backend import native
from segmetry.kernels.pairs import label_run_lengths
from segmetry.readers.formats.arrays.png import label_png
from segmetry.readers.reader import ReadOptions
from segmetry.segmentation.labels import LabelArray, RunLengthLabels


def as_run_lengths(labels: np.ndarray) -> RunLengthLabels:
    return RunLengthLabels(label_run_lengths(labels), labels.shape, labels.dtype)


@given(st.data(), array_shapes(min_dims=1, max_dims=3, max_side=7), st.sampled_from([np.uint8, np.int64, np.uint32]))
def test_tables_are_equal(data: st.DataObject, shape: tuple[int, ...], dtype: type) -> None:
    true, pred = (data.draw(arrays(dtype, shape, elements=st.integers(0, 4))) for _ in range(2))
    facts = {"outside": 0, "void": 3, "classes": {1: "a", 2: "b", 4: "a"}, "crowd": {4}}
    expected = sm.overlap(LabelArray(true, **facts), LabelArray(pred, **facts))
    first, second = LabelArray(as_run_lengths(true), **facts), LabelArray(as_run_lengths(pred), **facts)
    for pair in ((first, second), (first, LabelArray(pred, **facts)), (LabelArray(true, **facts), second)):
        found = sm.overlap(*pair)
        assert (found.true, found.pred, list(found.rows())) == (expected.true, expected.pred, list(expected.rows()))
        assert (found.background, found.n_elements, found.class_names) == (
            expected.background,
            expected.n_elements,
            expected.class_names,
        )


def test_elements_parts_and_facts() -> None:
    labels = np.array([[5, 5, 0], [0, 0, 9]], np.uint16)
    found = LabelArray(as_run_lengths(labels), void=9)
    assert found.labels.dtype == np.uint16 and np.array_equal(found.labels, labels)
    assert (found.domain, found.axes, found.n_elements, found.dtype) == ((2, 3), 2, 6, np.dtype(np.uint16))
    assert found.part((slice(0, 1), slice(1, 3))).labels.tolist() == [[5, 0]]
    assert np.array_equal(found.with_labels(labels + 1).labels, labels + 1)
    assert object_fingerprint(found) == object_fingerprint(LabelArray(labels, void=9))
    assert np.array_equal(pickle.loads(pickle.dumps(found)).labels, labels)  # noqa: S301 - our own bytes


def test_every_metric_is_the_same() -> None:
    rng = np.random.default_rng(2)
    true, pred = (np.kron(rng.integers(0, 5, (6, 7)), np.ones((5, 4), int)).astype(np.uint32) for _ in range(2))
    scores = sm.score(LabelArray(as_run_lengths(true)), LabelArray(as_run_lengths(pred)))
    assert scores.to_dict() == sm.score(true, pred).to_dict()


def test_negative_labels_are_rejected_as_ever() -> None:
    with pytest.raises(NegativeLabelError, match="label -2 is negative"):
        sm.overlap(LabelArray(as_run_lengths(np.array([[1, -2]]))), LabelArray(as_run_lengths(np.array([[1, 1]]))))


@pytest.mark.skipif(native is None, reason="without native code Pillow reads every image, as an array")
def test_images_of_few_runs_are_kept_as_runs(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    few, many = np.repeat(rng.integers(0, 9, (40, 2)), 32, axis=1), rng.integers(0, 9, (40, 64))
    for labels, kind in ((few, RunLengthLabels), (many, np.ndarray)):
        Image.fromarray(labels.astype(np.uint8)).save(tmp_path / "a.png")
        found = label_png(tmp_path / "a.png", ReadOptions())
        assert isinstance(found, kind) and np.array_equal(found, labels)
