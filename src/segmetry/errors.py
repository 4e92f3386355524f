"""Errors a user can cause: one class per mistake, each also a builtin.

A message names the item, the field, what was found, what was expected and what to do. The command line
prints it as one line and exits with code 2; a traceback is always a defect of segmetry.
"""

from __future__ import annotations

from typing import Any, Self


class SegmetryError(Exception):
    """Anything wrong that the user can mend."""

    def within(self, place: str) -> Self:
        """The same error, its message preceded by the file or item it happened in.

        >>> str(SegmetryError("no items").within("a.json"))
        'a.json: no items'
        """
        found = type(self).__new__(type(self))
        found.args = (f"{place}: {self}",)
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        """Errors travel between processes whatever their constructor takes."""
        return _restored, (type(self), self.args)


def _restored(kind: type[SegmetryError], arguments: tuple[Any, ...]) -> SegmetryError:
    found = kind.__new__(kind)
    found.args = arguments
    return found


class InputError(SegmetryError, ValueError):
    """An input holds a value that cannot be right."""


class EmptyInputError(InputError):
    """An array without a single element."""


class NegativeLabelError(InputError):
    """A negative label that nobody declared."""


class ShapeMismatchError(InputError):
    """Two segmentations of different domains."""


class RunLengthError(InputError):
    """A run-length encoding that does not describe its mask."""


class SpanError(InputError):
    """A span that is empty, leaves the domain or overlaps its neighbour."""


class ClassesError(InputError):
    """Classes that are missing, unknown or given on one side only."""


class ClashError(InputError):
    """A segment with several partners where each may have one."""


class FormatError(InputError):
    """A file that is not what it claims to be."""


class OptionError(InputError):
    """An option with a value outside its range."""


class EngineError(SegmetryError, RuntimeError):
    """Workers that cannot be reached, differ from this machine, or died."""


class LabelTypeError(SegmetryError, TypeError):
    """Labels that are not integers."""


class KindError(SegmetryError, TypeError):
    """An object that is no segmentation, or two of different kinds."""


class UnknownNameError(SegmetryError, KeyError):
    """A metric, rule, policy or format that nobody registered."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class DataWarning(UserWarning):
    """Something in a file that contradicts its data and changes no score."""


class MissingExtraError(SegmetryError, ImportError):
    """A feature whose optional dependency is not installed."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} needs an optional dependency: pip install 'segmetry[{extra}]'")
