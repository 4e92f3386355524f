"""``segmetry protocols``, ``explain`` of a protocol, and ``score --protocol``."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import segmetry as sm
from segmetry.protocols.decisions import decisions_of, differences_words
from segmetry.protocols.protocol import PROTOCOLS
from tests.cli.running import Runner


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    np.save(tmp_path / "true.npy", np.array([[1, 1, 2, 0]]))
    np.save(tmp_path / "pred.npy", np.array([[1, 1, 0, 2]]))
    return tmp_path


def test_the_list_names_every_protocol_and_its_reference(segmetry: Runner) -> None:
    listing = segmetry("protocols").out
    rows = {row["name"]: row for row in json.loads(segmetry("protocols", "--json").out)["protocols"]}
    assert set(rows) == set(PROTOCOLS)
    for name, protocol in PROTOCOLS.items():
        assert name in listing
        assert rows[name]["reference"]["package"] == protocol.reference.package
        assert rows[name]["metrics"] == list(protocol.metrics)
        assert rows[name]["prints"]


@pytest.mark.parametrize("name", sorted(PROTOCOLS))
def test_a_page_has_every_decision(name: str, segmetry: Runner) -> None:
    page = " ".join(segmetry("explain", name).out.split())
    protocol = PROTOCOLS[name]
    for sentence in (*protocol.decisions, *protocol.exceptions, protocol.summary):
        assert " ".join(sentence.split()) in page
    assert all(one.sentence in page for one in decisions_of(protocol))
    assert all(f"- {other}: {differences_words(protocol, PROTOCOLS[other])}" in page for other in protocol.neighbours)
    assert str(protocol.reference) in page
    assert all(f"[{key}]" in page or str(key) in page for key in protocol.citation)


def test_a_near_miss_names_the_protocol(segmetry: Runner) -> None:
    assert "did you mean coco-panoptic?" in segmetry.refused("explain", "coco-panoptik")
    assert "there is no protocol 'x'" in segmetry.refused("score", "a", "b", "--protocol", "x")


def test_a_protocol_from_the_command_line_and_from_a_file(segmetry: Runner, folder: Path) -> None:
    sides = [str(folder / "true.npy"), str(folder / "pred.npy")]
    out = folder / "run.segm"
    segmetry(
        "score", *sides, "--protocol", "coco-panoptic", "--undefined", "1", "--out", str(out), "--classes", "ignore"
    )
    run = sm.Run.open(out)
    assert run.settings.protocol == "coco-panoptic"
    assert run.settings.metrics == ("pq", "sq", "rq")
    assert run.modified == ("classes", "undefined")
    (folder / "options.toml").write_text('protocol = "coco-panoptic"\nclasses = "ignore"\n')
    segmetry("score", *sides, "--config", str(folder / "options.toml"), "--out", str(folder / "other.segm"))
    assert sm.Run.open(folder / "other.segm").modified == ("classes",)
