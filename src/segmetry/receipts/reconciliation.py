"""Why two programs give two numbers: the path from a community's number to another, one decision at a time.

Both numbers are computed from one run. The decisions in which they differ (:mod:`segmetry.protocols.decisions`) are
changed one after the other, in the order in which a number is made: how labels are read, what is measured, its options,
how segments are matched, the average, the entry that is shown. The share of a decision is what the number changes by in
its step, as a fraction, so that the shares of a path add up exactly to the difference. Another order can give a
decision another share; the smallest sets of decisions that give a number do not depend on one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import cached_property
from itertools import combinations, product
from pathlib import Path
from typing import Any

from segmetry._base import frozen_dataclass
from segmetry.errors import OptionError, SegmetryError
from segmetry.evaluation import counted_again, inputs_of
from segmetry.metrics import METRICS
from segmetry.protocols import (
    PRACTICES,
    PROTOCOLS,
    Practice,
    Protocol,
    decisions_under,
    declared_reading,
    declared_scoring,
    metric_cell,
    value_of_cell,
    value_words,
)
from segmetry.results import Cell, Exported, ResultTable, ShownAsTable, Table, Value, counted
from segmetry.run import Run
from segmetry.statistics import DataSet

DecisionValues = dict[str, Any]
MOST_TRIED = 500
"""The most sets of decisions that are tried for a number."""
LARGEST_SET = 3
_ORDER = {"reading": 0, "metric": 1, "option": 2, "scoring": 3, "average": 4, "show": 5}
_NEEDS_INPUTS = "needs the inputs"
_NOISE = Fraction(1, 10**12)


@frozen_dataclass()
class ChangedDecision:
    """One or several decisions that are changed together, with the number after it.

    ``share`` is the change of the number, ``item`` the one whose own value changes most.
    """

    names: tuple[str, ...]
    before: tuple[Any, ...]
    after: tuple[Any, ...]
    number: Fraction
    share: Fraction
    item: str | None = None
    needs_inputs: bool = False

    @property
    def matters(self) -> bool:
        """Whether the number changes by more than what the last bits of floats are rounded by."""
        return abs(self.share) > _NOISE


@frozen_dataclass()
class Community:
    """A community's number of a run, or why there is none; ``differs`` are its decisions that the run has not."""

    name: str
    program: str
    cell: Cell
    number: Fraction | None
    differs: Mapping[str, tuple[Any, Any]]
    why: str = ""


@frozen_dataclass()
class Explanation:
    """The smallest sets of decisions that give a number: ``sets`` is empty where none does, and has several if tied."""

    seen: str
    sets: tuple[Mapping[str, tuple[Any, Any]], ...]
    tried: int
    is_complete: bool

    @property
    def words(self) -> str:
        """The explanation in a sentence."""
        among = f"{counted(self.tried, 'set')} of up to {LARGEST_SET} decisions tried"
        among += "" if self.is_complete else ", not all"
        if not self.sets:
            return f"{self.seen}: no explanation ({among})"
        if not self.sets[0]:
            return f"{self.seen}: the number of this run as it is"
        found = [
            " and ".join(f"{name} {value_words(new)} instead of {value_words(own)}" for name, (own, new) in one.items())
            for one in self.sets
        ]
        ties = f"; {len(found)} explanations of the same size" if len(found) > 1 else ""
        return f"{self.seen}: {'; or '.join(found)} ({among}{ties})"


