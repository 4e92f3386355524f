"""A pytest plug-in: a test that fails when the scores of a run are too low, or lower than those of an accepted run.

The fixture ``segmetry_gate`` takes a run and bounds: ``pq=0.45`` bounds the value of the data set, ``pq:0.01`` says how
much worse than the accepted run it may be. ``--segmetry-baseline`` names the accepted run, or a folder with one for
each gate; ``--segmetry-accept`` keeps the runs of this session as the accepted ones. Nothing of segmetry is loaded
before a test uses the fixture.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from segmetry.run import Run

_LINES = pytest.StashKey[list[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("segmetry")
    group.addoption(
        "--segmetry-baseline",
        metavar="PATH",
        help="accepted run that segmetry_gate compares with: a run file, or a folder with one run file for each gate",
    )
    group.addoption(
        "--segmetry-accept",
        action="store_true",
        help="write the runs that segmetry_gate sees to --segmetry-baseline instead of comparing with it",
    )


@pytest.fixture
def segmetry_gate(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Return ``gate(run, *bounds, name=None)``, which fails the test if a bound is exceeded."""

    def gate(run: Any, *bounds: str, name: str | None = None) -> None:
        baseline = request.config.getoption("--segmetry-baseline")
        place = None if baseline is None else _baseline_path(Path(baseline), name or request.node.name)
        lines = request.config.stash.setdefault(_LINES, [])
        _check_run(run, bounds, place, accept=request.config.getoption("--segmetry-accept"), lines=lines)

    return gate


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Print one line for every comparison with an accepted run."""
    lines = config.stash.get(_LINES, [])
    if lines:
        terminalreporter.section("segmetry")
        for line in lines:
            terminalreporter.write_line(line)


def _baseline_path(baseline: Path, name: str) -> Path:
    if baseline.suffix == ".segm" or baseline.is_file():
        return baseline
    plain = re.sub(r"[^\w.-]+", "_", name).strip("_")
    return baseline / f"{plain}.segm"


def _check_run(run: Any, bounds: tuple[str, ...], place: Path | None, *, accept: bool, lines: list[str]) -> None:
    from segmetry.comparison import Gate, failed_bounds
    from segmetry.errors import SegmetryError
    from segmetry.run import Run

    try:
        opened = run if isinstance(run, Run) else Run.open(run)
        absolute = [Gate.parse(text, "=") for text in bounds if "=" in text]
        relative = [Gate.parse(text, ":") for text in bounds if "=" not in text]
        failures = [*failed_bounds(opened, absolute)]
        if accept:
            _accept_run(opened, place)
        elif relative:
            failures += _compare_with_accepted(opened, place, relative, lines)
    except SegmetryError as problem:
        pytest.fail(f"segmetry_gate: {problem}", pytrace=False)
    if failures:
        pytest.fail("\n".join(failures), pytrace=False)


def _accept_run(run: Run, place: Path | None) -> None:
    if place is None:
        pytest.fail("--segmetry-accept needs --segmetry-baseline=PATH, where the accepted run is kept", pytrace=False)
    place.parent.mkdir(parents=True, exist_ok=True)
    run.save(place, replace=True)


def _compare_with_accepted(run: Run, place: Path | None, gates: list[Any], lines: list[str]) -> list[str]:
    """Return one line for every bound that is not kept against the accepted run."""
    from segmetry.comparison import compare, failed_differences, verdict_sentence
    from segmetry.run import Run

    if place is None:
        pytest.skip("no accepted run to compare with; pass --segmetry-baseline=PATH")
    if not place.exists():
        pytest.fail(f"{place}: there is no accepted run; --segmetry-accept keeps this one", pytrace=False)
    if Run.open(place).results_digest() == run.results_digest():
        lines.append(f"{place.stem}: every item has the same results as in the accepted run")
        return []
    comparison = compare({"accepted": place, "new": run}, metrics=list(dict.fromkeys(gate.key for gate in gates)))
    lines += [f"{place.stem}: {verdict_sentence(comparison, gate.key, gate.average)}" for gate in gates]
    return [*failed_differences(comparison, gates)]
