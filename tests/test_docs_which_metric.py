"""The page that helps to choose a metric names every registered protocol, and only metrics that exist."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

from segmetry.metrics.declare import METRICS
from segmetry.protocols.protocol import PROTOCOLS

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGE = (DOCS / "which-metric.md").read_text("utf-8")


@pytest.fixture(scope="module")
def tables() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docs_task_tables", DOCS / "_task_tables.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_protocol_is_on_the_page_once(tables: ModuleType) -> None:
    assert all(f'protocol_table("{task}")' in PAGE for task in tables.CLAIMS) and "protocol_table(OTHER)" in PAGE
    written = "".join(tables.protocol_table(task) for task in (*tables.CLAIMS, tables.OTHER))
    for name in PROTOCOLS:
        assert written.count(f"[`{name}`](protocols/{name}.md)") == 1, name


def test_the_metrics_of_the_page_exist() -> None:
    links = re.findall(r"\[`(\w+)`\]\(#metric-([\w-]+)\)", PAGE)
    assert len(links) > 40
    for key, anchor in links:
        assert key in METRICS and anchor == key.replace("_", "-"), key


def test_the_list_of_tasks_leads_to_every_section() -> None:
    titles = re.findall(r"^## (.+)$", PAGE, re.MULTILINE)
    sections = {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}
    linked = set(re.findall(r"\]\(#([a-z-]+)\) \|$", PAGE, re.MULTILINE))
    assert linked == sections
