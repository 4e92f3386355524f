"""The decisions behind a number, as typed values: what a protocol, or a run, has chosen where others choose otherwise.

They are not declared a second time: the reading of the files, the options of scoring, the options of the metric and the
cell of the table are the decisions, so the values that compute are those that ``segmetry explain``, the pages of the
documentation, receipts and :func:`segmetry.reconcile` state, and the difference of two protocols is computed.

>>> from segmetry.protocols.protocol import PROTOCOLS
>>> [decision.words for decision in decisions_of(PROTOCOLS["dsb2018"]) if decision.name in ("average", "strict")]
['average: by_item_of_classes', 'strict: yes']
>>> differences(PROTOCOLS["dsb2018"], PROTOCOLS["stardist"])["average"]
('by_item_of_classes', 'pooled')
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

from segmetry._base import frozen_dataclass
from segmetry.alignments import POLICIES, as_policy, as_rule
from segmetry.metrics import AVERAGES, METRICS, Scoring, checked_undefined, option_help
from segmetry.protocols.modified import plain
from segmetry.protocols.protocol import Protocol
from segmetry.readers import ReadOptions, known_options
from segmetry.results import Cell

Kind = Literal["cell", "reading", "scoring", "option"]
QUESTIONS = {
    "metric": "What is measured.",
    "show": "Which entry of the result is shown, such as the value at one threshold.",
    "average": "What is averaged, in which order; what is not is pooled.",
    "rule": "Which true and predicted segments are a pair.",
    "policy": "How void elements and crowd segments are treated.",
    "classes": "Whether segments of different classes can be a pair.",
    "resolve": "What happens to segments with several partners.",
    "background": "What elements in no segment are.",
    "undefined": "The number that stands for 0/0.",
}
"""The decisions that every metric has, beside its own options and the options of reading."""
SCORED = ("rule", "policy", "classes", "resolve", "background", "undefined")
_EMPTY = (None, 0, 1)
_ALTERNATIVES: dict[str, tuple[Any, ...]] = {
    "rule": ("theta_plus", "theta_and", "iou(at_least=1/2)"),
    "classes": ("match", "ignore"),
    "background": ("segment", "singletons", "common", "cremi", "snemi", "foreground"),
    **dict.fromkeys(("undefined", "empty", "both_empty", "absent", "trivial"), _EMPTY),
}
LONGEST = 60
"""The longest value that is written out."""
_OF_COUNTS = frozenset({"tally", "table", "alignment", "overlaps", "contingency"})
"""What a run file has of every item; metrics that need more are computed from the inputs."""


@frozen_dataclass()
class Decision:
    """One decision: its name, its value, and in ``kind`` where it is declared."""

    name: str
    value: Any
    kind: Kind
    metric: str

    @property
    def question(self) -> str:
        """What is decided, in a sentence."""
        if self.kind == "reading":
            known = known_options().get(_of_both_sides(self.name))
            return "" if known is None else known.help
        return QUESTIONS.get(self.name, "") if self.kind != "option" else option_help(self.metric, self.name) or ""

    @property
    def alternatives(self) -> tuple[Any, ...]:
        """The other values, where there are few: of an option those that its help names."""
        if self.kind == "reading":
            return ()
        known = _ALTERNATIVES.get(self.name, ())
        if self.name == "policy":
            known = tuple(POLICIES)
        elif self.name == "average":
            known = tuple(AVERAGES)
        elif self.kind == "option" and isinstance(METRICS[self.metric].options.get(self.name), bool):
            known = (False, True)
        elif self.kind == "option" and not known:
            known = tuple(dict.fromkeys(re.findall(r"``'([^']+)'``", self.question)))
        return tuple(value for value in known if value != self.value)

    @property
    def needs_inputs(self) -> bool:
        """Whether another value is computed from the pixels, not from the counts of a run file."""
        return self.kind == "reading" or (self.kind == "option" and METRICS[self.metric].needs not in _OF_COUNTS)

    @property
    def words(self) -> str:
        """The decision in a few words."""
        return f"{self.name.replace('_', ' ')}: {_brief(self.value)}"

    @property
    def sentence(self) -> str:
        """The decision with what others choose."""
        others = " or ".join(map(value_words, self.alternatives))
        return self.words + (f" (not {others})" if others else "")


def value_words(value: Any) -> str:
    """Return a value of a decision as people write it.

    >>> value_words(True), value_words(None), value_words(("thresholds", "0.5")), value_words(["0.5", "0.75"])
    ('yes', 'none', 'thresholds 0.5', '0.5 0.75')
    """
    if value is None or isinstance(value, bool):
        return {None: "none", True: "yes", False: "no"}[value]
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {value_words(own)}" for name, own in value.items())
    return " ".join(map(value_words, value)) if isinstance(value, list | tuple) else str(value)


def _brief(value: Any) -> str:
    text = value_words(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def differences_words(first: Protocol, second: Protocol) -> str:
    """Return how a second protocol differs from a first one, in the value of a metric that both print.

    >>> from segmetry.protocols.protocol import PROTOCOLS
    >>> differences_words(PROTOCOLS["dsb2018"], PROTOCOLS["cellpose"])
    'thresholds: 0.5 0.75 0.9; strict: no'
    """
    found = differences(first, second).items()
    return "; ".join(f"{name.replace('_', ' ')}: {_brief(other)}" for name, (_, other) in found) or "the same value"


def _of_both_sides(name: str) -> str:
    return name.removeprefix("true_").removeprefix("pred_")


def decisions_under(
    cell: Cell, scoring: Scoring | Mapping[str, Any], reading: Mapping[str, Any]
) -> tuple[Decision, ...]:
    """Return the decisions that the value of a cell depends on, from the settings it is computed under."""
    stated = scoring if isinstance(scoring, Mapping) else vars(scoring)
    metric = METRICS[cell.metric]
    values: dict[str, tuple[Any, Kind]] = {
        name: (plain(value), "cell")
        for name, value in {"metric": cell.metric, "show": cell.show, "average": cell.average}.items()
    }
    for name in SCORED:
        if name == "undefined" or name in metric.shared_options or (name == "rule" and metric.depends_on_rule):
            values[name] = stated.get(name), "scoring"
    own = {**metric.options, **stated.get("options", {}).get(cell.metric, {})}
    values |= {name: (plain(value), "option") for name, value in own.items() if name not in values}
    known = known_options() if reading else {}
    values |= {
        name: (plain(value), "reading")
        for name, value in sorted(reading.items())
        if name not in values and _of_both_sides(name) in known
    }
    return tuple(Decision(name, value, kind, cell.metric) for name, (value, kind) in values.items())


def decisions_of(protocol: Protocol, cell: Cell | None = None) -> tuple[Decision, ...]:
    """Return the decisions behind a value of a protocol's table, by default its headline."""
    return decisions_under(cell or protocol.headline_cell, declared_scoring(protocol), declared_reading(protocol))


