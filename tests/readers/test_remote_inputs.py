"""Volumes on a server of the loopback interface: the values of the files on disk, and nothing without permission."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import segmetry as sm
from segmetry.cli.main import main
from segmetry.errors import FormatError, OptionError
from segmetry.storage import remote_path
from segmetry.storage.remote_path import RemotePath, is_remote, is_url
from tests.readers.formats.test_chunked_volumes import VOLUME, write_n5, write_precomputed, write_shards

pytest.importorskip("aiohttp")
zarr = pytest.importorskip("zarr")


class Ranges(http.server.SimpleHTTPRequestHandler):
    """Files of a folder, also in ranges of bytes."""

    folder = Path()
    asked: list[str] = []  # noqa: RUF012 - of the test

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Print nothing."""

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def do_GET(self) -> None:
        self._answer(body=True)

    def _answer(self, *, body: bool) -> None:
        file = self.folder / self.path.lstrip("/")
        self.asked.append(self.path)
        if not file.is_file():
            self.send_error(404)
            return
        content, code = file.read_bytes(), 200
        first, total = 0, len(content)
        if "Range" in self.headers:
            start, _, stop = self.headers["Range"].removeprefix("bytes=").partition("-")
            first, code = int(start), 206
            content = content[first : int(stop) + 1 if stop else None]
        self.send_response(code)
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("Content-Length", str(len(content)))
        if code == 206:
            self.send_header("Content-Range", f"bytes {first}-{first + len(content) - 1}/{total}")
        self.end_headers()
        if body:
            self.wfile.write(content)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    handler = type("Handler", (Ranges,), {"folder": tmp_path, "asked": []})
    remote_path._file_info.cache_clear()
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{running.server_address[1]}"
        running.shutdown()


def write_zarr(path: Path, **options: Any) -> Path:
    zarr.create_array(str(path), data=VOLUME, chunks=(4, 4, 4), **options)
    return path


WRITERS = {
    "zarr": write_zarr,
    "zarr2": lambda path: write_zarr(path, zarr_format=2),
    "shards": lambda path: write_zarr(path, shards=(8, 8, 8)),
    "n5": lambda path: write_n5(path, VOLUME, (4, 4, 4)),
    "precomputed": lambda path: write_precomputed(path, VOLUME, (4, 4, 4), "compressed_segmentation", (0, 0, 0), True),
    "sharded": lambda path: write_shards(path, VOLUME, packed=True),
}


@pytest.mark.parametrize(
    ("name", "size"),
    [*((name, remote_path.READ_AT_ONCE) for name in WRITERS), ("shards", 0), ("sharded", 0)],
)
def test_a_volume_on_a_server_is_the_volume_on_disk(
    name: str, size: int, server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote_path, "READ_AT_ONCE", size)
    WRITERS[name](tmp_path / "volume")
    labels = sm.read(f"{server}/volume", remote=True)
    assert np.array_equal(labels.labels, VOLUME)
    assert labels.spacing == sm.read(tmp_path / "volume").spacing


def test_two_addresses_are_evaluated_as_two_folders(
    server: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_zarr(tmp_path / "true.zarr")
    write_n5(tmp_path / "pred.n5", np.roll(VOLUME, 1), (4, 4, 4))
    urls = [f"{server}/true.zarr", f"{server}/pred.n5/"]
    run = sm.evaluate(*urls, metrics="pq,voi", read={"remote": True}, out=tmp_path / "run.segm")
    expected = sm.evaluate(tmp_path / "true.zarr", tmp_path / "pred.n5", metrics="pq,voi")
    assert run.summary().to_dict() == expected.summary().to_dict()
    assert sorted(row["name"] for row in run.inputs) == ["pred.n5/attributes.json", "true.zarr/zarr.json"]
    assert main(["score", *urls, "--remote", "--metrics", "pq", "--engine", "serial"]) == 0
    assert "pq" in capsys.readouterr().out


def test_nothing_is_fetched_without_permission(server: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_zarr(tmp_path / "true.zarr")
    url = f"{server}/true.zarr"
    with pytest.raises(OptionError, match=r"an address, .* allow it with --remote"):
        sm.evaluate(url, url)
    with pytest.raises(OptionError, match="allow it with --remote"):
        sm.read(url)
    with pytest.raises(SystemExit, match="2"):
        main(["score", url, url])
    assert "allow it with --remote" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("{server}/nothing", "no volume in zarr, N5 or precomputed format there"),
        ("http://127.0.0.1:9/a.zarr", "cannot be fetched"),
    ],
)
def test_what_cannot_be_fetched_is_named(url: str, words: str, server: str) -> None:
    with pytest.raises(FormatError, match=words):
        sm.read(url.format(server=server), remote=True)


@pytest.mark.parametrize("url", ["file:///etc/hosts", "zip::http://127.0.0.1/a.zip", "ssh://host/a.zarr"])
def test_other_protocols_are_rejected(url: str) -> None:
    with pytest.raises(OptionError, match="expected one of https, http, s3"):
        sm.read(url, remote=True)


def test_other_formats_are_read_from_files(server: str) -> None:
    with pytest.raises(FormatError, match="the format png is read from files; from a store only n5, precomputed, zarr"):
        sm.read(f"{server}/a.png", format="png", remote=True)


def test_a_lost_chunk_is_an_error(server: str, tmp_path: Path) -> None:
    path = tmp_path / "a.zarr"
    zarr.create_array(str(path), data=VOLUME + 1, chunks=(4, 4, 4))
    (path / "c/1/1/1").unlink()
    with pytest.raises(FormatError, match=r"a.zarr: the chunk c/1/1/1 is missing from the store"):
        _ = sm.read(f"{server}/a.zarr", remote=True, missing_chunks="refuse").labels


def test_the_example_of_remote_path() -> None:
    path = RemotePath("https://example.org/volume.zarr") / "c/0/0"
    assert (path.name, str(path.parent)) == ("0", "https://example.org/volume.zarr/c/0")


def test_the_example_of_is_url() -> None:
    assert (is_url("s3://bucket/volume.zarr"), is_url("volume.zarr")) == (True, False)


def test_the_example_of_is_remote() -> None:
    assert (is_remote("truth.zarr"), is_remote(RemotePath("s3://bucket/truth.zarr"))) == (False, True)
