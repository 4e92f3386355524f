"""The function of a metric that users call: a real function with signature and help, made from the declaration.

``sm.pq`` is the function, ``sm.pq.metric`` its declaration. Signature and docstring are made once, when the function is
first asked for; a call passes its arguments on and does nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, TypeVar, cast

from segmetry.metrics.score import Result

if TYPE_CHECKING:
    from segmetry.metrics.declare import Metric

Parameters = ParamSpec("Parameters")
Returned_co = TypeVar("Returned_co", bound=Result, covariant=True)


class MetricFunction(Protocol[Parameters, Returned_co]):
    """A function that computes one metric; ``metric`` is its declaration."""

    __name__: str
    __qualname__: str
    metric: Metric

    def __call__(self, *args: Parameters.args, **kwargs: Parameters.kwargs) -> Returned_co: ...


def function_of(
    metric: Metric, name: str | None = None, preset: Mapping[str, Any] = MappingProxyType({})
) -> MetricFunction[..., Result]:
    """Return the function of a metric, or of an alias that brings options along."""
    from segmetry.metrics.declare import as_metric_inputs
    from segmetry.metrics.metric_docstring import metric_docstring
    from segmetry.metrics.metric_signature import metric_signature

    def function(true: Any, pred: Any = None, **options: Any) -> Result:
        return metric.on(metric.inputs_of(true, pred, **options), **options)

    def function_of_annotations(annotations: Any, **options: Any) -> Result:
        return metric.on(as_metric_inputs(annotations), **options)

    def function_with_preset(true: Any, pred: Any = None, **options: Any) -> Result:
        return function(true, pred, **{**preset, **options})

    made: Any = function_of_annotations if metric.needs == "annotations" else function
    if preset:
        made = function_with_preset
    made.__name__ = made.__qualname__ = name or metric.key
    made.__module__ = "segmetry"
    made.__signature__ = metric_signature(metric, preset)
    made.__doc__ = metric_docstring(metric, preset)
    made.metric = metric
    return cast("MetricFunction[..., Result]", made)
