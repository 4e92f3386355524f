"""The generator of the metric reference, on declarations made up here."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

SOURCE = Path(__file__).resolve().parent.parent / "docs" / "_generate.py"


@pytest.fixture(scope="module")
def generate() -> Any:
    spec = importlib.util.spec_from_file_location("docs_generate", SOURCE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@dataclass(frozen=True)
class Declared:
    key: str
    family: str = "panoptic"
    symbol: str = "PQ"
    formula: str = r"\frac{a}{b}"
    summary: str = "Recognition times quality."
    citation: tuple[str, ...] = ("kirillov2019panoptic", "galibert2014zonemap")
    notes: str = "Decided so."
    bounds: tuple[float | None, float | None] = (0.0, 1.0)
    better: str = "higher"
    symmetric: bool = True
    needs: Any = "alignment"
    averages: Any = ("by item", "all segments")
    aliases: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def test_every_metric_stands_on_the_page_of_its_family(generate: Any, tmp_path: Path) -> None:
    declared = [Declared("pq"), Declared("pq_dagger"), Declared("zonemap", family="graph")]
    generate.write_pages({metric.key: metric for metric in declared}, tmp_path / "metrics")
    pages = {path.name: path.read_text(encoding="utf-8") for path in (tmp_path / "metrics").iterdir()}
    assert sorted(pages) == ["graph.md", "index.md", "panoptic.md"]
    assert "## `pq`" in pages["panoptic.md"]
    assert "(metric-pq-dagger)=" in pages["panoptic.md"]
    assert "zonemap" not in pages["panoptic.md"]
    assert "| [graph](graph.md) | [`zonemap`](#metric-zonemap) |" in pages["index.md"]


def test_aliases_and_metrics_of_others_are_named(generate: Any, tmp_path: Path) -> None:
    declared = [Declared("pq"), Declared("ap", aliases={"map": {}, "ap50": {"thresholds": "0.5"}})]
    generate.write_pages({metric.key: metric for metric in declared}, tmp_path / "metrics")
    page = (tmp_path / "metrics" / "panoptic.md").read_text(encoding="utf-8")
    assert page.count("also called") == 1 and "| also called | `map`, `ap50` (`thresholds=0.5`) |" in page
    assert "| `mota` | a metric of tracks" in (tmp_path / "metrics" / "index.md").read_text(encoding="utf-8")


def test_an_example_is_drawn_where_there_is_one(generate: Any, tmp_path: Path) -> None:
    declared = {key: Declared(key) for key in ("pq", "sq")}
    generate.write_pages(declared, tmp_path / "metrics", lambda metric: "<svg/>" if metric.key == "pq" else None)
    page = (tmp_path / "metrics" / "panoptic.md").read_text(encoding="utf-8")
    assert (tmp_path / "metrics" / "pq.svg").read_text(encoding="utf-8") == "<svg/>"
    assert "![An example of pq](pq.svg)" in page
    assert "sq.svg" not in page


def test_old_pages_do_not_linger(generate: Any, tmp_path: Path) -> None:
    generate.write_pages({"pq": Declared("pq")}, tmp_path / "metrics")
    generate.write_pages({"pk": Declared("pk", family="windows")}, tmp_path / "metrics")
    assert sorted(path.name for path in (tmp_path / "metrics").iterdir()) == ["index.md", "windows.md"]


def test_a_section_says_what_the_declaration_says(generate: Any) -> None:
    page = generate.family_page(
        "windows",
        [Declared("pk", symmetric=False, better="lower", bounds=(0.0, None), needs=frozenset({"order", "alignment"}))],
    )
    assert "```{math}\n\\frac{a}{b}\n```" in page
    assert "| range | 0 to unbounded |" in page
    assert "| better | lower |" in page
    assert "| symmetric in true and pred | no |" in page
    assert "| computed from | alignment, order |" in page
    assert "| over many items | by item, all segments |" in page
    assert "[Kirillov et al. 2019](https://doi.org/10.1109/CVPR.2019.00963): Panoptic Segmentation |" in page
    assert "| paper | Galibert et al. 2014: The ZoneMap metric" in page
    assert "Decided so.\n\n| computed elsewhere by | how it differs |" in page
    assert "| nltk `pk` | the same on strings of gaps;" in page


def test_an_unknown_citation_stops_the_build(generate: Any) -> None:
    with pytest.raises(KeyError, match="no entry 'nobody1900nothing'"):
        generate.family_page("panoptic", [Declared("pq", citation=("nobody1900nothing",))])
