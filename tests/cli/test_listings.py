"""``segmetry explain``, ``metrics``, ``rules`` and ``formats``."""

from __future__ import annotations

import json

import pytest

from segmetry._base.bibliography import parse, references
from segmetry.alignments.candidates import RULES
from segmetry.cli.listing import ListedEntry, with_words
from segmetry.metrics.declare import METRICS
from segmetry.readers.reader import READERS
from tests.cli.running import Runner


@pytest.mark.parametrize("key", list(METRICS))
def test_every_metric_is_explained(key: str, segmetry: Runner) -> None:
    result = segmetry("explain", key)
    assert (result.code, result.err) == (0, "")
    assert result.lines[0].startswith(f"{key} (")


def test_metrics_are_listed_by_family(segmetry: Runner) -> None:
    formats = json.loads(segmetry("formats", "--json").out)
    assert (formats["schema"], formats["version"]) == ("formats", 1) and "nifti" in str(formats["formats"]).lower()
    everything = json.loads(segmetry("metrics", "--json").out)["metrics"]
    assert {entry["key"] for entry in everything} == set(METRICS)
    panoptic = json.loads(segmetry("metrics", "--json", "--family", "panoptic").out)["metrics"]
    assert {entry["family"] for entry in panoptic} == {"panoptic"}
    table = segmetry("metrics", "--family", "panoptic")
    assert table.code == 0 and max(map(len, table.lines)) <= 80
    assert "weighted_precision" in table.out, "keys are not cut, so that they can be copied"


def test_formats_are_listed(segmetry: Runner) -> None:
    result = segmetry("formats")
    assert result.code == 0 and max(map(len, result.lines)) <= 80
    for name in READERS:
        assert any(line.startswith(f"  {name} ") for line in result.lines)
    assert "kernels" in result.lines[-1]


@pytest.mark.parametrize(("what", "words", "first", "n"), [
    ("metrics", ["dice"], "dice", None), ("metrics", ["Hausdorff"], "hausdorff95", None),
    ("protocols", ["cells"], "cellpose", 8), ("protocols", ["nuclei", "histology"], "conic", 3),
    ("formats", ["nifti"], "nifti", None),
])  # fmt: skip
def test_words_search_a_listing(what: str, words: list[str], first: str, n: int | None, segmetry: Runner) -> None:
    result = segmetry(what, *words)
    assert result.code == 0 and max(map(len, result.lines)) <= 80
    names = [line.split()[0] for line in result.lines if line.startswith("  ") and line[2] != " "]
    assert first in names[:5] and n in (None, len(names))
    assert len(names) < len(segmetry(what).lines) and result.lines[0].startswith(f"{len(names)} of ")


def test_words_that_nothing_has_are_an_error(segmetry: Runner) -> None:
    assert "no protocol has the words 'zzz'" in segmetry.refused("protocols", "zzz")


def test_rules_are_listed_with_their_guarantees(segmetry: Runner) -> None:
    listed = {entry["name"]: entry for entry in json.loads(segmetry("rules", "--json").out)["rules"]}
    assert set(listed) == set(RULES)
    assert listed["iou"]["parameters"] == {"above": None, "at_least": None}
    assert listed["greedy"]["parameters"]["weight"] == "iou"
    facts = {example["rule"]: example for entry in listed.values() for example in entry["examples"]}
    assert facts["theta_plus"] == {
        "rule": "theta_plus",
        "one_to_one": True,
        "least_iou": "1/2",
        "least_iou_included": False,
    }
    half = facts["iou(at_least=1/2)"]
    assert (half["one_to_one"], half["least_iou"], half["least_iou_included"]) == (False, "1/2", True)
    table = segmetry("rules")
    assert table.code == 0 and max(map(len, table.lines)) <= 80
    assert all(rule in table.out for rule in facts)
    assert "\ntheta_plus (Kirillov et al. 2019)\n" in table.out


@pytest.mark.parametrize("name", list(RULES))
def test_every_rule_is_explained(name: str, segmetry: Runner) -> None:
    result = segmetry("explain", name)
    assert (result.code, result.err) == (0, "")
    assert f"{name}: alignment rule" in result.lines
    assert max(map(len, result.lines)) <= 80 or "http" in result.out


def test_an_unknown_name_is_looked_for_among_metrics(segmetry: Runner) -> None:
    result = segmetry("explain", "theta")
    assert result.code == 2 and "theta" in result.err


def test_papers_as_bibtex_are_read_back_as_the_same_papers(segmetry: Runner) -> None:
    for name in ("pq", "theta_and", "coco-panoptic", "vi_split"):
        papers = parse(segmetry("explain", name, "--bibtex").out)
        assert papers and papers == {key: references()[key] for key in papers}


def test_a_metric_is_found_by_its_name_as_one_word(segmetry: Runner) -> None:
    for name in ("panopticquality", "panoptic_quality", "PanopticQuality"):
        assert segmetry("explain", name).out == segmetry("explain", "pq").out
    assert segmetry("explain", "thetaplus").err.endswith("did you mean theta_plus?\n")


def test_the_example_of_with_words() -> None:
    pq, sq = ListedEntry("pq", "Panoptic quality."), ListedEntry("sq", "Mean IoU.", more="segmentation_quality")
    assert [entry.name for entry in with_words([pq, sq], ["QUALITY", "mean"], "metric")] == ["sq"]
