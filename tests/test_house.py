"""Rules about the sources themselves: names with one meaning, packages without code, numbers of examples."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[1]
SOURCES = CHECKOUT / "src" / "segmetry"
TESTS = CHECKOUT / "tests"
# Files named after a command or a community, whose function or format may have a module of that name elsewhere.
NAMED_AFTER_THEIR_SUBJECT = ("cli/commands/", "protocols/")
CAMEL_CASE = re.compile(r"_?[A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*")


def python_files(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.py"))


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def repeated(places: dict[str, list[str]]) -> dict[str, list[str]]:
    return {name: where for name, where in sorted(places.items()) if len(where) > 1}


def absolute_numbers_of_examples(tree: ast.AST) -> Iterator[int]:
    """Yield the lines where ``max_examples=`` is passed."""
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg == "max_examples":
            yield node.value.lineno


def class_names(tree: ast.Module) -> Iterator[str]:
    """Yield the classes of a module's top level, and the aliases of types: names in CamelCase that get a value."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            yield node.name
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        for target in targets:
            if isinstance(target, ast.Name) and CAMEL_CASE.fullmatch(target.id):
                yield target.id


def has_only_a_docstring(tree: ast.Module) -> bool:
    return len(tree.body) == 1 and ast.get_docstring(tree) is not None


def test_numbers_of_examples_are_multiples_of_the_profile() -> None:
    lines = [
        f"{path.relative_to(CHECKOUT)}:{line}"
        for path in python_files(TESTS)
        if path != TESTS / "profiles.py" and "max_examples" in path.read_text(encoding="utf-8")
        for line in absolute_numbers_of_examples(parsed(path))
    ]
    assert not lines, (
        f"max_examples ignores HYPOTHESIS_PROFILE; write @examples(multiple) of tests/profiles.py: {lines}"
    )


def test_tests_have_no_doctests() -> None:
    """conftest.py looks for none there."""
    prompt = re.compile(r"^\s*>>> ", re.MULTILINE)
    assert [str(path) for path in python_files(TESTS) if prompt.search(path.read_text(encoding="utf-8"))] == []


def test_a_file_name_occurs_once() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for path in python_files(SOURCES):
        relative = path.relative_to(SOURCES).as_posix()
        if path.name != "__init__.py" and not relative.startswith(NAMED_AFTER_THEIR_SUBJECT):
            places[path.name].append(relative)
    assert not repeated(places), "rename one of the files: a name that occurs twice says too little"


def test_a_class_name_has_one_meaning() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for path in python_files(SOURCES):
        for name in class_names(parsed(path)):
            places[name].append(path.relative_to(SOURCES).as_posix())
    assert not repeated(places), "rename one of the classes or aliases, or import it from one module"


def test_packages_have_no_code_of_their_own() -> None:
    inner = [path for path in python_files(SOURCES) if path.name == "__init__.py" and path.parent != SOURCES]
    with_code = [str(path.relative_to(CHECKOUT)) for path in inner if not has_only_a_docstring(parsed(path))]
    assert not with_code, "an __init__.py below segmetry contains a docstring only; move its code into a module"


@pytest.mark.parametrize(
    "source",
    ["@settings(max_examples=1000)\ndef test(): ...", "def test():\n    settings(deadline=None, max_examples=n)"],
)
def test_an_absolute_number_is_noticed(source: str) -> None:
    assert list(absolute_numbers_of_examples(ast.parse(source)))


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("class _Row: ...", ["_Row"]),
        ("Row = tuple[int, ...]", ["Row"]),
        ("Row: TypeAlias = 'tuple[int, ...]'", ["Row"]),
        ("ROWS = 3\nT = TypeVar('T')\nrow = 3\ndef f():\n    class Row: ...", []),
    ],
)
def test_classes_and_aliases_are_noticed(source: str, names: list[str]) -> None:
    assert list(class_names(ast.parse(source))) == names


@pytest.mark.parametrize(("source", "fine"), [('"""Words."""', True), ("", False), ('"""Words."""\nx = 1', False)])
def test_code_in_a_package_is_noticed(source: str, fine: bool) -> None:
    assert has_only_a_docstring(ast.parse(source)) is fine


FIXED_DECIMALS = re.compile(r"\{[^{}]*:[-+ ,]*[0-9]*\.[0-9]+[f%]\}")
WRITES_NUMBERS = {
    "results/number.py": "the one formatter",
    "evaluation/data_notes.py": "five digits tell two values of PQ apart",
    "protocols/instances/coco_lines.py": "thresholds, as COCOeval prints them",
}
"""Modules outside of plots that write decimals, and why."""


def test_numbers_are_written_in_one_place() -> None:
    """A score looks the same wherever it is shown, as everything that prints one asks ``results/number.py``."""
    found = {
        path.relative_to(SOURCES).as_posix()
        for folder in ("cli", "comparison", "diagnosis", "outputs/tables", "protocols", "results", "run", "statistics")
        for path in python_files(SOURCES / folder)
        if any(FIXED_DECIMALS.search(line) for line in path.read_text(encoding="utf-8").splitlines())
    }
    assert found - set(WRITES_NUMBERS) <= {"cli/progress.py", "comparison/comparison_tables.py"}, "bytes, and sizes"
