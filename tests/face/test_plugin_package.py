"""A package of somebody else, installed with pip: its metric, rule, reader and protocol work everywhere."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

PACKAGE = Path(__file__).parents[1] / "plugin_package"
CITATION = "Marina Tide. Waves and how to count them. In print."


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package installed in it, and two files of its format."""
    folder = tmp_path_factory.mktemp("site")
    options = "--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check"
    subprocess.run([sys.executable, "-m", "pip", "install", *options, "--target", folder, PACKAGE], check=True)
    (folder / "true.waves").write_text("WAVES 4 4 2")
    (folder / "pred.waves").write_text("WAVES 4 3 3")
    return folder


def python(site: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(site), "COLUMNS": "100", "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=site, env=environment, capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def segmetry(site: Path, *arguments: str) -> str:
    done = python(site, "-m", "segmetry", *arguments)
    assert "warning" not in done.stderr
    return done.stdout


def test_the_command_line_knows_all_of_it(site: Path) -> None:
    commands = [["metrics"], ["rules"], ["formats"], ["protocols"], ["explain", "wave_recall"], ["explain", "waves"]]
    program = f"""
import contextlib, io, json
from segmetry.cli.main import main
printed = []
for command in {commands!r}:
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert main(command) == 0
    printed.append(out.getvalue())
print(json.dumps(printed))
"""
    done = python(site, "-c", program)
    assert "warning" not in done.stderr
    metrics, rules, formats, protocols, metric, protocol = json.loads(done.stdout)
    assert "wave_recall" in metrics
    assert "same_wave" in rules
    assert "--wave-step" in formats
    explained = " ".join(metric.split())
    assert "The share of the true elements that lie in a predicted segment." in explained
    assert CITATION in explained
    assert "waves on a shore" in protocols
    assert "Two waves match if they share at least three quarters of both." in protocol


def test_scores_and_report(site: Path) -> None:
    files = "true.waves", "pred.waves"
    how = "--metrics", "wave_recall,pq", "--rule", "same_wave(share=3/4)", "--wave-step", "5"
    table = segmetry(site, "score", *files, *how, "--csv", "-", "--out", "run.segm", "--report", "report.html")
    names, values = (line.split(",") for line in table.splitlines()[:2])
    row = dict(zip(names, values, strict=True))
    assert (row["rule"], row["n_elements"], row["wave_recall"]) == ("same_wave(share=3/4)", "50", "1.0")
    assert float(row["pq"]) == pytest.approx((1 + 3 / 4) / (2 + 1 / 2 + 1 / 2))
    shown = segmetry(site, "score", *files, "--protocol", "waves")
    assert "waves that share three quarters of both; mean over shores" in shown
    assert "seen" in shown and "0.5833" in shown
    page = (site / "report.html").read_text(encoding="utf-8")
    assert "wave_recall" in page and CITATION in page


def test_python_knows_all_of_it(site: Path) -> None:
    program = """
import segmetry as sm
print(sm.wave_recall([[1, 1, 2, 2]], [[3, 0, 3, 3]]))
print(sm.read("true.waves", wave_step=2).n_elements)
run = sm.evaluate("true.waves", "pred.waves", metrics="wave_recall,pq", rule="same_wave", read={"wave_step": 2})
print(run.items()["n_elements"], run.settings.rule, run.segments()["outcome"])
run = sm.evaluate("true.waves", "pred.waves", protocol="waves")
print(run.settings.rule, sorted(run.summary().scores))
"""
    assert python(site, "-W", "error", "-c", program).stdout.splitlines() == [
        "0.75",
        "20",
        "[20] same_wave(share=3/4) ['matched', 'matched', 'missed', 'spurious']",
        "same_wave(share=3/4) ['pq', 'wave_recall']",
    ]


def test_its_tests_inherit_our_contracts(site: Path) -> None:
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:zarr", "-c", os.devnull, "--rootdir", str(PACKAGE)]
    program = f"""
import sys
sys.path.append({str(PACKAGE.parents[1])!r})
from tests import profiles  # as many examples as the profile says
profiles.register()
import pytest
raise SystemExit(pytest.main({[*options, str(PACKAGE / "tests")]!r}))
"""
    assert "20 passed" in python(site, "-c", program).stdout
