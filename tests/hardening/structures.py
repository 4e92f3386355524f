"""Damage that keeps the form of a file: what a checksum, a parser or a compressor would refuse is made valid again.

Bits that are flipped seldom get past a checksum or the syntax of JSON. Here the parts of a file are changed, and the
file is put together anew: nodes of JSON, elements of XML, lines, members of archives, chunks of PNG, packed streams.
"""

from __future__ import annotations

import gzip
import io
import json
import random
import re
import struct
import zipfile
import zlib
from collections.abc import Callable
from typing import Any

HOSTILE_NAMES = (
    "../../secret", "/etc/passwd", "..", ".", "", "a/../../b", "C:\\secret", "\\\\host\\share", "a\x00b", "\x1b[31mred",
    "line\nbreak", "\u202egnp.exe", "n" * 5000, "é" * 100, "\ud800", "con", "%s%n", "<script>", "' OR 1=1 --",
)  # fmt: skip
"""Names that lead out of a folder, control a terminal, or are too long."""
NUMBERS = (
    -1,
    0,
    2**31 - 1,
    2**31,
    2**32,
    2**53 + 1,
    2**63,
    2**64,
    10**30,
    -(10**30),
    1e308,
    float("inf"),
    float("nan"),
)
DEPTH = 20_000
MANY = 500
PNG = b"\x89PNG\r\n\x1a\n"
_DEEP = re.compile(rb'(?:\[|\{"a":){100}')
Change = Callable[[bytes, random.Random], bytes]


def restructured(content: bytes, chance: random.Random, change: Change) -> bytes:
    """The content with one of its parts changed; ``change`` changes bytes that are packed inside."""
    if content[:2] == b"\x1f\x8b":
        return _repacked(content, chance, change)
    if content[:2] == b"PK":
        return _archive(content, chance, change)
    if content[:8] == PNG:
        return _png(content, chance, change)
    if content[:1] in (b"{", b"["):
        return _json(content, chance)
    if content.lstrip()[:1] == b"<":
        return _xml(content, chance)
    return _lines(content, chance)


def _repacked(content: bytes, chance: random.Random, change: Change) -> bytes:
    try:
        return gzip.compress(change(gzip.decompress(content), chance), mtime=0)
    except (OSError, EOFError, zlib.error):
        return content


def _archive(content: bytes, chance: random.Random, change: Change) -> bytes:
    """An archive with a member changed, repeated, renamed or removed."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = [(name, archive.read(name)) for name in archive.namelist()]
    except Exception:  # noqa: BLE001 - damaged before, in a way that this module answers with anything
        return content
    if members:
        at, kind = chance.randrange(len(members)), chance.randrange(4)
        name, data = members[at]
        members[at : at + 1] = (
            [(name, change(data, chance) if data else data)],
            [(name, data)] * 2,
            [(chance.choice(HOSTILE_NAMES[:-7]) + chance.choice(("", ".npy")), data)],
            [],
        )[kind]
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(zipfile.ZipInfo(name), data)
    return target.getvalue()


def _png(content: bytes, chance: random.Random, change: Change) -> bytes:
    """A PNG with a chunk changed, repeated, moved or removed, and right checksums."""
    chunks, at = [], len(PNG)
    while at + 12 <= len(content):
        (length,) = struct.unpack_from(">I", content, at)
        chunks.append((content[at + 4 : at + 8], content[at + 8 : at + 8 + length]))
        at += 12 + length
    if not chunks:
        return content
    at, kind = chance.randrange(len(chunks)), chance.randrange(5)
    name, data = chunks.pop(at)
    if kind == 0:
        chunks.insert(at, (name, change(data, chance) if data else data))
    elif kind == 1 and name == b"IDAT":
        chunks.insert(at, (name, _unpacked(data, chance, change)))
    elif kind <= 2:
        chunks[at:at] = [(name, data)] * chance.choice((2, 2, MANY))
    elif kind == 3:
        chunks.insert(chance.randrange(len(chunks) + 1), (name, data))
    body = [
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in chunks
    ]
    return PNG + b"".join(body)


def _unpacked(data: bytes, chance: random.Random, change: Change) -> bytes:
    try:
        return zlib.compress(change(zlib.decompress(data), chance))
    except zlib.error:
        return data


def _json(content: bytes, chance: random.Random) -> bytes:
    """JSON with a node replaced, removed, repeated or nested."""
    if _DEEP.search(content):
        return content  # deeper than this module can walk
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        return _lines(content, chance)
    spots = list(_spots(document))
    if not spots:
        return content
    parent, key = chance.choice(spots)
    kind = chance.randrange(6)
    if kind == 0:
        del parent[key]
    elif kind == 1:
        parent[key] = chance.choice(NUMBERS)
    elif kind == 2:
        parent[key] = chance.choice(HOSTILE_NAMES)
    elif kind == 3:
        parent[key] = chance.choice(([], {}, None, True, [[]], [None], {"": []}, "0"))
    elif kind == 4 and isinstance(parent, list):
        parent[key : key + 1] = [parent[key]] * chance.choice((2, MANY))
    else:
        bracket = chance.choice(("[]", '{"a":}'))
        parent[key] = "DEEP"
        deep = bracket[:-1] * DEPTH + "1" + bracket[-1] * DEPTH
        return json.dumps(document).replace('"DEEP"', deep, 1).encode()
    return json.dumps(document).encode()


def _spots(node: Any) -> Any:
    """Every place of a document, as container and key."""
    if isinstance(node, dict | list):
        for key, value in node.items() if isinstance(node, dict) else enumerate(node):
            yield node, key
            yield from _spots(value)


def _xml(content: bytes, chance: random.Random) -> bytes:
    """XML with an element repeated, removed or nested, or a value replaced."""
    tags = [match.span() for match in re.finditer(rb"<[^<>]*>", content)]
    start, stop = sorted((chance.choice(tags), chance.choice(tags))) if tags else ((0, 0), (0, 0))
    kind = chance.randrange(4)
    if kind == 0:
        return content[: start[0]] + content[start[0] : stop[1]] * chance.choice((0, 2, MANY)) + content[stop[1] :]
    if kind == 1:
        return content[: start[1]] + b"<a>" * DEPTH + b"</a>" * DEPTH + content[start[1] :]
    values = [match.span(1) for match in re.finditer(rb'"([^"<>]*)"', content)] or [(0, 0)]
    first, last = chance.choice(values)
    value = chance.choice(HOSTILE_NAMES) if kind == 2 else str(chance.choice(NUMBERS))
    return content[:first] + value.encode("utf-8", "surrogatepass") + content[last:]


def _lines(content: bytes, chance: random.Random) -> bytes:
    """Text with a line repeated, removed or moved, or a word replaced; of other bytes, a piece repeated."""
    lines = content.splitlines(keepends=True)
    at, kind = chance.randrange(len(lines)), chance.randrange(4)
    if kind == 0:
        lines[at : at + 1] = [lines[at]] * chance.choice((0, 2, MANY))
    elif kind == 1:
        lines.insert(chance.randrange(len(lines)), lines.pop(at))
    else:
        words = re.split(rb"([\s,;:=]+)", lines[at])
        value = chance.choice(HOSTILE_NAMES) if kind == 2 else str(chance.choice(NUMBERS))
        words[chance.randrange(0, len(words), 2)] = value.encode("utf-8", "surrogatepass")
        lines[at] = b"".join(words)
    return b"".join(lines)
