"""The server of `segmetry open`: only this machine, only its own name, only with the token, only reading."""

from __future__ import annotations

import http.client
import json
import socket
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import segmetry as sm
from segmetry.errors import OptionError
from segmetry.report.served_report import ReportServer, ServedReport, redirecting_file, waiting_page

Reply = tuple[int, dict[str, str], bytes]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReportServer]:
    folder = tmp_path_factory.mktemp("served")
    for side, labels in (("true", [[1, 1, 2], [1, 1, 2]]), ("pred", [[1, 1, 1], [1, 1, 3]])):
        (folder / side).mkdir()
        for name in ("a", "b"):
            Image.fromarray(np.array(labels, dtype=np.uint8)).save(folder / side / f"{name}.png")
    run = sm.evaluate(folder / "true", folder / "pred", metrics="pq", out=folder / "run.segm")
    run.close()
    with ReportServer(_prepared(folder / "run.segm")) as serving:
        thread = threading.Thread(target=serving.serve_forever, daemon=True)
        thread.start()
        yield serving
        serving.shutdown()
        thread.join()


def _prepared(path: Path) -> ServedReport:
    report = ServedReport([sm.Run.open(path)])
    report.prepare()
    return report


def ask(server: ReportServer, path: str, *, method: str = "GET", host: str | None = None) -> Reply:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=20)
    connection.putrequest(method, path, skip_host=True)
    connection.putheader("Host", server.host if host is None else host)
    connection.endheaders()
    reply = connection.getresponse()
    answer = reply.status, dict(reply.getheaders()), reply.read()
    connection.close()
    return answer


def test_the_page_and_its_data_are_answered(server: ReportServer) -> None:
    status, headers, page = ask(server, f"/{server.token}/")
    assert status == 200
    assert b"data-served" in page
    assert "connect-src 'self'" in headers["Content-Security-Policy"]
    assert headers["Cache-Control"] == "no-store"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert ask(server, f"/{server.token}/block/columns-0")[0] == 200
    status, _, content = ask(server, f"/{server.token}/item/0/1")
    picture = json.loads(content)
    assert (status, picture["header"]["shape"]) == (200, [2, 3])
    assert picture["text"].count("\n") == 1


def test_intervals_and_error_analysis_follow(server: ReportServer) -> None:
    page = ask(server, f"/{server.token}/")[2]
    assert b"the interval is being computed" in page
    status, _, content = ask(server, f"/{server.token}/later")
    (later,) = json.loads(content)
    assert (status, sorted(later)) == (200, ["budget", "errors", "headline", "intervals", "run"])
    assert later["budget"]["problem"] is None
    assert later["headline"]["problem"] == "2 items are too few"
    assert later["run"]["checked"]["state"] == "unchanged"


def test_a_page_that_asks_again_is_answered_until_the_report_is_made(tmp_path: Path) -> None:
    sm.evaluate({"a": [[1, 1, 2]]}, {"a": [[1, 1, 2]]}, metrics="pq", out=tmp_path / "run.segm").close()
    report = ServedReport([sm.Run.open(tmp_path / "run.segm")])
    stages: list[bytes] = []

    def look(stage: str, done: int = 0, total: int = 0) -> None:
        answer = report("")
        assert answer is not None
        stages.append(answer.content)

    assert report("item/0/0") is None
    report.prepare(look)
    assert b"data-waiting" in stages[0]
    assert b"overlaps" in stages[0]
    assert b"data-served" in stages[-1]


def test_the_server_listens_on_this_machine_only(server: ReportServer) -> None:
    assert server.server_address[0] == "127.0.0.1"
    assert len(server.token) >= 32


@pytest.mark.parametrize(
    "path", ["/", "/x/", "/%s", "//", "", "/%s/../%s/", "/x%s/", "*", "/%s/item/0/2", "/%s/item/1/0"]
)
def test_other_paths_are_not_found(server: ReportServer, path: str) -> None:
    asked = path.replace("%s", server.token)
    if asked == f"/{server.token}":
        asked += "x"
    assert ask(server, asked)[0] == 404


@pytest.mark.parametrize(
    "path",
    [
        "block/../item/0/0",
        "../../etc/passwd",
        "block/%2e%2e/x",
        "block/",
        "item/0/../0",
        "item/-1/0",
        "item/0/1e1",
    ],
)
def test_nothing_but_the_report_is_behind_the_token(server: ReportServer, path: str) -> None:
    assert ask(server, f"/{server.token}/{path}")[0] == 404


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil", "evil:localhost:1", "::1", "127.0.0.1:1:1", ""])
def test_another_name_of_the_host_is_rejected(server: ReportServer, host: str) -> None:
    status, _, content = ask(server, f"/{server.token}/", host=host)
    assert status == 421
    assert b"segmetry" not in content


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8888", "127.0.0.1:1", "[::1]:8888", "[::1]"])
def test_names_of_this_machine_are_answered_at_any_port(server: ReportServer, host: str) -> None:
    assert ask(server, f"/{server.token}/", host=host)[0] == 200
    assert ask(server, "/x/", host=host)[0] == 404


@pytest.mark.parametrize("header", ["Content-Length: {}", "Transfer-Encoding: chunked"])
def test_the_body_of_a_request_is_no_second_request(server: ReportServer, header: str) -> None:
    body = f"GET /{server.token}/ HTTP/1.1\r\nHost: localhost\r\n\r\n"
    head = f"GET /x/ HTTP/1.1\r\nHost: localhost\r\n{header.format(len(body))}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=20) as connection:
        connection.sendall((head + body).encode())
        replies = b""
        while part := connection.recv(2**16):
            replies += part
    assert replies.count(b"HTTP/1.1 ") == 1


def test_a_port_that_is_taken_is_one_error(server: ReportServer) -> None:
    with pytest.raises(OptionError, match=f"port {server.server_port} cannot be used"):
        ReportServer(server.answers, server.server_port)


@pytest.mark.skipif(sys.platform == "win32", reason="has no modes of files")
def test_the_browser_is_given_a_file_that_only_its_owner_reads(server: ReportServer) -> None:
    with redirecting_file(server.address) as page:
        assert server.token not in page.as_uri()
        assert f"0;url={server.address}" in page.read_text()
        assert (page.stat().st_mode & 0o777, page.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert not page.exists()


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "BREW"])
def test_nothing_can_be_changed(server: ReportServer, method: str) -> None:
    status, headers, _ = ask(server, f"/{server.token}/", method=method)
    assert (status, headers["Allow"]) == (405, "GET, HEAD")


def test_head_answers_without_content(server: ReportServer) -> None:
    status, headers, content = ask(server, f"/{server.token}/", method="HEAD")
    assert (status, content) == (200, b"")
    assert int(headers["Content-Length"]) > 1000


def test_inputs_that_have_changed_have_no_pictures(tmp_path: Path) -> None:
    for side in ("true", "pred"):
        Image.fromarray(np.array([[1, 1, 2]], dtype=np.uint8)).save(tmp_path / f"{side}.png")
    sm.evaluate(tmp_path / "true.png", tmp_path / "pred.png", metrics="pq", out=tmp_path / "run.segm").close()
    Image.fromarray(np.array([[1, 2, 2]], dtype=np.uint8)).save(tmp_path / "pred.png")
    answer = _prepared(tmp_path / "run.segm")("item/0/0")
    assert answer is not None
    picture = json.loads(answer.content)
    assert picture["header"] is None
    assert "is not what it was" in picture["problem"]


def test_the_example_of_waiting_page() -> None:
    assert "Now: columns of segments." in waiting_page("columns of segments")
