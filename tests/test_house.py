"""Rules about the sources themselves: names with one meaning, packages without code, numbers of examples."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

from segmetry._base.front_door import listed_homes

CHECKOUT = Path(__file__).resolve().parents[1]
SOURCES = CHECKOUT / "src" / "segmetry"
TESTS = CHECKOUT / "tests"
# Files named after a command or a community, whose function or format may have a module of that name elsewhere.
NAMED_AFTER_THEIR_SUBJECT = ("cli/commands/", "protocols/")
CAMEL_CASE = re.compile(r"_?[A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*")
FRONT_DOORS = sorted(f"segmetry.{path.parent.name}" for path in SOURCES.glob("*/__init__.py"))
FOR_USERS = {("segmetry.compat", "patch")}
"""What a package offers to users, behind a door that is none of the public face."""
THROUGH_WALLS = {
    ("segmetry", "*"): "the public face finds the module of each of its names itself",
    ("segmetry.__main__", "segmetry.cli.main"): "the module of the program, as in the entry point of pyproject.toml",
    ("*", "segmetry.metrics.agreement.chance_corrected"): "the folder of the family has the name of its function",
}
"""Importers and modules that are imported past the front door (``*``: any), and why."""


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


def has_only_a_front_door(tree: ast.Module) -> bool:
    """Return whether a module is a docstring, maybe followed by the names that others may import."""
    if ast.get_docstring(tree) is None:
        return False
    doors = [node for node in tree.body[1:] if not isinstance(node, ast.ImportFrom)]
    listed = [node for door in doors if isinstance(door, ast.If) for node in door.body]
    opened = [ast.unparse(node) for door in doors for node in getattr(door, "orelse", [])]
    return len(tree.body) == 1 or (
        all(isinstance(node, ast.ImportFrom) for node in listed)
        and len(doors) == 1
        and opened == ["__getattr__, __dir__ = names_on_demand(__name__)"]
    )


def dotted(path: Path) -> str:
    return ".".join(("segmetry", *path.relative_to(SOURCES).with_suffix("").parts)).removesuffix(".__init__")


def modules_reached(tree: ast.Module, importer: str) -> Iterator[str]:
    """Yield the modules inside other packages of segmetry from which a module imports, wherever the statement is."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        names = [alias.name for alias in node.names]
        if isinstance(node, ast.ImportFrom):
            module = str(node.module)
            inner = [name for name in names if is_module(f"{module}.{name}")] if module in FRONT_DOORS else []
            names = [f"{module}.{name}" for name in inner] or [module]
        for name in names:
            package = ".".join(name.split(".")[:2])
            if package in FRONT_DOORS and name != package and importer.split(".")[:2] != package.split("."):
                yield name


def is_module(name: str) -> bool:
    path = SOURCES.parent.joinpath(*name.split("."))
    return path.with_suffix(".py").exists() or path.is_dir()


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
    with_code = [str(path.relative_to(CHECKOUT)) for path in inner if not has_only_a_front_door(parsed(path))]
    assert not with_code, "an __init__.py below segmetry is a docstring and a front door; move its code into a module"


def test_packages_are_entered_by_their_front_doors() -> None:
    through_walls = [
        f"{path.relative_to(CHECKOUT)}: from {module} import …"
        for path in python_files(SOURCES)
        for module in modules_reached(parsed(path), dotted(path))
        if not {(dotted(path), module), (dotted(path), "*"), ("*", module)} & THROUGH_WALLS.keys()
    ]
    assert not through_walls, (
        "write `from segmetry.package import Name`, and list the name in the package's __init__.py: "
        f"{sorted(set(through_walls))}"
    )


def test_every_exception_to_the_front_doors_is_needed() -> None:
    reached = [
        (dotted(path), name) for path in python_files(SOURCES) for name in modules_reached(parsed(path), dotted(path))
    ]
    unused = [
        rule
        for rule in THROUGH_WALLS
        if not any(rule in {(who, what), (who, "*"), ("*", what)} for who, what in reached)
    ]
    assert not unused