@frozen_dataclass()
class Reconciliation(Exported, ShownAsTable):
    """The numbers of all communities, the path from one of them to the run's own, and what explains a number."""

    run: str
    cell: Cell
    number: Fraction
    communities: tuple[Community, ...]
    theirs: Community | None = None
    steps: tuple[ChangedDecision, ...] = ()
    explanation: Explanation | None = None

    def bars(self) -> list[tuple[str, str, str, float, float]]:
        """Return the rows of a waterfall: name, number, share, and both ends of its bar on a line from 0 to 1."""
        first, start = (self.theirs.name, self.theirs.number) if self.theirs else ("", None)
        start = self.number if start is None else start
        moves = [(first, start, start), *self._moves(), ("this run", self.number, self.number)]
        ends = [end for move in moves for end in move[1:]]
        low, scale = min(ends), max(ends) - min(ends) or Fraction(1)

        def bar(name: str, before: Fraction, after: Fraction) -> tuple[str, str, str, float, float]:
            share = self.cell.text(float(after - before), sign=True) if after != before else ""
            return name, _text(self.cell, after), share, float((before - low) / scale), float((after - low) / scale)

        return [bar(*move) for move in moves]

    def _moves(self) -> Iterator[tuple[str, Fraction, Fraction]]:
        for step in self.steps:
            if step.matters:
                yield " + ".join(step.names).replace("_", " "), step.number - step.share, step.number

    @property
    def table(self) -> ResultTable:
        """The path, where a community was chosen, else the numbers of all of them."""
        notes = [] if self.explanation is None else [self.explanation.words]
        if self.theirs is None:
            rows = [
                (one.name, Value(one.cell, math.nan if one.number is None else float(one.number)), _differing(one))
                for one in self.communities
            ]
            title = f"{self.run}: {self.cell.words} {self.cell.text(float(self.number))}"
            return ResultTable(title, ("community", "number", "differs in"), rows, notes, frozenset({0, 2}))
        start = self.theirs.number
        lines: list[Sequence[Any]] = [(self.theirs.name, "", "", _text(self.cell, start), "", "")]
        for step in (step for step in self.steps if step.matters):
            values = (" ".join(map(_short, side)) for side in (step.before, step.after))
            share = self.cell.text(float(step.share), sign=True)
            name = " + ".join(step.names).replace("_", " ") + ("*" if step.needs_inputs else "")
            lines.append((name, *values, _text(self.cell, step.number), share, step.item or ""))
        whole = "" if start is None else self.cell.text(float(self.number - start), sign=True)
        lines.append(("this run", "", "", _text(self.cell, self.number), whole, ""))
        notes += ["* needs the pixels: counted again from the inputs"] * any(step.needs_inputs for step in self.steps)
        idle = [name.replace("_", " ") for step in self.steps if not step.matters for name in step.names]
        notes += [f"no effect here: {', '.join(idle)}"] * bool(idle) + [self.theirs.why] * bool(self.theirs.why)
        title = f"{self.cell.words}: from {self.theirs.name} to {self.run}"
        return ResultTable(
            title, ("decision", "theirs", "yours", "number", "share", "item"), lines, notes, frozenset({0, 1, 2, 5}),
            rules=frozenset({len(lines) - 1}),
        )  # fmt: skip

    def _as_table(self) -> ResultTable:
        return self.table

    def records(self) -> Table:
        """Return one row per step, or per community where none was chosen."""
        return Table("steps", self.to_dict()["communities" if self.theirs is None else "steps"])

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON; numbers as floats and as exact fractions."""
        steps = [
            {
                "decisions": list(step.names), "theirs": list(step.before), "yours": list(step.after),
                **_exact("number", step.number), **_exact("share", step.share),
                "item": step.item, "needs_inputs": step.needs_inputs,
            }
            for step in self.steps
        ]  # fmt: skip
        explanation = None if self.explanation is None else {**vars(self.explanation), "words": self.explanation.words}
        communities = [
            {"name": one.name, "program": one.program, **_exact("number", one.number), "why": one.why}
            | {"differs": {name: list(both) for name, both in one.differs.items()}}
            for one in self.communities
        ]
        facts = {"run": self.run, "cell": self.cell.words, **_exact("number", self.number)}
        theirs = None if self.theirs is None else self.theirs.name
        return {"schema": "reconciliation", "version": 1, **facts, "communities": communities, "theirs": theirs,
                "steps": steps, "explanation": explanation}  # fmt: skip


def _exact(name: str, number: Fraction | None) -> dict[str, Any]:
    return {name: None if number is None else float(number), f"exact_{name}": None if number is None else str(number)}


def _text(cell: Cell, number: Fraction | None) -> str:
    return cell.text(None if number is None else float(number))


def _short(value: Any) -> str:
    text = value_words(value)
    return text if len(text) <= 20 else f"{text[:19]}…"


def _differing(one: Community) -> str:
    names = ", ".join(name.replace("_", " ") for name in one.differs)
    return one.why or names or "none"


def reconcile(
    run: Run | str | Path,
    *,
    protocol: str | None = None,
    number: str | float | None = None,
    value: str | None = None,
    true: Any = None,
    pred: Any = None,
) -> Reconciliation:
    """Say why another program gives another number for the same data.

    Parameters
    ----------
    run : Run, str or Path
        A finished run.
    protocol : str, optional
        The community, or the program, from whose number the path leads to that of the run, one decision at a time; by
        default the numbers of all of them are listed.
    number : str or float, optional
        A number that one has seen, with the digits that were printed, such as ``"0.353"`` or ``"35.3%"``: the smallest
        sets of decisions that give it are looked for, among those of ``protocol`` if it is stated, else among all
        alternatives that decisions have.
    value : str, optional
        Which number of the run, by its printed name, such as ``"AJI"``, and of the community, where it prints that
        metric, too; by default both headlines.
    true, pred : path or mapping, optional
        The inputs, for decisions that need the pixels; with ``protocol`` by default those of the run, if they can be
        read.

    Returns
    -------
    Reconciliation
        The numbers, the steps with their shares, and the explanation.

    Examples
    --------
    >>> import segmetry as sm
    >>> true = {"a": [[1, 1, 2, 2]], "b": [[1, 1, 1, 1]]}
    >>> run = sm.evaluate(true, {"a": [[1, 1, 2, 0]], "b": [[1, 1, 1, 1]]}, protocol="dsb2018")
    >>> found = reconcile(run, protocol="stardist")
    >>> [(step.names, round(float(step.share), 4)) for step in found.steps if step.matters]
    [(('strict',), -0.5), (('average',), 0.1667)]
    """
    opened = run if isinstance(run, Run) else Run.open(run)
    opened.check_complete()
    # Every community and every alternative from the inputs would read them dozens of times: only if they are named.
    reads = protocol is not None or true is not None or pred is not None
    numbers = _Numbers(opened, opened.cell(value), true, pred, is_named=value is not None, reads=reads)
    own = numbers.own
    start = numbers.number(own)
    if start is None:
        raise OptionError(f"{numbers.cell.words} is undefined in this run, so nothing differs from it")
    named = everybody()
    if protocol is not None and protocol not in named:
        near = ", ".join(one.name for one in _known(opened, numbers))
        raise OptionError(f"there is no protocol or program {protocol!r}; of this run there are {near}")
    cell, name = numbers.cell, "this run" if opened.path is None else opened.path.name
    if protocol is None:
        communities = tuple(_known(opened, numbers))
        explained = None if number is None else _explained(numbers, _alternatives(numbers), str(number), cell)
        return Reconciliation(name, cell, start, communities, explanation=explained)
    theirs = _community(named[protocol], numbers)
    state = _state(named[protocol], numbers)
    changes = {key: [new] for key, (_, new) in _differences(own, state).items()}
    explained = None if number is None else _explained(numbers, changes, str(number), cell)
    steps = tuple(_steps(numbers, state)) if theirs.number is not None else ()
    return Reconciliation(name, cell, start, (), theirs, steps, explained)


def neighbour_paths(run: Run) -> Iterator[Reconciliation]:
    """Yield the paths from the neighbours of a run's protocol to its headline for which its overlaps suffice."""
    protocol, numbers = run.protocol, _Numbers(run, run.cell(), reads=False)
    value = None if protocol is None else numbers.number(numbers.own)
    for name in protocol.neighbours if protocol is not None and value is not None else ():
        theirs = _community(PROTOCOLS[name], numbers)
        if theirs.number is not None and value is not None:
            steps = tuple(_steps(numbers, _state(PROTOCOLS[name], numbers)))
            yield Reconciliation("this run", numbers.cell, value, (), theirs, steps)


