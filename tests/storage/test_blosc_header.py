"""Blosc chunks: all that the package writes pass, and what is damaged never reaches the decoder that it could crash."""

from __future__ import annotations

import os
import random
import re

import numpy as np
import pytest

from segmetry.errors import FormatError
from segmetry.storage.decompression import HEADER, buffer_of, check_blosc, check_lzw, decompressed, zstd_size
from tests.profiles import count

numcodecs = pytest.importorskip("numcodecs")
NAMES = ("lz4", "lz4hc", "zstd", "zlib", "blosclz")


def chunk(seed: int) -> tuple[bytes, int]:
    chance = random.Random(seed)  # noqa: S311 - examples, not secrets
    dtype, n = chance.choice(("u1", "u2", "u4", "u8")), chance.choice((1, 5, 1000, 20_000, 100_000))
    array = (np.arange(n) // chance.choice((1, 7)) % 50).astype(dtype)
    packer = numcodecs.Blosc(
        cname=chance.choice(NAMES), clevel=chance.choice((0, 1, 5, 9)), shuffle=chance.choice((0, 1, 2))
    )
    return bytes(packer.encode(array)), array.nbytes


def test_what_the_package_writes_passes() -> None:
    for seed in range(count(20)):
        packed, n_bytes = chunk(seed)
        check_blosc(packed, "chunk")
        assert len(decompressed(packed, "blosc", n_bytes, "chunk")) == n_bytes


def damaged(seed: int) -> tuple[bytes, int]:
    packed, n_bytes = chunk(seed)
    chance = random.Random(seed)  # noqa: S311
    content = bytearray(packed)
    for _ in range(chance.choice((1, 1, 2, 5))):
        at = chance.randrange(min(len(content), chance.choice((HEADER + 8, 64, len(content)))))
        content[at] = chance.randrange(256)
    return bytes(content), n_bytes


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a process that may crash")
def test_damaged_chunks_never_end_the_process() -> None:
    """Without the check, about one of 3,000 such chunks is read outside its memory."""
    process = os.fork()
    if process == 0:
        for seed in range(count(40)):
            packed, n_bytes = damaged(seed)
            try:
                decompressed(packed, "blosc", n_bytes, "chunk")
            except (FormatError, RuntimeError, ValueError):
                continue
        os._exit(0)
    assert os.waitpid(process, 0)[1] == 0


@pytest.mark.parametrize(
    ("place", "value", "words"),
    [
        (12, 7, "declares a length of 7 bytes"),
        (8, 0, "blocks of 0 bytes"),
        (16, 2**31, "block 0 begins at byte 2147483648"),
        (16, 0, "block 0 begins at byte 0"),
        (8, 1, "a table of 8000 blocks"),
    ],
)
def test_a_wrong_number_is_named(place: int, value: int, words: str) -> None:
    packed = bytearray(numcodecs.Blosc(cname="lz4").encode(np.arange(2000, dtype="<u4") // 9))
    packed[place : place + 4] = value.to_bytes(4, "little")
    with pytest.raises(FormatError, match=words):
        check_blosc(bytes(packed), "chunk")


def test_the_example_of_buffer_of() -> None:
    first = buffer_of(2**20)
    address = first.ctypes.data
    del first
    assert buffer_of(2**20).ctypes.data == address


def test_the_example_of_zstd_size() -> None:
    assert (zstd_size(bytes.fromhex("28b52ffd20040000")), zstd_size(b"(")) == (4, None)


def test_the_example_of_check_lzw() -> None:
    with pytest.raises(
        FormatError,
        match=re.escape("strip 1: damaged LZW data: code 511 at bit 9 follows a clear code; expected a byte"),
    ):
        check_lzw(bytes([0x80, 0x7F, 0xC0]), "strip 1")
