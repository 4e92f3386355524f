"""``segmetry agreement FOLDER FOLDER …``."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import segmetry as sm
from tests.cli.running import Runner
from tests.comparison.test_annotator_matrix import folders


def test_the_command(tmp_path: Path, segmetry: Runner) -> None:
    named = folders(tmp_path)
    shown = segmetry("agreement", *named.values(), "--metrics", "pq,dice")
    assert shown.code == 0 and shown.lines[0] == "3 annotators, 3 items" and max(map(len, shown.lines)) <= 80
    expected = sm.agreement_matrix(named, metrics="pq,dice")
    row = next(line for line in shown.lines if line.startswith("ann"))
    assert row.split()[2:] == [f"{expected.value('pq', 'ann', name):.4f}" for name in ("bob", "eve")] + [
        f"{expected.against_others('pq', 'ann'):.4f}"
    ]
    rows = list(csv.DictReader(io.StringIO(segmetry("agreement", *named.values(), "--csv", "-").out)))
    assert [(each["true"], each["pred"]) for each in rows] == list(expected.scores)
    data = json.loads(segmetry("agreement", *named.values(), "--json", "-").out)
    assert data["mean"]["pq"] == expected.mean("pq")


def test_mistakes_of_the_command(tmp_path: Path, segmetry: Runner) -> None:
    named = folders(tmp_path)
    ann, bob = named["ann"], named["bob"]
    assert "two annotators are called 'ann'; name them: A=" in segmetry.refused("agreement", ann, ann)
    assert segmetry("agreement", f"A={ann}", f"B={ann}").code == 0
    assert "but there is one path; leave it out" in segmetry.refused("agreement", ann, "--metrics", "pq")
    assert "give one of them a file" in segmetry.refused("agreement", ann, bob, "--csv", "-", "--json", "-")
    (bob / "1.npy").unlink()
    assert "1" in segmetry.refused("agreement", ann, bob)
