"""Files that grow: what a sample of a format contains, many times over: work per pair of its parts would show."""

from __future__ import annotations

import json
from typing import Any

NUMBERED = ("id", "image_id", "video_id", "segment_id")


def grown(content: bytes, n: int) -> bytes:
    """The content with its parts n times: objects of JSON with new ids, lines of text, elements of XML, or bytes."""
    if content[:1] in (b"{", b"["):
        try:
            return json.dumps(_grown_json(json.loads(content), n)).encode()
        except ValueError:
            pass  # lines of JSON
    if content.lstrip().startswith(b"<"):
        return _grown_xml(content, n)
    if b"\0" not in content and b"\n" in content:
        first, _, rest = content.partition(b"\n")
        return first + b"\n" + (rest if rest.endswith(b"\n") else rest + b"\n") * n
    middle = len(content) // 2
    return content[:middle] + content[middle:] * n


def _grown_json(value: Any, n: int, depth: int = 0) -> Any:
    """Lists have each of their objects and numbers n times, and objects whose values are lists n times as many keys."""
    if isinstance(value, list) and value:
        if all(isinstance(part, dict) for part in value):
            return [_renumbered(part, copy * len(value)) for copy in range(n) for part in value]
        return value * n if depth > 1 else [_grown_json(part, n, depth + 1) for part in value]
    if isinstance(value, dict):
        return {key: _grown_json(part, n, depth + 1) for key, part in value.items()}
    return value


def _renumbered(part: dict[str, Any], by: int) -> dict[str, Any]:
    return {key: value + by if key in NUMBERED and isinstance(value, int) else value for key, value in part.items()}


def _grown_xml(content: bytes, n: int) -> bytes:
    """The innermost third of the document n times, cut between elements."""
    start = content.find(b">\n", len(content) // 3) + 2
    stop = content.find(b">\n", 2 * len(content) // 3) + 2
    return content[:start] + content[start:stop] * n + content[stop:]
