"""Small examples of internal functions in protocols/."""

from __future__ import annotations

import segmetry as sm
from segmetry.protocols.instances.coco_instances import coco_line
from segmetry.protocols.modified import _shortened, modified_settings, plain, protocol_header
from segmetry.protocols.protocol import PROTOCOLS, Heading, as_protocol, cell_words, default_policy, protocol_of_format
from segmetry.protocols.protocol_cells import cell_of_name, metric_cell, protocol_table
from segmetry.results.number_format import NumberStyle


def test_the_example_of_coco_line() -> None:
    assert (
        coco_line({"thresholds": None, "size": "small", "max_detections": 100}, value="AP")
        == "AP @[ IoU=0.50:0.95 | area= small | maxDets=100 ]"
    )


def test_the_example_of_modified_settings() -> None:
    assert modified_settings(PROTOCOLS["coco-panoptic"], {"policy": "coco", "rule": "theta_and"}) == ("rule",)


def test_the_example_of_plain() -> None:
    assert (plain((1, 2)), plain({"b", "a"})) == ([1, 2], ["a", "b"])


def test_the_example_of_protocol_header() -> None:
    assert (
        protocol_header(PROTOCOLS["coco-panoptic"], ["rule", "policy"], "iou(above=3/4)", "none")[:72]
        == "coco-panoptic: segments matched within their class by IoU > 3/4; policy "
    )


def test_the_example_of_shortened() -> None:
    assert _shortened(("rule", "ap50.iou_type", "ap75.iou_type", "ap50.limit")) == ("rule", "iou_type", "ap50.limit")


def test_the_example_of_cell_words() -> None:
    assert cell_words(Heading("mean over cases", average="by_item"), Heading("Dice", key="dice")) == {
        "name": "Dice",
        "of": "mean over cases",
    }


def test_the_example_of_as_protocol() -> None:
    assert as_protocol("coco-panoptic").policy == "coco"


def test_the_example_of_protocol_of_format() -> None:
    assert protocol_of_format("coco-panoptic").policy == "coco"
    assert protocol_of_format("png") is None


def test_the_example_of_default_policy() -> None:
    assert (default_policy("cityscapes"), default_policy("npy")) == ("coco", None)


def test_the_example_of_metric_cell() -> None:
    assert (
        metric_cell("pq", numbers=NumberStyle(1, percent=True)).text(0.12345),
        metric_cell("n_matched").text(12.0),
    ) == ("12.3", "12")
    assert [metric_cell("n_matched", "by_item").text(mean) for mean in (4.0, 13.5)] == ["4.0000", "13.5000"]


def test_the_example_of_protocol_table() -> None:
    true, pred = ({"a": sm.LabelArray([labels], classes={1: "car", 2: "sky"})} for labels in ([1, 1, 2], [1, 1, 0]))
    run = sm.evaluate(true, pred, protocol="coco-panoptic")
    assert (
        str(protocol_table(run.protocol, run.data))
        == "coco-panoptic\n       PQ    SQ    RQ  N\n────────────────────────\nAll  50.0  50.0  50.0  2"
    )


def test_the_example_of_cell_of_name() -> None:
    run = sm.evaluate({"a": [[1, 1, 2]]}, {"a": [[1, 1, 2]]}, protocol="stardist")
    names = ("accuracy", "IoU ≥ 0.3/accuracy", "segment_accuracy", "segment_accuracy.by_class")
    cells = [cell_of_name(name, run.data, run.protocol) for name in names]
    assert [(cell.words, cell.average, cell.show) for cell in cells] == [
        ("accuracy (IoU ≥ 0.5)", "pooled", ("thresholds", "0.5")),
        ("accuracy (IoU ≥ 0.3)", "pooled", ("thresholds", "0.3")),
        ("accuracy (IoU ≥ 0.5)", "pooled", ("thresholds", "0.5")),
        ("accuracy (mean over classes)", "by_class", "value"),
    ]
