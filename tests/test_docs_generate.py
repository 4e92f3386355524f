"""The pages of the metrics: what they show is computed from the declarations, and their calls run on their files."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import segmetry as sm
from segmetry.metrics.declare import FAMILIES, METRICS
from segmetry.protocols.protocol import PROTOCOLS

DOCS = Path(__file__).resolve().parent.parent / "docs"


@pytest.fixture(scope="module")
def docs() -> Iterator[Any]:
    """The modules that write the pages, by name."""
    sys.path.insert(0, str(DOCS))

    class Modules:
        def __getattr__(self, name: str) -> ModuleType:
            return importlib.import_module(name)

    yield Modules()
    sys.path.remove(str(DOCS))


@pytest.fixture(scope="module")
def scenes(docs: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("scenes")
    docs._scenes.write_scenes(folder)
    return folder


def test_every_metric_has_a_page_and_old_ones_do_not_linger(docs: Any, scenes: Path, tmp_path: Path) -> None:
    folder = tmp_path / "metrics"
    folder.mkdir()
    (folder / "old.md").write_text("gone")
    chosen = {key: METRICS[key] for key in ("dice", "pq", "window_diff", "agreement_pi")}
    docs._generate.write_pages(chosen, folder, scenes)
    assert sorted(path.stem for path in folder.iterdir()) == ["agreement_pi", "dice", "index", "pq", "window_diff"]
    index = (folder / "index.md").read_text("utf-8")
    assert index.count("<tr data-words=") == 4 and "4 metrics" in index and "| `mota` | a metric of tracks" in index
    before = (folder / "dice.md").stat().st_mtime_ns
    docs._generate.write_pages(chosen, folder, scenes)
    assert (folder / "dice.md").stat().st_mtime_ns == before


def test_a_page_shows_the_declaration_and_values_that_are_computed(docs: Any, scenes: Path) -> None:
    page = docs._generate.metric_page(METRICS["class_hausdorff95"], scenes)
    assert "(metric-class-hausdorff95)=\n# class_hausdorff95\n" in page
    assert METRICS["class_hausdorff95"].formula in page and METRICS["class_hausdorff95"].notes in page
    assert "| range | 0 to ∞, lower is better |" in page and "| unit | that of the spacing" in page
    true, pred = (np.asarray(side) for side in (docs._scenes.shape().true, docs._scenes.shape().preds["island"]))
    value = sm.class_hausdorff95(true, pred).value
    assert value is not None and f"<b>{value:.3f}</b>island" in page
    assert '>>> sm.class_hausdorff95("shape/truth.png", "shape/rim.png")\nScore(class_hausdorff95: ' in page
    assert "$ segmetry score shape/truth.png shape/rim.png --metrics class_hausdorff95" in page
    assert "| `percentile` | {'directed', 'pooled'}, default 'directed' |" in page
    assert "[Huttenlocher et al. 1993](https://doi.org/10.1109/34.232073)" in page


def test_the_five_places_have_the_same_iou(docs: Any) -> None:
    scene = docs._scenes.shape()
    assert len({sm.iou(scene.true, pred).value for pred in scene.preds.values()}) == 1
    assert len({sm.class_hausdorff95(scene.true, pred).value for pred in scene.preds.values()}) == 5


def test_a_contrast_is_what_it_says(docs: Any) -> None:
    """Every page that says *same A, different B* shows pictures of which that holds."""
    said = 0
    for metric in METRICS.values():
        lines = docs._generate.contrast(metric) if docs._scenes.seen_by(metric) else None
        found = re.match(r"\*\*(Same|Nearly the same) (\w+), different (\w+)\.", lines[0]) if lines else None
        if found is None or lines is None:
            continue
        said += 1
        pairs = re.findall(r"<figcaption><b>([-\d.,]+)</b>\w+<b>([-\d.,]+)</b>", "\n".join(lines))
        own, other = ([float(pair[side].replace(",", "")) for pair in pairs] for side in (0, 1))
        assert len(pairs) > 1 and max(own) - min(own) <= 0.005 * max(map(abs, own)) + 0.001, metric.key
        assert len(set(other)) > 1, metric.key
    assert said > 100


def test_the_words_of_the_table_narrow_it(docs: Any) -> None:
    words = {key: docs._generate.words_of(metric) for key, metric in METRICS.items()}
    distances = {key for key, own in words.items() if own["distances"]}
    assert {"class_hausdorff95", "hausdorff", "average_surface_distance"} <= distances
    assert not distances & {"pq", "dice", "iou", "window_diff"}
    for name, listed in docs._generate.CHIPS.items():
        assert {word for own in words.values() for word in own[name]} <= set(listed)
        for word in listed:
            assert any(word in own[name] for own in words.values()), f"no metric is found by {word}"
    assert "medicine" in words["dice"]["field"] and "images" in words["pq"]["field"]


def test_pitfalls_are_about_metrics_that_exist(docs: Any) -> None:
    pitfalls = docs._generate.PITFALLS
    assert set(pitfalls["metrics"]) <= set(METRICS) and set(pitfalls["families"]) == set(FAMILIES)
    links = re.findall(r"\]\((\w+)\.md\)", str(pitfalls))
    assert links and set(links) <= set(METRICS)


@pytest.mark.slow
def test_every_protocol_is_tried_and_led_to(docs: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    docs._questions.check()
    monkeypatch.setattr(docs._tries, "SCENES", tmp_path)
    monkeypatch.setitem(docs._tries.run_segmetry.__kwdefaults__, "folder", tmp_path)
    docs._scenes.write_scenes(tmp_path)
    docs._tries.tried.cache_clear()
    for name in PROTOCOLS:
        assert docs._tries.tried(name).output, name


def test_an_answer_that_leads_nowhere_stops_the_build(docs: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    questions = dict(docs._questions.TREE["questions"])
    monkeypatch.setitem(questions, "start", {"ask": "?", "answers": [["nowhere", "protocol nothing"]]})
    monkeypatch.setitem(docs._questions.TREE, "questions", questions)
    with pytest.raises(ValueError, match="answers lead nowhere"):
        docs._questions.check()


def test_five_programs_give_five_numbers(docs: Any) -> None:
    values = [value for *_, value in docs._landing.five_values()]
    assert len({round(value, 3) for value in values}) == 5
    true, pred = docs._landing._cells()
    assert values[2] == sm.score(true, pred, protocol="stardist").table["IoU ≥ 0.5", "accuracy"]


def test_pages_are_written_as_markdown(docs: Any) -> None:
    from docutils import nodes

    row = nodes.row("", nodes.entry("", nodes.paragraph("", "a | b")), nodes.entry("", nodes.paragraph("", "c")))
    table = nodes.table("", nodes.tgroup("", nodes.tbody("", row)))
    code = nodes.literal_block("x = 1", "x = 1", language="python")
    listed = nodes.bullet_list("", nodes.list_item("", nodes.paragraph("", "one")))
    page = nodes.section("", nodes.title("", "Title"), code, table, listed)
    written = docs._markdown.markdown(page)
    assert written == "# Title\n\n```python\nx = 1\n```\n\n| a \\| b | c |\n|---|---|\n\n- one"
