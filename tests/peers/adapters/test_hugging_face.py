"""``mean_iou`` for Hugging Face evaluate, beside the arithmetic of the one it replaces."""

from __future__ import annotations

import socket
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from segmetry.errors import InputError, OptionError

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The module as ``evaluate.load`` returns it, without a connection."""
    folder = tmp_path_factory.mktemp("hugging_face")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (("HF_HOME", str(folder)), ("HF_HUB_OFFLINE", "1"), ("HF_EVALUATE_OFFLINE", "1")):
            patch.setenv(name, value)

        def refuse(*_: Any, **__: Any) -> Any:
            raise OSError("no connection in this test")

        patch.setattr(socket.socket, "connect", refuse)
        import evaluate

        import segmetry.adapters.hugging_face_mean_iou as ours

        return evaluate.load(ours.__file__, cache_dir=str(folder))


def reference(
    predictions: Any,
    references: Any,
    num_labels: int,
    ignore_index: int,
    nan_to_num: Any = None,
    label_map: Any = None,
    *,
    reduce_labels: bool = False,
) -> dict[str, Any]:
    """The published arithmetic of ``mean_iou``, class by class: areas over all images of labels that are in range."""
    inter, pred_area, true_area = (np.zeros(num_labels) for _ in range(3))
    for pred, true in zip(predictions, references, strict=True):
        labels = np.vectorize(lambda label: (label_map or {}).get(label, label), otypes=[np.int64])(true)
        if reduce_labels:
            labels = np.where(labels == 0, 255, labels) - 1
            labels = np.where(labels == 254, 255, labels)
        counts = labels != ignore_index
        for label in range(num_labels):
            inter[label] += ((pred == label) & (labels == label) & counts).sum()
            pred_area[label] += ((pred == label) & counts).sum()
            true_area[label] += ((labels == label) & counts).sum()
    iou, accuracy = inter / (pred_area + true_area - inter), inter / true_area
    values = {
        "mean_iou": np.nanmean(iou),
        "mean_accuracy": np.nanmean(accuracy),
        "overall_accuracy": inter.sum() / true_area.sum(),
        "per_category_iou": iou,
        "per_category_accuracy": accuracy,
    }
    return (
        values if nan_to_num is None else {name: np.nan_to_num(value, nan=nan_to_num) for name, value in values.items()}
    )


def agree(found: dict[str, Any], expected: dict[str, Any]) -> None:
    assert list(found) == list(expected)
    for name, value in expected.items():
        np.testing.assert_allclose(found[name], value, rtol=1e-12, err_msg=name)


def test_values_are_those_of_mean_iou(module: Any) -> None:
    for seed in range(60):
        rng = np.random.default_rng(seed)
        num = int(rng.integers(2, 6))
        shapes = [tuple(rng.integers(1, 5, 2)) for _ in range(int(rng.integers(1, 4)))]
        reduce = bool(seed % 2)
        references = [rng.choice([*range(reduce, num + reduce), 255, 0], shape) for shape in shapes]
        predictions = [rng.integers(0, num, shape) for shape in shapes]
        options: dict[str, Any] = {"num_labels": num, "ignore_index": 255, "reduce_labels": reduce}
        if seed % 3 == 0:
            options["nan_to_num"] = 0
        if seed % 5 == 0 and not reduce:
            options["label_map"] = {0: 1, 1: 0}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = reference(predictions, references, **options)
        agree(module.compute(predictions=predictions, references=references, **options), expected)


def test_the_documented_example(module: Any) -> None:
    predictions = [np.array([[1, 2], [3, 4], [5, 255]]), np.array([[2, 7], [9, 2], [3, 6]])]
    references = [np.array([[0, 3], [5, 4], [6, 255]]), np.array([[1, 7], [9, 2], [3, 6]])]
    options = {"num_labels": 10, "ignore_index": 255}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = reference(predictions, references, **options)
    for prediction, true in zip(predictions, references, strict=True):
        module.add(prediction=prediction, reference=true)
    agree(module.compute(**options), expected)


def test_true_labels_beyond_the_classes_are_an_error_and_not_left_out(module: Any) -> None:
    pair = {
        "predictions": [np.array([[0, 0]])],
        "references": [np.array([[0, 2]])],
        "num_labels": 2,
        "ignore_index": 255,
    }
    assert reference(**pair)["overall_accuracy"] == 1  # type: ignore[arg-type]
    with pytest.raises(InputError, match="2"):
        module.compute(**pair)
    with pytest.raises(InputError, match="7"):
        module.compute(**{**pair, "references": [np.array([[0, 1]])], "predictions": [np.array([[0, 7]])]})


def test_the_background_is_ignored_whatever_the_ignored_label_is(module: Any) -> None:
    pair = {"predictions": [np.array([[0, 0]])], "references": [np.array([[0, 1]])], "num_labels": 2}
    assert reference(**pair, ignore_index=-1, reduce_labels=True)["per_category_iou"][0] == 0.5  # type: ignore[arg-type]
    assert module.compute(**pair, ignore_index=-1, reduce_labels=True)["per_category_iou"][0] == 1


def test_negative_labels_and_volumes(module: Any) -> None:
    pair = {"predictions": [np.array([[[0], [1]]])], "references": [np.array([[[0], [-100]]])]}
    assert module.compute(**pair, num_labels=2, ignore_index=-100)["mean_iou"] == 1


def test_nothing_that_counts_is_undefined_without_a_warning(module: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = module.compute(
            predictions=[np.zeros((1, 2), int)], references=[np.full((1, 2), 9)], num_labels=2, ignore_index=9
        )
    assert np.isnan(found["mean_iou"]) and np.isnan(found["per_category_iou"]).all()


def test_wrong_calls_are_named(module: Any) -> None:
    with pytest.raises(InputError, match="no image was added"):
        module.compute(num_labels=2, ignore_index=255)
    with pytest.raises(InputError, match="1 predictions and 2 references"):
        module.add_batch(predictions=[[[1]]], references=[[[1]], [[1]]])
    with pytest.raises(OptionError, match="there is no input weights"):
        module.add_batch(predictions=[[[1]]], references=[[[1]]], weights=[1])


def test_the_path_is_printed() -> None:
    command = [sys.executable, "-W", "ignore", "-m", "segmetry.adapters.hugging_face_mean_iou"]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert Path(printed.strip()).is_file()
