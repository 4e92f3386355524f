"""Check a receipt: what it states follows from the statistics, and the statistics from the inputs."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Literal

from segmetry._base import frozen_dataclass
from segmetry.errors import InputError, OptionError, SegmetryError
from segmetry.evaluation import counted_again, inputs_of
from segmetry.metrics import METRICS
from segmetry.receipts.receipt import Receipt, receipt_in, stated_decisions, stated_interval, stated_values
from segmetry.results import Entry, Exported, ResultTable, ShownAsTable, Table, counted
from segmetry.run import Run

Status = Literal["verified", "changed", "not checkable"]
STATUSES: tuple[Status, ...] = ("verified", "changed", "not checkable")
KINDS = {
    "receipt": "the receipt",
    "settings": "settings and names",
    "item": "statistics of items",
    "value": "values",
    "interval": "interval",
    "input": "inputs",
    "count": "items counted again",
}
_SHOWN = 8


@frozen_dataclass()
class Check:
    """One thing that was checked, or could not be, and why."""

    kind: str
    name: str
    status: Status
    why: str = ""


@frozen_dataclass()
class Verification(Exported, ShownAsTable):
    """The checks of a run file; ``digest`` is that of its receipt."""

    run: str
    digest: str
    protocol: str | None
    checks: tuple[Check, ...]

    @property
    def changed(self) -> list[Check]:
        """What is not as the receipt states."""
        return [check for check in self.checks if check.status == "changed"]

    def records(self) -> Table:
        """Return one row per check."""
        return Table("checks", [vars(check) for check in self.checks])

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        facts = {name: getattr(self, name) for name in ("run", "digest", "protocol")}
        changed = len(self.changed)
        return {"schema": "verification", "version": 1, **facts, "changed": changed, "checks": list(self.records())}

    @property
    def table(self) -> ResultTable:
        """How many checks of each kind ended how, and what changed."""
        rows: list[Sequence[Entry]] = [
            (words, *(sum(one.status == status for one in self.checks if one.kind == kind) for status in STATUSES))
            for kind, words in KINDS.items()
        ]
        notes = [f"changed: {check.name}{f' ({check.why})' if check.why else ''}" for check in self.changed[:_SHOWN]]
        more = len(self.changed) - len(notes)
        reasons = dict.fromkeys(check.why for check in self.checks if check.status == "not checkable")
        notes += [f"… and {more} more changed"] * (more > 0) + [f"not checkable: {reason}" for reason in reasons]
        title = f"{self.run}: {f'{self.protocol}, ' if self.protocol else ''}receipt {self.digest[:16]}"
        return ResultTable(title, ("", *STATUSES), rows, notes)

    def _as_table(self) -> ResultTable:
        return self.table


def verify(run: Run | str | Path, *, true: Any = None, pred: Any = None, sample: int | None = None) -> Verification:
    """Recompute what a receipt states, from the statistics in the run file and, where they are given, the inputs.

    Parameters
    ----------
    run : Run, str or Path
        The run file with its receipt.
    true, pred : path or mapping, optional
        The inputs: their sha256 are compared, and items are read and counted again. Where one is given, the other one
        is the path in the run file.
    sample : int, optional
        Count only so many items again, drawn at random; by default all of them.

    Returns
    -------
    Verification
        What is verified, changed and not checkable, item by item and value by value.

    Examples
    --------
    >>> import segmetry as sm, tempfile
    >>> path = Path(tempfile.mkdtemp()) / "run.segm"
    >>> true, pred = {"a": [[1, 1, 2]]}, {"a": [[1, 2, 2]]}
    >>> sm.evaluate(true, pred, metrics="pq", out=path).close()
    >>> _ = sm.seal(path)
    >>> [(check.kind, check.status) for check in verify(path, true=true, pred=pred).checks][-2:]
    [('input', 'verified'), ('count', 'verified')]
    >>> [check.name for check in verify(path, true=true, pred={"a": [[2, 2, 2]]}).changed]
    ['pred a', 'a']
    """
    if sample is not None and (true is pred is None or sample < 1):
        raise OptionError("sample (--sample) counts items again, at least one; it needs true= and pred=")
    opened = run if isinstance(run, Run) else Run.open(run)
    receipt = receipt_in(opened)
    checks = [*_of_statistics(opened, receipt), *_of_inputs(opened, true, pred, sample)]
    return Verification(str(opened.path or "run in memory"), receipt.digest, receipt.protocol, tuple(checks))


def _status(is_equal: object) -> Status:
    return "verified" if is_equal else "changed"


def _of_statistics(run: Run, receipt: Receipt) -> Iterator[Check]:
    facts: dict[str, Any] = {"segmetry": run.facts.get("segmetry"), "protocol": run.settings.protocol}
    try:
        values, interval, why = stated_values(run), stated_interval(run), ""
        facts |= {"modified": run.modified, "decisions": stated_decisions(run)}
    except SegmetryError as problem:
        values, interval, why = {}, {}, str(problem)
    wrong = [name for name, value in facts.items() if getattr(receipt, name) != value]
    yield Check("receipt", "receipt", _status(not wrong), ", ".join(wrong))
    yield Check("settings", "settings", _status(receipt.frame == run.frame_digest()))
    digests = run.statistics_digests()
    stated = dict(zip(digests, receipt.items, strict=False))
    yield from (Check("item", name, _status(digest == stated.get(name))) for name, digest in digests.items())
    for name in {**receipt.values, **values}:
        key = name.split("/")[-2] if "/" in name else name
        if key not in METRICS:
            yield Check("value", name, "not checkable", f"there is no metric {key} here")
        else:
            both = [of.get(name, "absent") for of in (receipt.values, values)]
            yield Check("value", name, _status(_are_equal(*both)), why or "is {1}, states {0}".format(*both))
    alike = receipt.interval.keys() == interval.keys()
    same = alike and all(_are_equal(receipt.interval[name], value) for name, value in interval.items())
    yield Check("interval", "headline", _status(same), why)


def _are_equal(first: Any, second: Any) -> bool:
    """Return whether two values are equal up to the rounding of another machine."""
    if isinstance(first, int | float) and isinstance(second, int | float):
        with suppress(OverflowError):  # an integer of a hostile receipt
            return math.isclose(first, second, rel_tol=1e-9, abs_tol=1e-12)
    return bool(first == second)


def _of_inputs(run: Run, true: Any, pred: Any, sample: int | None) -> Iterator[Check]:
    recorded = {(row["side"], row["name"]): row["sha256"] for row in run.inputs}
    if true is pred is None:
        why = "inputs were not given (--true, --pred)"
        yield from (Check("input", " ".join(place), "not checkable", why) for place in recorded)
        yield from (Check("count", name, "not checkable", why) for name in run.names)
        return
    inputs = inputs_of(run, true, pred)
    found = inputs.fingerprints()
    for place in {**recorded, **found}:
        why = (
            "" if place in recorded and place in found else f"is not in the {'inputs' if place in recorded else 'run'}"
        )
        yield Check("input", " ".join(place), _status(recorded.get(place) == found.get(place)), why)
    tasks = {task.name: task for task in inputs.tasks}
    names = list(run.names)
    drawn = names if sample is None else sorted(random.SystemRandom().sample(names, min(sample, len(names))))
    yield from (Check("count", name, "changed", "is not in the inputs") for name in drawn if name not in tasks)
    again = partial(_counted, run, tasks, run.statistics_digests())
    yield from again([name for name in drawn if name in tasks])
    left = counted(len(drawn), "item")
    kept = set(drawn)
    yield from (
        Check("count", name, "not checkable", f"a sample of {left} was counted again")
        for name in names
        if name not in kept
    )


def _counted(run: Run, tasks: Mapping[str, Any], digests: Mapping[str, str], names: list[str]) -> Iterator[Check]:
    """Count items again, all at once; where one of them cannot be read, one by one."""
    if not names:
        return
    try:
        found = counted_again(run, [tasks[name] for name in names]).statistics_digests()
    except InputError as problem:
        if len(names) == 1:
            yield Check("count", names[0], "changed", str(problem))
        else:
            for name in names:
                yield from _counted(run, tasks, digests, [name])
        return
    yield from (Check("count", name, _status(found[name] == digests[name])) for name in names)
