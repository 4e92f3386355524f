"""The Python blocks of the pages about other packages run as they are printed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytestmark = [pytest.mark.peers, pytest.mark.filterwarnings("ignore")]

PAGES = sorted((Path(__file__).parents[2] / "docs" / "integrations").glob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_blocks_of_a_page_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "page"}
    for block in re.findall(r"^```python\n(.*?)^```$", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL):
        exec(compile(block, page.name, "exec"), names)  # noqa: S102 - the page's own code
