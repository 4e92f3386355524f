"""Types as they are written in a module, for signatures that are made of several functions."""

from __future__ import annotations

import sys
from inspect import Parameter
from typing import Any, Self


class WrittenType(str):
    """A type as it is written in a module; a signature shows it without quotation marks."""

    __slots__ = ("module",)
    module: str

    def __new__(cls, text: str, module: str) -> Self:
        """Take the text and the module whose names it uses."""
        written = super().__new__(cls, text)
        written.module = module
        return written

    def __repr__(self) -> str:
        return str(self)

    def evaluated(self) -> Any:
        """Return the type itself.

        >>> WrittenType("Policy | None", "segmetry.metrics.shared_options").evaluated()
        segmetry.alignments.policy.Policy | None
        """
        # A text of the annotated module itself, not of a user.
        return eval(self, vars(sys.modules[self.module]))  # noqa: S307

    def of_values(self) -> WrittenType:
        """Return the type without None."""
        return WrittenType(self.removesuffix(" | None"), self.module)


def written_type(annotation: Any, module: str) -> Any:
    """Return an annotation that knows its module: it is text, and a signature joins those of several modules."""
    if isinstance(annotation, type) and annotation is not Parameter.empty:
        return WrittenType(annotation.__name__, annotation.__module__)
    is_plain_text = isinstance(annotation, str) and not isinstance(annotation, WrittenType)
    return WrittenType(annotation, module) if is_plain_text else annotation