def declared_reading(protocol: Protocol) -> dict[str, Any]:
    """Return the options of reading that a protocol states, as plain data."""
    return ReadOptions(**protocol.reading).as_plain() if protocol.reading else {}


def declared_scoring(protocol: Protocol) -> dict[str, Any]:
    """Return the options of scoring that a protocol states, with the defaults of the others, as plain data."""
    policy = protocol.policy or "none"
    return {
        "rule": as_rule(protocol.rule or as_policy(policy).rule).name,
        "policy": policy,
        "classes": protocol.classes,
        "resolve": protocol.resolve,
        "background": protocol.background or Scoring().background,
        "undefined": checked_undefined(protocol.undefined),
        "options": protocol.options,
    }


def decision_values(cell: Cell, scoring: Scoring | Mapping[str, Any], reading: Mapping[str, Any]) -> dict[str, Any]:
    """Return the decisions as plain data, by name."""
    return {one.name: one.value for one in decisions_under(cell, scoring, reading)}


def differences(first: Protocol, second: Protocol) -> dict[str, tuple[Any, Any]]:
    """Return the decisions in which two protocols differ, with the values of both.

    A metric that both print is compared; where they have none in common, what differs is the metric.
    """
    cells = [{cell.metric: cell for _, cell in protocol.cells.cells()} for protocol in (first, second)]
    own = [protocol.headline_cell for protocol in (first, second)]
    shared = next(
        (key for key in (*(cell.metric for cell in own), *cells[0]) if key in cells[0] and key in cells[1]), None
    )
    chosen = (
        own
        if shared is None
        else [cell if cell.metric == shared else of[shared] for cell, of in zip(own, cells, strict=True)]
    )
    sides = [
        {one.name: one.value for one in decisions_of(protocol, cell)}
        for protocol, cell in zip((first, second), chosen, strict=True)
    ]
    if chosen[0].metric != chosen[1].metric:
        sides = [{name: value for name, value in side.items() if name in ("metric", "average")} for side in sides]
    return dict(_unequal(*sides))


def _unequal(first: Mapping[str, Any], second: Mapping[str, Any]) -> Iterator[tuple[str, tuple[Any, Any]]]:
    for name in {**first, **second}:
        if first.get(name) != second.get(name):
            yield name, (first.get(name), second.get(name))


def provenance_of(
    cell: Cell, protocol: Protocol | None, modified: Iterable[str], scoring: Scoring, reading: Mapping[str, Any]
) -> dict[str, Any]:
    """Return whose number a value is: that of a program (and its version), a modified one, or ours, and its decisions.

    >>> from segmetry.protocols.protocol import PROTOCOLS
    >>> protocol = PROTOCOLS["dsb2018"]
    >>> provenance_of(protocol.headline_cell, protocol, ["strict"], Scoring(), {})["words"]
    'as Kaggle 2018, the page of the competition (transcribed), but for strict'
    """
    changed = list(modified)
    printed = () if protocol is None else {one.metric for _, one in protocol.cells.cells()} | {*protocol.metrics}
    reference = None if protocol is None or cell.metric not in printed else str(protocol.reference)
    words = "segmetry's own definition" if reference is None else f"equal to {reference}"
    if reference is not None and changed:
        words = f"as {reference}, but for {', '.join(changed)}"
    decisions = decision_values(cell, scoring, reading)
    return {"words": words, "reference": reference, "modified": changed, "decisions": decisions}
