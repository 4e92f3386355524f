"""``segmetry convert``."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from segmetry.readers.losses import stored_content
from tests.cli.running import Runner
from tests.readers.samples import SAMPLES, read


def test_through_all_that_can_hold_it(segmetry: Runner, tmp_path: Path) -> None:
    source = tmp_path / "a.json"
    source.write_text('{"a": [5, 3, 5], "b": [2, 1]}')
    expected = read(source)
    for step, name in enumerate(("bits", "boundaries", "spans", "spans-jsonl", "rttm", "bio", "masses")):
        target = tmp_path / f"{step}.{name}"
        assert segmetry("convert", source, target, "--to", name).code == 0
        source = target
    assert json.loads(source.read_text()) == {"a": [5, 3, 5], "b": [2, 1]}
    assert all(
        stored_content(before) == stored_content(after) for before, after in zip(expected, read(source), strict=True)
    )


def test_coders_go_into_a_table_and_back(segmetry: Runner, tmp_path: Path) -> None:
    source = tmp_path / "coders.json"
    source.write_text('{"items": {"text": {"1": [2, 3, 3, 1], "2": [9]}}, "segmentation_type": "linear"}')
    assert segmetry("convert", source, tmp_path / "a.tsv", "--to", "boundaries").code == 0
    assert (tmp_path / "a.tsv").read_text().startswith("item\tcoder\tn\tboundaries\ntext\t1\t9\t2 5 8\n")
    assert segmetry("convert", tmp_path / "a.tsv", tmp_path / "b.json", "--to", "masses").code == 0
    assert json.loads((tmp_path / "b.json").read_text()) == json.loads(source.read_text())


def test_page_streams_become_masses_only_when_gaps_are_settled(segmetry: Runner, tmp_path: Path) -> None:
    source, target = tmp_path / "pred.json", tmp_path / "masses.json"
    source.write_text('{"a": [1, 0, 1], "b": [0, 0, 1, 0, 1]}')
    assert "masses would lose the gap before the first span" in segmetry.refused(
        "convert", source, target, "--to", "masses"
    )
    assert not target.exists()
    assert segmetry("convert", source, target, "--to", "masses", "--first", "force").code == 0
    assert json.loads(target.read_text()) == {"a": [2, 1], "b": [2, 2, 1]}


@pytest.mark.parametrize(
    ("sample", "to", "words"),
    [
        ("bits", "masses", "item b: masses would lose the gap before the first span"),
        ("spans", "masses", "would lose the classes; --drop classes"),
        ("spans", "bits", "would lose the classes"),
        ("masses", "bio", "item a: bio would lose the names of the annotators; choose one with --coder"),
        ("masses", "lab", "lab would lose the other items: there are several"),
        ("lab", "bio", "bio would lose the unit of time"),
        ("lab", "masses", "masses would lose the classes"),
        ("choi", "masses", "masses would lose the text of the units; --drop text"),
        ("bits", "choi", "would lose the other items"),
        ("spans", "rttm", "would lose the gap behind the last span, and so the length of the line"),
        ("bits", "text", "the format text can be read but not written; expected one of bio, bits"),
        ("bits", "npy", "the format npy can be read but not written"),
        ("npy", "masses", "item sample contains labels; expected spans of a line"),
    ],
)
def test_what_would_be_lost_is_said(sample: str, to: str, words: str, segmetry: Runner, tmp_path: Path) -> None:
    source, target = tmp_path / f"sample{SAMPLES[sample].suffix}", tmp_path / "out"
    source.write_bytes(SAMPLES[sample].content)
    assert words in segmetry.refused("convert", source, target, "--to", to)
    assert sorted(tmp_path.iterdir()) == [source], "nothing half-written"


def test_what_is_not_wanted_can_be_dropped(segmetry: Runner, tmp_path: Path) -> None:
    source, target = tmp_path / "sample.ref", tmp_path / "sample.json"
    source.write_bytes(SAMPLES["choi"].content)
    assert segmetry("convert", source, target, "--to", "masses", "--drop", "text").code == 0
    assert json.loads(target.read_text()) == {"sample": [2, 1]}
    message = segmetry.refused("convert", source, target, "--to", "masses", "--drop", "classes", "--force")
    assert "--drop classes: no item has any classes" in message


def test_standard_output_is_a_target(segmetry: Runner, tmp_path: Path) -> None:
    source = tmp_path / "a.json"
    source.write_text('{"a": [2, 3], "b": [1]}')
    result = segmetry("convert", source, "-", "--to", "boundaries")
    assert (result.code, result.out) == (0, "item,n,boundaries\na,5,2\nb,1,\n")
    assert sorted(tmp_path.iterdir()) == [source]


def test_the_name_of_a_single_item_is_kept(segmetry: Runner, tmp_path: Path) -> None:
    source = tmp_path / "in.json"
    source.write_text('{"talk": [2, 3]}')
    message = segmetry.refused("convert", source, tmp_path / "out.lab", "--to", "lab")
    assert "the name of the item, 'talk', would be lost: name the file talk, or use --drop name" in message
    assert segmetry("convert", source, tmp_path / "talk.lab", "--to", "lab").code == 0
    assert segmetry("convert", source, tmp_path / "out.lab", "--to", "lab", "--drop", "name").code == 0
    assert (tmp_path / "out.lab").read_text() == "0\t2\n2\t5\n"


def test_files_are_not_replaced_by_accident(segmetry: Runner, tmp_path: Path) -> None:
    source, target = tmp_path / "a.json", tmp_path / "b.json"
    source.write_text('{"a": [1, 0]}')
    target.write_text("precious")
    assert "exists; --force replaces it" in segmetry.refused("convert", source, target, "--to", "masses")
    assert target.read_text() == "precious"
    assert segmetry("convert", source, target, "--to", "masses", "--force").code == 0
    assert json.loads(target.read_text()) == {"a": [2]}
    assert stat.S_IMODE(target.stat().st_mode) == stat.S_IMODE(source.stat().st_mode), "as readable as any new file"


def test_a_format_that_turns_out_not_to_hold_it_leaves_nothing(segmetry: Runner, tmp_path: Path) -> None:
    """A class of spaces cannot stand in a column: the writer says so, and no file appears."""
    source = tmp_path / "a.csv"
    source.write_text("item,n,start,stop,class\n1,2,0,2,two words\n")
    assert "contains white space" in segmetry.refused("convert", source, tmp_path / "a.bio", "--to", "bio")
    assert sorted(tmp_path.iterdir()) == [source]


def test_what_does_not_read_back_is_not_kept(segmetry: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    from segmetry.readers.losses import writer_of
    from segmetry.readers.reader import READERS, Writer

    broken = Writer(lambda *_: '{"a": [1, 1]}\n', writer_of("masses").holds)
    monkeypatch.setitem(READERS._declared, "masses", replace(READERS["masses"], writer=broken))
    source = tmp_path / "a.json"
    source.write_text('{"a": [1, 0]}')
    assert "would be read back as something else" in segmetry.refused(
        "convert", source, tmp_path / "b.json", "--to", "masses"
    )
    assert sorted(tmp_path.iterdir()) == [source]