def test_front_doors_list_what_others_import() -> None:
    listed = {(package, name) for package in FRONT_DOORS for name in listed_homes(package)}
    used = {
        (str(node.module), alias.name)
        for path in python_files(SOURCES)
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.ImportFrom)
        and node.module in FRONT_DOORS
        and path.name != "__init__.py"
        and not dotted(path).startswith(f"{node.module}.")
        for alias in node.names
    }
    assert listed - used == FOR_USERS, "take the names that no other package imports out of the __init__.py"
    assert used - listed == set()


def test_a_front_door_gives_what_it_lists() -> None:
    for package in FRONT_DOORS:
        door = import_module(package)
        for name, module in listed_homes(package).items():
            assert getattr(door, name) is getattr(import_module(module), name), (
                f"{package}.{name} is not that of {module}"
            )
            assert name in dir(door)


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


DOOR = '''"""Words."""
if TYPE_CHECKING:
    from a.b import c as c
else:
    __getattr__, __dir__ = names_on_demand(__name__)
'''


@pytest.mark.parametrize(
    ("source", "fine"),
    [
        ('"""Words."""', True),
        (DOOR, True),
        ("", False),
        ('"""Words."""\nx = 1', False),
        (DOOR + "x = 1", False),
        (DOOR.replace("from a.b import c as c", "import a"), False),
        ('"""Words."""\nfrom a.b import c as c', False),
    ],
)
def test_code_in_a_package_is_noticed(source: str, fine: bool) -> None:
    assert has_only_a_front_door(ast.parse(source)) is fine


@pytest.mark.parametrize(
    ("source", "reached"),
    [
        ("from segmetry.metrics.score import Score", ["segmetry.metrics.score"]),
        ("def late():\n    from segmetry.metrics.score import Score", ["segmetry.metrics.score"]),
        ("import segmetry.metrics.score as s", ["segmetry.metrics.score"]),
        ("from segmetry.metrics import score", ["segmetry.metrics.score"]),
        ("from segmetry.metrics import Score\nfrom segmetry.errors import SegmetryError\nimport numpy", []),
        ("from segmetry.report.page import write_page\nfrom segmetry import __version__", []),
    ],
)
def test_an_import_past_a_front_door_is_noticed(source: str, reached: list[str]) -> None:
    assert list(modules_reached(ast.parse(source), "segmetry.report.run_data")) == reached


FIXED_DECIMALS = re.compile(r"\{[^{}]*:[-+ ,]*[0-9]*\.[0-9]+[f%]\}")
WRITES_NUMBERS = {
    "results/number_format.py": "the one formatter",
    "evaluation/data_notes.py": "five digits tell two values of PQ apart",
    "protocols/instances/coco_instances.py": "thresholds, as COCOeval prints them",
}
"""Modules outside of plots that write decimals, and why."""


def test_numbers_are_written_in_one_place() -> None:
    """A score looks the same wherever it is shown, as everything that prints one asks ``results/number_format.py``."""
    found = {
        path.relative_to(SOURCES).as_posix()
        for folder in ("cli", "comparison", "diagnosis", "outputs/tables", "protocols", "results", "run", "statistics")
        for path in python_files(SOURCES / folder)
        if any(FIXED_DECIMALS.search(line) for line in path.read_text(encoding="utf-8").splitlines())
    }
    assert found - set(WRITES_NUMBERS) <= {"cli/progress.py", "comparison/comparison_tables.py"}, "bytes, and sizes"


@pytest.mark.parametrize("page", sorted((SOURCES / "metrics").glob("*/__init__.py")), ids=lambda page: page.parent.name)
def test_a_family_names_modules_that_it_has(page: Path) -> None:
    listed = re.findall(r"^\* ((?:``\w+``(?:, )?)+)", ast.get_docstring(parsed(page)) or "", re.MULTILINE)
    named = {name for names in listed for name in re.findall(r"\w+", names)}
    assert named <= {path.stem for path in page.parent.glob("*.py")}
