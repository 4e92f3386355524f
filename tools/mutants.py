"""Change one thing at a time and see whether a test fails: ``python tools/mutants.py [--minutes 30] [FOLDER …]``.

The light tests of the rooms run once, measured, so that it is known which of them execute a line. Then, until the
minutes are over, mutants are drawn at random (``--seed``): another comparison, + for -, another constant, ``and`` for
``or``, ``return None``, a statement left out. The tests that execute the changed line run, the most specific first. A
mutant that none of them notices is listed in build/mutants.txt: a hole in the tests, or code that does not matter.

Nothing in the checkout is changed: a module ``sitecustomize`` gives Python the changed source instead of the file's.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import coverage

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "segmetry"
FOLDER = ROOT / "build" / "mutants"
ROOMS = tuple(
    room
    for room in ("outputs", "report", "cli", "comparison", "analysis", "results", "statistics")
    if (PACKAGE / room).is_dir()
)
MECHANISM = ("metrics/aggregation.py", "metrics/statistics.py")
"""What every value of a data set goes through; the tests of statistics execute it."""
LIGHT = "not peers and not browser and not cluster and not faults and not napari and not dvc and not gpu and not slow"
# Where assertions are rewritten, pytest loads modules with doctests itself: it would read the unchanged file.
OPTIONS = "-q --assert=plain -p no:cacheprovider -p no:rerunfailures -m"
PYTEST = (sys.executable, "-m", "pytest", *OPTIONS.split(), LIGHT)
SLOWEST = 120
"""Seconds after which a mutant counts as noticed: it does not end."""
SITECUSTOMIZE = """\
import os
from importlib.machinery import SourceFileLoader

path, changed, get_code = os.environ["MUTANT_OF"], os.environ["MUTANT"], SourceFileLoader.get_code


def changed_code(self, name):
    if self.path != path:
        return get_code(self, name)
    with open(changed, "rb") as file:
        return compile(file.read(), path, "exec")


