"""The error budget and the ranking under several rules: every number the page shows is Python's."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import segmetry as sm
from segmetry.diagnosis.diagnosis_result import WORDS
from segmetry.report.page import write_report
from segmetry.results.number_format import signed
from tests.browser.conftest import OpenReport
from tests.browser.printed import number
from tests.browser.reports import overlapping_masks, report_of, shown

CLASSES = 8
WHAT = ("cut", "join", "drop", "narrow", "confuse", "keep", "keep")
LARGER = {7: 6, 8: 6, 21: 17, 22: 17}
KEYS = ("pq", "sq", "rq", "precision", "recall")


def strips(seed: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Rows of strips; some are cut, joined, dropped, too narrow, taken for another class, and one is invented. Those of
    a few items are of medium size, or large.
    """
    random = np.random.default_rng(seed)
    true: dict[str, Any] = {}
    pred: dict[str, Any] = {}
    for item in range(40):
        sides = [np.zeros((4, 120), dtype=np.int64) for _ in range(2)]
        classes: list[dict[int, str]] = [{}, {500: "class 0"}]
        for at, what in enumerate(random.choice(WHAT, size=12).tolist(), start=1):
            strip = slice(10 * at - 10, 10 * at - 1)
            names = [f"class {name}" for name in random.integers(CLASSES, size=2).tolist()]
            sides[0][:, strip], classes[0][at] = at, names[0]
            if what == "drop":
                continue
            label = at - 1 if what == "join" and at - 1 in classes[1] else at
            sides[1][what == "narrow" :, strip] = label
            classes[1].setdefault(label, names[what == "confuse"])
            if what == "cut":
                sides[1][2:, strip], classes[1][at + 100] = at + 100, names[0]
        sides[1][:, 9] = 500
        square = np.ones(2 * (LARGER.get(item, 1),), dtype=np.int64)
        true[f"item {item}"], pred[f"item {item}"] = (
            sm.LabelArray(np.kron(labels, square), classes=names) for labels, names in zip(sides, classes, strict=True)
        )
    return true, pred


