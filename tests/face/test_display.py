"""What results look like when they are shown: one line, a short table, and escaped HTML for a notebook."""

from __future__ import annotations

from html.parser import HTMLParser

import numpy as np
import pytest

import segmetry as sm
from segmetry.results.result_table import SHOWN
from segmetry.segmentation.labels import COUNTED_AT_ONCE

HOSTILE = "<script>alert(1)</script>"


def _results():
    true, pred = (sm.LabelArray(labels, classes={1: HOSTILE, 2: "b"}) for labels in ([[1, 2]], [[1, 1]]))
    run = sm.evaluate({HOSTILE: true}, {HOSTILE: pred}, metrics="pq,n_matched", groups={HOSTILE: ["b"]})
    table = sm.overlap(true, pred)
    scores = sm.score(true, pred, ["pq", "pair_counts"])
    undefined = sm.Score.undefined("pq", HOSTILE)
    return [run, run.summary(), table, sm.align(table), scores, scores["pq"], undefined, true]


@pytest.mark.parametrize("result", _results(), ids=lambda result: type(result).__name__)
def test_html_is_small_escaped_and_without_scripts(result):
    html = result._repr_html_()
    tags: list[str] = []
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, attributes: tags.append(tag)
    parser.feed(html)
    assert set(tags) <= {"p", "b", "table", "tr", "th", "td"}
    assert len(html) < 2000


@pytest.mark.parametrize("result", _results(), ids=lambda result: type(result).__name__)
def test_the_representation_is_one_line_and_names_its_type(result):
    assert "\n" not in repr(result)
    assert repr(result).startswith(f"{type(result).__name__}(")
    assert len(repr(result)) < 160


def test_scores_print_as_a_table():
    scores = sm.score([[1, 1, 2, 2]], [[1, 1, 1, 2]], ["pq", "hoover_index"], rule="theta_and")
    assert str(scores).splitlines() == [
        "Scores: rule theta_and, policy none",
        "metric         value  remark",
        "────────────────────────────",
        "pq            0.3333",
        "hoover_index  1.0000",
    ]
    assert repr(scores) == "Scores(pq 0.333333, hoover_index 1; rule theta_and, policy none)"


def test_undefined_scores_say_why_in_every_form():
    scores = sm.score([[0, 0]], [[0, 0]], "pq")
    for text in (str(scores), scores._repr_html_(), repr(scores["pq"]), scores["pq"]._repr_html_()):
        assert scores["pq"].reason in text


def test_a_run_prints_its_summary():
    run = sm.evaluate({"a": [[1, 1]]}, {"a": [[1, 1]]}, metrics="pq", rule="theta_plus")
    first, second, *rows = str(run).splitlines()
    assert first == repr(run) == "Run(1 item, rule theta_plus, policy none)"
    assert second == "Summary: 1 item, rule theta_plus, policy none"
    assert rows[2].split()[0] == "pq"


def test_long_tables_are_cut_and_counted():
    labels = np.arange(1, SHOWN + 6)[None]
    table = sm.overlap(labels, labels)
    for result in (table, table.align()):
        assert str(result).splitlines()[-1] == "… 5 more"
        assert len(str(result).splitlines()) == SHOWN + 4
        assert result._repr_html_().endswith("<p>… 5 more</p>")


def test_a_label_array_shows_shape_type_segments_and_what_was_declared():
    array = sm.LabelArray(
        np.array([[1, 2, 255]], np.uint8), void=255, crowd=2, classes={1: "a", 2: "b"}, spacing=(2, 0.5)
    )
    assert repr(array) == (
        "LabelArray(shape (1, 3), uint8, 2 segments, outside 0, void 255, crowd 2, 2 classes, spacing 2, 0.5)"
    )
    assert repr(sm.LabelArray([1, 0], outside=None)) == "LabelArray(shape (2,), int64, 2 segments)"
    assert "1 segment," in repr(sm.LabelArray([1, 0]))


def test_a_large_or_stored_label_array_is_not_counted(tmp_path):
    large = np.broadcast_to(np.uint8(1), (COUNTED_AT_ONCE + 1,))
    assert "segments not counted" in repr(sm.LabelArray(large))
    stored = np.lib.format.open_memmap(tmp_path / "a.npy", "w+", np.uint8, (2**25,))
    assert repr(sm.LabelArray(stored)) == "LabelArray(shape (33554432,), uint8, segments not counted, outside 0)"
