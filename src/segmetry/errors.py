"""Errors a user can cause: one class per mistake, each also a builtin.

A message names the item, the field, what was found, what was expected and what to do. The command line
prints it as one line and exits with code 2; a traceback is always a defect of segmetry.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

LONGEST_MESSAGE = 2000


def printable(text: str) -> str:
    r"""Return text on one line: what a terminal would act upon is escaped, and the middle of a long text is left out.

    Unusual spaces are escaped as well: they tell apart names that look the same.
    """
    shown = text if text.isprintable() else "".join(c if c.isprintable() else _escaped(c) for c in text)
    half = (LONGEST_MESSAGE - 3) // 2
    return shown if len(shown) <= LONGEST_MESSAGE else f"{shown[:half]} … {shown[-half:]}"


def visible(text: str) -> str:
    r"""Return a line of a table in which what a terminal would act upon is escaped, and unusual spaces are kept."""
    return text if text.isprintable() else "".join(c if _is_visible(c) else _escaped(c) for c in text)


def _is_visible(character: str) -> bool:
    return character.isprintable() or (character.isspace() and character > "\x9f" and character not in "\u2028\u2029")


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def list_some(names: Iterable[object], most: int = 10) -> str:
    """Return names divided by commas, the first few of many."""
    listed = list(names)
    return ", ".join(map(str, listed[:most])) + " …" * (len(listed) > most)


class SegmetryError(Exception):
    """Base class of all errors that the user can fix."""

    def __str__(self) -> str:
        """Return the message on one line: it may contain names from a file."""
        return printable(str(self.args[0]) if self.args else "")

    def within(self, place: str) -> Self:
        """Return the same error with the file or item it happened in, if it is known, before its message.

        >>> str(SegmetryError("no items").within("a.json"))
        'a.json: no items'
        """
        if not place or str(self).startswith(f"{place}: "):
            return self
        error = type(self).__new__(type(self))
        error.args = (f"{place}: {self}",)
        return error

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the arguments, so that errors can be sent between processes whatever their constructor takes."""
        return _restored, (type(self), self.args)


def _restored(kind: type[SegmetryError], arguments: tuple[Any, ...]) -> SegmetryError:
    error = kind.__new__(kind)
    error.args = arguments
    return error


class InputError(SegmetryError, ValueError):
    """An invalid value in an input."""


class EmptyInputError(InputError):
    """An array without elements."""


class NegativeLabelError(InputError):
    """A negative label that was not declared as background, void or segment."""


class ShapeMismatchError(InputError):
    """Two segmentations of different domains."""


class DeviceMismatchError(InputError):
    """Two segmentations in the memory of different devices."""


class RunLengthError(InputError):
    """A run-length encoding that does not describe its mask."""


class SpanError(InputError):
    """A span that is empty, leaves the domain or overlaps its neighbour."""


class ClassesError(InputError):
    """Classes that are missing, unknown or present on one side only."""


class ClashError(InputError):
    """A segment with several partners where at most one is allowed."""


class FormatError(InputError):
    """A file that is not valid in its format."""


class OptionError(InputError):
    """An option with a value outside its range."""


class EngineError(SegmetryError, RuntimeError):
    """Workers that cannot be reached, run other software than this machine, or died."""


class LabelTypeError(SegmetryError, TypeError):
    """Labels that are not integers."""


class KindError(SegmetryError, TypeError):
    """An object that is not a segmentation, or two segmentations of different kinds."""


class UnknownNameError(SegmetryError, KeyError):
    """A metric, rule, policy or format that is not registered."""


class GpuError(SegmetryError, RuntimeError):
    """A call of CUDA failed, or a part of CUDA is missing."""


class DataWarning(UserWarning):
    """An entry of a file that contradicts its data but does not change a score."""


class PluginWarning(UserWarning):
    """A plug-in of another package that cannot be used and is left out."""


class MissingExtraError(SegmetryError, ImportError):
    """A feature whose optional dependency is not installed: one of an extra, or other packages that pip installs."""

    def __init__(self, feature: str, extra: str = "", *, packages: str = "") -> None:
        wanted = packages or f"'segmetry[{extra}]'"
        super().__init__(f"{feature} needs an optional dependency: pip install {wanted}")
