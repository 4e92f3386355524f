"""A link to a dashboard is given where it leads to one, and nowhere else."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import pytest

from segmetry.evaluation.engines.dask import cluster as dask_dashboard
from segmetry.evaluation.engines.dask.cluster import dashboard_of

PAGES = {
    "/status": (200, b"<title>Dask Diagnostic UI</title>"),
    "/without-bokeh": (200, b"<p>Dask needs bokeh>=3.1.0 for the dashboard.</p>"),
}


class Pages(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        status, content = PAGES.get(self.path, (404, b"not here"))
        self.send_response(status)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *words: object) -> None:
        pass


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Pages) as found:
        thread = threading.Thread(target=found.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{found.server_port}"
        found.shutdown()
        thread.join()


@pytest.mark.parametrize(("page", "is_one"), [("/status", True), ("/without-bokeh", False), ("/off", False)])
def test_a_page_that_shows_something_is_a_dashboard(page: str, is_one: bool, server: str) -> None:
    link = server + page
    assert dashboard_of(SimpleNamespace(dashboard_link=link)) == (link if is_one else None)


def test_a_proxy_is_not_asked(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    assert dashboard_of(SimpleNamespace(dashboard_link=f"{server}/status")) is not None


@pytest.mark.parametrize("link", [None, "", "/proxy/8787/status", "file:///etc/hostname", "http://127.0.0.1:9/status"])
def test_what_cannot_be_opened_is_none(link: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_dashboard, "ANSWER_SECONDS", 0.3)
    assert dashboard_of(SimpleNamespace(dashboard_link=link)) is None


def test_a_scheduler_without_pages_has_none() -> None:
    class Client:
        @property
        def dashboard_link(self) -> str:
            return {"address": "tcp://127.0.0.1:1"}["dashboard"]

    assert dashboard_of(Client()) is None
