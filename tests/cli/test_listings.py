"""``segmetry explain``, ``metrics`` and ``formats``."""

from __future__ import annotations

import json

import pytest

from segmetry.metrics.declare import METRICS
from segmetry.readers.reader import READERS
from tests.cli.running import Runner


@pytest.mark.parametrize("key", list(METRICS))
def test_every_metric_is_explained(key: str, segmetry: Runner) -> None:
    result = segmetry("explain", key)
    assert (result.code, result.err) == (0, "")
    assert result.lines[0].startswith(f"{key} (")


def test_metrics_are_listed_by_family(segmetry: Runner) -> None:
    everything = json.loads(segmetry("metrics", "--json").out)
    assert {entry["key"] for entry in everything} == set(METRICS)
    panoptic = json.loads(segmetry("metrics", "--json", "--family", "panoptic").out)
    assert {entry["family"] for entry in panoptic} == {"panoptic"}
    table = segmetry("metrics", "--family", "panoptic")
    assert table.code == 0 and max(map(len, table.lines)) <= 80
    assert "weighted_precision" in table.out, "keys are not cut, so that they can be copied"


def test_formats_are_listed(segmetry: Runner) -> None:
    result = segmetry("formats")
    assert result.code == 0 and max(map(len, result.lines)) <= 80
    for name in READERS:
        assert any(line.startswith(f" {name} ") for line in result.lines)
    assert "kernels" in result.lines[-1]
