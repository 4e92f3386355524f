"""What the elements of a line are called."""

from __future__ import annotations

import json
from pathlib import Path

import segmetry as sm
from segmetry.report.item_pictures import line_unit, pixels_of
from segmetry.run.run import Run


def unit(run: Run) -> tuple[str, float | None]:
    header = pixels_of(run).headers[0]
    return header["unit"], header["tick"]


def test_a_line_is_made_of_pages_sentences_or_seconds(tmp_path: Path) -> None:
    line = {"a": sm.Spans.from_masses([2, 3])}
    assert unit(sm.evaluate(line, line, metrics="pq")) == ("elements", None)
    assert unit(sm.evaluate(line, line, protocol="text")) == ("sentences", None)
    song = {"a": sm.Spans.from_seconds([(0, 1.5), (1.5, 4)])}
    assert unit(sm.evaluate(song, song, metrics="pq")) == ("seconds", 0.1)
    bits = tmp_path / "bits.json"
    bits.write_text(json.dumps({"a": [1, 0, 0, 1, 0]}))
    run = sm.evaluate(bits, bits, metrics="pq", out=tmp_path / "run.segm")
    assert unit(run) == ("pages", None)
    run.close()
    with Run.open(tmp_path / "run.segm") as again:
        assert unit(again) == ("pages", None)


def test_the_example_of_line_unit() -> None:
    import segmetry as sm

    line = {"a": sm.Spans.from_masses([2, 3])}
    assert (
        line_unit(sm.evaluate(line, line, metrics="pq")),
        line_unit(sm.evaluate(line, line, protocol="page-streams")),
    ) == ("elements", "pages")
