"""The generated pages of protocols say what the declarations say."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from segmetry.metrics.declare import METRICS
from segmetry.protocols.protocol import PROTOCOLS

SOURCE = Path(__file__).resolve().parent.parent / "docs" / "_protocol_pages.py"


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    sys.path.insert(0, str(SOURCE.parent))
    spec = importlib.util.spec_from_file_location("docs_protocol_pages", SOURCE)
    assert spec is not None and spec.loader is not None
    module: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.tried = lambda name: SimpleNamespace(command=f"score {name}", output="a table", picture="a.svg")
    folder = tmp_path_factory.mktemp("pages") / "protocols"
    for _ in range(2):  # old pages do not linger
        module.write_protocol_pages(PROTOCOLS, folder)
        (folder / "old.md").touch()
    module.write_protocol_pages(PROTOCOLS, folder)
    yield {path.stem: path.read_text(encoding="utf-8") for path in folder.iterdir()}
    sys.path.remove(str(SOURCE.parent))


def test_there_is_one_page_for_each_and_an_index(pages: dict[str, str]) -> None:
    assert set(pages) == {*PROTOCOLS, "index"}
    for name, protocol in PROTOCOLS.items():
        assert f"| [`{name}`]({name}.md) | {protocol.field} |" in pages["index"]


@pytest.mark.parametrize("name", sorted(PROTOCOLS))
def test_a_page_has_decisions_reference_metrics_and_paper(name: str, pages: dict[str, str]) -> None:
    protocol, page = PROTOCOLS[name], pages[name]
    assert all(f"- {sentence}" in page for sentence in (*protocol.decisions, *protocol.exceptions))
    assert f"| reference | {protocol.reference} |" in page
    assert protocol.header in page and f"```console\n$ score {name}\na table\n```" in page
    for key in protocol.metrics:
        assert key in METRICS and f"[`{key}`](#metric-{key.replace('_', '-')})" in page
    assert page.count("| paper | ") == len(protocol.citation)
    assert all(f"[`{other}`]({other}.md)" in page for other in protocol.neighbours)
