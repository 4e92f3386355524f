"""What the user states goes before the protocol, that before the defaults; and changes are named."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import segmetry as sm
from segmetry.errors import OptionError, UnknownNameError
from segmetry.protocols.modified import protocol_header
from segmetry.protocols.protocol import PROTOCOLS, Protocol
from segmetry.report.column_blocks import ColumnBlock
from segmetry.report.overview_data import headline_facts
from segmetry.run.settings import Settings
from tests.protocols.small_data_sets import small_data_set

COCO = PROTOCOLS["coco-panoptic"]
CLASSES = {1: "car", 2: "sky"}


def sides(n: int = 2) -> tuple[dict[str, Any], dict[str, Any]]:
    numbers = np.random.default_rng(n)
    true, pred = (
        {f"{at}": sm.LabelArray(numbers.integers(0, 3, (4, 5)), classes=CLASSES) for at in range(n)} for _ in range(2)
    )
    return true, pred


@pytest.fixture
def mine() -> Iterator[Protocol]:
    """A protocol that states something about everything, and is the default of a format."""
    protocol = replace(
        COCO,
        name="mine",
        formats=("npy",),
        metrics=("pq", "surface_dice"),
        options={"surface_dice": {"tolerance": 2}},
        reading={"void": 9},
        policy="strict-void",
        rule="iou(above=3/4)",
        also=("theta_and",),
        undefined=0.0,
        groups={"things": ("car",)},
    )
    PROTOCOLS.declare("mine", protocol)
    yield protocol
    del PROTOCOLS._declared["mine"]
    PROTOCOLS._sorted = None


def test_a_protocol_sets_everything_it_states(mine: Protocol) -> None:
    run = sm.evaluate(*sides(), protocol=mine)
    settings = run.settings
    assert (settings.protocol, settings.modified, run.modified) == ("mine", (), ())
    assert (settings.rule, settings.also, settings.policy) == ("iou(above=3/4)", ("theta_and",), "strict-void")
    assert settings.metrics == ("pq", "surface_dice")
    assert settings.options == {"surface_dice": {"tolerance": 2}}
    assert (settings.undefined, settings.groups) == (0.0, {"things": ("car",)})


def test_its_reading_applies_to_arrays_and_not_to_segmentations(mine: Protocol) -> None:
    arrays = [{"a": np.array([[1, 1, 2, last]])} for last in (9, 2)]
    options: dict[str, Any] = {"groups": {}, "metrics": "sq"}
    read = sm.evaluate(*arrays, protocol="mine", **options)
    assert read.settings.reading == {"void": 9} and read.items()[0]["pq"] == 1.0
    assert sm.evaluate([np.array([[1, 9]])], [np.array([[1, 1]])], protocol="mine", **options).items()[0]["pq"] == 1.0
    made = [{"a": sm.LabelArray(side["a"])} for side in arrays]
    run = sm.evaluate(*made, protocol="mine", **options)
    assert run.settings.reading == {} and run.items()[0]["pq"] < 1
    assert run.modified == ("groups",)


def test_a_protocol_that_is_not_registered_is_an_error(mine: Protocol) -> None:
    for other in (replace(mine, rule=None), replace(mine, name="yours")):
        with pytest.raises(OptionError, match="declare it under a name of its own"):
            sm.evaluate(*sides(), protocol=other)


def test_what_is_stated_overrides_it_and_is_recorded() -> None:
    run = sm.evaluate(*sides(), protocol="coco-panoptic", rule="theta_and", undefined=1, metrics="rand_index")
    assert run.settings.rule == "theta_and" and run.settings.undefined == 1
    assert run.modified == ("rule", "undefined")
    assert [metric.key for metric in run.metrics] == ["pq", "sq", "rq", "rand_index"]
    header = COCO.header.replace("at IoU > 0.5", "by majority overlap (θ&)")
    assert run.header == f"coco-panoptic: {header}; modified: rule, undefined"


def test_stating_what_the_protocol_says_changes_nothing() -> None:
    same: dict[str, Any] = {"rule": "theta_plus", "policy": "coco", "classes": "match", "undefined": float("nan")}
    assert sm.evaluate(*sides(), protocol="coco-panoptic", **same).modified == ()


def test_an_option_of_a_metric_is_named_with_its_metric() -> None:
    spans = {"a": sm.Spans.from_masses([3, 2, 4])}, {"a": sm.Spans.from_masses([2, 3, 4])}
    protocol = replace(COCO, name="lines", metrics=("pk",), options={"pk": {"k": 2}}, policy=None, rule=None)
    PROTOCOLS.declare("lines", protocol)
    try:
        assert sm.evaluate(*spans, protocol="lines").modified == ()
        assert sm.evaluate(*spans, protocol="lines", options={"pk": {"k": 2, "padded": False}}).modified == ()
        changed = sm.evaluate(*spans, protocol="lines", options={"pk": {"k": 3}}, metrics="window_diff")
        assert changed.modified == ("pk.k",)
        assert changed.settings.options == {"pk": {"k": 3}}
        other = sm.evaluate(*spans, protocol="lines", options={"window_diff": {"k": 3}}, metrics="window_diff")
        assert other.modified == ()
    finally:
        del PROTOCOLS._declared["lines"]
        PROTOCOLS._sorted = None


def test_a_format_has_its_protocol_and_leaves_the_metrics_to_the_user(tmp_path: Path, mine: Protocol) -> None:
    for side, labels in (("true", [[1, 1, 2, 9]]), ("pred", [[1, 1, 2, 2]])):
        np.save(tmp_path / f"{side}.npy", np.array(labels))
    paths = tmp_path / "true.npy", tmp_path / "pred.npy"
    run = sm.evaluate(*paths, groups={}, metrics="pq,sq")
    assert run.settings.protocol == "mine" and run.protocol is mine
    assert run.settings.reading == {"void": 9}
    assert run.modified == ("groups",)
    assert [metric.key for metric in run.metrics] == ["pq", "sq"] and run.settings.options == {}
    assert run.items()[0]["pq"] == 1.0  # the void element does not count
    without = sm.evaluate(*paths, groups={}, metrics="pq", read={"void": 7}, policy="none")
    assert without.modified == ("policy", "groups", "void")
    assert without.items()[0]["pq"] < 1


def test_coco_panoptic_is_the_protocol_of_its_format(tmp_path: Path) -> None:
    folder = tmp_path / "gtFine"
    folder.mkdir()
    Image.fromarray(np.array([[7, 7, 26001]], dtype=np.uint16)).save(folder / "a_gtFine_instanceIds.png")
    run = sm.evaluate(folder, folder, format="cityscapes")
    assert run.protocol is COCO and run.modified == ()
    assert run.settings.metrics == ("pq", "sq", "rq")
    assert run.settings.policy == "coco"


def test_without_a_protocol_nothing_is_modified() -> None:
    run = sm.evaluate(*sides(), metrics="pq", rule="theta_and")
    assert (run.protocol, run.modified, run.header) == (None, (), None)


def test_rescoring_names_what_it_changes() -> None:
    run = sm.evaluate(*sides(), protocol="coco-panoptic")
    other = run.rescore("theta_and")
    assert other.modified == ("rule",) and other.protocol is COCO
    assert other.rescore("theta_plus").modified == ()
    assert run.rescore(policy="none").modified == ("policy",)


def test_a_file_keeps_the_protocol(tmp_path: Path) -> None:
    path = tmp_path / "run.segm"
    sm.evaluate(*sides(), protocol="coco-panoptic", classes="ignore", out=path).close()
    run = sm.Run.open(path)
    assert run.protocol is COCO and run.modified == ("classes",)
    again = sm.evaluate(*sides(), protocol="coco-panoptic", classes="ignore", out=path, resume=True)
    assert again.content_digest() == run.content_digest()
    with pytest.raises(sm.SegmetryError, match="protocol was 'coco-panoptic' and is now None"):
        sm.evaluate(*sides(), classes="ignore", policy="coco", metrics="pq,sq,rq", out=path, resume=True)


def test_a_protocol_that_is_not_installed_keeps_what_was_modified() -> None:
    values = json.loads(sm.evaluate(*sides(), protocol="coco-panoptic", rule="theta_and").settings.as_json())
    settings = Settings.from_json(json.dumps({**values, "protocol": "of a plug-in"}))
    assert settings.changed(policy="none").modified == ("rule",)


def test_an_unknown_protocol_is_an_error() -> None:
    with pytest.raises(UnknownNameError, match="there is no protocol 'coco-panoptik'; did you mean coco-panoptic"):
        sm.evaluate(*sides(), protocol="coco-panoptik")


def test_the_protocol_of_a_format_says_how_its_files_are_read(tmp_path: Path) -> None:
    """Turns end where they end: the recordings of diarization need no stated length."""
    for name, end in (("true", 5), ("pred", 4)):
        (tmp_path / f"{name}.rttm").write_text(f"SPEAKER a 1 0 {end} <NA> <NA> {name} <NA> <NA>\n")
    run = sm.evaluate(tmp_path / "true.rttm", tmp_path / "pred.rttm", engine="serial")
    assert run.summary()["der"]["pooled"].value == 1 / 5


def test_the_header_says_what_was_used() -> None:
    true, pred = small_data_set("coco-panoptic")
    options: dict[str, Any] = {"protocol": "coco-panoptic", "rule": "theta_and", "policy": "none"}
    run = sm.evaluate(true, pred, engine="serial", **options)
    scores = sm.score(next(iter(true.values())), next(iter(pred.values())), **options)
    assert run.header == (
        "coco-panoptic: segments matched within their class by majority overlap (θ&); policy none; "
        "counts of the data set, then mean over classes; modified: rule, policy"
    )
    assert scores.header == run.header
    nothing: Any = {"low": None, "high": None, "problem": None, "detectable": None}
    assert headline_facts(run, ColumnBlock(), nothing)["protocol"] == "coco-panoptic; modified: rule, policy"


@pytest.mark.parametrize("name", sorted(name for name, one in PROTOCOLS.items() if one.rule is not None))
def test_no_header_names_a_rule_that_was_not_used(name: str) -> None:
    words = protocol_header(PROTOCOLS[name], ["rule"], "iou(above=3/4)", "none")
    assert "0.5" not in words and "IoU > 3/4" in words
