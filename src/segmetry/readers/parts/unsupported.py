"""Files people hand over by mistake, recognised only to say what to do instead."""

from __future__ import annotations

_LOSSY = "whose compression changes labels; save the labels as PNG, from the arrays and not from this file"
_OTHER = "save the labels as a grey PNG"


def lookalike(head: bytes) -> str | None:
    r"""What a file is by its first bytes, and what to do about it; None if it is nothing known.

    >>> lookalike(b"GIF89a...")
    'a GIF image; save the labels as a grey PNG'
    """
    if head.startswith(b"\xff\xd8\xff"):
        return f"a JPEG image, {_LOSSY}"
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return f"a WebP image, {_LOSSY}"
    if head.startswith((b"GIF87a", b"GIF89a")):
        return f"a GIF image; {_OTHER}"
    if head.startswith(b"BM") and head[6:10] == bytes(4):  # two reserved fields follow the size of the file
        return f"a BMP image; {_OTHER}"
    if head.startswith(b"SQLite format 3\0") and head[68:72] == b"SEGM":  # the application id of a run file
        return "a run file of segmetry, scored already; 'segmetry info', 'export' and 'diagnose' take it"
    return None
