"""What there is, one line each: metrics, protocols and formats, all of them or those with some words."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from shutil import get_terminal_size
from textwrap import wrap
from typing import NamedTuple

import click

from segmetry.cli.console import Screen
from segmetry.errors import UnknownNameError, visible
from segmetry.results import cut_text

MOST_WHOLE = 5
"""Up to so many entries are printed whole instead of in one line each."""
search_words = click.argument("words", metavar="[WORDS]…", nargs=-1)
"""The argument of a command that lists: only entries with all of these words."""


class ListedEntry(NamedTuple):
    """An entry: its name, its text, the heading that it stands under, and what else it is found by."""

    name: str
    text: str
    group: str = ""
    more: str = ""


def with_words(entries: Sequence[ListedEntry], words: Sequence[str], what: str) -> list[ListedEntry]:
    """Return the entries that have all words, in the singular or plural; those whose names have them come first."""
    wanted = [word.casefold().rstrip("s") for word in words]
    found = [entry for entry in entries if all(word in " ".join(entry).casefold() for word in wanted)]
    found.sort(
        key=lambda entry: (entry.name not in words, bool(wanted) and not any(word in entry.name for word in wanted))
    )
    if not found:
        raise UnknownNameError(
            f"no {what} has the words {' '.join(words)!r} in its name or text; 'segmetry {what}s' lists all {what}s"
        )
    return found


def print_listing(entries: Sequence[ListedEntry], words: Sequence[str], what: str, below: str = "") -> None:
    """Print the entries that have all words, page by page where they do not fit on the terminal."""
    found, width = with_words(entries, words, what), Screen().width
    names = max(len(entry.name) for entry in found) + 2
    head = f"{len(found)} of {len(entries)} {what}s" if words else f"{len(entries)} {what}s; add words to search"
    lines, group = [click.style(head, dim=True)], ""
    for entry in found:
        if entry.group != group and not words:
            group = entry.group
            lines += ["", click.style(group, bold=True)]
        room = width - names - 2
        is_whole = len(found) <= MOST_WHOLE
        texts = wrap(entry.text, room, break_on_hyphens=False) if is_whole else [cut_text(entry.text, room)]
        for at, text in enumerate(texts):
            name = click.style(entry.name, bold=True) + " " * (names - len(entry.name)) if at == 0 else " " * names
            lines.append(f"  {name}{visible(text)}")
    lines += wrap(below, width, break_on_hyphens=False)
    if sys.stdout.isatty() and len(lines) >= get_terminal_size().lines:
        click.echo_via_pager("\n".join(lines) + "\n")
        return
    for line in lines:
        click.echo(line)
