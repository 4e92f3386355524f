"""What a file may mean in more than one way is said, with the option that states the other meaning.

One test for each way in which data were once misread without a word.
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

import segmetry as sm
from segmetry.errors import ClassesError
from tests.cli.running import Outcome, Runner

Labels = NDArray[np.uint8]
IGNORED = 255


def write_images(folder: Path, images: dict[str, list[Labels]]) -> list[Path]:
    """Write the images of each side to a folder of its name."""
    for side, labels in images.items():
        (folder / side).mkdir()
        for at, one in enumerate(labels):
            Image.fromarray(one).save(folder / side / f"{at}.png")
    return [folder / side for side in images]


def class_images(n: int = 4, n_classes: int = 6, *, ignored: bool = False) -> dict[str, list[Labels]]:
    """Class maps of blocks; the prediction has some elements wrong, and the truth may have some that are ignored."""
    numbers = np.random.default_rng(3)
    images: dict[str, list[Labels]] = {"t": [], "p": []}
    for _ in range(n):
        true = np.kron(numbers.integers(0, n_classes, (6, 6)), np.ones((8, 8), int)).astype(np.uint8)
        wrong = numbers.random(true.shape) < 0.2
        images["p"].append(np.where(wrong, numbers.integers(0, n_classes, true.shape), true).astype(np.uint8))
        true[: 4 * ignored] = IGNORED
        images["t"].append(true)
    return images


def value(outcome: Outcome, key: str, average: str) -> float:
    """Return a score of the first rule that was written as JSON."""
    assert outcome.code == 0, outcome.err
    found: float = outcome.first_rule["scores"][key][average]["value"]
    return found


@pytest.mark.parametrize(("n", "says"), [(1, "label 255 is only in true"), (4, "255 in the truth only")])
def test_class_maps_with_ignored_elements(n: int, says: str, segmetry: Runner, tmp_path: Path) -> None:
    sides = write_images(tmp_path, class_images(n, ignored=True))
    noted = segmetry("score", *sides).err
    assert says in noted and "--protocol semantic" in noted and "--void 255" in noted
    for option in (("--protocol", "semantic"), ("--void", "255", "--labels", "instances")):
        assert segmetry("score", *sides, *option).err == ""


def test_classes_with_255_or_without_0(segmetry: Runner, tmp_path: Path) -> None:
    sides = write_images(tmp_path, class_images(ignored=True))
    noted = segmetry("score", *sides, "--labels", "classes").err.splitlines()
    assert len(noted) == 2 and "class 255 is only in true" in noted[0] and "label 0 is outside" in noted[1]
    assert segmetry("score", *sides, "--labels", "classes", "--void", "255", "--no-outside").err == ""


def test_white_masks(segmetry: Runner, tmp_path: Path) -> None:
    mask = np.zeros((40, 40), np.uint8)
    mask[3:10, 4:12] = mask[20:30, 20:35] = IGNORED
    sides = write_images(tmp_path, {"t": [mask] * 2, "p": [np.roll(mask, 2, axis=1)] * 2})
    call = ("score", *sides, "--metrics", "n_matched", "--json", "-")
    noted = segmetry(*call)
    assert (
        value(noted, "n_matched", "pooled") == 2 and "--components 8" in noted.err and "--labels classes" in noted.err
    )
    apart = segmetry(*call, "--components", "8")
    assert value(apart, "n_matched", "pooled") == 4 and apart.err == ""


def test_a_stack_of_masks(segmetry: Runner, tmp_path: Path) -> None:
    stack = np.zeros((2, 60, 60), np.uint8)
    stack[0, 5:20, 5:20] = stack[1, 25:55, 25:55] = 1
    np.save(tmp_path / "t.npy", stack)
    np.save(tmp_path / "p.npy", np.roll(stack, 2, axis=2)[::-1])
    call = ("score", tmp_path / "t.npy", tmp_path / "p.npy", "--metrics", "n_matched", "--json", "-")
    assert "--labels masks" in segmetry(*call).err
    masks = segmetry(*call, "--labels", "masks")
    assert value(masks, "n_matched", "pooled") == 2 and masks.err == ""


def test_the_same_files_on_both_sides(segmetry: Runner, tmp_path: Path) -> None:
    true, pred = write_images(tmp_path, class_images())
    assert "both sides are the same files" in segmetry("score", true, true, "--labels", "instances").err
    assert segmetry("score", true, pred, "--labels", "instances").err == ""


def test_metrics_of_classes_need_classes() -> None:
    true, pred = np.array([[1, 1, 2, 0]]), np.array([[1, 2, 2, 3]])
    with pytest.raises(ClassesError, match="the segments carry none"):
        sm.score(sm.LabelArray(true), sm.LabelArray(pred), protocol="semantic")
    assert sm.mean_iou(true, pred).value == pytest.approx((1 / 2 + 1 / 2 + 0) / 3), "a label is a class, and 0 is none"
    assert sm.dice(true, pred).value == pytest.approx((2 / 3 + 2 / 3 + 0) / 3), "the same convention"


@pytest.mark.peers
def test_metrics_of_classes_need_classes_of_tensors() -> None:
    torch = pytest.importorskip("torch")
    from segmetry.adapters.torchmetrics import Segmetry

    of_tensors = Segmetry("mean_iou")
    with pytest.raises(ClassesError, match="the segments carry none"):
        of_tensors.update(torch.tensor([[[1, 2, 2, 3]]]), torch.tensor([[[1, 1, 2, 0]]]))


def footprints(
    folder: Path, name: str, shift: float, *, scale: float, at: tuple[float, float], crs: str | None
) -> Path:
    """Squares of 20 m every 40 m; of those that are shifted, every sixth is missing."""
    squares = []
    for number in range(25):
        x, y = at[0] + scale * (number // 5 * 40 + shift), at[1] + scale * (number % 5 * 40)
        side = 20 * scale
        if not shift or number % 6:
            corners = [[x, y], [x + side, y], [x + side, y + side], [x, y + side], [x, y]]
            squares.append([[round(one, 7) for one in corner] for corner in corners])
    features = [
        {"type": "Feature", "properties": {}, "geometry": {"type": "Polygon", "coordinates": [one]}} for one in squares
    ]
    named = {} if crs is None else {"crs": {"type": "name", "properties": {"name": crs}}}
    (folder / name).write_text(json.dumps({"type": "FeatureCollection", **named, "features": features}))
    return folder / name


@pytest.mark.parametrize(
    ("scale", "at", "crs", "options"),
    [
        (1 / 111_320, (36.8, 0.0), None, ("--crs", "EPSG:4326")),
        (1, (5000, 3000), "EPSG:32737", ()),
    ],
    ids=["degrees", "metres"],
)
def test_small_footprints_of_maps(
    scale: float, at: tuple[float, float], crs: str | None, options: tuple[str, ...], segmetry: Runner, tmp_path: Path
) -> None:
    sides = [
        footprints(tmp_path, f"{name}.geojson", shift, scale=scale, at=at, crs=crs)
        for name, shift in (("t", 0), ("p", 2))
    ]
    call = ("score", *sides, "--protocol", "spacenet", *options)
    done = segmetry(*call)
    n_pred = 20
    assert f"{2 * n_pred / (25 + n_pred):.4f}" in done.out, (done.out, done.err)
    assert "m²" in done.lines[0]
    all_left_out = segmetry(*call, "--min-size", "500").err
    assert "in 1 item none of true is left" in all_left_out and "--min-size 0 keeps all" in all_left_out
    assert segmetry(*call, "--min-size", "0").lines[-2].split() == done.lines[-2].split()


def test_metrics_that_need_majority_overlap(segmetry: Runner, tmp_path: Path) -> None:
    """Two of four elements are shared, so IoU is 1/2: an additional pair, which only majority overlap has."""
    true, pred = sm.Spans.from_masses([3, 1]), sm.Spans.from_masses([1, 3])
    assert (
        sm.additional_pairs(true, pred).value == sm.score(true, pred, "pq,additional_pairs")["additional_pairs"].value
    )
    assert sm.additional_pairs(true, pred).value == 1
    for stated in (sm.additional_pairs(true, pred, rule="theta_plus"), sm.false_hits(true, pred, rule="theta_plus")):
        assert stated.value == 0, "what is stated is obeyed"
    assert sm.score(true, pred, "additional_pairs", rule="theta_plus")["additional_pairs"].value == 0
    run = sm.evaluate([true], [pred], metrics="additional_pairs")
    assert run.settings.rule == "theta_and" and run.summary()["additional_pairs"]["pooled"].value == 1
    with pytest.warns(sm.errors.DataWarning, match="additional_pairs: 0 in all data under IoU > 0.5; state --rule"):
        sm.evaluate([true], [pred], metrics="pq,additional_pairs")
    for name, masses in (("t", [3, 1]), ("p", [1, 3])):
        (tmp_path / f"{name}.json").write_text(json.dumps(masses))
    call = ("score", tmp_path / "t.json", tmp_path / "p.json", "--format", "masses", "--metrics")
    assert segmetry(*call, "pq,additional_pairs").err == "", "the table has both rules"
    assert value(segmetry(*call, "false_hits,additional_pairs", "--json", "-"), "additional_pairs", "pooled") == 1


def organs(folder: Path) -> list[Path]:
    """Three cases of two organs; of the third label the prediction has other elements and stray ones."""
    true = np.zeros((48, 48), np.uint8)
    true[5:20, 5:20], true[25:45, 8:40], true[2:5, 40:46] = 1, 2, 3
    pred = np.roll(true, 1, axis=1)
    pred[pred == 3] = 0
    pred[30:33, 42:46] = pred[2, 40] = 3
    return write_images(folder, {"t": [true] * 3, "p": [pred] * 3})


NAMES = {"hd95": "class_hausdorff95", "nsd": "class_surface_dice", "assd": "class_surface_distance"}


def test_names_of_fields_in_which_labels_are_classes(segmetry: Runner, tmp_path: Path) -> None:
    sides = organs(tmp_path)
    call = ("score", *sides, "--option", "nsd.tolerance=1", "--json", "-")
    for meaning in (("--labels", "classes", "--outside", "0"), ("--protocol", "nnunet")):
        scores = segmetry(*call, *meaning, "--metrics", ",".join(NAMES)).first_rule["scores"]
        assert set(NAMES.values()) <= set(scores) and not {"hausdorff95", "surface_dice"} & set(scores)
    true, pred = (sm.LabelArray.from_classes(np.asarray(Image.open(side / "0.png"))) for side in sides)
    assert scores["class_hausdorff95"]["by_class_of_items"]["value"] == sm.class_hausdorff95(true, pred).value > 1
    bounded = segmetry("score", *sides, "--protocol", "nnunet", "--metrics", "hd95", "--fail-under", "hd95=1")
    assert bounded.code == 3 and "class_hausdorff95" in bounded.err
    of_instances = segmetry("score", *sides, "--metrics", "hd95", "--labels", "instances", "--json", "-").first_rule
    assert "hausdorff95" in of_instances["scores"]


def test_penalties_among_distances_of_lesions(segmetry: Runner, tmp_path: Path) -> None:
    call = ("score", *organs(tmp_path), "--labels", "classes", "--outside", "0", "--metrics", "lesion_hausdorff95")
    assert "9 pairs, 3 spurious at 374 each" in segmetry(*call).out
    assert "3 spurious at 10 each" in segmetry(*call, "--option", "lesion_hausdorff95.missing=10").out


@pytest.mark.parametrize("n_classes", [51, 151])
def test_ade20k_of_predictions_that_count_from_1(n_classes: int, segmetry: Runner, tmp_path: Path) -> None:
    numbers = np.random.default_rng(1)
    true = [numbers.integers(0, n_classes, (40, 40)).astype(np.uint8) for _ in range(2)]
    sides = write_images(tmp_path, {"t": true, "p": [np.where(one == 0, 1, one).astype(np.uint8) for one in true]})
    call = ("score", *sides, "--protocol", "ade20k", "--json", "-")
    options = "--true-map 0:255 --num-classes 151"
    assert options in segmetry(*call).err
    right = segmetry(*call, *options.split())
    assert value(right, "mean_iou", "by_class") == 1 and right.err == ""


def test_tags_and_bits_have_the_protocol_of_their_field(segmetry: Runner, tmp_path: Path) -> None:
    (tmp_path / "t.conll").write_text("x B-PER\ny I-PER\nz O\n\nw B-LOC\nv O\n")
    (tmp_path / "p.conll").write_text("x B-PER\ny O\nz O\n\nw B-LOC\nv I-PER\n")
    entities = segmetry("score", tmp_path / "t.conll", tmp_path / "p.conll")
    assert "ner: an entity is found if" in entities.out
    assert "1 segment of tags that the scheme bio does not allow left out" in entities.err
    (tmp_path / "t.json").write_text('{"a": [1, 0, 0, 1, 0]}')
    (tmp_path / "p.json").write_text('{"a": [1, 0, 1, 0, 0]}')
    assert (
        "page-streams: documents are runs of pages" in segmetry("score", tmp_path / "t.json", tmp_path / "p.json").out
    )


def test_files_without_entities_have_no_score(segmetry: Runner, tmp_path: Path) -> None:
    (tmp_path / "t.conll").write_text("x O\ny O\n")
    done = segmetry("score", tmp_path / "t.conll", tmp_path / "t.conll")
    assert done.code == 0 and "no entity on either side" in done.out


def test_annotators_of_texts(segmetry: Runner, tmp_path: Path) -> None:
    for name, text in (("A", "one\ntwo\n==========\nthree"), ("B", "one\n==========\ntwo\nthree")):
        (tmp_path / f"{name}.choi").write_text(f"==========\n{text}\n==========\n")
    done = segmetry("agreement", tmp_path / "A.choi", tmp_path / "B.choi")
    assert done.code == 0 and "mean over texts" in done.out


@pytest.mark.parametrize("name", ["giou", "ciou"])
def test_what_referring_segmentation_calls_its_scores(name: str, segmetry: Runner) -> None:
    said = segmetry.refused("explain", name)
    assert "referring segmentation" in said and "iou.foreground=true" in said


def test_cumulative_iou_is_that_of_the_foreground_by_class(segmetry: Runner, tmp_path: Path) -> None:
    true = [np.array([[1, 1, 1, 1]], np.uint8), np.array([[1, 0, 0, 0]], np.uint8)]
    pred = [np.array([[1, 1, 1, 0]], np.uint8), np.array([[1, 1, 0, 0]], np.uint8)]
    sides = write_images(tmp_path, {"t": true, "p": pred})
    scores = segmetry("score", *sides, "--metrics", "iou", "--option", "iou.foreground=true", "--json", "-")
    values = {name: one["value"] for name, one in scores.first_rule["scores"]["iou"].items()}
    assert values["by_item"] == (3 / 4 + 1 / 2) / 2, "gIoU"
    assert values["by_class"] == (3 + 1) / (4 + 2), "cIoU"


def test_messages_of_the_command_line_name_no_function(segmetry: Runner, tmp_path: Path) -> None:
    sides = write_images(tmp_path, class_images(2))
    for metric in ("boundary_f1", "mean_iou"):
        said = segmetry.refused("score", *sides, "--metrics", metric, "--labels", "instances")
        assert not any(word in said for word in ("Spans.", "LabelArray", "objects in memory")), said


def test_a_metric_that_was_asked_for_and_is_undefined(segmetry: Runner, tmp_path: Path) -> None:
    sides = write_images(tmp_path, class_images(2))
    call = ("score", *sides, "--labels", "instances", "--rule", "iou(above=0.99)")
    asked = segmetry(*call, "--metrics", "hd95,n_matched")
    assert asked.code == 2 and "n_matched" in asked.out
    assert asked.err.startswith("segmetry: hausdorff95 was asked for and is undefined in the whole data set")
    assert segmetry(*call, "--metrics", "panoptic").code == segmetry(*call).code == 0, "a family, or none"


def test_objects_of_videos_are_neither_instances_nor_classes(segmetry: Runner, tmp_path: Path) -> None:
    images = class_images(4, 4)
    sides = []
    for folder, side in zip(("true", "pred"), write_images(tmp_path, images), strict=True):
        (tmp_path / folder).mkdir()
        sides.append(side.rename(tmp_path / folder / "video"))
    assert segmetry("score", *sides, "--protocol", "davis").err == ""
    assert "read as instances" in segmetry("score", *sides).err


def test_no_rows_of_errors_that_cannot_be(segmetry: Runner, tmp_path: Path) -> None:
    sides = write_images(tmp_path, class_images())
    segmetry("score", *sides, "--protocol", "semantic", "-o", tmp_path / "run.segm")
    kinds = [line.split()[0] for line in segmetry("diagnose", tmp_path / "run.segm").lines if line.split()]
    assert "confused" in kinds and not {"missed", "spurious"} & set(kinds)


def test_the_worst_classes_are_those_of_the_table(segmetry: Runner, tmp_path: Path) -> None:
    images = class_images(3, 6)
    images["p"][0][images["p"][0] == 5] = 0
    done = segmetry("score", *write_images(tmp_path, images), "--protocol", "nnunet", "--by-class")
    (line,) = (one for one in done.lines if one.startswith("Worst classes by Dice: "))
    label, number = line.removeprefix("Worst classes by Dice: ").split(",")[0].split()
    assert [row.split()[1] for row in done.lines if row.split()[:1] == [label]] == [number]


@pytest.mark.peers
def test_the_note_about_a_tensor_appears_once() -> None:
    torch = pytest.importorskip("torch")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for length in (4, 5, 6):
            volume = torch.ones((2, 3, length), dtype=torch.int64)
            sm.pq(volume, volume)
    assert len(caught) == 1 and "with 3 axes is compared as one item" in str(caught[0].message)
