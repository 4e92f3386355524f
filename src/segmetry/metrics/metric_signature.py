"""Signatures that show every option: those of metrics, and those of functions that take a record of options."""

from __future__ import annotations

import re
from ast import literal_eval
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from inspect import Parameter, Signature, cleandoc, signature
from textwrap import indent
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar, cast

from segmetry.metrics.metric_inputs import FROM_ALIGNMENT, FROM_TABLE
from segmetry.metrics.score import WrittenType, written_type
from segmetry.metrics.shared_options import METRIC_DEFAULTS, ScoringOptions

if TYPE_CHECKING:
    from segmetry.metrics.declare import Metric

_SHARED_MODULE = ScoringOptions.__module__
Function = TypeVar("Function", bound=Callable[..., Any])
_OPTIONS = re.compile(r"^( *)\*\*options\n(?:\1 .*\n)*", re.MULTILINE)
"""Where the help of a function mentions its record of options."""
_NAMES = re.compile(r"^ *(\w+) : ", re.MULTILINE)
"""The names of the entries of help in numpydoc form."""


def metric_signature(metric: Metric, preset: Mapping[str, Any] = MappingProxyType({})) -> Signature:
    """Return the signature of the function of a metric; ``preset`` are defaults that an alias changes."""
    declared = signature(metric.compute)
    module = metric.compute.__module__
    own = [
        parameter.replace(annotation=written_type(parameter.annotation, module))
        for parameter in declared.parameters.values()
        if parameter.kind is Parameter.KEYWORD_ONLY
    ]
    options = [option.replace(default=preset.get(option.name, option.default)) for option in (*own, *_shared(metric))]
    return Signature([*_inputs(metric), *options], return_annotation=written_type(declared.return_annotation, module))


def _inputs(metric: Metric) -> Iterator[Parameter]:
    """Yield the positional parameters; metrics of counts take a table, an alignment or a tally in place of a pair."""
    if metric.needs == "annotations":
        yield _input("annotations", "AnnotationsLike")
    elif metric.needs in (*FROM_TABLE, *FROM_ALIGNMENT):
        other = "Tallied" if metric.needs == "tally" else "Counted" if metric.needs in FROM_TABLE else "Alignment"
        yield _input("true", f"SegmentationLike | {other}")
        yield _input("pred", "SegmentationLike | None").replace(default=None)
    else:
        kind = "LinesLike" if metric.needs == "lines" else "SegmentationLike"
        yield _input("true", kind)
        yield _input("pred", kind)


def _input(name: str, written: str) -> Parameter:
    return Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, annotation=WrittenType(written, _SHARED_MODULE))


def _shared(metric: Metric) -> Iterator[Parameter]:
    """Yield the shared options; overlapping masks can be made disjoint for any metric, with an alignment or without."""
    for name in metric.shared_options:
        default = METRIC_DEFAULTS.get(name)
        written = _types_of(ScoringOptions)[name]
        yield _option(name, written if default is None else written.of_values(), default)
    if "masks" in metric.kinds and "resolve" not in (*metric.shared_options, *metric.options):
        yield _option("resolve", WrittenType('Literal["by_score"] | None', _SHARED_MODULE))


def _option(name: str, written: WrittenType, default: Any = None) -> Parameter:
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=written)


def _types_of(record: Any) -> dict[str, WrittenType]:
    """Return the types of a TypedDict as they are written in its module."""
    return {
        name: WrittenType(written.__forward_arg__, written.__forward_module__ or record.__module__)
        for name, written in record.__annotations__.items()
    }


@cache
def option_entries(record: Any) -> dict[str, str]:
    """Return the help of every option of a record, entries in numpydoc form by name."""
    _, _, entries = cleandoc(record.__doc__ or "").partition("Parameters\n----------\n")
    return {entry.partition(" : ")[0]: entry for entry in re.split(r"\n(?=\S)", entries.strip())}


def takes_options(record: Any, *documented: Any) -> Callable[[Function], Function]:
    """Show the options of a record in signature and help of a function, in place of its ``**options``.

    ``documented`` are the records with the help of these options; by default the record itself. The help of the
    function says at which place the options are listed, and what the help of an option states as its default is shown.
    """

    def decorate(function: Function) -> Function:
        made, types = cast("Any", function), _types_of(record)
        entries = {name: entry for source in documented or (record,) for name, entry in option_entries(source).items()}
        names = sorted(types, key=[*entries, *types].index)
        listed = "\n".join(entries.get(name, name) for name in names)
        made.__doc__ = _OPTIONS.sub(lambda at: indent(listed, at[1]) + "\n", made.__doc__ or "")
        order = [*_NAMES.findall(made.__doc__), *names]
        declared = signature(function)
        own = [
            parameter.replace(annotation=written_type(parameter.annotation, made.__module__))
            for parameter in declared.parameters.values()
            if parameter.kind is not Parameter.VAR_KEYWORD
        ]
        options = [_option(name, types[name], _stated_default(entries.get(name, ""))) for name in names]
        made.__signature__ = Signature(
            sorted([*own, *options], key=lambda it: it.kind is it.KEYWORD_ONLY and 1 + order.index(it.name)),
            return_annotation=written_type(declared.return_annotation, made.__module__),
        )
        return function

    return decorate


def _stated_default(entry: str) -> Any:
    """Return the default that the help of an option states in its first line."""
    _, _, default = entry.partition("\n")[0].partition(", default ")
    return literal_eval(default) if default else None
