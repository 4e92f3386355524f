"""The dashboard of a dask cluster: a page of its scheduler that shows what the workers do.

Every scheduler has an address for it. Without bokeh where the scheduler runs there is a page that asks for it instead,
and no page at all if the dashboard was switched off. So the address is asked before anybody is sent there.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

ANSWER_SECONDS = 2.0
_NONE = b"Dask needs bokeh"


def dashboard_of(client: Any) -> str | None:
    """Where the dashboard of a client's cluster is; None if there is none that can be seen from this machine."""
    with suppress(KeyError):  # a scheduler without a server of pages
        link = client.dashboard_link
        if isinstance(link, str) and link.startswith(("http://", "https://")) and _shows_something(link):
            return link
    return None


def _shows_something(link: str) -> bool:
    import urllib.request
    from http.client import HTTPException

    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with direct.open(link, timeout=ANSWER_SECONDS) as answer:
            return answer.status == 200 and _NONE not in answer.read(2**16)
    except (OSError, ValueError, HTTPException):
        return False
