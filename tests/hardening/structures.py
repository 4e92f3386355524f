"""Damage that keeps the form of a file: what a checksum, a parser or a compressor would refuse is made valid again.

Bits that are flipped seldom get past a checksum or the syntax of JSON. Here the parts of a file are changed, and the
file is put together anew: nodes of JSON, elements of XML, lines, members of archives, chunks of PNG, elements of MATLAB
files, statements and pages of SQLite, packed streams. Formats whose files are made from nothing are in ``built_files``.
"""

# ruff: noqa: S608 - statements that do harm

from __future__ import annotations

import gzip
import io
import json
import random
import re
import sqlite3
import struct
import warnings
import zipfile
import zlib
from collections.abc import Callable
from contextlib import suppress
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
    if content[:16] == b"SQLite format 3\0":
        return (_database if chance.random() < 1 / 2 else _page)(content, chance)
    if content[:10] == b"MATLAB 5.0":
        return _mat(content, chance, change)
    if content[:1] in (b"{", b"["):
        return json_tree(content, chance)
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
    with warnings.catch_warnings(), zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        warnings.simplefilter("ignore")  # two members of one name
        for name, data in members:
            archive.writestr(zipfile.ZipInfo(name), data)
    return target.getvalue()


_PNG_KINDS = (
    b"PLTE", b"tRNS", b"gAMA", b"acTL", b"fcTL", b"fdAT", b"iCCP", b"zTXt", b"iTXt", b"eXIf", b"sPLT", b"hIST", b"IDAT",
    b"IEND", b"IHDR", b"pHYs", b"sBIT", b"QQQQ", b"\0\0\0\0", b"\xff\xff\xff\xff",
)  # fmt: skip


def _png(content: bytes, chance: random.Random, change: Change) -> bytes:
    """A PNG with a chunk changed, repeated, moved, removed or of another kind, and right checksums."""
    chunks, at = [], len(PNG)
    while at + 12 <= len(content):
        (length,) = struct.unpack_from(">I", content, at)
        chunks.append((content[at + 4 : at + 8], content[at + 8 : at + 8 + length]))
        at += 12 + length
    if not chunks:
        return content
    at, kind = chance.randrange(len(chunks)), chance.randrange(7)
    name, data = chunks.pop(at)
    if kind == 0:
        chunks.insert(at, (name, change(data, chance) if data else data))
    elif kind == 5 and name == b"IHDR":
        sides = struct.pack(">II", *(chance.choice((0, 1, 3, 2**16, 2**31 - 1, 2**31, 2**32 - 1)) for _ in "wh"))
        rest = bytes(chance.choice((0, 1, 2, 3, 4, 6, 8, 16, 255)) for _ in range(5))
        chunks.insert(at, (name, chance.choice((sides + data[8:], data[:8] + rest, sides + rest))))
    elif kind >= 5:
        content = chance.choice(
            (b"", bytes(3), bytes(768), bytes(10**5), data, zlib.compress(bytes(10**7)), b"a\0\0" * 9)
        )
        chunks[at:at] = [(chance.choice(_PNG_KINDS), content), (name, data)]
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


def _mat(content: bytes, chance: random.Random, change: Change) -> bytes:
    """A MATLAB file in which a tag of a variable has another type or length; what was packed is packed again."""
    parts, at = [content[:128]], 128
    while at + 8 <= len(content):
        kind, length = struct.unpack_from("<II", content, at)
        body = content[at + 8 : at + 8 + length]
        is_packed = kind == 15
        with suppress(zlib.error):
            body = zlib.decompress(body) if is_packed else content[at : at + 8] + body
        if body and chance.random() < 2 / 3:
            body = _with_tag(body, chance) if chance.random() < 2 / 3 else change(body, chance)
        packed = zlib.compress(body)
        parts.append(struct.pack("<II", 15, len(packed)) + packed if is_packed else body)
        at += 8 + length
    return b"".join(parts)


