"""The widget of notebooks: what it tells Python, and what it shows in Chromium."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser

import segmetry as sm
from segmetry.errors import UnknownNameError
from tests.browser.using import wait_until

pytest.importorskip("anywidget")

HOST = """<!doctype html><html lang="en"><meta charset="utf-8"><title>notebook</title><div id="cell"></div>
<script type="module">
const values = JSON.parse(document.getElementById("values").textContent);
const listeners = {};
window.model = {
  get: (name) => values[name],
  set: (name, value) => { values[name] = value; },
  on: (event, listener) => { listeners[event] = listener; },
  off: (event) => { delete listeners[event]; },
  save_changes: () => { window.saved = (window.saved ?? 0) + 1; },
  change: (name, value) => { values[name] = value; listeners[`change:${name}`]?.(); },
};
const source = document.getElementById("esm").textContent;
const widget = await import(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
window.end = widget.default.render({ model: window.model, el: document.getElementById("cell") });
document.documentElement.dataset.ready = "1";
</script>"""


def run() -> sm.Run:
    rng = np.random.default_rng(0)
    true = {name: rng.integers(0, 4, (8, 8)) for name in ("a b", "c&d", "e")}
    return sm.evaluate(true, {name: np.roll(labels, 1) for name, labels in true.items()}, metrics="pq")


@pytest.mark.filterwarnings("ignore")
def test_the_widget_states_and_takes_the_open_item() -> None:
    from segmetry.adapters.item_widget import ItemWidget

    widget = ItemWidget(run(), "c&d", height=300)
    assert widget.item == "c&d"
    assert widget.address == "#view=items&item=c%26d"
    heard: list[str] = []
    widget.observe(lambda change: heard.append(change["new"]), "address")
    widget.set_state({"address": "#view=items&item=a+b&rule=theta_and"})  # what the front end sends
    assert widget.item == "a b" and heard == ["#view=items&item=a+b&rule=theta_and"]
    widget.item = "e"
    assert widget.address == "#view=items&item=e&rule=theta_and"
    assert widget.get_state(["height", "page"])["height"] == 300
    with pytest.raises(UnknownNameError, match="there is no item 'f'"):
        widget.item = "f"


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def served(tmp_path: Path) -> Iterator[str]:
    """The address of the folder; a notebook is served, and a page from a file may not look into a frame."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.mark.filterwarnings("ignore")
def test_the_widget_shows_the_item_and_follows_both_sides(tmp_path: Path, browser: Browser, served: str) -> None:
    from segmetry.adapters.item_widget import FRAME, ItemWidget

    widget = ItemWidget(run(), "c&d")
    values = json.dumps({name: getattr(widget, name) for name in ("page", "address", "height")}).replace("<", "\\u003c")
    blocks = f'<script type="application/json" id="values">{values}</script>'
    blocks += f'<script type="text/plain" id="esm">{FRAME}</script>'
    path = tmp_path / "notebook.html"
    path.write_text(HOST.replace('<script type="module">', f'{blocks}\n<script type="module">'), "utf-8")
    page = browser.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda problem: wrong.append(str(problem)))
    page.goto(f"{served}/notebook.html")
    frame = page.frame_locator("iframe")
    frame.locator("html[data-ready]").wait_for(state="attached")
    head = frame.locator("#item .item-head")
    head.get_by_text("c&d").first.wait_for()
    page.evaluate("model.change('address', '#view=items&item=e')")
    head.get_by_text("e", exact=True).first.wait_for()
    frame.locator("body").press("j")  # the next item, unless this is the last one
    if page.evaluate("window.saved") is None:
        frame.locator("body").press("k")
    wait_until(page, "window.saved >= 1")
    told = page.evaluate("model.get('address')")
    assert told.startswith("#view=items&item=") and told != "#view=items&item=e"
    page.evaluate("model.change('height', 200)")
    assert page.locator("iframe").evaluate("frame => frame.style.height") == "200px"
    page.evaluate("end()")
    page.close()
    assert wrong == []