SourceFileLoader.get_code = changed_code
"""
COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    first: second
    for pair in ((ast.Lt, ast.LtE), (ast.Gt, ast.GtE), (ast.Eq, ast.NotEq), (ast.Is, ast.IsNot), (ast.In, ast.NotIn))
    for first, second in (pair, pair[::-1])
}
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    first: second
    for pair in ((ast.Add, ast.Sub), (ast.Mult, ast.Div), (ast.BitAnd, ast.BitOr))
    for first, second in (pair, pair[::-1])
}


class Mutant(NamedTuple):
    """A part of a file, what takes its place, and the lines of the statement; no lines at the top level."""

    path: Path
    node: ast.expr | ast.stmt
    new: str
    lines: range

    def source(self) -> bytes:
        """Return the file with the change."""
        lines = self.path.read_bytes().splitlines(keepends=True)
        first, last = self.node.lineno - 1, (self.node.end_lineno or self.node.lineno) - 1
        head, tail = lines[first][: self.node.col_offset], lines[last][self.node.end_col_offset :]
        return b"".join(lines[:first]) + head + self.new.encode() + tail + b"".join(lines[last + 1 :])

    def __str__(self) -> str:
        """Say where it is, what was there and what is there now."""
        before = " ".join(ast.unparse(self.node).split())
        return f"{self.path.relative_to(ROOT).as_posix()}:{self.node.lineno}: {before[:100]} -> {self.new[:100]}"


def changed(node: ast.AST) -> str | None:
    """Return what takes the place of a node; None for a node that is left alone."""
    new: ast.expr | None = None
    match node:
        case ast.Compare(left, [operator, *others], comparators):
            new = ast.Compare(left, [COMPARISONS[type(operator)](), *others], comparators)
        case ast.BinOp(left, operator, right) if type(operator) in OPERATORS:
            new = ast.BinOp(left, OPERATORS[type(operator)](), right)
        case ast.BoolOp(operator, values):
            new = ast.BoolOp(ast.And() if isinstance(operator, ast.Or) else ast.Or(), values)
        case ast.UnaryOp(ast.Not(), operand):
            new = operand
        case ast.Constant(bool() as value):
            new = ast.Constant(not value)
        case ast.Constant(int() | float() as value):
            new = ast.Constant(value + 1)
        case ast.Return(ast.expr() as value) if not (isinstance(value, ast.Constant) and value.value is None):
            return "return None"
        case ast.Expr(ast.Call()) | ast.AugAssign() | ast.Raise():
            return "pass"
    return None if new is None else f"({ast.unparse(new)})"


def mutants_of(path: Path) -> Iterator[Mutant]:
    """Yield every mutant of a file; types, texts and what is only for type checkers are left alone."""

    def visit(node: ast.AST, lines: range, *, inside: bool) -> Iterator[Mutant]:
        if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)):
            return
        if isinstance(node, ast.stmt):
            body = getattr(node, "body", None)
            lines = range(node.lineno, body[0].lineno if body else (node.end_lineno or node.lineno) + 1)
        if isinstance(node, ast.expr | ast.stmt) and (new := changed(node)) is not None:
            yield Mutant(path, node, new, lines if inside else range(0))
        is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for name, value in ast.iter_fields(node):
            if name not in ("annotation", "returns", "decorator_list", "type_params"):
                for child in value if isinstance(value, list) else [value]:
                    if isinstance(child, ast.AST):
                        yield from visit(child, lines, inside=inside or (is_function and name == "body"))

    yield from visit(ast.parse(path.read_bytes()), range(0), inside=False)


def measured(jobs: int) -> tuple[dict[str, dict[int, list[str]]], Counter[str]]:
    """Return the tests of every file's lines, and how many lines each test executes; run the tests if they are newer
    than the last measurement.
    """
    data, settings = FOLDER / "coverage", FOLDER / "coveragerc"
    files = [path for folder in (PACKAGE, ROOT / "tests") for path in folder.rglob("*.py")]
    if not data.exists() or data.stat().st_mtime < max(path.stat().st_mtime for path in files):
        settings.write_text(f"[run]\nsource = {PACKAGE}\ndata_file = {data}\n", encoding="utf-8")
        options = ("--cov", f"--cov-config={settings}", "--cov-context=test", "--cov-report=", "-n", str(jobs))
        places = [f"{folder}/{room}" for room in ROOMS for folder in ("tests", "src/segmetry")]
        places = [place for place in places if (ROOT / place).is_dir()]
        subprocess.run([*PYTEST, *options, *places], cwd=ROOT, check=True)
    found = coverage.CoverageData(str(data))
    found.read()
    tests: dict[str, dict[int, list[str]]] = {}
    sizes: Counter[str] = Counter()
    for file in found.measured_files():
        lines = {
            line: sorted({context.rpartition("|")[0] for context in contexts if context})
            for line, contexts in found.contexts_by_lineno(file).items()
        }
        tests[file] = lines
        sizes.update(test for named in lines.values() for test in named)
    return tests, sizes


def is_noticed(mutant: Mutant, number: int, tests: list[str]) -> bool:
    """Run the tests with the mutant in the place of its module; return whether one of them fails."""
    source, arguments = FOLDER / f"{number}.py", FOLDER / f"{number}.txt"
    source.write_bytes(mutant.source())
    arguments.write_text("\n".join(tests), encoding="utf-8")
    places = {"PYTHONPATH": str(FOLDER), "MUTANT_OF": str(mutant.path), "MUTANT": str(source)}
    call = [*PYTEST, "-x", "-n", "0", f"@{arguments}"]
    try:
        done = subprocess.run(
            call, cwd=ROOT, env=os.environ | places, capture_output=True, timeout=SLOWEST, check=False
        )
    except subprocess.TimeoutExpired:
        return True
    finally:
        source.unlink()
        arguments.unlink()
    return done.returncode != 0


def main() -> None:
    """Draw mutants until the time is over and write the list of those that no test noticed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folders", nargs="*", default=[f"src/segmetry/{name}" for name in (*ROOMS, *MECHANISM)])
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    chosen = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / "sitecustomize.py").write_text(SITECUSTOMIZE, encoding="utf-8")
    tests, sizes = measured(chosen.jobs)
    files = [file for name in chosen.folders for file in sorted((ROOT / name).rglob("*.py")) or [ROOT / name]]
    drawn = [mutant for file in files for mutant in mutants_of(file)]
    random.Random(chosen.seed).shuffle(drawn)  # noqa: S311
    deadline = time.monotonic() + 60 * chosen.minutes

    def tried(number: int) -> str | None:
        mutant = drawn[number]
        if time.monotonic() > deadline:
            return None
        lines = tests.get(str(mutant.path), {})
        reached = {test for line in (mutant.lines or lines) for test in lines.get(line, [])}
        if not reached:
            return f"{mutant} (no test executes it)"
        ordered = sorted(reached, key=lambda test: (sizes[test], test))
        return "" if is_noticed(mutant, number, ordered) else f"{mutant} ({len(ordered)} tests execute it)"

    n_tried, survivors = 0, []
    with ThreadPoolExecutor(chosen.jobs) as pool:
        for outcome in pool.map(tried, range(len(drawn))):
            n_tried += outcome is not None
            if outcome:
                survivors.append(outcome)
                print(outcome, flush=True)
    report = ROOT / "build" / "mutants.txt"
    report.write_text("".join(f"{line}\n" for line in sorted(survivors)), encoding="utf-8")
    print(f"{len(survivors)} of {n_tried} mutants survived (of {len(drawn)}; seed {chosen.seed}): {report}")


if __name__ == "__main__":
    main()
