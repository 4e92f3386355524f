"""The page that is shown until the report can be: it says what is being done, and asks again."""

from __future__ import annotations

import base64
import hashlib
from html import escape

_STYLE = (
    "body{font:1.1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:20vh auto;padding:0 1rem;color-scheme:light dark}"
)
# A refresh stated in the head would go to the fragment of the address, which is in the page already.
_SCRIPT = "setTimeout(()=>location.reload(),700)"


def waiting_page(stage: str) -> str:
    """Return the page with what is being done in words.

    >>> "Now: columns of segments." in waiting_page("columns of segments")
    True
    """
    policy = f"default-src 'none'; script-src {_hash(_SCRIPT)}; style-src {_hash(_STYLE)}"
    return (
        '<!doctype html>\n<html lang="en" data-waiting>\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Opening the report</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        f'<h1>Opening the report</h1>\n<p role="status">Now: {escape(stage)}. The report appears by itself.</p>\n'
        f"<script>{_SCRIPT}</script>\n</body>\n</html>\n"
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode('ascii')}'"
