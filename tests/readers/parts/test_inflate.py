"""libdeflate and zlib inflate the same data to the same bytes and refuse the same data."""

from __future__ import annotations

import zlib
from collections.abc import Callable

import pytest
from hypothesis import given, strategies as st

from segmetry.readers.formats.arrays import png as module

CASES: dict[str, Callable[[bytes], bytes]] = {
    "whole": lambda data: data,
    "cut off": lambda data: data[:-1],
    "wrong checksum": lambda data: data[:-1] + bytes([data[-1] ^ 1]),
    "something behind": lambda data: data + b"more",
    "empty": lambda data: b"",
    "something else": lambda data: b"\xff" * len(data),
}


def by_zlib(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_deflate_package", lambda: None)


@pytest.mark.parametrize("case", CASES)
@given(content=st.binary(min_size=2, max_size=300), more=st.integers(-1, 1))
def test_both_accept_and_reject_the_same(case: str, content: bytes, more: int) -> None:
    pytest.importorskip("deflate")
    data, size = CASES[case](zlib.compress(content)), len(content) + more
    fast = module.inflate(data, size)
    plain = module._inflate_by_zlib(data, size)
    assert (fast is None) == (plain is None)
    assert fast is None or bytes(fast) == plain == content


def test_zlib_takes_over_where_deflate_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    by_zlib(monkeypatch)
    assert module.inflate(zlib.compress(b"labels"), 6) == b"labels"
    assert module.crc32() is zlib.crc32


def test_a_bomb_is_rejected_without_inflating_it(monkeypatch: pytest.MonkeyPatch) -> None:
    by_zlib(monkeypatch)
    assert module.inflate(zlib.compress(bytes(10_000_000)), 10) is None
