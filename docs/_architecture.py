"""Draw the packages of segmetry and the imports between them, read from the source while the site is built."""

from __future__ import annotations

import ast
import tomllib
from collections import Counter
from collections.abc import Container, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from segmetry.outputs.plots.picture import GREY, PALE, Dot, Line, Picture, Polygon, Rectangle, Shape, Words

PROJECT = Path(__file__).resolve().parent.parent
SOURCE = PROJECT / "src" / "segmetry"
STEP_X, STEP_Y, BOX_WIDTH, BOX_HEIGHT, MARGIN = 26, 28, 132, 24, 8
FILL, ARROW = "#e3edf7", "#2f6ca8"


@dataclass(frozen=True)
class Room:
    """A package or a module directly below ``segmetry``."""

    name: str
    summary: str
    files: tuple[str, ...]
    imports: Counter[str]
    """The rooms it imports, with the number of its files that do so."""


def read_rooms(source: Path = SOURCE, project: Path = PROJECT) -> list[Room]:
    """Return every room in the order of the import contract, the one that imports nothing first."""
    layers = _contract(project)["layers"]
    names = (name.strip("() ") for layer in reversed(layers) for name in layer.split("|"))
    exceptions = {tuple(line.split(" -> ")) for line in read_exceptions(project)}
    return [_read_room(source, name, exceptions) for name in names if _module_path(source, name).exists()]


def read_exceptions(project: Path = PROJECT) -> list[str]:
    """Return the imports that the contract allows to lead to a later room, as ``importer -> imported``."""
    return list(_contract(project).get("ignore_imports", []))


def _contract(project: Path) -> dict[str, Any]:
    settings = tomllib.loads((project / "pyproject.toml").read_text("utf-8"))
    contract: dict[str, Any] = settings["tool"]["importlinter"]["contracts"][0]
    return contract


def _module_path(source: Path, name: str) -> Path:
    package = source / name / "__init__.py"
    return package if package.exists() else source / f"{name}.py"


def _read_room(source: Path, name: str, exceptions: Container[tuple[str, ...]]) -> Room:
    module = _module_path(source, name)
    files = sorted((source / name).rglob("*.py")) if module.name == "__init__.py" else [module]
    modules = [path for path in files if path.name != "__init__.py"]
    imports = Counter(
        room
        for path in modules
        for room in {
            module.split(".")[1]
            for module in imported_modules(path)
            if (_dotted(source, path), module) not in exceptions
        }
        - {name}
    )
    summary = (ast.get_docstring(ast.parse(module.read_text("utf-8"))) or "").split("\n\n")[0]
    return Room(name, " ".join(summary.split()), tuple(str(path.relative_to(source)) for path in modules), imports)


def _dotted(source: Path, path: Path) -> str:
    return ".".join((source.name, *path.relative_to(source).with_suffix("").parts))


def imported_modules(path: Path) -> set[str]:
    """Return the modules of segmetry that a file imports anywhere but under ``if TYPE_CHECKING:``."""
    tree = ast.parse(path.read_text("utf-8"))
    return {module for module in _imported_modules(tree) if module.startswith("segmetry.")}


def _imported_modules(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return
    if isinstance(node, ast.ImportFrom) and node.module:
        yield from [node.module] if node.module != "segmetry" else (f"segmetry.{name.name}" for name in node.names)
    elif isinstance(node, ast.Import):
        yield from (name.name for name in node.names)
    for child in ast.iter_child_nodes(node):
        yield from _imported_modules(child)


def draw(rooms: list[Room]) -> Picture:
    """Draw the rooms along a diagonal: a dot in the row of one room and below another means that the one imports it."""
    at = {room.name: number for number, room in enumerate(rooms)}
    lines: list[Shape] = []
    dots: list[Shape] = []
    for row, room in enumerate(rooms):
        columns = {at[name]: name for name in room.imports if name in at}
        if columns:
            lines.append(Line(((_trunk(min(columns)), _middle(row)), (_left(row), _middle(row))), PALE))
        for column, name in columns.items():
            note = f"{room.name} imports {name} in {room.imports[name]} of {len(room.files)} files"
            dots.append(Dot(_trunk(column), _middle(row), 4, ARROW, note=note))
    for column, room in enumerate(rooms):
        rows = [at[other.name] for other in rooms if room.name in other.imports]
        if rows:
            lines += _arrow(_trunk(column), _middle(max(rows)), _top(column) + BOX_HEIGHT)
    width, height = _left(len(rooms) - 1) + BOX_WIDTH + MARGIN, _top(len(rooms)) - STEP_Y + BOX_HEIGHT + MARGIN
    boxes = chain.from_iterable(_box(number, room) for number, room in enumerate(rooms))
    return Picture(width, height, "The packages of segmetry and their imports", (*lines, *dots, *boxes))


def _box(number: int, room: Room) -> tuple[Shape, ...]:
    left, top, middle = _left(number), _top(number), _middle(number)
    return (
        Rectangle(left, top, BOX_WIDTH, BOX_HEIGHT, FILL, stroke=GREY, note=room.summary),
        Words(left + 8, middle, room.name, 13),
        Words(left + BOX_WIDTH - 8, middle, str(len(room.files)), 11, "end", GREY),
    )


def _arrow(x: float, start: float, stop: float) -> tuple[Shape, Shape]:
    """A vertical line from below into a box."""
    return Line(((x, start), (x, stop + 6)), ARROW), Polygon(((x, stop), (x - 4, stop + 7), (x + 4, stop + 7)), ARROW)


def _left(number: int) -> float:
    return MARGIN + number * STEP_X


def _top(number: int) -> float:
    return MARGIN + number * STEP_Y


def _trunk(number: int) -> float:
    return _left(number) + STEP_X / 2


def _middle(number: int) -> float:
    return _top(number) + BOX_HEIGHT / 2


def rooms_table(rooms: list[Room]) -> str:
    """Return the rooms with the first paragraph of their docstrings as a Markdown table."""
    rows = [f"| `{room.name}` | {len(room.files)} | {_as_markdown(room.summary)} |" for room in rooms]
    return "\n".join(["| package | files | contents |", "|---|---|---|", *rows])


def _as_markdown(text: str) -> str:
    return text.replace("``", "`").replace("|", r"\|")


def write_picture(folder: Path) -> None:
    """Write ``architecture.svg`` into a folder."""
    folder.mkdir(exist_ok=True)
    (folder / "architecture.svg").write_text(draw(read_rooms()).svg, encoding="utf-8")
