"""Shared by all tests: hypothesis profiles, the shared data folder, results computed once, marks, --no-skips."""

from __future__ import annotations

import fcntl
import gc
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Generator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from _pytest.doctest import DoctestModule

from tests import profiles

TESTS = Path(__file__).resolve().parent
CHECKOUT = TESTS.parent
# A package of its own, whose tests run where it is installed (tests/face/test_plugin_package.py).
collect_ignore = ["plugin_package"]
# Folders of tests/ whose tests all carry the mark of that name; their files may import what only test-all installs.
MARKED_FOLDERS = ("peers", "browser", "cluster", "napari", "dvc", "gpu")

profiles.register()


class Demo(NamedTuple):
    """What ``segmetry demo`` prints, and the folder that it writes."""

    output: str
    folder: Path


OF_OTHER_PROGRAMS = ("browser", "cluster", "faults")
YOUNG_OBJECTS = 50_000
"""New objects between two searches for garbage."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--no-skips", action="store_true", help="a test that skips itself fails (make test-all)")


def pytest_configure() -> None:
    """A shell starts what it puts in the background deaf to Ctrl-C, and so would be every program a test starts."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def coco_panoptic() -> Path:
    """A made-up data set of 24 images, with what the COCO reference code computes for it (tests/data/README.md)."""
    return TESTS / "data" / "coco_panoptic"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of other people's data beside the checkout, or the one SEGMETRY_SHARED_DATA names; skips when there
    is none."""
    folder = Path(os.environ.get("SEGMETRY_SHARED_DATA") or CHECKOUT.parent / "shared" / "data")
    if not folder.is_dir():
        pytest.skip(f"no shared data at {folder}; set SEGMETRY_SHARED_DATA to the folder to run this test")
    return folder


@pytest.fixture(scope="session")
def computed_once(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, Callable[[], Any]], Any]:
    """``computed_once(name, compute)``: the JSON value of an expensive function, computed by one worker for all."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent  # each worker's folder is in the one of the session

    def result(name: str, compute: Callable[[], Any]) -> Any:
        with (folder / f"{name}.json").open("a+") as file:
            fcntl.flock(file, fcntl.LOCK_EX)  # until the file is closed
            file.seek(0)
            if not (text := file.read()):
                text = json.dumps(compute())
                file.write(text)
            return json.loads(text)

    return result


@pytest.fixture(scope="session")
def demo(computed_once: Callable[[str, Callable[[], Any]], Any], tmp_path_factory: pytest.TempPathFactory) -> Demo:
    """What ``segmetry demo`` prints and writes in an empty folder; for reading."""

    def run() -> list[str]:
        folder = tmp_path_factory.mktemp("demo")
        program = [sys.executable, "-m", "segmetry", "demo"]
        done = subprocess.run(
            program,
            cwd=folder,
            env={**os.environ, "COLUMNS": "80"},
            check=True,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        return [done.stdout, str(folder / "demo")]

    output, folder = computed_once("demo", run)
    return Demo(output, Path(folder))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave a marked folder alone, imports included, when its mark is deselected."""
    deselected = [TESTS / mark for mark in MARKED_FOLDERS if f"not {mark}" in config.option.markexpr]
    return True if collection_path in deselected else None


@cache
def mark_of_folder(folder: Path) -> str | None:
    """Return the mark that all tests of a folder carry, if they do."""
    return next((mark for mark in MARKED_FOLDERS if folder.is_relative_to(TESTS / mark)), None)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Look for no garbage while collecting, nor later among what was collected, which stays until the end; and seldom
    among the rest: a test makes many objects and few cycles."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.set_threshold(YOUNG_OBJECTS)
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Look for no doctests in the modules of the tests, which have none (test_house.py checks it)."""
    return [collector for collector in (yield) if not isinstance(collector, DoctestModule)]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Add the marks of the folders, and ``generated`` to the tests of modules that follow the hypothesis profile.

    Tests of programs whose time is not ours (a browser, a cluster, killed processes) may fail once; the summary says
    how many did.
    """
    can_repeat = config.pluginmanager.hasplugin("rerunfailures")
    for item in items:
        names = vars(item.module) if isinstance(item, pytest.Function) else {}
        if "given" in names or names.get("count") is profiles.count:
            item.add_marker("generated")
            # Generated labels may look like classes, or share none; tests of the notes ask for them.
            item.add_marker(pytest.mark.filterwarnings("ignore::segmetry.errors.DataWarning"))
        if (mark := mark_of_folder(item.path.parent)) is not None:
            item.add_marker(mark)
        if can_repeat and any(item.get_closest_marker(mark) for mark in OF_OTHER_PROGRAMS):
            item.add_marker(pytest.mark.flaky(reruns=1))


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
