"""Text from files on a terminal: one line, without control codes, of bounded length."""

from __future__ import annotations

LONGEST = 2000


def printable(text: str) -> str:
    r"""Return text on one line: what a terminal would act upon is escaped, and the middle of a long text is left out.

    >>> printable("item a\x1b[2J\nb")
    'item a\\x1b[2J\\nb'
    >>> len(printable("a" * 10**6)) <= LONGEST
    True
    """
    shown = text if text.isprintable() else "".join(c if c.isprintable() else _escaped(c) for c in text)
    half = (LONGEST - 3) // 2
    return shown if len(shown) <= LONGEST else f"{shown[:half]} … {shown[-half:]}"


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