def _with_tag(body: bytes, chance: random.Random) -> bytes:
    """The elements of a variable, with one of the numbers that say what follows replaced."""
    at = 4 * chance.randrange(max(1, len(body) // 4))
    number = chance.choice((*range(20), 48, 56, 2**16, 2**24, 2**31 - 1, 2**31, 2**32 - 8, 2**32 - 1))
    small = chance.randrange(20) | chance.choice((0, 1, 4, 5, 255, 2**16 - 1)) << 16
    return body[:at] + struct.pack("<I", chance.choice((number, small))) + body[at + 4 :]


_SQL_VALUES = (
    "NULL", "-5", "0", "9e999", "-9e999", "0.5", "1e300", "9223372036854775807", "-9223372036854775808",
    "''", "'x'", "x''", "x'ff'",
    "'[[1]]'", "'[null]'", "'{}'", "'9223372036854775808'", "CAST(x'ff80' AS TEXT)", "'a' || char(0) || 'b'",
    "zeroblob(1000)", "printf('%.*c', 100000, '[')", "'1e999'", "'1/0'", "'NaN'", "'../../x'", "char(27) || '[31m'",
)  # fmt: skip
_ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT"


_HEADER_NUMBERS = {16: 2, 18: 1, 19: 1, 20: 1, 21: 1, 22: 1, 23: 1, 24: 4, 28: 4, 32: 4, 36: 4, 40: 4, 44: 4, 52: 4}
_HEADER_NUMBERS |= {56: 4, 60: 4, 64: 4, 92: 4, 96: 4}
_PAGE_NUMBERS = {0: 1, 1: 2, 3: 2, 5: 2, 7: 1, 8: 4}


def _page(content: bytes, chance: random.Random) -> bytes:
    """An SQLite database with a number of its header, a page or a cell changed: cycles, chains without end."""
    size = max(512, int.from_bytes(content[16:18], "big"))
    count = max(1, len(content) // size)
    number, found = chance.randrange(count), bytearray(content)
    start = number * size
    head = start + 100 * (number == 0)
    some_page = chance.choice((0, number + 1, chance.randrange(count) + 1, count + 1, 2**31, 2**32 - 1))
    kind = chance.randrange(7)
    cells = min(int.from_bytes(content[head + 3 : head + 5], "big"), size // 2)
    cell = head + (12 if content[head : head + 1] in (b"\2", b"\5") else 8) + 2 * chance.randrange(max(1, cells))
    place = start + int.from_bytes(content[cell : cell + 2], "big")
    if kind == 0:
        at, width = chance.choice([*_HEADER_NUMBERS.items()])
        found[at : at + width] = (chance.choice(_EXTREME) % 256**width).to_bytes(width, "big")
    elif kind == 1:
        at, width = chance.choice([*_PAGE_NUMBERS.items()])
        value = chance.choice((2, 5, 10, 13, 0)) if at == 0 else some_page if at == 8 else chance.choice(_EXTREME)
        found[head + at : head + at + width] = (value % 256**width).to_bytes(width, "big")
    elif kind == 2:
        found[cell : cell + 2] = chance.randrange(2**16).to_bytes(2, "big")
    elif kind == 3:
        found[place : place + 4] = some_page.to_bytes(4, "big")
    elif kind == 4:
        found[place : place + 9] = chance.choice((b"\xff" * 9, bytes(9), b"\x81" * 8 + b"\x01", b"\x7f" * 9))
    elif kind == 5:
        other = size * chance.randrange(count)
        found[start : start + size] = content[other : other + size]
    else:
        at = start + chance.randrange(size - 4)
        found[at : at + 4] = some_page.to_bytes(4, "big")
    return bytes(found[: len(content)])


_EXTREME = (0, 1, 2, 0x7F, 0x80, 0xFF, 0x100, 0x1000, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)


def _database(content: bytes, chance: random.Random) -> bytes:
    """An SQLite database in which a statement was executed: a value, a row, a table, a view or a trigger changed."""
    with (
        sqlite3.connect(":memory:", isolation_level=None) as database,
        suppress(sqlite3.Error, UnicodeError, MemoryError),
    ):
        database.deserialize(content)
        database.execute("PRAGMA ignore_check_constraints = ON")
        names = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        table = chance.choice([name for name in names if not name.startswith(("sqlite_", "rtree"))])
        columns = [row[1] for row in database.execute(f'PRAGMA table_info("{table}")')]
        column, value = chance.choice(columns), chance.choice(_SQL_VALUES)
        database.execute(_statement(database, chance, table, column, value))
        return database.serialize()
    return content


def _statement(database: sqlite3.Connection, chance: random.Random, table: str, column: str, value: str) -> str:
    kind = chance.randrange(10)
    if kind < 3:
        return f'UPDATE "{table}" SET "{column}" = {value}'
    if kind < 6:
        rows = [row for (row,) in database.execute(f'SELECT "{column}" FROM "{table}" LIMIT 99')]
        old = chance.choice(rows) if rows else None
        if isinstance(old, str) and old[:1] in ("{", "["):
            new = json_tree(old.encode(), chance).decode("utf-8", "replace")
            value = "'" + new.replace("'", "''").replace("\0", "") + "'"
        elif isinstance(old, bytes) and old and chance.random() < 1 / 2:
            place = chance.randrange(len(old))
            value = f"x'{(old[:place] + bytes([chance.randrange(256)]) + old[place + 1 :]).hex()}'"
        quoted = "NULL" if old is None else f"x'{old.hex()}'" if isinstance(old, bytes) else repr(old)
        return f'UPDATE "{table}" SET "{column}" = {value} WHERE "{column}" IS {quoted}'
    if kind == 6:
        return f'DELETE FROM "{table}"' + chance.choice(("", f' WHERE "{column}" = {value}'))
    if kind == 7:
        return f'DROP TABLE "{table}"'
    if kind == 8:
        database.execute(f'ALTER TABLE "{table}" RENAME TO renamed')
        select = chance.choice((f"{_ENDLESS} x FROM n", "SELECT * FROM renamed", f'SELECT * FROM "{table}"'))
        return f'CREATE VIEW "{table}" AS {select}'
    return chance.choice((
        f'CREATE TRIGGER evil AFTER INSERT ON "{table}" BEGIN SELECT 1; END',
        f'CREATE INDEX evil ON "{table}" (upper("{column}"))',
        f'ALTER TABLE "{table}" RENAME COLUMN "{column}" TO other',
        f'ALTER TABLE "{table}" ADD COLUMN more AS (hex(zeroblob(100000000)))',
        "PRAGMA user_version = 77",
    ))  # fmt: skip


_RAW = (
    "1e400", "-1e400", "NaN", "-Infinity", "-0.0", "01", "1_0", "0x10", "9" * 5000, "-" + "9" * 400, "1e-5000", "1.",
    "+1", "[1][2]",
    '"\\ud800"', '"\\u0000"', "'a'", "True", "tru", "", "1, 1", "/* a */ 1", "\u00a01", '"' + "a" * 10**5 + '"',
    "[" * 3000, '{"a":1,"a":2}', '"a\tb"', "\ufeff1", "1e308", "123456789012345678901234567890.0", '"\\u202e"',
)  # fmt: skip
"""What may stand for a value in the text of a document, and what no encoder would write."""
_MARK = "MARK"


def json_tree(content: bytes, chance: random.Random) -> bytes:
    """JSON with a node replaced, removed, repeated, nested, doubled under its key or written as no encoder would."""
    if _DEEP.search(content):
        return content  # deeper than this module can walk
    try:
        document = json.loads(content)
        spots = list(_spots(document))
    except (ValueError, RecursionError):
        return _lines(content, chance)
    if not spots or chance.random() < 1 / 50:
        return chance.choice(("5", "[]", "{}", "null", '"a"', "[5]", *_RAW)).encode()
    parent, key = chance.choice(spots)
    kind, old, text = chance.randrange(8), parent[key], ""
    if kind == 0:
        del parent[key]
    elif kind == 1 and isinstance(parent, list):
        parent[key : key + 1] = [parent[key]] * chance.choice((2, MANY))
    else:
        parent[key] = _MARK
        text = _twice(key, old, chance) if kind == 1 else _other_value(old, chance)
    return json.dumps(document).replace(json.dumps(_MARK), text, 1).encode("utf-8", "surrogatepass")


def _twice(key: str, old: Any, chance: random.Random) -> str:
    """A value and its key once more, with the same value or another one."""
    text = json.dumps(old)
    other = chance.choice((text, "null", "7", '"a"', "[]"))
    return chance.choice((f"{text}, {json.dumps(key)}: {other}", f"{other}, {json.dumps(key)}: {text}"))


def _other_value(old: Any, chance: random.Random) -> str:
    """What stands in the place of a value: a number, a name, another kind, many levels, or no JSON."""
    kind = chance.randrange(6)
    if kind == 0:
        bracket = chance.choice(("[]", '{"a":}'))
        return bracket[:-1] * DEPTH + "1" + bracket[-1] * DEPTH
    if kind <= 2:
        return chance.choice(_RAW)
    shapes = ([], {}, None, True, [[]], [None], {"": []}, "0", [old], {"a": old})
    return json.dumps(chance.choice((NUMBERS, HOSTILE_NAMES, shapes)[kind - 3]))


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
