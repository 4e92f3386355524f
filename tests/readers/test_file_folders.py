"""A folder of files of any format is a data set: its files are items, read by the process that evaluates them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import segmetry as sm
from segmetry.errors import DataWarning, FormatError, InputError
from tests.cli.running import Runner

Write = Callable[[int, int], str]


def _choi(item: int, variant: int) -> str:
    return "=====\na\nb\n" + ("" if (item + variant) % 2 else "=======\n") + "c\n==========\nd\n=====\n"


def _lab(item: int, variant: int) -> str:
    return f"0 {1 + item / 10} a\n{1 + item / 10} {2 + variant / 4} b\n{2 + variant / 4} 4 a\n"


def _textgrid(item: int, variant: int) -> str:
    head = (
        'File type = "ooTextFile"\nObject class = "TextGrid"\n\n0\n4\n<exists>\n1\n"IntervalTier"\n"words"\n0\n4\n2\n'
    )
    return head + f'0\n{1 + item / 10 + variant}\n"a"\n{1 + item / 10 + variant}\n4\n"b"\n'


def _rttm(item: int, variant: int) -> str:
    return f"SPEAKER item{item} 1 {variant / 2} {item + 1} <NA> <NA> A <NA> <NA>\n"


def _conll(item: int, variant: int) -> str:
    return f"a O\nb B-X\nc {'I-X' if variant else 'O'}\n\n" + "d B-Y\n" * (item + 1)


def _events(item: int, variant: int) -> str:
    return f"item{item}.wav\t{variant / 4}\t{item + 1}\tspeech\n"


def _geojson(item: int, variant: int) -> str:
    ring = [[0, 0], [100, 0], [100, 100 + item], [variant, 100 + item], [0, 0]]
    polygon = f'{{"type": "Polygon", "coordinates": [{ring}]}}'
    return (
        '{"type": "FeatureCollection", "crs": {"type": "name", "properties": {"name": "EPSG:28992"}}, "features": '
        f'[{{"type": "Feature", "properties": {{}}, "geometry": {polygon}}}]}}'
    )


def _values(run: sm.Run, metric: str) -> dict[str, float | None]:
    return {name: scores[metric].value for name, scores in run.item_scores()}


FOLDERS: dict[str, tuple[str, Write, str]] = {
    "choi": (".ref", _choi, "window_diff"),
    "lab": (".lab", _lab, "pq"),
    "textgrid": (".TextGrid", _textgrid, "pq"),
    "rttm": (".rttm", _rttm, "der"),
    "bio": (".conll", _conll, "entity_f1"),
    "sound-events": (".txt", _events, "event_based_f1"),
    "geojson": (".geojson", _geojson, "pq"),
}


def _folder(path: Path, suffix: str, write: Write, variant: int) -> Path:
    (path / "deep").mkdir(parents=True)
    for item in range(4):
        (path / ("deep" if item % 2 else "") / f"item{item}{suffix}").write_text(write(item, variant))
    return path


@pytest.mark.parametrize("format_", FOLDERS)
def test_a_folder_has_the_scores_of_its_files(format_: str, tmp_path: Path) -> None:
    suffix, write, metric = FOLDERS[format_]
    true, pred = (_folder(tmp_path / side, suffix, write, variant) for variant, side in enumerate(("true", "pred")))
    run = sm.evaluate(true, pred, metrics=metric)
    scores = _values(run, metric)
    assert len(scores) >= 4
    for file in sorted(true.rglob(f"*{suffix}")):
        place = file.relative_to(true)
        alone = _values(sm.evaluate(file, pred / place, metrics=metric), metric)
        own = {name: score for name, score in scores.items() if name.removeprefix("deep/").startswith(file.stem)}
        assert sorted(own.values()) == sorted(alone.values())


@pytest.mark.slow
def test_files_are_read_by_the_processes_that_evaluate_them(tmp_path: Path) -> None:
    folders = [_folder(tmp_path / side, ".lab", _lab, variant) for variant, side in enumerate(("true", "pred"))]
    one, several = (sm.evaluate(*folders, metrics="pq", engine="processes", jobs=jobs) for jobs in (1, 2))
    assert _values(one, "pq") == _values(several, "pq")


def test_a_folder_of_recordings_fits_a_file_of_all(tmp_path: Path) -> None:
    folder = _folder(tmp_path / "true", ".rttm", _rttm, 0)
    together = tmp_path / "all.rttm"
    together.write_text("".join(_rttm(item, 1) for item in range(4)))
    assert len(_values(sm.evaluate(together, folder, metrics="der"), "der")) == 4


def test_a_recording_without_turns_is_an_empty_file(tmp_path: Path) -> None:
    true, pred = (_folder(tmp_path / side, ".rttm", _rttm, 0) for side in ("true", "pred"))
    (pred / "item2.rttm").write_text("")
    uem = tmp_path / "all.uem"
    uem.write_text("".join(f"item{item} 1 0 10\n" for item in range(4)))
    with pytest.warns(DataWarning, match="an empty file"):
        run = sm.evaluate(true, pred, metrics="der", read={"uem": str(uem)})
    assert sorted(_values(run, "der").values()) == [0, 0, 0, 1]


def test_one_recording_in_two_files_is_an_error(tmp_path: Path) -> None:
    folder = _folder(tmp_path / "true", ".rttm", _rttm, 0)
    (folder / "again.rttm").write_text(_rttm(1, 0))
    with pytest.raises(FormatError, match=r"item 'item1' is in again\.rttm and deep/item1\.rttm; expected one"):
        sm.read(folder)


def test_glob_selects_files_and_others_are_told(tmp_path: Path, segmetry: Runner) -> None:
    folder = _folder(tmp_path / "true", ".lab", _lab, 0)
    (folder / "README.md").write_text("About these recordings\n")
    assert "files of other names are ignored: 'README.md'" in segmetry("score", folder, folder).err
    assert list(sm.read(folder, glob="*2.lab")) == ["item2"]


def test_text_with_any_separator_is_asked_for(tmp_path: Path, segmetry: Runner) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "one.txt").write_text("a\nb\n--\nc\n")
    found = segmetry("score", folder, folder)
    assert found.code == 2
    assert "--format text --separator REGEX" in found.err
    tried = segmetry("score", folder, folder, "--format", "text", "--separator=-+", "--metrics", "pq")
    assert tried.code == 0, tried.err


def test_files_of_several_formats_are_an_error(tmp_path: Path) -> None:
    folder = tmp_path / "mixed"
    folder.mkdir()
    (folder / "a.ref").write_text(_choi(0, 0))
    (folder / "b.lab").write_text(_lab(0, 0))
    with pytest.raises(FormatError, match=r"several formats: a\.ref \(choi\), b\.lab \(lab\); choose one"):
        sm.read(folder)
    with pytest.warns(DataWarning, match=r"ignored: 'a\.ref'"):
        assert list(sm.read(folder, format="lab")) == ["b"]


def test_names_that_differ_are_paired_as_those_of_images(tmp_path: Path) -> None:
    true, pred = (_folder(tmp_path / side, ".lab", _lab, 0) for side in ("true", "pred"))
    (pred / "item0.lab").rename(pred / "item0_net.lab")
    with pytest.raises(InputError, match="1 only in true: item0; 1 only in pred: item0_net"):
        sm.evaluate(true, pred, metrics="pq")


def test_ends_that_differ_name_the_item_once(tmp_path: Path) -> None:
    true, pred = (_folder(tmp_path / side, ".lab", _lab, 0) for side in ("true", "pred"))
    (pred / "item0.lab").write_text("0 3 a\n")
    with pytest.raises(InputError, match=r"^item item0: true ends at 4 and pred at 3"):
        sm.evaluate(true, pred, metrics="pq")
    assert len(_values(sm.evaluate(true, pred, metrics="pq", read={"length": "longer"}), "pq")) == 4
