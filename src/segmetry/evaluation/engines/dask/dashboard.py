"""The dashboard of a dask cluster: a web page of its scheduler that shows what the workers do.

Every scheduler has an address for it. Without bokeh on the machine of the scheduler the page only asks to install it,
and with the dashboard switched off there is no page. So the address is requested before it is shown to the user.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

ANSWER_SECONDS = 2.0
_NO_BOKEH = b"Dask needs bokeh"


def dashboard_of(client: Any) -> str | None:
    """Return the address of the dashboard of a client's cluster; None if this machine cannot reach one."""
    with suppress(KeyError):  # a scheduler without a web server
        link = client.dashboard_link
        if isinstance(link, str) and link.startswith(("http://", "https://")) and _has_content(link):
            return link
    return None


def _has_content(link: str) -> bool:
    import urllib.request
    from http.client import HTTPException

    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with direct.open(link, timeout=ANSWER_SECONDS) as answer:
            return answer.status == 200 and _NO_BOKEH not in answer.read(2**16)
    except (OSError, ValueError, HTTPException):
        return False