def everybody() -> dict[str, Protocol | Practice]:
    """Return all protocols, and the programs whose way of computing one metric is known, by name."""
    return {**PROTOCOLS, **PRACTICES}


class _Numbers:
    """The number of a run under any decisions: from its overlaps where these suffice, else from its inputs."""

    def __init__(
        self, run: Run, cell: Cell, true: Any = None, pred: Any = None, *, is_named: bool = False, reads: bool = True
    ) -> None:
        self.run, self.cell, self._true, self._pred, self.is_named = run, cell, true, pred, is_named
        self._reads = reads
        self._data: dict[str, DataSet | None] = {}
        self._counted: dict[str, Run] = {}
        self._from_inputs: set[str] = set()

    @cached_property
    def own(self) -> DecisionValues:
        """The decisions of the run's own number."""
        settings = self.run.settings
        return state_of(self.cell, vars(settings), settings.reading, self.run.protocol)

    def number(self, state: DecisionValues) -> Fraction | None:
        """Return the number; None where it is undefined. An OptionError says that the inputs are needed."""
        data, cell = self.data(state), cell_of(state)
        value = value_of_cell(cell, data, self.run.class_names)
        return None if value is None or not math.isfinite(value.value) else Fraction(value.value)

    def items(self, state: DecisionValues) -> Mapping[str, float]:
        """Return the value of every item."""
        data = self.data(state)
        return dict(zip(data.items, data.item_values(state["metric"]).tolist(), strict=True))

    def needs_inputs(self, state: DecisionValues) -> bool:
        """Return whether the number was counted from the inputs again."""
        return _key(state, cell=False) in self._from_inputs

    def data(self, state: DecisionValues) -> DataSet:
        """Return the data set under these decisions."""
        key = _key(state, cell=False)
        if key not in self._data:
            self._data[key] = self._computed(state, key)
        found = self._data[key]
        if found is None:
            raise OptionError(_NEEDS_INPUTS)
        return found

    def _computed(self, state: DecisionValues, key: str) -> DataSet | None:
        metric, own = state["metric"], self.run.settings
        if key == _key(self.own, cell=False):
            return self.run.data
        defaults = METRICS[metric].options
        options = {name: value for name, value in state["options"].items() if value != defaults.get(name, value)}
        is_read_alike = state["reading"] == _reading(own.reading)
        rest = {name: value for name, value in own.reading.items() if name not in _reading(own.reading)}
        settings = replace(
            own, metrics=(metric,), also=(), options={metric: options}, protocol=state["declared_classes"],
            reading=own.reading if is_read_alike else {**rest, **state["reading"]}, **state["scoring"],
        )  # fmt: skip
        settings.check_options(None, None)
        again = Run(self.run._source, self.run.path, settings)  # noqa: SLF001 - another view of the same overlaps
        if is_read_alike and not again.left_out and metric in again.data.sources:
            return again.data
        self._from_inputs.add(key)
        if not self._reads:
            return None
        try:
            tasks = list(inputs_of(again, self._true, self._pred).tasks) if self._has_paths else self._own_tasks(state)
        except SegmetryError:
            return None
        data = counted_again(again, tasks).data if tasks else None
        return data if data is not None and metric in data.sources else None

    @property
    def _has_paths(self) -> bool:
        return self._true is not None or self._pred is not None or "true" in self.run.facts

    def _own_tasks(self, state: DecisionValues) -> list[Any]:
        return list(self.run.loaders.values()) if state["reading"] == _reading(self.run.settings.reading) else []


