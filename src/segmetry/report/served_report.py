"""The report of run files of any size on this machine (``segmetry open``): what its server answers, and the server.

It listens on 127.0.0.1. Every path begins with a secret token, so another program of this machine, or a web page that
guesses the port, is answered 404; a request under another name than those of this machine (DNS rebinding) is rejected
before its path is read, one at another port is not: the port may be forwarded (``ssh -L``). Nothing but GET and HEAD is
answered, paths are looked up among those of the report and never become file names, and answers may not be cached,
framed or read by other origins.
"""

from __future__ import annotations

import base64
import hmac
import re
import secrets
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import escape
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Lock
from typing import Any, ClassVar

from segmetry._base import OnStage, json_text, silent
from segmetry.errors import DataWarning, FormatError, OptionError, SegmetryError
from segmetry.evaluation import loaders_of
from segmetry.report.item_pictures import drawn_item
from segmetry.report.page import hash_source, page_policy, page_text
from segmetry.report.page_data import later_data, report_data
from segmetry.report.page_records import PictureAnswer, PictureHeader
from segmetry.report.photographs import ImageFolder, beside, coco_file, embedded, file_names
from segmetry.run import Run
from segmetry.runfile import PairLoader

HOST = "127.0.0.1"
NAMES = ("localhost", HOST, "[::1]")
_TOKEN_BYTES = 24
_HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


@dataclass(frozen=True)
class Answer:
    """What a path is answered with."""

    content: bytes
    kind: str
    headers: Mapping[str, str] = field(default_factory=dict)


Answers = Callable[[str], Answer | None]
"""The answer to a path below the token, such as ``""`` for the page itself; None if there is nothing."""


class ReportServer(ThreadingHTTPServer):
    """Serves the answers of one report at :attr:`address`."""

    daemon_threads = True
    block_on_close = False  # a browser keeps its connections open; stopping does not wait for them

    def __init__(self, answers: Answers, port: int = 0) -> None:
        try:
            super().__init__((HOST, port), _Handler)
        except OSError as problem:
            raise OptionError(f"port {port} cannot be used: {problem.strerror}; choose another one") from None
        self.answers = answers
        self.token = secrets.token_urlsafe(_TOKEN_BYTES)

    @property
    def address(self) -> str:
        """The address of the page, which holds the token."""
        return f"http://{self.host}/{self.token}/"

    @property
    def host(self) -> str:
        """Name and port, as browsers state them in every request."""
        return f"{HOST}:{self.server_port}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Leave out the traceback of a browser that went away."""


class _Handler(BaseHTTPRequestHandler):
    server: ReportServer
    server_version = "segmetry"
    sys_version = ""
    protocol_version = "HTTP/1.1"
    timeout: ClassVar[float] = 30

    def do_GET(self) -> None:
        self._answer(with_content=True)

    def do_HEAD(self) -> None:
        self._answer(with_content=False)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("do_"):
            return self._reject_method
        raise AttributeError(name)

    def _reject_method(self) -> None:
        self.close_connection = True  # a body may follow, which is not read
        self._send(HTTPStatus.METHOD_NOT_ALLOWED, _plain_text("only GET and HEAD"), {"Allow": "GET, HEAD"})

    def _answer(self, *, with_content: bool) -> None:
        if self.headers.get("Content-Length", "0") != "0" or "Transfer-Encoding" in self.headers:
            self.close_connection = True  # a body is not read, and is no second request
        hosts = self.headers.get_all("Host") or []
        if len(hosts) != 1 or re.sub(r":\d{1,5}$", "", hosts[0].lower()) not in NAMES:
            return self._send(HTTPStatus.MISDIRECTED_REQUEST, _plain_text("wrong host"), {}, with_content=with_content)
        token, _, path = self.path.removeprefix("/").partition("/")
        is_known = hmac.compare_digest(token.encode("utf-8", "replace"), self.server.token.encode())
        answer = self.server.answers(path.partition("?")[0]) if is_known else None
        if answer is None:
            return self._send(HTTPStatus.NOT_FOUND, _plain_text("not found"), {}, with_content=with_content)
        return self._send(HTTPStatus.OK, answer, answer.headers, with_content=with_content)

    def _send(
        self, status: HTTPStatus, answer: Answer, headers: Mapping[str, str], *, with_content: bool = True
    ) -> None:
        self.send_response(status)
        for name, value in {
            **_HEADERS,
            "Content-Type": answer.kind,
            "Content-Length": str(len(answer.content)),
            **headers,
        }.items():
            self.send_header(name, value)
        self.end_headers()
        if with_content:
            self.wfile.write(answer.content)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name in http.server
        """Print nothing: the address of every request holds the token."""


