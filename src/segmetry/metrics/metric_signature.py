"""The signature of the function of a metric: its inputs, its own options, and the shared options that it accepts."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from inspect import Parameter, Signature, signature
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

from segmetry.metrics.metric_inputs import FROM_TABLE
from segmetry.metrics.shared_options import shared_options

if TYPE_CHECKING:
    from segmetry.metrics.declare import Metric

_SHARED_MODULE = shared_options.__module__


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


def metric_signature(metric: Metric, preset: Mapping[str, Any] = MappingProxyType({})) -> Signature:
    """Return the signature of the function of a metric; ``preset`` are defaults that an alias changes.

    >>> from segmetry.metrics.declare import METRICS
    >>> metric_signature(METRICS["winpr_f1"])
    <Signature (true: SegmentationLike, pred: SegmentationLike, *, k: WindowSize = None) -> Score>
    """
    declared = signature(metric.compute)
    module = metric.compute.__module__
    own = [
        parameter.replace(annotation=_written(parameter.annotation, module))
        for parameter in declared.parameters.values()
        if parameter.kind is Parameter.KEYWORD_ONLY
    ]
    options = [option.replace(default=preset.get(option.name, option.default)) for option in (*own, *_shared(metric))]
    return Signature([*_inputs(metric), *options], return_annotation=_written(declared.return_annotation, module))


def _written(annotation: Any, module: str) -> Any:
    if isinstance(annotation, type):
        return WrittenType(annotation.__name__, annotation.__module__)
    return WrittenType(annotation, module) if isinstance(annotation, str) else annotation


def _inputs(metric: Metric) -> Iterator[Parameter]:
    """Yield the positional parameters; metrics of counts take a table, an alignment or a tally in place of a pair."""
    if metric.needs == "annotations":
        yield _input("annotations", "AnnotationsLike")
    elif metric.needs in FROM_TABLE:
        yield _input("true", "SegmentationLike | Tallied" if metric.needs == "tally" else "SegmentationLike | Counted")
        yield _input("pred", "SegmentationLike | None").replace(default=None)
    else:
        kind = "LinesLike" if metric.needs == "lines" else "SegmentationLike"
        yield _input("true", kind)
        yield _input("pred", kind)


def _input(name: str, written: str) -> Parameter:
    return Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, annotation=WrittenType(written, _SHARED_MODULE))


def _shared(metric: Metric) -> Iterator[Parameter]:
    """Yield the shared options; overlapping masks can be made disjoint for any metric, with an alignment or without."""
    shared = signature(shared_options).parameters
    for name in metric.shared_options:
        yield shared[name].replace(annotation=_written(shared[name].annotation, _SHARED_MODULE))
    if "masks" in metric.kinds and "resolve" not in (*metric.shared_options, *metric.options):
        yield shared["resolve"].replace(annotation=WrittenType('Literal["by_score"] | None', _SHARED_MODULE))
