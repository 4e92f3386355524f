"""The page opens from a file, asks for nothing, and says what Python says."""

from __future__ import annotations

from pathlib import Path

import pytest

import segmetry as sm
from segmetry.samples.shipped import street
from tests.browser.conftest import OpenReport


@pytest.fixture(scope="module")
def street_report(tmp_path_factory: pytest.TempPathFactory) -> tuple[sm.Run, Path]:
    true, pred = street()
    run = sm.evaluate({"street": true}, {"street": pred}, metrics="panoptic")
    path = tmp_path_factory.mktemp("report") / "street.html"
    run.report(path)
    return run, path


def test_the_verdict_is_pythons(street_report: tuple[sm.Run, Path], open_report: OpenReport) -> None:
    run, path = street_report
    page = open_report(path, view="trust")
    for rule in ("theta_and", "theta_plus"):
        summary = run.rescore(rule).summary()
        for key in ("pq", "sq", "rq"):
            for word in ("by_item", "by_class", "pooled"):
                shown = page.locator(f'[data-rule="{rule}"] [data-aggregate={word}] [data-key={key}]').inner_text()
                assert shown == f"{summary[key].find(word).value:.4f}"