def narrowed(true: dict[str, Any]) -> dict[str, Any]:
    """Every strip without its last row: IoU 3/4, good enough for θ⁺ and too little for stricter rules."""
    relabelled = {}
    for name, segmentation in true.items():
        labels = np.array(segmentation.labels)
        labels[3 * len(labels) // 4 :] = 0
        relabelled[name] = sm.LabelArray(labels, classes=segmentation.classes)
    return relabelled


@pytest.fixture(scope="module")
def runs() -> tuple[sm.Run, sm.Run]:
    true, pred = strips(3)
    return sm.evaluate(true, pred, metrics="pq"), sm.evaluate(true, narrowed(true), metrics="pq")


@pytest.fixture(scope="module")
def report(runs: tuple[sm.Run, sm.Run], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return report_of(runs[0], tmp_path_factory.mktemp("report"), "budget.html")


def cells(page: Any, table: str, name: str) -> dict[str, dict[str, list[str]]]:
    """The texts of a table by the name of their row and of their cell."""
    texts: dict[str, dict[str, list[str]]] = {}
    for row, cell, text in page.evaluate(
        """([table, name]) => [...document.querySelectorAll(`${table} tbody [data-cell]`)].map(
            (cell) => [cell.closest("tr").dataset[name], cell.dataset.cell, cell.innerText])""",
        [table, name],
    ):
        texts.setdefault(row, {}).setdefault(cell, []).append(text)
    return texts


@pytest.mark.parametrize("word", ["by_item", "by_class", "pooled"])
def test_the_budget_is_pythons(word: str, runs: tuple[sm.Run, sm.Run], report: Path, open_report: OpenReport) -> None:
    data = sm.diagnose(runs[0]).to_dict()
    assert all(data["kinds"][kind]["errors"] for kind in data["order"]), "the scene must contain errors of every kind"
    page = open_report(report, view="errors")
    page.select_option('#budget select[aria-label="average"]', word)

    def value(state: dict[str, Any], key: str = "pq") -> float:
        scores = state["scores"][key]
        return float(scores[word if word in scores else "by_item_of_classes"]["value"])

    steps = [value(state) for state in (data["base"], *data["cumulative"].values())]
    alone = [value(data["individually"][kind]) - steps[0] for kind in data["order"]]
    cumulative = [after - before for before, after in itertools.pairwise(steps)]
    for choice, states in (("individually", data["individually"]), ("cumulative", data["cumulative"])):
        page.select_option('#budget select[aria-label="fixed"]', choice)
        expected = {"base": {key: [number(value(data["base"], key), key)] for key in KEYS}}
        for kind, gain_alone, gain_in_turn in zip(data["order"], alone, cumulative, strict=True):
            expected[kind] = {name: [str(data["kinds"][kind][name])] for name in ("errors", "missed", "spurious")}
            expected[kind] |= {"gain-individually": [signed(gain_alone)], "gain-cumulative": [signed(gain_in_turn)]}
            expected[kind] |= {key: [number(value(states[kind], key), key)] for key in KEYS}
        assert cells(page, "#budget-table", "kind") == expected
    assert expected["boundary"]["pq"] == ["1.0000"]
    ends = page.evaluate(
        """[...document.querySelectorAll("#budget .waterfall rect.bar")].map((bar) =>
            [bar.x.baseVal.value, bar.x.baseVal.value + bar.width.baseVal.value])"""
    )
    scale = ends[0][1] - ends[0][0]  # from 0 to PQ as predicted
    for (left, right), before, after in zip(ends[1:], steps[:-1], steps[1:], strict=True):
        assert left == pytest.approx(ends[0][0] + scale * before / steps[0], abs=0.1)
        assert right == pytest.approx(max(left + 1.5, ends[0][0] + scale * after / steps[0]), abs=0.1)


@pytest.mark.parametrize(("choice", "mode"), [("individually", "individually"), ("cumulative", "cumulative")])
def test_sizes_and_classes_are_pythons(
    choice: str, mode: str, runs: tuple[sm.Run, sm.Run], report: Path, open_report: OpenReport
) -> None:
    diagnosis = sm.diagnose(runs[0])
    assert len(diagnosis.base.sizes) == 3 and len(diagnosis.base.classes) == CLASSES
    page = open_report(report, view="errors")
    page.select_option('#budget select[aria-label="fixed"]', choice)
    gains = {
        (row["level"], row["name"], row["repair"]): row["gain_pooled"]
        for row in diagnosis.rows()
        if row["mode"] == mode and row["key"] == "pq"
    }
    for level, parts in (("size", diagnosis.base.sizes), ("class", diagnosis.base.classes)):
        expected = {
            name: {"pq": [f"{part['pq'].value:.4f}"]}
            | {kind: [signed(gains[level, name, kind])] for kind in diagnosis.individually}
            for name, part in parts.items()
        }
        shown_cells = cells(page, f"#budget-{level}", "part")
        assert shown_cells == expected
        assert level == "size" or list(shown_cells) == diagnosis.worst_classes
    assert list(diagnosis.worst_classes) != list(diagnosis.base.classes), (
        "the scene must contain classes that change places"
    )


def test_every_kind_is_explained(report: Path, open_report: OpenReport) -> None:
    page = open_report(report, view="errors")
    page.click("#budget-kinds summary")
    assert shown(page, "#budget-kinds dt") == list(WORDS)
    for name, text in zip(WORDS, shown(page, "#budget-kinds dd"), strict=True):
        assert text.startswith(f"{WORDS[name]}. If fixed, ")
        assert page.locator(f'#budget-table tr[data-kind="{name}"] th').get_attribute("title") == WORDS[name]


def test_classes_taken_for_others_are_a_matrix_of_doors(
    runs: tuple[sm.Run, sm.Run], report: Path, open_report: OpenReport, screenshots: Path
) -> None:
    data = sm.diagnose(runs[0]).to_dict()["confusion"]
    expected = {(row["true_class"], row["pred_class"]): str(row["pairs"]) for row in data}
    assert len(expected) > 20
    page = open_report(report, view="errors")
    page.locator("#budget").screenshot(path=screenshots / "budget.png")
    cells = page.evaluate(
        """[...document.querySelectorAll("#confusion tbody td")].map((cell) =>
            [cell.closest("tr").dataset.true, cell.dataset.pred, cell.innerText])"""
    )
    assert {(true, pred): text for true, pred, text in cells if text} == expected
    assert all(text == "" for true, pred, text in cells if true == pred)


def test_a_budget_that_is_rejected_says_why(tmp_path: Path, open_report: OpenReport) -> None:
    run = sm.evaluate(*overlapping_masks(1), metrics="pq", resolve="assign")
    page = open_report(report_of(run, tmp_path, "refused.html"), view="errors")
    assert "segments overlap in 6 of 6 items" in page.locator("#budget .view").inner_text()
    assert page.locator("#budget-table").count() == 0 and not page.locator("#ranking").is_visible()


def test_the_ranking_is_pythons(
    runs: tuple[sm.Run, sm.Run], tmp_path: Path, open_report: OpenReport, screenshots: Path
) -> None:
    write_report(runs, tmp_path / "both.html")
    page = open_report(tmp_path / "both.html", view="compare")
    page.locator("#ranking").screenshot(path=screenshots / "ranking.png")
    for word in ("by_item", "by_class", "pooled"):
        sensitivity = sm.rule_sensitivity(
            *runs, average={"by_item": "by_item_of_classes"}.get(word, word), resamples=1000
        )
        page.select_option('#ranking select[aria-label="average"]', word)
        assert sensitivity.ranking_changes, "the scene must contain runs that change places"
        pairs_on_page = (
            "compared with IoU > 0.5 (θ⁺), run 1 and run 2 under IoU > 3/4; run 1 and run 2 under IoU > 9/10"
        )
        assert shown(page, "#ranking-verdict") == [f"The ranking changes: {pairs_on_page} change places."]
        expected = {
            row.rule: {
                "value": [f"{value.value:.4f}" for value in row.values],
                "rank": [str(rank) for rank in row.ranks],
                "tau": ["–" if row.tau is None else f"{row.tau:.4f}"],
                "stable": ["–" if row.stable is None else f"{row.stable:.4f}"],
            }
            for row in sensitivity.by_rule
        }
        assert cells(page, "#ranking-table", "rule") == expected
