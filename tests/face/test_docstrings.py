"""Every public name has help in numpydoc form: what it is, all its parameters and no others, and what it returns."""

from __future__ import annotations

import inspect
import re
from typing import Any

import pytest

import segmetry as sm
from segmetry.metrics.declare import METRICS

SECTIONS = ("Parameters", "Attributes", "Returns", "Yields", "Raises", "See Also", "Notes", "References", "Examples")
# Made by segmetry, not by its users: what their attributes are is said in prose.
RESULTS = {
    "RunLengths", "Hierarchy",
    "Alignment", "Comparison", "Counts", "Curves", "Diagnosis", "Interval", "Intervals", "Maps", "MatchedShapes",
    "OverlapTable", "Picture", "ReadItems", "Run", "Scores", "Sensitivity", "SeveralScores", "Summary", "Tally",
    "TwoAlignments",
}  # fmt: skip
INTERFACES = {"MatchRule", "Segmentation", "SegmetryError"}
OTHERS = [name for name in sm.__all__ if name not in METRICS and name not in sm._MODULES]


def sections(text: str) -> dict[str, list[str]]:
    """Return the lines of each section; those before the first are the summary."""
    found: dict[str, list[str]] = {"Summary": []}
    current = "Summary"
    lines = text.split("\n")
    for at, line in enumerate(lines):
        below = lines[at + 1] if at + 1 < len(lines) else ""
        if line in SECTIONS and re.fullmatch("-+", below) and len(below) == len(line):
            assert line not in found, f"two sections {line}"
            current = line
            found[current] = []
        elif not (re.fullmatch("-+", line) and lines[at - 1] in SECTIONS):
            found[current].append(line)
    return found


def entries(lines: list[str]) -> dict[str, str]:
    """Return the description of each entry of a section by its name."""
    found: dict[str, str] = {}
    names: list[str] = []
    for line in lines:
        if line and not line.startswith(" "):
            names = line.partition(" : ")[0].split(", ")
            found |= dict.fromkeys(names, "")
        else:
            found |= {name: f"{found[name]}{line.strip()} " for name in names}
    return found


def check(thing: Any, text: str | None, *, with_parameters: bool = True) -> None:
    """Raise AssertionError for help that is incomplete."""
    assert text, "no docstring"
    parts = sections(text)
    assert [name for name in parts if name in SECTIONS] == [name for name in SECTIONS if name in parts], "order"
    first = " ".join("\n".join(parts["Summary"]).split("\n\n")[0].split())
    assert re.search(r"[.!?]$", first), f"the summary is no sentence: {first!r}"
    if not with_parameters:
        return
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    expected = [
        stars.get(p.kind, "") + p.name for p in inspect.signature(thing).parameters.values() if p.name != "self"
    ]
    described = entries(parts.get("Parameters", []))
    assert list(described) == expected, f"described {list(described)}, takes {expected}"
    empty = [name for name, words in described.items() if not words.strip()]
    assert not empty, f"no words about {empty}"
    if not inspect.isclass(thing):
        assert any(words.strip() for words in entries(parts.get("Returns", [])).values()), "no words about the result"


@pytest.mark.parametrize("name", OTHERS)
def test_help(name: str) -> None:
    thing = getattr(sm, name)
    if name == "Score":  # made by its class methods; its constructor is that of a float
        check(thing, inspect.getdoc(thing), with_parameters=False)
    else:
        check(thing, inspect.getdoc(thing), with_parameters=name not in RESULTS | INTERFACES)


@pytest.mark.parametrize("key", METRICS)
def test_help_of_metrics(key: str) -> None:
    check(getattr(sm, key), getattr(sm, key).__doc__)


def test_lists_are_of_public_names() -> None:
    assert set(OTHERS) >= RESULTS | INTERFACES


def documented(first: int, *, second: int = 0) -> int:
    """Add two numbers.

    Parameters
    ----------
    first : int
        One number.
    second : int, default 0
        The other.

    Returns
    -------
    int
        The sum.
    """
    return first + second


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("", "", None),
        ("second : int, default 0\n    The other.\n", "", "takes \\['first', 'second'\\]"),
        ("second : int", "third : int", "described \\['first', 'third'\\]"),
        ("    The other.\n", "", "no words about \\['second'\\]"),
        ("Returns\n-------\nint\n    The sum.", "", "no words about the result"),
        ("Add two numbers.", "Add two numbers", "no sentence"),
        ("Returns\n-------", "Returns\n------", "described"),
    ],
)
def test_the_check_notices_what_is_missing(old: str, new: str, words: str | None) -> None:
    text = str(inspect.getdoc(documented))
    assert old in text
    if words is None:
        check(documented, text)
        return
    with pytest.raises(AssertionError, match=words):
        check(documented, text.replace(old, new))
