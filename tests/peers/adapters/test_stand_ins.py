"""Evaluators for detectron2 and FiftyOne, with stand-ins that follow their documented interfaces."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import segmetry as sm
from segmetry.adapters.detectron2 import SegmetryEvaluator
from segmetry.adapters.fiftyone import evaluate_segmentations
from segmetry.errors import InputError

RNG = np.random.default_rng(5)
TRUE = RNG.integers(0, 3, (4, 6, 6))
PRED = np.where(RNG.random(TRUE.shape) < 0.3, RNG.integers(0, 3, TRUE.shape), TRUE)
CLASSES = {"labels": "classes", "outside": None}


def inference(evaluator: Any, inputs: list[Any], outputs: list[Any]) -> Any:
    """What ``detectron2.evaluation.inference_on_dataset`` does with an evaluator."""
    evaluator.reset()
    for at in range(0, len(inputs), 2):
        evaluator.process(inputs[at : at + 2], outputs[at : at + 2])
    return evaluator.evaluate()


def data_set(values: dict[str, float]) -> dict[str, float]:
    return {name: value for name, value in values.items() if not name.startswith("class/")}


def test_semantic_outputs_of_detectron2() -> None:
    scores = np.eye(3)[PRED].transpose(0, 3, 1, 2)  # (C, H, W) for each image
    inputs = [{"image_id": at, "sem_seg": TRUE[at]} for at in range(4)]
    outputs = [{"sem_seg": scores[at]} for at in range(4)]
    evaluator = SegmetryEvaluator("mean_iou,dice", read=CLASSES)
    found = inference(evaluator, inputs, outputs)
    run = sm.evaluate(list(TRUE), list(PRED), metrics="mean_iou,dice", read=CLASSES)
    np.testing.assert_equal(found["segmetry"], data_set(run.scalars()))
    assert evaluator.run().names == ("0", "1", "2", "3")
    first = SegmetryEvaluator("dice", read=CLASSES, gather=lambda parts: [parts, evaluator._parts])
    np.testing.assert_equal(
        inference(first, inputs[:1], outputs[:1])["segmetry"]["dice/by_class"], run.scalars()["dice/by_class"]
    )
    other = SegmetryEvaluator("dice", gather=lambda parts: [])
    assert inference(other, inputs[:1], outputs[:1]) is None
    with pytest.raises(InputError, match="an output has no sem_seg; it has instances"):
        evaluator.process(inputs[:1], [{"instances": 1}])
    with pytest.raises(InputError, match="task is 'boxes'"):
        SegmetryEvaluator("pq", task="boxes")


def test_panoptic_outputs_of_detectron2() -> None:
    info = [{"id": 1, "category_id": 7, "isthing": True}, {"id": 2, "category_id": 3, "isthing": False}]
    inputs = [{"file_name": str(at), "panoptic_seg": (TRUE[at], info)} for at in range(4)]
    outputs = [{"panoptic_seg": (PRED[at], info)} for at in range(4)]
    evaluator = SegmetryEvaluator("pq,sq", task="panoptic_seg", read={"outside": -1})
    found = inference(evaluator, inputs, outputs)["segmetry"]
    names = {1: 7, 2: 3}
    sides = [[sm.LabelArray(labels, classes=names) for labels in side] for side in (TRUE, PRED)]
    expected = data_set(sm.evaluate(*sides, metrics="pq,sq").scalars())
    np.testing.assert_equal(found, expected)


class Label:
    def __init__(self, mask: Any) -> None:
        self.mask = mask


class Sample(dict[str, Any]):
    def __init__(self, name: str, true: Any, pred: Any) -> None:
        super().__init__(ground_truth=Label(true), predictions=Label(pred))
        self.id, self.filepath, self.saved = name, f"{name}.png", False

    def save(self) -> None:
        self.saved = True


class Samples(list[Sample]):
    def iter_samples(self, progress: bool = True) -> Any:
        assert not progress
        return iter(self)


def test_masks_of_fiftyone() -> None:
    samples = Samples(Sample(name, TRUE[at], PRED[at]) for at, name in enumerate("abcd"))
    run = evaluate_segmentations(samples, "predictions", eval_key="eval", metrics="mean_iou", read=CLASSES)
    expected = sm.evaluate(list(TRUE), list(PRED), metrics="mean_iou", read=CLASSES)
    assert run.scalars() == expected.scalars()
    assert [sample["eval_mean_iou"] for sample in samples] == [row["mean_iou"] for row in expected.items()]
    assert all(sample.saved for sample in samples)
    assert evaluate_segmentations(samples, "predictions").names == ("a", "b", "c", "d")
    samples[1]["predictions"] = None
    with pytest.raises(InputError, match=r"sample b \(b\.png\) has no mask in the field predictions"):
        evaluate_segmentations(samples, "predictions")
    samples[1]["predictions"] = Label(np.zeros((2, 2, 3), int))
    with pytest.raises(InputError, match="expected labels"):
        evaluate_segmentations(samples, "predictions")
