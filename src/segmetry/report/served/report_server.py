"""A web server for one report: on this machine only, read-only, and only for whoever knows its address.

It listens on 127.0.0.1 at a port of the system's choice. Every path begins with a secret token, so another program of
this machine, or a web page that guesses the port, is answered 404; a request under another name than the address itself
(DNS rebinding) is refused before its path is looked at. Nothing but GET and HEAD is answered, paths are looked up among
those of the report and never become file names, and answers may not be cached, framed or read by other origins.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

HOST = "127.0.0.1"
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
"""What is behind a path below the token, such as ``""`` for the page itself; None if there is nothing."""


class ReportServer(ThreadingHTTPServer):
    """Serves the answers of one report at :attr:`address`."""

    daemon_threads = True
    block_on_close = False  # a browser keeps its connections open; stopping does not wait for them

    def __init__(self, answers: Answers) -> None:
        super().__init__((HOST, 0), _Handler)
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
    """Answers one request."""

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
            return self._refuse_method
        raise AttributeError(name)

    def _refuse_method(self) -> None:
        self.close_connection = True  # a body may follow, which is not read
        self._send(HTTPStatus.METHOD_NOT_ALLOWED, _plain("only GET and HEAD"), {"Allow": "GET, HEAD"})

    def _answer(self, *, with_content: bool) -> None:
        if self.headers.get_all("Host") != [self.server.host]:
            return self._send(HTTPStatus.MISDIRECTED_REQUEST, _plain("wrong host"), {}, with_content=with_content)
        token, _, path = self.path.removeprefix("/").partition("/")
        is_known = hmac.compare_digest(token.encode("utf-8", "replace"), self.server.token.encode())
        answer = self.server.answers(path.partition("?")[0]) if is_known else None
        if answer is None:
            return self._send(HTTPStatus.NOT_FOUND, _plain("not found"), {}, with_content=with_content)
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


def _plain(text: str) -> Answer:
    return Answer(f"{text}\n".encode(), "text/plain; charset=utf-8")
