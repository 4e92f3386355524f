"""The declaration of a protocol: every decision of a community's evaluation, in one place.

A protocol states how files are read, how void and crowd are treated, which segments are matched, which metrics are
computed and averaged over what, how the table is laid out, and which reference implementation its numbers equal.
Options that the user states override it; the run then records what was modified.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable, Mapping
from dataclasses import fields
from functools import cached_property
from pathlib import Path
from typing import Any

from segmetry._base import FORMAT_PROTOCOLS, PROTOCOL_MODULES, Reference, Registry, frozen_dataclass
from segmetry.errors import OptionError, UnknownNameError
from segmetry.metrics import ScoringOptions
from segmetry.protocols.grid import Grid
from segmetry.results import Cell, NumberStyle


@frozen_dataclass()
class ReferenceImplementation:
    """The program whose numbers a protocol reproduces.

    ``version`` is the version that the tests compare with. ``transcribed``: it cannot be installed any more, so the
    tests compare with an independent transcription of its published definition.
    """

    package: str
    version: str
    function: str
    transcribed: bool = False

    def __str__(self) -> str:
        return f"{self.package} {self.version}, {self.function}{' (transcribed)' if self.transcribed else ''}"


@frozen_dataclass()
class Protocol:
    """A community's way of evaluating.

    Parameters
    ----------
    name
        As the command line spells it, such as ``coco-panoptic``.
    field
        The community, in a few words.
    summary
        What it measures, in one sentence.
    header
        What is read how and averaged over what, for the line above the table; parts are separated by semicolons.
    decisions
        Every decision in words, one sentence each.
    headline
        The value the community ranks by: the name of a cell of its table, ``"Dice"`` or ``("mean", "Dice")`` with the
        heading of its row.
    cells
        Its table.
    reference
        The implementation whose numbers it reproduces.
    citation
        Keys of ``references.bib``, references, or citations in plain text.
    metrics
        Keys of the metrics it computes; by default those of its tables.
    formats
        Names of the file formats of the truth that this protocol is the default of.
    pred_formats
        Names of the file formats of the prediction for which it is; by default any.
    class_cells
        The table of classes, which is printed on request.
    numbers
        How numbers are written.
    format
        The file format in which both sides are read where the user states none; None where the content decides.
    reading
        Reading options by name, as ``read=`` of :func:`segmetry.evaluate` takes them.
    companion
        Returns the reading options that a file beside the truth states, from the path of the truth; what the user
        states goes first.
    class_names
        Names of its classes by number, for data sets that do not name them.
    policy, rule, also, classes, background, undefined, resolve, groups, options
        As for :func:`segmetry.evaluate`. Where it states no policy, the data decide: every element counts unless some
        labels are void; where it states no groups of classes, they are those that the data set declares.
    exceptions
        Where its numbers differ from the reference on purpose, one sentence each.
    neighbours
        How it differs from protocols that are easily confused with it, by name.
    """

    name: str
    field: str
    summary: str
    header: str
    decisions: tuple[str, ...]
    headline: str | tuple[str, str]
    cells: Grid
    reference: ReferenceImplementation
    citation: tuple[str | Reference, ...]
    metrics: tuple[str, ...] = ()
    formats: tuple[str, ...] = ()
    pred_formats: tuple[str, ...] = ()
    class_cells: Grid | None = None
    numbers: NumberStyle = dataclasses.field(default_factory=NumberStyle)
    format: str | None = None
    reading: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    companion: Callable[[Path], Mapping[str, Any]] | None = None
    class_names: Mapping[Hashable, str] = dataclasses.field(default_factory=dict)
    rule: str | None = None
    also: tuple[str, ...] = ()
    policy: str | None = None
    classes: str = "match"
    background: str | None = None
    undefined: float | None = None
    resolve: str | None = None
    groups: Mapping[str, tuple[Any, ...]] | None = None
    options: Mapping[str, Mapping[str, Any]] = dataclasses.field(default_factory=dict)
    exceptions: tuple[str, ...] = ()
    neighbours: Mapping[str, str] = dataclasses.field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.metrics:
            grids = (self.cells, self.class_cells or Grid((), ()))
            object.__setattr__(self, "metrics", tuple(dict.fromkeys(key for grid in grids for key in grid.keys)))

    @cached_property
    def headline_cell(self) -> Cell:
        """The cell of its table that the community ranks by.

        >>> PROTOCOLS["coco-panoptic"].headline_cell.metric, PROTOCOLS["coco-panoptic"].headline_cell.average
        ('pq', 'by_class')
        """
        return self.cells.cell(self.headline)

    @property
    def scoring(self) -> dict[str, Any]:
        """What it states about scoring, by the names of :class:`ScoringOptions`.

        >>> sorted(PROTOCOLS["coco-panoptic"].scoring)
        ['metrics', 'policy', 'rule']
        """
        values = {
            declared.name: (getattr(self, declared.name), declared.default)
            for declared in fields(self)
            if declared.name in ScoringOptions.__annotations__
        }
        return {name: value for name, (value, default) in values.items() if value not in (default, None, (), {})}


PROTOCOLS: Registry[Protocol] = Registry(
    "protocol", package="segmetry.protocols", group="segmetry.protocols", index=PROTOCOL_MODULES
)


def declare_protocol(protocol: Protocol) -> Protocol:
    """Register a protocol under its name; its headline must be a cell of its table."""
    try:
        protocol.headline_cell  # noqa: B018 - raises an error where there is no such cell
    except UnknownNameError as problem:
        raise problem.within(f"the headline of protocol {protocol.name}") from None
    PROTOCOLS.declare(protocol.name, protocol)
    return protocol


def as_protocol(protocol: Protocol | str | None) -> Protocol | None:
    """Return a protocol, also from its name; a run stores only the name, so it must be registered.

    >>> as_protocol("coco-panoptic").policy
    'coco'
    """
    if isinstance(protocol, Protocol) and (protocol.name not in PROTOCOLS or PROTOCOLS[protocol.name] is not protocol):
        raise OptionError(
            f"protocol {protocol.name} is not the one registered under this name, and a run stores only the name; "
            "declare it under a name of its own (segmetry.plugins.declare_protocol)"
        )
    return PROTOCOLS[protocol] if isinstance(protocol, str) else protocol


def protocol_of_format(name: str, pred: str | None = None) -> Protocol | None:
    """Return the protocol that a file format of the truth is evaluated by unless the user states another.

    ``pred`` is the format of the prediction, where it is known.

    >>> protocol_of_format("coco-panoptic").policy
    'coco'
    >>> protocol_of_format("png") is None
    True
    """
    for protocol in PROTOCOLS.with_plugins(FORMAT_PROTOCOLS.get(name, ())).values():
        fits = pred is None or not protocol.pred_formats or pred in protocol.pred_formats
        if name in protocol.formats and fits:
            return protocol
    return None


def default_policy(format_name: str) -> str | None:
    """Return the policy of a format's protocol, None where it has none or that states none.

    >>> default_policy("cityscapes"), default_policy("npy")
    ('coco', None)
    """
    protocol = protocol_of_format(format_name)
    return None if protocol is None else protocol.policy
