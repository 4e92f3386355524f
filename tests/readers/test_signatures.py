"""A file that begins with a signature belongs to a format that declares it; the other readers need not be imported."""

from __future__ import annotations

from pathlib import Path

import pytest

from segmetry._base.index import FORMAT_SIGNATURES
from segmetry.readers.parts.file_head import lookalike
from segmetry.readers.reader import READERS, readers_of


@pytest.mark.parametrize("signature", FORMAT_SIGNATURES)
def test_no_other_format_takes_a_file_with_the_signature(signature: bytes, tmp_path: Path) -> None:
    assert set(readers_of(signature)) == set(FORMAT_SIGNATURES[signature])
    for ending in {ending for reader in READERS.values() for ending in reader.extensions} - {".label"}:
        path, head = tmp_path / f"file{ending}", signature + bytes(600)
        path.write_bytes(head)
        taken = {reader.name for reader in READERS.values() if reader.sniff(path, head)}
        assert taken <= set(FORMAT_SIGNATURES[signature])


def test_every_reader_is_asked_about_a_file_without_a_signature() -> None:
    assert readers_of(b"1 2 3") is READERS


def test_the_example_of_lookalike() -> None:
    assert lookalike(b"GIF89a...") == "a GIF image; save the labels as a grey PNG"
