"""What every test may use: hypothesis profiles, the shared data folder, folders with a mark, the switch --no-skips."""

from __future__ import annotations

import os
import signal
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

TESTS = Path(__file__).resolve().parent
CHECKOUT = TESTS.parent
# Folders of tests/ whose tests all carry the mark of that name; their files may import what only test-all installs.
MARKED_FOLDERS = ("peers", "browser", "cluster")

# No test may depend on the speed of the machine, so neither deadlines nor the health check that measures time.
settings.register_profile("default", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)
settings.register_profile("thousand", settings.get_profile("default"), max_examples=1000)
settings.register_profile("dev", settings.get_profile("default"), max_examples=10)
settings.register_profile("thorough", settings.get_profile("default"), max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--no-skips", action="store_true", help="a test that skips itself fails (make test-all)")


def pytest_configure() -> None:
    """A shell starts what it puts in the background deaf to Ctrl-C, and so would be every program a test starts."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data beside the checkout, or the one SEGMETRY_SHARED_DATA names; skips when there is none."""
    folder = Path(os.environ.get("SEGMETRY_SHARED_DATA") or CHECKOUT.parent / "shared" / "data")
    if not folder.is_dir():
        pytest.skip(f"no shared data at {folder}; set SEGMETRY_SHARED_DATA to the folder to run this test")
    return folder


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave a marked folder alone, imports included, when its mark is deselected."""
    deselected = [TESTS / mark for mark in MARKED_FOLDERS if f"not {mark}" in config.option.markexpr]
    return True if collection_path in deselected else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        for mark in MARKED_FOLDERS:
            if item.path.is_relative_to(TESTS / mark):
                item.add_marker(mark)


def _forbid_skip(report: pytest.TestReport | pytest.CollectReport, config: pytest.Config) -> None:
    if not config.getoption("--no-skips") or not report.skipped or hasattr(report, "wasxfail"):
        return
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
    report.outcome = "failed"
    report.longrepr = f"{report.nodeid} was skipped, and --no-skips forbids that. {reason}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    _forbid_skip(report, item.config)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    _forbid_skip(report, collector.config)
    return report
