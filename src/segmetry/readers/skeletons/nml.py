"""NML files of skeletons (webKnossos, KNOSSOS): things with nodes and edges, and a scale of their positions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from segmetry._base.optional import translate_errors
from segmetry.errors import FormatError
from segmetry.readers.parts.safe_names import check_label
from segmetry.readers.skeletons.skeleton_nodes import SkeletonNodes

AXES = ("z", "y", "x")


def read_nml(path: Path, nodes: SkeletonNodes) -> None:
    """Add the nodes of a file: every thing is a skeleton, and positions are multiplied by the scale of the file."""
    root = _root(path)
    if root.tag != "things":
        raise FormatError(f"{path}: its root is {str(root.tag)[:40]!a}; expected things (NML)")
    scales = root.findall("parameters/scale")
    scale = tuple(_number(scales[0], axis, f"{path}: scale") for axis in AXES) if scales else (1.0, 1.0, 1.0)
    for thing in root.findall("thing"):
        where = f"{path}: thing {str(thing.get('id'))[:40]!a}"
        name = check_label(thing.get("name") or str(thing.get("id")), f"{where}: its name")
        unique = name if not nodes.has(name) else f"{name} ({thing.get('id')})"
        for node in thing.findall("nodes/node"):
            place = tuple(_number(node, axis, where) * step for axis, step in zip(AXES, scale, strict=True))
            nodes.add(unique, _integer(node, "id", where), (place[0], place[1], place[2]), where)
        for edge in thing.findall("edges/edge"):
            nodes.join(unique, _integer(edge, "source", where), _integer(edge, "target", where), where)
    if not nodes.positions:
        raise FormatError(f"{path}: contains no nodes")


def _root(path: Path) -> Any:
    with translate_errors(path, "XML file"):
        from defusedxml.common import DefusedXmlException
        from defusedxml.ElementTree import parse

        try:
            return parse(path, forbid_dtd=True).getroot()
        except DefusedXmlException:
            raise FormatError(
                f"{path}: declares a document type or entities, which are not expanded; expected things only"
            ) from None


def _number(element: Any, name: str, where: str) -> float:
    try:
        return float(element.get(name))
    except (TypeError, ValueError):
        raise FormatError(f"{where}: {name} is {str(element.get(name))[:40]!a}; expected a number") from None


def _integer(element: Any, name: str, where: str) -> int:
    try:
        return int(element.get(name))
    except (TypeError, ValueError):
        raise FormatError(f"{where}: {name} is {str(element.get(name))[:40]!a}; expected an integer") from None
