"""The receipt of a run: what follows from its statistics, and the sha256 of everything it follows from.

It is a fact of the run file, so that one file has the statistics and what is claimed of them. A digest finds every
change that was made without computing it again; whoever also changes the digests has made another, consistent file,
which only the inputs (``segmetry verify --true --pred``) or a digest that was published can contradict.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from segmetry._base import __version__, field, frozen_dataclass, integer_field, json_text, list_field, settings_field
from segmetry.errors import FormatError, InputError
from segmetry.run import Run
from segmetry.runfile import RECEIPT, write_receipt
from segmetry.statistics import Interval, Resampling

VERSION = 1
SCHEMAS = Path(__file__).parent / "schemas"
"""JSON Schemas of the receipt and of the summary that ``segmetry score --json`` writes."""


@frozen_dataclass()
class Receipt:
    """What a finished run states: ``values`` by the names of :meth:`Run.scalars`, None where undefined.

    ``frame`` is the sha256 of settings, names and digests of the inputs, ``items`` that of the statistics of each item,
    ``interval`` that of the headline, or why there is none.
    """

    segmetry: str
    protocol: str | None
    modified: tuple[str, ...]
    decisions: Mapping[str, Any]
    frame: str
    items: tuple[str, ...]
    values: Mapping[str, float | None]
    interval: Mapping[str, Any]

    @classmethod
    def of(cls, run: Run) -> Receipt:
        """Return the receipt of a finished run."""
        run.check_complete()
        return cls(
            run.facts.get("segmetry", __version__),
            run.settings.protocol,
            run.modified,
            stated_decisions(run),
            run.frame_digest(),
            tuple(run.statistics_digests().values()),
            stated_values(run),
            stated_interval(run),
        )

    @classmethod
    def read(cls, text: str) -> Receipt:
        """Return the receipt that :attr:`text` wrote; every field is of its type, or the text is an error."""
        try:
            data = json.loads(text)
        except (ValueError, RecursionError):
            raise FormatError("its receipt is not JSON") from None
        integer_field(data, "version", "its receipt", least=VERSION, most=VERSION)
        values = settings_field(data, "values", "its receipt")
        items, modified = (list_field(data, name, "its receipt") for name in ("items", "modified"))
        facts = [field(data, name, "its receipt") for name in ("segmetry", "frame")]
        protocol = field(data, "protocol", "its receipt")
        if not all(isinstance(one, str) for one in (*items, *modified, *facts, "" if protocol is None else protocol)):
            raise FormatError("its receipt: names and digests are not text")
        if not all(value is None or type(value) in (int, float) for value in values.values()):
            raise FormatError("its receipt: a value is not a number")
        decisions, interval = (settings_field(data, name, "its receipt") for name in ("decisions", "interval"))
        return cls(facts[0], protocol, tuple(modified), decisions, facts[1], tuple(items), values, interval)

    @cached_property
    def text(self) -> str:
        """The receipt as JSON."""
        return json_text({"schema": RECEIPT, "version": VERSION, **vars(self)}, ensure_ascii=False)

    @property
    def digest(self) -> str:
        """The sha256 of the text: one line that a paper can print."""
        import hashlib

        return hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()


def seal(run: Run | str | Path) -> Receipt:
    """Write the receipt of a finished run into its file, and return it.

    ``segmetry score --out`` and ``segmetry merge`` do it.

    Parameters
    ----------
    run : Run, str or Path
        The run file.

    Returns
    -------
    Receipt
        What the run states, with its ``digest``.

    Examples
    --------
    >>> import segmetry as sm, tempfile
    >>> path = Path(tempfile.mkdtemp()) / "run.segm"
    >>> sm.evaluate({"a": [[1, 1, 2]]}, {"a": [[1, 2, 2]]}, metrics="pq", out=path).close()
    >>> receipt = seal(path)
    >>> sm.verify(path).changed
    []
    """
    opened = run if isinstance(run, Run) else Run.open(run)
    if opened.path is None:
        raise InputError("a run in memory has no file for its receipt; save it first: run.save('run.segm')")
    receipt = Receipt.of(opened)
    write_receipt(opened.path, receipt.text)
    return receipt


def receipt_in(run: Run) -> Receipt:
    """Return the receipt of a run file; one without a receipt is an error that says how to make one."""
    if RECEIPT not in run.facts:
        raise InputError(
            f"{run.path or 'the run'}: has no receipt; segmetry.seal('RUN') (segmetry verify RUN --seal) makes one"
        )
    return Receipt.read(run.facts[RECEIPT])


def stated_decisions(run: Run) -> dict[str, Any]:
    """Return the decisions behind the headline, as JSON keeps them."""
    values: dict[str, Any] = json.loads(json_text(run.provenance()["decisions"], default=str))
    return values


def stated_values(run: Run) -> dict[str, float | None]:
    """Return every value of the data set, None where it is undefined."""
    return {name: None if math.isnan(value) else value for name, value in run.scalars().items()}


def stated_interval(run: Run) -> dict[str, Any]:
    """Return the interval of the headline with the resamples, the level and the seed it is computed with."""
    cell = run.cell()
    found = run.headline_interval() if run.is_quickly_resampled else Interval(math.nan, reason="many items")
    facts = {"key": cell.metric, "average": cell.average}
    if found.best is None:
        return {**facts, "reason": found.reason}
    drawn = Resampling()
    return {
        **facts,
        "low": found.best[0],
        "high": found.best[1],
        **{name: getattr(drawn, name) for name in ("resamples", "level", "rng")},
    }
