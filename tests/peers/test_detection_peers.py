"""Average precision against pycocotools on random data sets with crowds, ties, several classes and several images."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import segmetry as sm
from tests.metrics.detection.data_sets import over

pytestmark = [pytest.mark.peers, pytest.mark.filterwarnings("ignore::segmetry.errors.DataWarning")]

Image = tuple[sm.Masks, sm.Masks]
SHAPE = (14, 11)


def random_mask(rng: np.random.Generator) -> NDArray[np.bool_]:
    mask = np.zeros(SHAPE, dtype=bool)
    (top, bottom), (left, right) = (np.sort(rng.integers(0, size + 1, 2)) for size in SHAPE)
    mask[top : bottom + 1, left : right + 1] = True
    return mask


def wobbled(rng: np.random.Generator, mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Shifted a little, a few elements flipped."""
    moved = np.roll(mask, rng.integers(-1, 2, 2), axis=(0, 1)) if rng.integers(2) else mask.copy()
    moved[rng.random(SHAPE) < rng.choice([0, 0.02, 0.1])] ^= True
    return moved


def random_image(rng: np.random.Generator, n_classes: int, most: int = 6) -> Image:
    trues = [random_mask(rng) for _ in range(rng.integers(0, most))]
    preds = [wobbled(rng, trues[rng.integers(len(trues))]) for _ in range(rng.integers(0, most + 2)) if trues]
    preds += [random_mask(rng) for _ in range(rng.integers(0, 2))]
    crowd = [at + 1 for at in range(len(trues)) if rng.random() < 0.15]

    def stack(masks: list[NDArray[np.bool_]], **facts: Any) -> sm.Masks:
        classes = rng.integers(1, n_classes + 1, len(masks)).tolist()
        return sm.Masks.from_dense(np.array(masks, dtype=bool).reshape((len(masks), *SHAPE)), classes=classes, **facts)

    return stack(trues, crowd=crowd), stack(preds, scores=rng.integers(0, 6, len(preds)) / 8)


def pycocotools_ap(images: list[Image], n_classes: int, **params: Any) -> float:
    """The mean over all entries of the reference's precision array that are not -1; NaN where there are none."""
    from pycocotools import mask as rle
    from pycocotools.coco import COCO
    from pycocotools.cocoeval import COCOeval

    def encoded(mask: NDArray[np.bool_]) -> Any:
        return rle.encode(np.asfortranarray(mask.astype(np.uint8)))

    truth, results = [], []
    for number, (true, pred) in enumerate(images, start=1):
        assert true.classes is not None and pred.classes is not None and pred.scores is not None
        for label, mask in zip(true.ids.tolist(), true.dense(), strict=True):
            truth.append(
                {
                    "id": len(truth) + 1,
                    "image_id": number,
                    "category_id": true.classes[label],
                    "segmentation": encoded(mask),
                    "area": int(mask.sum()),
                    "bbox": [0, 0, 1, 1],
                    "iscrowd": int(label in true.crowd),
                }
            )
        for label, mask, score in zip(pred.ids.tolist(), pred.dense(), pred.scores.tolist(), strict=True):
            results.append(
                {"image_id": number, "category_id": pred.classes[label], "segmentation": encoded(mask), "score": score}
            )
    coco = COCO()
    coco.dataset = {
        "info": {},
        "images": [{"id": number + 1, "height": SHAPE[0], "width": SHAPE[1]} for number in range(len(images))],
        "annotations": truth,
        "categories": [{"id": number + 1, "name": str(number)} for number in range(n_classes)],
    }
    coco.createIndex()
    evaluation = COCOeval(coco, coco.loadRes(results), "segm")
    for name, value in params.items():
        setattr(evaluation.params, name, value)
    evaluation.evaluate()
    evaluation.accumulate()
    precision = evaluation.eval["precision"][:, :, :, 0, -1]
    known = precision[precision > -1]
    return float(known.mean()) if known.size else float("nan")


def data_set(seed: int, **facts: int) -> tuple[list[Image], int]:
    rng = np.random.default_rng(seed)
    n_classes = int(rng.integers(1, 4))
    images = [random_image(rng, n_classes, **facts) for _ in range(rng.integers(1, 6))]
    if not any(len(pred.ids) for _, pred in images):
        return data_set(seed + 10_000, **facts)
    return images, n_classes


@pytest.mark.parametrize("seed", range(250))
def test_average_precision_of_a_data_set_equals_pycocotools(seed: int) -> None:
    images, n_classes = data_set(seed)
    found = over(images)
    assert found.value == pytest.approx(pycocotools_ap(images, n_classes), abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("seed", range(30))
def test_one_image_few_detections_one_threshold(seed: int) -> None:
    images, n_classes = data_set(seed)
    image = next(pair for pair in images if pair[1].ids.size)
    found = sm.average_precision(*image, thresholds="0.6", max_detections=2)
    params = {"iouThrs": np.array([0.6]), "maxDets": [1, 1, 2]}
    assert found.value == pytest.approx(pycocotools_ap([image], n_classes, **params), abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("seed", range(30))
def test_exact_recall_points_equal_pycocotools_with_those_points(seed: int) -> None:
    images, n_classes = data_set(seed, most=12)
    found = over(images, recall_points="exact")
    expected = pycocotools_ap(images, n_classes, recThrs=np.arange(101) / 100)
    assert found.value == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_equal_ious_take_the_last_true_mask_as_in_pycocotools() -> None:
    def bars(*spans: tuple[int, int], **facts: Any) -> sm.Masks:
        stack = np.zeros((len(spans), *SHAPE), dtype=bool)
        for mask, (start, stop) in zip(stack, spans, strict=True):
            mask[start:stop, 0] = True
        return sm.Masks.from_dense(stack, classes=[1] * len(spans), **facts)

    pred = bars((2, 6), (5, 8), scores=[0.9, 0.8])
    for true, value in ((bars((0, 4), (4, 8)), 51 / 101), (bars((4, 8), (0, 4)), 1)):
        assert sm.average_precision(true, pred, thresholds="0.3").value == value
        assert pycocotools_ap([(true, pred)], 1, iouThrs=np.array([0.3])) == pytest.approx(value)


def test_named_difference_recall_points_just_above_a_hundredth() -> None:
    """The reference's 36th recall point is 0.35000000000000003: a recall of 7/20 does not reach it."""
    stack = np.zeros((20, *SHAPE), dtype=bool)
    for at in range(20):
        stack[at, at // 2, at % 2] = True
    false = np.zeros((1, *SHAPE), dtype=bool)
    false[0, -1, -1] = True
    true = sm.Masks.from_dense(stack, classes=[1] * 20)
    scores = [0.9] * 7 + [0.8] + [0.7] * 13
    pred = sm.Masks.from_dense(np.concatenate((stack[:7], false, stack[7:])), classes=[1] * 21, scores=scores)
    reference = pycocotools_ap([(true, pred)], 1)
    assert sm.average_precision(true, pred).value == pytest.approx(reference, abs=1e-12)
    exact = sm.average_precision(true, pred, recall_points="exact").value
    assert exact - reference == pytest.approx((1 - 20 / 21) / 101)