@contextmanager
def redirecting_file(address: str) -> Iterator[Path]:
    """Write a page that only its owner reads and that leads to an address.

    A browser is started with the path of this page: arguments of programs are seen by every user of a machine.
    """
    with tempfile.TemporaryDirectory(prefix="segmetry-") as folder:  # folder and file are those of the user alone
        page = Path(folder) / "open.html"
        page.touch(mode=0o600)
        page.write_text(
            '<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">'
            f'<meta http-equiv="refresh" content="0;url={escape(address)}"><title>Opening the report</title>',
            "utf-8",
        )
        yield page


def _plain_text(text: str) -> Answer:
    return Answer(f"{text}\n".encode(), "text/plain; charset=utf-8")


MOST_ROWS = 30_000_000
"""Overlap rows of the largest run that is sent to the browser with every overlap."""
PHOTO_SHARE = 2_000_000
"""The most characters of a photograph."""


class ServedReport:
    """The answers of one report, by path: ``""`` is the page, ``block/ID``, ``later`` and ``item/RUN/INDEX`` its data.

    Until :meth:`prepare` has made it, the page says what is being done and asks again; intervals and the error
    analysis follow when they are computed.
    """

    def __init__(
        self,
        runs: Sequence[Run],
        *,
        title: str | None = None,
        true: Any = None,
        pred: Sequence[Any] | None = None,
        images: str | Path | None = None,
        sensitivity: Any = None,
    ) -> None:
        self._runs, self._title, self._images = runs, title, images
        self._inputs: dict[str, Any] = {"pred": pred, "true": true, "sensitivity": sensitivity}
        self._stage = "opening the run"
        self._page: bytes | None = None
        self._later: bytes | None = None
        self._is_complete = Event()
        self._blocks: dict[str, bytes] = {}
        self._pictures: list[_Pictures] = []

    def prepare(self, progress: OnStage = silent) -> None:
        """Make the page, then what it asks for when it is shown."""

        def told(stage: str, done: int = 0, total: int = 0) -> None:
            self._stage = stage
            progress(stage, done, total)

        data, blocks = report_data(self._runs, served=MOST_ROWS, progress=told, **self._inputs)
        self._blocks = {name: base64.b64decode(text) for name, text in blocks.items()}
        true, pred = self._inputs["true"], self._inputs["pred"]
        preds = [None] * len(self._runs) if pred is None else list(pred)
        self._pictures = [_Pictures(run, true, each, self._images) for run, each in zip(self._runs, preds, strict=True)]
        self._page = page_text(self._runs, data, {}, title=self._title, served=True).encode()
        self._later = json_text(later_data(self._runs, true=true, pred=pred, progress=told)).encode()
        self._is_complete.set()

    def __call__(self, path: str) -> Answer | None:
        kind, _, rest = path.partition("/")
        if path == "":
            return self._whole_page()
        if path == "later":
            self._is_complete.wait()
            return None if self._later is None else Answer(self._later, "application/json")
        if kind == "block" and rest in self._blocks:
            return Answer(self._blocks[rest], "application/octet-stream")
        if kind == "item":
            return self._item(rest)
        return None

    def _whole_page(self) -> Answer:
        if self._page is None:
            return Answer(waiting_page(self._stage).encode(), "text/html; charset=utf-8", {})
        return Answer(self._page, "text/html; charset=utf-8", {"Content-Security-Policy": page_policy(served=True)})

    def _item(self, path: str) -> Answer | None:
        run, _, index = path.partition("/")
        if not (_is_number(run) and _is_number(index) and int(run) < len(self._pictures)):
            return None
        picture = self._pictures[int(run)].picture(int(index))
        return None if picture is None else Answer(json_text(picture).encode(), "application/json")


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10


