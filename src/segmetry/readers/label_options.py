"""The options of all readers of label arrays, and their values: maps of labels, unions of labels, spacings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from fractions import Fraction
from functools import partial
from operator import index
from pathlib import Path
from typing import Any

from segmetry._base.frozen_dataclass import frozen_dataclass
from segmetry.errors import OptionError, SegmetryError
from segmetry.kernels.components import NEIGHBOURS
from segmetry.readers.option import Choice, Flag, Integer, Labels, NumberFromZero, Option, OptionType
from segmetry.readers.options import ReadOptions
from segmetry.readers.parts.strict_json import load_json
from segmetry.readers.parts.text_file import read_text
from segmetry.segmentation.base import as_ids
from segmetry.segmentation.spacing import UNITS, Spacing, as_spacing, unit_symbol
from segmetry.segmentation.value_map import ValueMap

REST = "*"
"""Stands for every label that a map does not name."""
_PAIRS = re.compile(r"\s*(-?\d+|\*|#[0-9a-fA-F]{6})\s*[:,;\t]\s*(-?\d+)\s*")


@frozen_dataclass()
class LabelMap(OptionType[ValueMap]):
    """New labels by old label: ``7:0,8:1``, a mapping, or a JSON or CSV file of pairs; ``*`` is every other label.

    An old label may be a colour as ``--colours rgb`` reads it: ``#804080:7``.

    >>> LabelMap().check("7:0,8:1,*:255", "map")
    ValueMap(new={7: 0, 8: 1}, rest=255)
    >>> LabelMap().plain(ValueMap({7: 0}, rest=255))
    '7:0,*:255'
    """

    def check(self, value: Any, name: str) -> ValueMap:
        if isinstance(value, ValueMap):
            return value
        if isinstance(value, Path) or (isinstance(value, str) and ":" not in value):
            return _from_file(Path(value), name)
        if isinstance(value, str):
            pairs: Iterable[tuple[Any, Any]] = [_parse_pair(text, name) for text in value.split(",")]
        elif isinstance(value, Mapping):
            pairs = value.items()
        else:
            raise OptionError(f"{name} is {value!r}; expected pairs such as 7:0,8:1, a mapping, or a file of pairs")
        return _value_map(pairs, name)

    def plain(self, value: ValueMap) -> str:
        pairs = [f"{old}:{new}" for old, new in value.new.items()]
        return ",".join(pairs if value.rest is None else [*pairs, f"{REST}:{value.rest}"])


def _parse_pair(text: str, name: str) -> tuple[str, str]:
    parts = re.fullmatch(r"\s*(-?\d+|\*|#[0-9a-fA-F]{6})\s*:\s*(-?\d+)\s*", text)
    if parts is None:
        raise OptionError(f"{name} contains {text!r}; expected OLD:NEW, such as 7:0, or *:NEW for all other labels")
    return parts[1], parts[2]


def _value_map(pairs: Iterable[tuple[Any, Any]], name: str) -> ValueMap:
    new: dict[int | str, int] = {}
    for old, target in pairs:
        label = _parse_label(old, name, rest=True)
        if label in new:
            raise OptionError(f"{name} names label {label} twice; expected one new label for each")
        new[label] = int(_parse_label(target, name))
    if not new:
        raise OptionError(f"{name} is empty; expected pairs such as 7:0")
    rest = new.pop(REST, None)
    return ValueMap({int(label): target for label, target in new.items()}, rest)


def _parse_label(value: Any, name: str, *, rest: bool = False) -> int | str:
    if rest and value == REST:
        return REST
    if rest and isinstance(value, str) and re.fullmatch(r"#[0-9a-fA-F]{6}", value):
        red, green, blue = bytes.fromhex(value[1:])
        return red + 256 * green + 65536 * blue  # as --colours rgb reads it
    label = None
    with suppress(TypeError, ValueError):
        label = int(value) if isinstance(value, str) else index(value)
    if label is None or isinstance(value, bool):
        raise OptionError(f"{name} contains {value!r}; expected an integer label")
    return label


def _from_file(path: Path, name: str) -> ValueMap:
    """Read a JSON object or list of pairs, or a text of two columns, perhaps with a header."""
    try:
        text = read_text(path)
        content = load_json(path) if text.lstrip()[:1] in ("{", "[") else None
    except SegmetryError as problem:
        raise OptionError(f"{name}: {problem}; expected pairs such as 7:0,8:1, or a JSON or CSV file of them") from None
    if isinstance(content, dict):
        return _value_map(content.items(), f"{name} {path}")
    if isinstance(content, list):
        if not all(isinstance(pair, list) and len(pair) == 2 for pair in content):
            raise OptionError(f"{name} {path}: expected pairs, such as [[7, 0], [8, 1]]")
        return _value_map([(old, new) for old, new in content], f"{name} {path}")
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    if lines and not re.search(r"\d", lines[0][1]):
        lines = lines[1:]  # a header
    pairs = []
    for number, line in lines:
        parts = _PAIRS.fullmatch(line)
        if parts is None:
            raise OptionError(f"{name} {path}, line {number}: {line[:40]!r}; expected two integers, OLD,NEW")
        pairs.append((parts[1], parts[2]))
    return _value_map(pairs, f"{name} {path}")


@frozen_dataclass()
class LabelUnions(OptionType[dict[str, tuple[int, ...]]]):
    """Labels by the name of their union: ``WT=1,2,3``, several such texts, or a mapping.

    >>> LabelUnions().check(["WT=1,2,3", "TC=1,3"], "union")
    {'WT': (1, 2, 3), 'TC': (1, 3)}
    """

    several = True

    def check(self, value: Any, name: str) -> dict[str, tuple[int, ...]]:
        texts = [value] if isinstance(value, str) else value
        if isinstance(value, Mapping):
            pairs = [
                (str(region), list(labels) if isinstance(labels, Iterable) else [labels])
                for region, labels in value.items()
            ]
        elif isinstance(texts, list | tuple) and all(isinstance(text, str) for text in texts):
            pairs = [_parse_region(text, name) for text in texts]
        else:
            raise OptionError(f"{name} is {value!r}; expected NAME=LABEL,…, such as WT=1,2,3, or a mapping")
        regions: dict[str, tuple[int, ...]] = {}
        for region, labels in pairs:
            if region in regions:
                raise OptionError(f"{name} names region {region!r} twice; expected one list of labels for each")
            regions[region] = tuple(sorted({int(_parse_label(label, name)) for label in labels}))
            if not regions[region]:
                raise OptionError(f"{name}: region {region!r} has no labels; expected NAME=LABEL,…, such as WT=1,2,3")
        if not regions:
            raise OptionError(f"{name} is empty; expected NAME=LABEL,…, such as WT=1,2,3")
        return regions

    def plain(self, value: dict[str, tuple[int, ...]]) -> dict[str, list[int]]:
        return {region: list(labels) for region, labels in value.items()}


def _parse_region(text: str, name: str) -> tuple[str, list[str]]:
    region, equals, labels = text.partition("=")
    if not equals or not region.strip():
        raise OptionError(f"{name} is {text!r}; expected NAME=LABEL,…, such as WT=1,2,3")
    return region.strip(), [label.strip() for label in labels.split(",") if label.strip()]


@frozen_dataclass()
class SpacingOption(OptionType[Spacing]):
    """Steps along each axis, or one for all axes, and perhaps their unit: ``5,0.5,0.5 mm``, or numbers.

    >>> str(SpacingOption().check("5,0.5,0.5mm", "spacing")), SpacingOption().check([2, 1], "spacing")
    ('5, 0.5, 0.5 mm', (2.0, 1.0))
    """

    def check(self, value: Any, name: str) -> Spacing:
        steps, symbol = _steps_and_unit(value, name)
        try:
            return as_spacing(steps, max(len(steps), 1), symbol)
        except (TypeError, OptionError):
            raise OptionError(
                f"{name} is {value!r}; expected positive numbers, one per axis or one for all, such as 5,0.5,0.5 mm"
            ) from None

    def plain(self, value: Spacing) -> str:
        return f"{','.join(map(repr, value))}{'' if value.unit is None else f' {value.unit}'}"


def _steps_and_unit(value: Any, name: str) -> tuple[Any, str | None]:
    if not isinstance(value, str):
        return [value] if isinstance(value, int | float) else value, getattr(value, "unit", None)
    word = value.lstrip("0123456789.,eE+- \t")
    steps = [step.strip() for step in value[: len(value) - len(word)].split(",")]
    symbol = unit_symbol(word)
    if word and symbol is None:
        known = ", ".join(dict.fromkeys(UNITS.values()))
        raise OptionError(f"{name} is {value!r}; expected a unit of length, one of {known}")
    return steps, symbol


@frozen_dataclass()
class Neighbours(OptionType[int]):
    """A number of neighbours that defines connectivity: 4 or 8 in images, 6, 18 or 26 in volumes.

    >>> Neighbours().check("26", "components")
    26
    """

    def check(self, value: Any, name: str) -> int:
        number = int(value) if isinstance(value, str) and value.isdecimal() else value
        if not isinstance(number, int) or number not in NEIGHBOURS or isinstance(value, bool):
            raise OptionError(f"{name} is {value!r}; expected 4 or 8 (images), 6, 18 or 26 (volumes)")
        return number


_side_option: Callable[..., Option[Any]] = partial(Option, per_side=True)
OUTSIDE: Option[int | tuple[int, ...] | None] = _side_option(
    "outside",
    "Labels: label of elements in no segment. [default: 0]",
    Labels(),
    0,
    metavar="LABEL",
    none_flag="--no-outside",
    none_help="Labels: every label is a segment, 0 too.",
)
VOID: Option[int | tuple[int, ...] | None] = _side_option(
    "void", "Labels: label of elements that must not count.", Labels(), None, metavar="LABEL"
)
MEANING: Option[str] = _side_option(
    "labels",
    "Labels: what a value means: an instance, a class, or both (class · K + instance, K by --instances-per-class). "
    "[default: instances]",
    Choice(("instances", "classes", "both")),
    "instances",
)
NUM_CLASSES: Option[int | None] = _side_option(
    "num_classes",
    "Labels: with --labels classes, the classes are 0 to N-1; another value is an error unless it is void or outside.",
    Integer(least=1),
    None,
    metavar="N",
)
MAP: Option[ValueMap | None] = _side_option(
    "map",
    "Labels: replace labels, all at once: OLD:NEW,… such as 7:0,8:1 (*:NEW: all others), or a JSON or CSV file.",
    LabelMap(),
    None,
    metavar="PAIRS",
)
UNION: Option[dict[str, tuple[int, ...]] | None] = _side_option(
    "union",
    "Labels: a class that is the union of labels, such as WT=1,2,3; may be repeated, and unions may overlap.",
    LabelUnions(),
    None,
    metavar="NAME=LABELS",
)
COMPONENTS: Option[int | None] = _side_option(
    "components",
    "Labels: connected components are segments: 4 or 8 neighbours in images, 6, 18 or 26 in volumes.",
    Neighbours(),
    None,
    metavar="N",
)
SECTION_BORDER: Option[Fraction | None] = _side_option(
    "section_border",
    "Labels: voxels at most N voxels from a boundary of their section (the last two axes) are outside.",
    NumberFromZero("distance"),
    None,
    metavar="N",
)
MIN_SIZE: Option[int | None] = _side_option(
    "min_size",
    "Labels: segments of fewer elements are outside. Maps: polygons of a smaller area are left out.",
    Integer(least=1),
    None,
    metavar="N",
)
BORDER: Option[int | None] = _side_option(
    "border",
    "Labels: segments with an element among the outermost N of an axis are outside.",
    Integer(least=1),
    None,
    metavar="N",
)
SPACING: Option[Spacing | None] = _side_option(
    "spacing",
    "Labels: distances between neighbours and their unit: Z,Y,X such as 5,0.5,0.5mm. [default: from the file]",
    SpacingOption(),
    None,
    metavar="STEPS",
)
INSTANCES_PER_CLASS: Option[int | None] = _side_option(
    "instances_per_class", "Labels: K of --labels both, such as 1000.", Integer(least=2), None, "K"
)
ALLOW_FLOAT: Option[bool] = Option("allow_float", "Labels: accept floats whose values are integers.", Flag(), False)
ALLOW_NEGATIVE: Option[bool] = Option("allow_negative", "Labels: negative labels are segments.", Flag(), False)
MEANINGS = frozenset({MEANING.name, UNION.name, COMPONENTS.name})
"""The options that state what a label means."""
FACTS: tuple[Option[Any], ...] = (OUTSIDE, VOID, ALLOW_FLOAT, ALLOW_NEGATIVE)
"""Options that are arguments of ``LabelArray``."""
LABEL_OPTIONS: tuple[Option[Any], ...] = (
    *FACTS,
    MEANING,
    NUM_CLASSES,
    INSTANCES_PER_CLASS,
    MAP,
    UNION,
    COMPONENTS,
    MIN_SIZE,
    BORDER,
    SECTION_BORDER,
    SPACING,
)

COLOURS: Option[str] = Option(
    "colours",
    "PNG, TIFF: take palette indices or R + 256·G + 65536·B as labels. [default: refuse both]",
    Choice(("refuse", "index", "rgb")),
    "refuse",
)


def label_arguments(options: ReadOptions) -> dict[str, Any]:
    """Return the keyword arguments of ``LabelArray`` that the user stated.

    >>> label_arguments(ReadOptions(void=255))
    {'void': 255}
    """
    return {option.name: options[option] for option in FACTS if option.name in options.stated}


def is_ignored(label: int, options: ReadOptions) -> bool:
    """Return whether a label of a file is outside or void.

    >>> is_ignored(0, ReadOptions()), is_ignored(7, ReadOptions(map={7: 0})), is_ignored(0, ReadOptions(map={0: 5}))
    (True, True, False)
    """
    replaced = options[MAP]
    value = label if replaced is None else replaced.value_of(label)
    regions = options[UNION]
    outside_all = regions is not None and not any(value in members for members in regions.values())
    return outside_all or value in as_ids(options[OUTSIDE], "outside") or value in as_ids(options[VOID], "void")
