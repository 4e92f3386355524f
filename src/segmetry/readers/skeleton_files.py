"""Read skeletons, traced neurons, from SWC and NML files, or from a folder of them.

SWC: a node per line (number, type, x, y, z, radius, parent), parent -1 for a root. NML (webKnossos, KNOSSOS): things
with nodes and edges, and a scale of their positions.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from segmetry.errors import FormatError
from segmetry.readers.items import check_label, file_inside
from segmetry.readers.parts.text_file import read_lines, read_xml
from segmetry.segmentation import Skeletons


@dataclass
class SkeletonNodes:
    """Nodes by skeleton and by their number in its file; positions are (z, y, x)."""

    positions: list[tuple[float, float, float]] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    edges: list[tuple[int, int]] = field(default_factory=list)
    numbers: dict[tuple[str, int], int] = field(default_factory=dict)

    def add(self, name: str, number: int, position: tuple[float, float, float], where: str) -> None:
        """Add a node; two of one number in a skeleton are an error."""
        if (name, number) in self.numbers:
            raise FormatError(f"{where}: node {number} occurs twice in the skeleton {name[:80]!a}")
        if not all(map(math.isfinite, position)):
            raise FormatError(f"{where}: node {number} is at {position}; expected finite numbers")
        self.numbers[name, number] = len(self.positions)
        self.positions.append(position)
        self.names.append(name)

    def join(self, name: str, first: int, second: int, where: str) -> None:
        for number in (first, second):
            if (name, number) not in self.numbers:
                raise FormatError(
                    f"{where}: an edge names node {number}, which the skeleton {name[:80]!a} does not have"
                )
        self.edges.append((self.numbers[name, first], self.numbers[name, second]))


COLUMNS = 7


def read_swc(path: Path, nodes: SkeletonNodes) -> None:
    """Add the nodes of a file, which is one skeleton named by it."""
    parents: list[tuple[int, int, int]] = []
    for number, line in enumerate(read_lines(path), start=1):
        cells = line.split("#")[0].split()
        if not cells:
            continue
        where = f"{path}, line {number}"
        if len(cells) < COLUMNS:
            raise FormatError(f"{where}: {len(cells)} columns; expected number, type, x, y, z, radius and parent")
        try:
            node, parent = int(cells[0]), int(cells[6])
            x, y, z = map(float, cells[2:5])
        except ValueError:
            raise FormatError(f"{where}: {line.strip()[:60]!a} contains something else than numbers") from None
        nodes.add(path.stem, node, (z, y, x), where)
        if parent != -1:
            parents.append((node, parent, number))
    if not parents and path.stem not in nodes.names:
        raise FormatError(f"{path}: contains no nodes")
    for node, parent, number in parents:
        nodes.join(path.stem, node, parent, f"{path}, line {number}")


N = TypeVar("N", int, float)
AXES = ("z", "y", "x")


def read_nml(path: Path, nodes: SkeletonNodes) -> None:
    """Add the nodes of a file: every thing is a skeleton, and positions are multiplied by the scale of the file."""
    root = read_xml(path, "things")
    if root.tag != "things":
        raise FormatError(f"{path}: its root is {str(root.tag)[:40]!a}; expected things (NML)")
    scales = root.findall("parameters/scale")
    scale = tuple(_nml_number(scales[0], axis, f"{path}: scale", float) for axis in AXES) if scales else (1.0, 1.0, 1.0)
    for thing in root.findall("thing"):
        where = f"{path}: thing {str(thing.get('id'))[:40]!a}"
        name = check_label(thing.get("name") or str(thing.get("id")), f"{where}: its name")
        unique = name if name not in nodes.names else f"{name} ({thing.get('id')})"
        for node in thing.findall("nodes/node"):
            place = tuple(_nml_number(node, axis, where, float) * step for axis, step in zip(AXES, scale, strict=True))
            nodes.add(unique, _nml_number(node, "id", where, int), (place[0], place[1], place[2]), where)
        for edge in thing.findall("edges/edge"):
            nodes.join(unique, _nml_number(edge, "source", where, int), _nml_number(edge, "target", where, int), where)
    if not nodes.positions:
        raise FormatError(f"{path}: contains no nodes")


def _nml_number(element: Any, name: str, where: str, kind: type[N]) -> N:
    try:
        return kind(element.get(name))
    except (TypeError, ValueError):
        expected = "an integer" if kind.__name__ == "int" else "a number"
        raise FormatError(f"{where}: {name} is {str(element.get(name))[:40]!a}; expected {expected}") from None


READERS_BY_SUFFIX: dict[str, Callable[[Path, SkeletonNodes], None]] = {".swc": read_swc, ".nml": read_nml}


def read_skeletons(path: str | Path) -> Skeletons:
    r"""Read skeletons from a file or a folder.

    Parameters
    ----------
    path : str or Path
        An SWC file (one skeleton, named by the file), an NML file (one skeleton per thing), or a folder of such files.

    Returns
    -------
    Skeletons
        Positions are (z, y, x): those of SWC files as they are written, those of NML files times the scale of the file.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "axon.swc"
    >>> _ = file.write_text("1 0 0 0 0 1 -1\n2 0 3 4 0 1 1\n")
    >>> read_skeletons(file).lengths.tolist()
    [5.0]
    """
    source = Path(path)
    nodes = SkeletonNodes()
    if source.is_dir():
        files = [file for file in sorted(source.iterdir()) if file.suffix.lower() in READERS_BY_SUFFIX]
        if not files:
            raise FormatError(f"{source}: no skeleton in it; expected files {' or '.join(READERS_BY_SUFFIX)}")
        for file in files:
            _add_file(file_inside(source, file.name, "the file"), nodes)
    else:
        if not source.exists():
            raise FormatError(f"{source}: no such file or folder")
        _add_file(source, nodes)
    return Skeletons(nodes.positions, nodes.edges, nodes.names)


def _add_file(file: Path, nodes: SkeletonNodes) -> None:
    reader = READERS_BY_SUFFIX.get(file.suffix.lower())
    if reader is None:
        raise FormatError(f"{file}: not a file of skeletons; expected {' or '.join(READERS_BY_SUFFIX)}")
    reader(file, nodes)