class _Pictures:
    """The pictures of one run, drawn on request; one at a time, since readers are not made for more."""

    def __init__(self, run: Run, true: Any, pred: Any, images: str | Path | None) -> None:
        self._run, self._inputs, self._images = run, (true, pred), images
        self._lock = Lock()
        self._loaders: Mapping[str, PairLoader] | None = None
        self._names = run.tables_together.items
        self._photographs: Callable[[str], Path | str | None] | None = None

    def picture(self, index: int) -> PictureAnswer | None:
        """Return header, text and photograph of an item, or why it has none; None if there is no such item."""
        if index >= len(self._names):
            return None
        with self._lock, warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)  # shown when the inputs were evaluated
            try:
                return self._drawn(index)
            except SegmetryError as problem:
                words = f"{problem}; pictures need the unchanged inputs: --true and --pred say where they are"
                return {"header": None, "problem": words}

    def _drawn(self, index: int) -> PictureAnswer:
        if self._loaders is None:
            self._loaders = self._found_inputs()
        name = self._names[index].name
        drawn = drawn_item(self._run, index, self._loaders)
        if drawn is None:
            return {"header": None, "problem": None}
        header, text = drawn
        return self._with_photograph(name, {"header": header, "text": text}, header)

    def _found_inputs(self) -> Mapping[str, PairLoader]:
        """Return what loads the items; files are not hashed, since every item is compared with what was counted."""
        if self._run.path is None:
            return loaders_of(self._run, *self._inputs)
        with Run.open(self._run.path) as own:  # a connection belongs to the thread that has opened it
            return loaders_of(own, *self._inputs, check_files=False)

    def _with_photograph(self, name: str, answer: PictureAnswer, header: PictureHeader) -> PictureAnswer:
        """Return an answer with the photograph of an image in base64, or with why it has none."""
        if header["kind"] not in ("labels", "masks") or len(header["shape"]) != 2 or self._images == "none":
            return answer
        if self._photographs is None:
            self._photographs = self._finder()
        path = self._photographs(name)
        if not isinstance(path, Path):
            return answer if path is None else {**answer, "photo_problem": path}
        rows, columns = header["shape"]
        try:
            return {**answer, "photo": embedded(path, (rows, columns), PHOTO_SHARE)}
        except FormatError as problem:
            return {**answer, "photo_problem": str(problem)}

    def _finder(self) -> Callable[[str], Path | str | None]:
        """Return what finds the photograph of an item: in the folder stated, else next to a COCO file."""
        coco = coco_file(self._run, self._inputs[0])
        names = file_names(coco)
        if self._images is not None:
            folder = ImageFolder(Path(self._images))
            return lambda item: folder.find(item, names.get(item))
        if coco is None:
            return lambda _: None
        return lambda item: beside(coco, {item: names[item]} if item in names else {}).get(item)


_STYLE = (
    "body{font:1.1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:20vh auto;padding:0 1rem;color-scheme:light dark}"
)
# A refresh stated in the head would go to the fragment of the address, which is in the page already.
_SCRIPT = "setTimeout(()=>location.reload(),700)"


def waiting_page(stage: str) -> str:
    """Return the page that says what is being done."""
    policy = f"default-src 'none'; script-src {hash_source(_SCRIPT)}; style-src {hash_source(_STYLE)}"
    return (
        '<!doctype html>\n<html lang="en" data-waiting>\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Opening the report</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        f'<h1>Opening the report</h1>\n<p role="status">Now: {escape(stage)}. The report appears by itself.</p>\n'
        f"<script>{_SCRIPT}</script>\n</body>\n</html>\n"
    )
