"""Every attack on every format: one clear error, in little memory. A new reader must stand in the table."""

from __future__ import annotations

from pathlib import Path

import pytest

from segmetry.errors import SegmetryError
from segmetry.readers.reader import READERS, ReadOptions
from segmetry.readers.source import read_items
from tests.readers.attacks import JSON_FILES, KINDS, TABLE, Attack, options_of
from tests.readers.data_sets import DATA_SETS
from tests.readers.memory import at_most
from tests.readers.samples import SAMPLES

BUDGET = 10**5
CELLS = [(name, kind) for name, row in TABLE.items() for kind, cell in row.items() if isinstance(cell, Attack)]
NEEDS = {name: sample.needs for name, sample in DATA_SETS.items() if sample.needs} | {"textgrid": "praatio"}


def refused(path: Path, name: str, words: str) -> None:
    options = ReadOptions(most_elements=BUDGET, **options_of(name))
    with pytest.raises(SegmetryError, match=words) as caught, at_most(2**26):
        [item.load() for item in read_items(path, name, options)]
    assert str(path) in str(caught.value) and str(caught.value).isprintable()


def test_no_format_and_no_attack_is_forgotten() -> None:
    assert sorted(TABLE) == sorted(READERS)
    assert all(tuple(row) == KINDS for row in TABLE.values())


@pytest.mark.slow
@pytest.mark.parametrize(("name", "kind"), CELLS)
def test_hostile_files_are_rejected_in_little_memory(name: str, kind: str, tmp_path: Path) -> None:
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    attack = TABLE[name][kind]
    assert isinstance(attack, Attack)
    refused(attack.write(tmp_path), name, attack.words)


def test_every_format_of_json_is_in_the_list() -> None:
    samples = {name: [sample.content] for name, sample in SAMPLES.items()}
    samples |= {name: list(sample.files.values()) for name, sample in DATA_SETS.items()}
    found = {name for name, contents in samples.items() if any(content[:1] in b"{[" for content in contents)}
    assert found == set(JSON_FILES)


@pytest.mark.parametrize("name", JSON_FILES)
@pytest.mark.parametrize(
    ("trap", "words"),
    [
        (b'"zz": 1, "zz": 2, ', "the key 'zz' occurs twice"),
        (b'"zz": NaN, ', "NaN or Infinity"),
        (b'"zz": -Infinity, ', "NaN or Infinity"),
        (b'"zz": ' + b"[" * 100_000 + b"]" * 100_000 + b", ", "nested deeper"),
        (b'"zz": ' + b'{"a":' * 100_000 + b"1" + b"}" * 100_000 + b", ", "nested deeper"),
        (b'"zz": ' + b"9" * 10_000 + b", ", "digits|zz"),
        (b'"zz": "\xff", ', "UTF-8|utf-8"),
    ],
    ids=["repeated key", "NaN", "-Infinity", "deep lists", "deep objects", "long number", "not UTF-8"],
)
def test_json_is_data_and_nothing_else(name: str, trap: bytes, words: str, tmp_path: Path) -> None:
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    if name in SAMPLES:
        path = file = tmp_path / f"a{SAMPLES[name].suffix}"
        file.write_bytes(SAMPLES[name].content)
    else:
        path = DATA_SETS[name].write(tmp_path)
        file = tmp_path / JSON_FILES[name]
    file.write_bytes(file.read_bytes().replace(b"{", b"{" + trap, 1))
    refused(path, name, words)


@pytest.mark.parametrize(
    "hostile", ["../secret.npy", "/etc/passwd", "a\0b", "a\nb", "a\x1b[2J", "\u202egpj.a", "x" * 2000, ""]
)
@pytest.mark.parametrize("name", ["masses", "spans-jsonl"])
def test_names_of_items_can_be_printed_and_stay_inside(name: str, hostile: str, tmp_path: Path) -> None:
    import json

    path = tmp_path / "file"
    row = {"item": hostile, "n": 3, "start": 0, "stop": 2} if name == "spans-jsonl" else {hostile: [2, 3]}
    path.write_text(json.dumps(row))
    with pytest.raises(SegmetryError) as caught:
        list(read_items(path, name))
    assert str(caught.value).isprintable()