def _reading(reading: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a reader, without how items were found and paired."""
    cell = metric_cell("pq")
    return {one.name: one.value for one in decisions_under(cell, {}, reading) if one.kind == "reading"}


def state_of(
    cell: Cell, scoring: Mapping[str, Any], reading: Mapping[str, Any], protocol: Protocol | None
) -> DecisionValues:
    """Return the decisions behind a cell, in parts that compute."""
    parts: DecisionValues = {"metric": cell.metric, "show": cell.show, "average": cell.average, "labels": cell.labels}
    parts |= {"level": cell.level, "options": {}, "scoring": {}, "reading": _reading(reading)}
    for one in decisions_under(cell, scoring, {}):
        if one.kind in ("option", "scoring"):
            value = tuple(one.value) if isinstance(one.value, list) else one.value
            parts["options" if one.kind == "option" else "scoring"][one.name] = value
    parts["declared_classes"] = protocol.name if protocol is not None and protocol.declared_classes else None
    return parts


def cell_of(state: DecisionValues) -> Cell:
    """Return the cell that a state shows."""
    place = {"labels": state["labels"], "level": state["level"], "show": state["show"]}
    return metric_cell(state["metric"], state["average"], **place)


def _key(state: DecisionValues, *, cell: bool = True) -> str:
    left = () if cell else ("average", "show", "labels", "level")
    return repr(sorted((name, value) for name, value in state.items() if name not in left))


def _state(one: Protocol | Practice, numbers: _Numbers) -> DecisionValues:
    if isinstance(one, Practice):
        return (
            _changed(numbers.own, {}, one.values) if one.metric == numbers.own["metric"] else _of_practice(one, numbers)
        )
    cells = (one.headline_cell, *((cell for _, cell in one.cells.cells()) if numbers.is_named else ()))
    same = (cell for cell in cells if cell.metric == numbers.own["metric"] and cell.level != "class")
    cell = next(same, one.headline_cell)
    return state_of(cell, declared_scoring(one), declared_reading(one), one)


def _of_practice(one: Practice, numbers: _Numbers) -> DecisionValues:
    cell = metric_cell(one.metric, str(one.values.get("average", METRICS[one.metric].averages[0].replace(" ", "_"))))
    state = state_of(cell, vars(numbers.run.settings), {}, None)
    return _changed({**state, "reading": numbers.own["reading"]}, {}, one.values)


def flat(state: DecisionValues) -> dict[str, Any]:
    """Return the decisions of a state by name, in the order in which a number is made."""
    show, labels = state["show"], state["labels"]
    return {
        **state["reading"], "metric": state["metric"], **state["options"],
        "declared classes": state["declared_classes"], **state["scoring"],
        "average": state["average"], "show": show if labels in (None, "all") else (show, labels),
    }  # fmt: skip


def _differences(first: DecisionValues, second: DecisionValues) -> dict[str, tuple[Any, Any]]:
    """Return the decisions that differ; those of another metric are part of which metric it is."""
    both = [flat(state) for state in (first, second)]
    names = dict.fromkeys([*both[0], *both[1]])
    if first["metric"] != second["metric"]:
        skipped = {*first["options"], *second["options"], *(first["scoring"].keys() ^ second["scoring"].keys())}
        names = dict.fromkeys(name for name in names if name not in skipped)
    return {name: (both[0].get(name), both[1].get(name)) for name in names if both[0].get(name) != both[1].get(name)}


def _changed(state: DecisionValues, towards: DecisionValues, values: Mapping[str, Any]) -> DecisionValues:
    """Return a state with other values of some decisions; with the metric come its options in ``towards``."""
    made = {**state, "options": dict(state["options"]), "scoring": dict(state["scoring"])}
    made["reading"] = dict(state["reading"])
    for name, value in values.items():
        if name == "metric":
            made |= {"metric": value, "options": dict(towards["options"])}
            shared = towards["scoring"].keys()
            made["scoring"] = {one: made["scoring"].get(one, towards["scoring"][one]) for one in shared}
        elif name == "show":
            made |= {part: towards[part] for part in ("show", "labels", "level")} if towards else {"show": value}
        elif name == "average":
            made["average"] = value
        elif name == "declared classes":
            made["declared_classes"] = value
        else:
            part = next((of for of in ("options", "scoring") if name in made[of]), "reading")
            made[part][name] = value
            if value is None and part == "reading" and name not in towards.get("reading", {name: None}):
                made[part].pop(name)
    return made


def _steps(numbers: _Numbers, theirs: DecisionValues) -> Iterator[ChangedDecision]:
    """Yield the steps from their decisions to those of the run; what has no number alone is changed with the next."""
    state, own = theirs, numbers.own
    before = numbers.number(theirs) or Fraction(0)
    pending: dict[str, tuple[Any, Any]] = {}
    for name, both in _differences(theirs, own).items():
        pending[name] = both
        changed = _changed(state, own, {one: new for one, (_, new) in pending.items()})
        try:
            after = numbers.number(changed)
        except SegmetryError:
            after = None
        if after is None:
            continue
        item = None if after == before else _most_changed(numbers, state, changed)
        needs = numbers.needs_inputs(changed) or numbers.needs_inputs(state)
        sides = list(zip(*pending.values(), strict=True))
        yield ChangedDecision(tuple(pending), sides[0], sides[1], after, after - before, item, needs)
        state, before, pending = changed, after, {}


def _most_changed(numbers: _Numbers, first: DecisionValues, second: DecisionValues) -> str | None:
    """Return the item whose own value differs most under two sets of decisions."""
    try:
        both = [numbers.items(state) for state in (first, second)]
    except (SegmetryError, ValueError, TypeError, KeyError):
        return None
    gaps = {name: abs(value - both[1].get(name, math.nan)) for name, value in both[0].items()}
    found = {name: gap for name, gap in gaps.items() if gap > 0}
    return max(found, key=lambda name: found[name]) if found else None


def _community(one: Protocol | Practice, numbers: _Numbers) -> Community:
    state = _state(one, numbers)
    why, number = "", None
    try:
        number = numbers.number(state)
        why = "" if number is not None else "undefined"
    except SegmetryError as problem:
        why = str(problem)
    cell = metric_cell(state["metric"], state["average"], numbers=None if isinstance(one, Practice) else one.numbers)
    program = str(one.reference) if isinstance(one, Protocol) else one.program
    differs = {name: (theirs, own) for name, (own, theirs) in _differences(numbers.own, state).items()}
    return Community(one.name, program, cell, number, differs, why)


def _known(run: Run, numbers: _Numbers) -> Iterator[Community]:
    """Yield the communities that measure something of such data: their metric takes its kind."""
    kinds = set(run.tables_together.items.kinds)
    for one in everybody().values():
        key = one.headline_cell.metric if isinstance(one, Protocol) else one.metric
        if kinds & {*METRICS[key].kinds} and (isinstance(one, Protocol) or key == numbers.own["metric"]):
            found = _community(one, numbers)
            if found.number is not None or found.why == _NEEDS_INPUTS:
                yield found


def _alternatives(numbers: _Numbers) -> dict[str, list[Any]]:
    """Return the other values of every decision of the run, those of the communities included."""
    settings, cell = numbers.run.settings, numbers.cell
    found = {one.name: list(one.alternatives) for one in decisions_under(cell, vars(settings), {}) if one.alternatives}
    found["average"] = [one.name for one in numbers.run.data.averages(cell.metric) if one.name != cell.average]
    for other in everybody().values():
        state = _state(other, numbers) if _measures(other, cell.metric) else numbers.own
        for name, (_, new) in _differences(numbers.own, state).items():
            if name not in ("metric", "show") and new not in found.setdefault(name, []):
                found[name].append(new)
    return found


def _measures(one: Protocol | Practice, metric: str) -> bool:
    keys = one.metrics if isinstance(one, Protocol) else (one.metric,)
    return metric in keys


def _explained(numbers: _Numbers, changes: Mapping[str, Sequence[Any]], seen: str, cell: Cell) -> Explanation:
    """Look for the smallest sets of changes whose number is the one that was seen, to its digits."""
    least, most = seen_range(seen, METRICS[cell.metric].bounds[1] <= 1)
    tried = 0
    for size in range(LARGEST_SET + 1):
        found: list[dict[str, tuple[Any, Any]]] = []
        for names in combinations(changes, size):
            for values in product(*(changes[name] for name in names)):
                if tried == MOST_TRIED:
                    return Explanation(seen, tuple(found), tried, is_complete=False)
                tried += 1
                state = _changed(numbers.own, {}, dict(zip(names, values, strict=True)))
                try:
                    value = numbers.number(state)
                except SegmetryError:
                    continue
                if value is not None and least <= value <= most:
                    own = flat(numbers.own)
                    found.append({name: (own.get(name), new) for name, new in zip(names, values, strict=True)})
        if found:
            return Explanation(seen, tuple(found), tried, is_complete=True)
    return Explanation(seen, (), tried, is_complete=len(changes) <= LARGEST_SET)


def seen_range(text: str, is_share: bool) -> tuple[Fraction, Fraction]:  # noqa: FBT001 - of the metric
    """Return the numbers that are printed like this; a share above 1 is in per cent.

    >>> [str(end) for end in seen_range("0.35", True)], [str(end) for end in seen_range("35.3", True)]
    (['69/200', '71/200'], ['141/400', '707/2000'])
    """
    number, digits = Decimal(0), None
    with suppress(InvalidOperation):
        number = Decimal(text.strip().removesuffix("%"))
        digits = number.as_tuple().exponent
    if not isinstance(digits, int) or not -30 < digits < 30:
        raise OptionError(f"number is {text!r}; expected one as it was printed, such as 0.353 or 35.3%")
    half, scale = Fraction(10) ** digits / 2, 100 if "%" in text or (is_share and abs(number) > 1) else 1
    return (Fraction(number) - half) / scale, (Fraction(number) + half) / scale
