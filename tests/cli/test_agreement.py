"""``segmetry agreement``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from segmetry.cli.commands.agreement import annotators_of
from tests.cli.running import Runner

# Spec 5, regression values of segeval: observed, pi, kappa, bias.
PUBLISHED = {
    ("hearst1997.json", "*"): (0.530055, 0.464450, 0.465320, 0.001429),
    ("moonstone.json", "KAZANTSEVA2012_G5/*"): (0.256458, 0.239958, 0.242110, 0.002778),
    ("moonstone.json", "KAZANTSEVA2012_G2/*"): (0.420177, 0.408317, 0.410684, 0.003936),
}


@pytest.mark.parametrize(("name", "items"), PUBLISHED)
def test_the_published_texts_have_the_agreement_of_the_specification(
    name: str, items: str, segmetry: Runner, shared_data: Path
) -> None:
    result = segmetry("agreement", shared_data / "annotators" / name, "--item", items, "--json", "-")
    assert (result.code, result.err) == (0, "")
    data = json.loads(result.out)
    values = [round(score["value"], 6) for score in data["scores"].values()]
    assert values == list(PUBLISHED[name, items])
    assert list(data["scores"]) == ["agreement_observed", "agreement_pi", "agreement_kappa", "agreement_bias"]
    count = len(data["coders"])
    assert len(data["pairs"]) == count * (count - 1) // 2


def test_a_table_of_all_and_one_of_pairs(segmetry: Runner, tmp_path: Path) -> None:
    path = tmp_path / "coders.json"
    path.write_text('{"items": {"a": {"Ann": [5, 3, 5], "Bob": [4, 4, 5]}}, "segmentation_type": "linear"}')
    result = segmetry("agreement", path)
    assert result.lines[0].startswith("2 annotators, 1 item")
    assert any(line.split() == ["agreement_observed", "0.7500", "higher"] for line in result.lines)
    assert any(line.split()[:4] == ["Ann", "·", "Bob", "0.7500"] for line in result.lines)
    assert max(map(len, result.lines)) <= 80
    strict = json.loads(segmetry("agreement", path, "--n-t", "1", "--json", "-").out)
    assert strict["scores"]["agreement_observed"]["value"] == pytest.approx(1 / 3)


def test_mistakes_are_one_line(segmetry: Runner, tmp_path: Path) -> None:
    path = tmp_path / "plain.json"
    path.write_text('{"a": [5, 3]}')
    assert "item 'a' has no annotator" in segmetry.refused("agreement", path)
    coders = tmp_path / "coders.json"
    coders.write_text('{"G1": {"a": {"an1": [5, 3], "an2": [8]}}, "G2": {"b": {"an1": [4], "an3": [1, 3]}}}')
    assert "segmented only some of the items" in segmetry.refused("agreement", coders)
    assert "no item matches nothing*" in segmetry.refused("agreement", coders, "--item", "nothing*")
    assert "--coder selects one annotator" in segmetry.refused("agreement", coders, "--coder", "an1")


def test_the_example_of_annotators_of() -> None:
    assert (
        repr(annotators_of(["Ann=round1/a", "b/bob.json"]))
        == "{'Ann': PosixPath('round1/a'), 'bob': PosixPath('b/bob.json')}"
    )
