"""Several crowd regions of one class in an image: the numbers of the COCO panoptic reference, and the repaired ones.

The reference is not on PyPI; its arithmetic is written down here from its published definition: a dictionary from class
to crowd region, so that a later region of a class replaces an earlier one.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

import segmetry as sm
from segmetry.errors import DataWarning
from tests.profiles import count

CLASSES = (3, 7, 9)
KEYS = ("pq", "sq", "rq")


class Listed(NamedTuple):
    """An image of ids (0 is void) and its segments as a file lists them: id, class, whether it is a crowd."""

    ids: NDArray[np.int64]
    segments: list[tuple[int, int, bool]]


def reference(pairs: list[tuple[Listed, Listed]], *, all_crowds: bool) -> dict[str, float]:
    """PQ, SQ and RQ over the classes that occur, pixel by pixel."""
    iou, tp, fp, fn = (dict.fromkeys(CLASSES, 0.0) for _ in range(4))
    for true, pred in pairs:
        matched_true, matched_pred = set(), set()
        areas = {number: int((pred.ids == number).sum()) for number, _, _ in pred.segments}
        for t, t_class, is_crowd in true.segments:
            for h, h_class, _ in pred.segments:
                inside = (pred.ids == h) & (true.ids == t)
                if is_crowd or t_class != h_class or not inside.any():
                    continue
                in_void = int(((pred.ids == h) & (true.ids == 0)).sum())
                union = int((true.ids == t).sum()) + areas[h] - int(inside.sum()) - in_void
                if int(inside.sum()) / union > 0.5:
                    tp[t_class] += 1
                    iou[t_class] += int(inside.sum()) / union
                    matched_true.add(t)
                    matched_pred.add(h)
        crowds: dict[int, list[int]] = {}
        for t, t_class, is_crowd in true.segments:
            if is_crowd:
                crowds[t_class] = [*crowds.get(t_class, []), t] if all_crowds else [t]
            elif t not in matched_true:
                fn[t_class] += 1
        for h, h_class, _ in pred.segments:
            if h in matched_pred:
                continue
            ignored = np.isin(true.ids, [0, *crowds.get(h_class, [])]) & (pred.ids == h)
            if int(ignored.sum()) / areas[h] <= 0.5:
                fp[h_class] += 1
    occurring = [name for name in CLASSES if tp[name] + fp[name] + fn[name]]
    by_class = [
        (
            iou[name] / (tp[name] + 0.5 * fp[name] + 0.5 * fn[name]),
            iou[name] / tp[name] if tp[name] else 0.0,
            tp[name] / (tp[name] + 0.5 * fp[name] + 0.5 * fn[name]),
        )
        for name in occurring
    ]
    return dict(zip(KEYS, np.mean(by_class, axis=0).tolist(), strict=True)) if by_class else {}


def random_image(rng: np.random.Generator, side: str, like: NDArray[np.int64] | None) -> Listed:
    ids = rng.integers(0, 8, size=(5, 6))
    if like is not None:
        ids = np.where(rng.random(like.shape) < 0.6, like, ids)
    listed = [int(number) for number in np.unique(ids) if number]
    rng.shuffle(listed)
    return Listed(ids, [(number, CLASSES[number % 3], side == "true" and rng.random() < 0.5) for number in listed])


def data_set(seed: int) -> list[tuple[Listed, Listed]]:
    rng = np.random.default_rng(seed)
    pairs = []
    for _ in range(int(rng.integers(1, 4))):
        true = random_image(rng, "true", None)
        pairs.append((true, random_image(rng, "pred", true.ids)))
    return pairs


def labelled(listed: Listed, side: str) -> sm.LabelArray:
    return sm.LabelArray(
        listed.ids,
        outside=None if side == "true" else 0,
        void=0 if side == "true" else None,
        classes={number: name for number, name, _ in listed.segments},
        crowd=[number for number, _, is_crowd in listed.segments if is_crowd],
    )


def scores(run: sm.Run) -> dict[str, float]:
    summary = run.summary()
    return {key: score.value for key in KEYS if (score := summary[key].over_data_set) is not None and score.is_defined}


@pytest.mark.filterwarnings("ignore::segmetry.errors.DataWarning")
def test_random_data_sets_equal_the_reference_and_its_repaired_form() -> None:
    """400 data sets in the thorough suite; a third of them have a different PQ when all crowds are honoured."""
    n_changed, total = 0, count(2)
    for seed in range(total):
        pairs = data_set(seed)
        sides = (
            {str(at): labelled(pair[side], word) for at, pair in enumerate(pairs)}
            for side, word in enumerate(("true", "pred"))
        )
        run = sm.evaluate(*sides, policy="coco", metrics="pq,sq,rq")
        expected = {all_crowds: reference(pairs, all_crowds=all_crowds) for all_crowds in (False, True)}
        assert scores(run) == pytest.approx(expected[False], abs=1e-12), seed
        assert scores(run.rescore(policy="coco-all-crowds")) == pytest.approx(expected[True], abs=1e-12), seed
        n_changed += expected[False] != expected[True]
    assert 5 * n_changed > total


def write(folder: Path, name: str, pairs: list[Listed]) -> Path:
    images = folder / name
    images.mkdir()
    for at, listed in enumerate(pairs):
        colours = np.stack((listed.ids % 256, listed.ids // 256 % 256, listed.ids // 65536), axis=-1).astype(np.uint8)
        Image.fromarray(colours).save(images / f"{at}.png")
    annotations = [
        {
            "image_id": at,
            "file_name": f"{at}.png",
            "segments_info": [
                {"id": number, "category_id": name, "iscrowd": int(is_crowd)}
                for number, name, is_crowd in listed.segments
            ],
        }
        for at, listed in enumerate(pairs)
    ]
    path = folder / f"{name}.json"
    categories = [{"id": name, "name": str(name), "isthing": 1} for name in CLASSES]
    path.write_text(json.dumps({"annotations": annotations, "categories": categories}))
    return path


def test_the_order_in_a_file_decides_and_survives_the_run_file(tmp_path: Path) -> None:
    """One crowd is on the prediction 5, the other elsewhere: listed last, the first one excuses it."""
    pred = Listed(np.array([[5, 5, 0, 0, 6, 6]]), [(5, 3, False), (6, 3, False)])
    values = {}
    for order in ((1, 2), (2, 1)):
        segments = [(number, 3, True) for number in order]
        true = Listed(np.array([[1, 1, 2, 2, 4, 4]]), [*segments, (4, 3, False)])
        folder = tmp_path / str(order[0])
        folder.mkdir()
        paths = write(folder, "truth", [true]), write(folder, "pred", [pred])
        out = folder / "run.segm"
        with pytest.warns(DataWarning, match="1 item has several crowd regions of one class") as caught:
            run = sm.evaluate(*paths, policy="coco", metrics="pq,sq,rq", out=out)
        values[order] = scores(run)["pq"]
        assert f"PQ is {values[order]:.5f}, with all of them 1.00000 (policy coco-all-crowds)" in str(caught[0].message)
        assert scores(sm.Run.open(out)) == scores(run)
        assert scores(sm.Run.open(out).rescore(policy="coco-all-crowds"))["pq"] == 1
        assert values[order] == reference([(true, pred)], all_crowds=False)["pq"]
    assert values == {(1, 2): pytest.approx(2 / 3), (2, 1): 1.0}


def test_crowds_of_different_classes_or_of_different_images_are_no_reason_for_a_note(recwarn: Any) -> None:
    image = Listed(np.array([[1, 1, 2, 2, 4, 4]]), [(1, 3, True), (2, 7, True), (4, 3, False)])
    other = Listed(image.ids, [(1, 3, False), (2, 7, False), (4, 3, False)])
    items = ({name: labelled(side, word) for name in "ab"} for side, word in ((image, "true"), (other, "pred")))
    sm.evaluate(*items, policy="coco", metrics="pq")
    assert not recwarn.list


@pytest.mark.filterwarnings("ignore::segmetry.errors.DataWarning")
def test_one_image_has_the_numbers_that_the_reference_prints_for_it() -> None:
    """The scores of one image are means over its classes; in a run, too."""
    for seed in range(count(10)):
        pairs = data_set(seed)
        sides = [
            {str(at): labelled(pair[side], word) for at, pair in enumerate(pairs)}
            for side, word in enumerate(("true", "pred"))
        ]
        rows = sm.evaluate(*sides, metrics=KEYS, policy="coco").items()
        for at, pair in enumerate(pairs):
            expected = reference([pair], all_crowds=False)
            true, pred = (side[str(at)] for side in sides)
            for key, value in expected.items():
                assert sm.list_metrics()[key](true, pred, policy="coco").value == pytest.approx(value, abs=1e-12)
                assert rows[at][key] == pytest.approx(value, abs=1e-12)
            assert expected or rows[at]["pq"] is None
