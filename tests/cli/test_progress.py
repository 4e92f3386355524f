"""The progress of an evaluation: rate and remaining time are those of this session."""

from __future__ import annotations

import sys
import warnings
from itertools import count

import pytest

from segmetry.cli.data_warnings import print_warnings
from segmetry.cli.progress import Lines, fraction_done, report_progress, seconds_left, stage_text
from segmetry.errors import DataWarning
from segmetry.evaluation.schedule import ProgressState


@pytest.fixture
def ten_seconds_a_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that is asked once for a report, once for its update and once for its line."""
    times = count(100.0, 10.0)
    monkeypatch.setattr("time.monotonic", lambda: next(times))


def printed(capsys: pytest.CaptureFixture[str], *states: ProgressState) -> list[str]:
    lines = Lines()
    for state in states:
        lines.update(state)
    return capsys.readouterr().err.splitlines()


@pytest.mark.usefixtures("ten_seconds_a_call")
def test_the_rate_leaves_out_items_of_an_earlier_session(capsys: pytest.CaptureFixture[str]) -> None:
    """60 of 100 items were finished earlier; 10 in the 20 seconds since are 0.5 items/s, and 30 take 60 seconds."""
    assert printed(capsys, ProgressState(60, 100), ProgressState(70, 100)) == [
        "60 of 100 items, 0.0 items/s",
        "70 of 100 items, 0.5 items/s, 60 s left",
    ]


@pytest.mark.usefixtures("ten_seconds_a_call")
def test_the_speed_leaves_out_bytes_of_an_earlier_session(capsys: pytest.CaptureFixture[str]) -> None:
    before = ProgressState(0, 1, blocks=5, n_blocks=10, read_bytes=5 * 10**8, n_bytes=10**9, partial_items=0.5)
    now = ProgressState(0, 1, blocks=7, n_blocks=10, read_bytes=7 * 10**8, n_bytes=10**9, partial_items=0.7)
    assert printed(capsys, before, now)[-1] == "0 of 1 items, block 7 of 10, 700 of 1000 MB, 10 MB/s, 30 s left"


@pytest.mark.parametrize("is_terminal", [False, True])
def test_a_note_takes_the_place_of_the_line_of_progress(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, is_terminal: bool
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: is_terminal)
    with print_warnings(), report_progress() as show:
        show("pictures", 3, 8)
        warnings.warn("mind this", DataWarning, stacklevel=1)
    shown = "\r\x1b[Kpictures, 3 of 8 …\r\x1b[Ksegmetry: note: mind this\n\r\x1b[K"
    assert capsys.readouterr().err == (shown if is_terminal else "segmetry: note: mind this\n")


def test_the_example_of_fraction_done() -> None:
    assert (fraction_done(ProgressState(3, 8)), fraction_done(ProgressState(0, 2, partial_items=0.5))) == (0.375, 0.25)


def test_the_example_of_seconds_left() -> None:
    first, now = ProgressState(2, 8), ProgressState(6, 8)
    assert (seconds_left(now, first, 10.0), seconds_left(first, first, 10.0)) == (5.0, None)


def test_the_example_of_stage_text() -> None:
    assert (stage_text("pictures", 3, 8), stage_text("intervals", 0, 0)) == ("pictures, 3 of 8", "intervals")
