"""Check the linked list of directories (pages) of a TIFF file; a cycle is refused."""

from __future__ import annotations

import struct
from pathlib import Path

from segmetry.errors import FormatError


def check_chain(path: Path) -> None:
    """Follow the links from page to page: each must lead to a new position inside the file."""
    size = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(16)
        order = "<" if head[:2] == b"II" else ">"
        big = head[2:4] in (b"+\0", b"\0+")
        link, count, entry = ("Q", "Q", 20) if big else ("I", "H", 12)
        start = 8 if big else 4
        width = struct.calcsize(link)
        if len(head) < start + width:
            raise FormatError(f"{path}: damaged TIFF image: it is cut off")
        (place,) = struct.unpack_from(order + link, head, start)
        seen: set[int] = set()
        while place:
            if place in seen or place >= size:
                words = "leads back to itself" if place in seen else "leads out of the file"
                raise FormatError(f"{path}: damaged TIFF image: the chain of its pages {words}")
            seen.add(place)
            file.seek(place)
            field = file.read(struct.calcsize(count))
            if len(field) < struct.calcsize(count):
                raise FormatError(f"{path}: damaged TIFF image: a directory is cut off")
            (entries,) = struct.unpack(order + count, field)
            if place + len(field) + entries * entry + width > size:
                raise FormatError(f"{path}: damaged TIFF image: a directory of {entries} entries is cut off")
            file.seek(place + len(field) + entries * entry)
            (place,) = struct.unpack(order + link, file.read(width))
