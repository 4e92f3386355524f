"""Parts shared by the JSON files of the COCO family: recognition, categories, images."""

from __future__ import annotations

import mmap
from collections.abc import Hashable
from pathlib import Path
from typing import Any

from segmetry._base.json_fields import flag_field, id_field, integer_field, list_field
from segmetry.errors import FormatError
from segmetry.readers.parts.safe_names import check_name

_FIRST_KEYS = (b"info", b"images", b"annotations", b"categories", b"licenses", b"type")


def is_coco_object(head: bytes) -> bool:
    """Return whether a file starts with a JSON object whose first key is one of COCO's."""
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not start.startswith(b"{"):
        return False
    return start[1:].lstrip().startswith(tuple(b'"' + key + b'"' for key in _FIRST_KEYS))


def mentions(path: Path, word: bytes) -> bool:
    """Return whether a file contains a word; the file is searched through a memory map, not read."""
    if not path.is_file() or not path.stat().st_size:
        return False
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return content.find(word) >= 0


def categories_of(data: Any, where: str) -> dict[int, bool | None]:
    """Return for every category id whether it is a thing (None where the file does not say)."""
    is_thing: dict[int, bool | None] = {}
    for at, category in enumerate(list_field(data, "categories", where)):
        place = f"{where}: categories[{at}]"
        number = integer_field(category, "id", place)
        if number in is_thing:
            raise FormatError(f"{place}: the id {number} occurs twice")
        is_thing[number] = flag_field(category, "isthing", place) if "isthing" in category else None
    return is_thing


def class_names_of(data: Any, where: str) -> dict[Hashable, str]:
    """Return the names of the categories that have one, by id."""
    names: dict[Hashable, str] = {}
    for at, category in enumerate(list_field(data, "categories", where)):
        if "name" in category:
            name = category["name"]
            if not isinstance(name, str):
                raise FormatError(f"{where}: categories[{at}]: name is {str(name)[:40]!a}; expected text")
            check_name(name, f"{where}: the name of categories[{at}]")
            names[category["id"]] = name
    return names


def groups_of(categories: dict[int, bool | None]) -> dict[str, frozenset[Hashable]] | None:
    """Return the groups of things and stuff if every category says which it is, else None."""
    if not categories or None in categories.values():
        return None
    return {
        "things": frozenset(name for name, thing in categories.items() if thing),
        "stuff": frozenset(name for name, thing in categories.items() if not thing),
    }


def sizes_of(data: Any, where: str) -> dict[int | str, tuple[int, int]]:
    """Return height and width of every image, by id."""
    sizes: dict[int | str, tuple[int, int]] = {}
    for at, image in enumerate(list_field(data, "images", where)):
        place = f"{where}: images[{at}]"
        number = id_field(image, "id", place)
        if number in sizes:
            raise FormatError(f"{place}: the id {number!r} occurs twice")
        sizes[number] = integer_field(image, "height", place, least=1), integer_field(image, "width", place, least=1)
    return sizes


def image_name(annotation: Any, where: str) -> str:
    """Return the name of the item an annotation belongs to: the id of its image."""
    return str(id_field(annotation, "image_id", where))
