"""SWC files of skeletons: a node per line (number, type, x, y, z, radius, parent), parent -1 for a root."""

from __future__ import annotations

from pathlib import Path

from segmetry.errors import FormatError
from segmetry.readers.parts.text_file import read_lines
from segmetry.readers.skeletons.skeleton_nodes import SkeletonNodes

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
    if not parents and not nodes.has(path.stem):
        raise FormatError(f"{path}: contains no nodes")
    for node, parent, number in parents:
        nodes.join(path.stem, node, parent, f"{path}, line {number}")
