"""One declaration per metric: a pure function and the facts about it.

The declaration provides the function users call, ``segmetry explain``, the docs page, the report's tooltips
and the contract tests that check the declared facts. A declaration states what is special: a fact that it leaves out
has the default of :class:`Metric`, or follows from where and how the function is written (see :func:`metric`).
``needs`` sets the arguments of the function, and follows from the type of the first one:

===============  ===================================================================================================
``table``        the overlap table
``alignment``    an alignment of the table (by ``rule=``, ``policy=``, ``resolve=``, ``classes=``)
``tally``        the counts of that alignment; such a metric is also defined for a class, a size group, a data set;
                 of an item whose segments carry classes it is the mean over them (``average=``)
``overlaps``     the overlapping pairs of segments, as a policy counts them (by ``policy=``, ``classes=``)
``contingency``  the two segmentations as partitions of the elements that count (by ``background=``)
``order``        the two segmentations as :class:`Spans`
``lines``        one line or many of each side as :class:`SpanLines`
``geometry``     the matched pairs of the alignment with their shapes (``MatchedShapes``)
``classes``      every class of both sides with its shapes (``ClassShapes``)
``shapes``       the overlaps, and the two segmentations they came from
``inputs``       the two segmentations
``annotations``  the :class:`Annotations` of several annotators, instead of two segmentations
===============  ===================================================================================================
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, replace
from functools import cached_property
from inspect import Parameter, signature
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Concatenate, Generic, Literal, ParamSpec, TypeAlias, TypeVar, cast

import numpy as np

from segmetry import _HOMES
from segmetry._base import METRIC_MODULES, Registry, frozen_dataclass, module_in_execution
from segmetry.alignments import Alignment, Tally, class_tallies
from segmetry.errors import KindError, OptionError
from segmetry.metrics.aggregation import AggregatedMetric, Aggregation
from segmetry.metrics.average import average_of, checked_average
from segmetry.metrics.batches.partition_formula import PartitionMetric
from segmetry.metrics.metric_inputs import SHARED_OPTIONS, MetricInputs
from segmetry.metrics.score import Result, Score
from segmetry.metrics.tally_quotient import CountQuotient
from segmetry.overlaps import OverlapTable
from segmetry.segmentation import Annotations, LabelArray, Segmentation, SpanLines, Spans, check_same_lines

if TYPE_CHECKING:
    from segmetry._base import Reference
    from segmetry.metrics.batches.partition_formula import ScoreColumn
    from segmetry.metrics.metric_function import MetricFunction
    from segmetry.metrics.statistics import Statistics
    from segmetry.metrics.windows.sliding_windows import LinePairs

    Given = TypeVar("Given")
    Kept = TypeVar("Kept")

    class Converted(Generic[Given, Kept]):
        """A fact that is declared in one type and kept in another, as type checkers see it."""

        def __get__(self, metric: object, owner: Any) -> Kept: ...
        def __set__(self, metric: object, value: Given) -> None: ...


_Counts = Literal["table", "alignment", "tally", "overlaps", "contingency"]
Needs = Literal[_Counts, "order", "lines", "geometry", "classes", "shapes", "inputs", "annotations"]
FAMILIES: Mapping[str, str] = {
    "panoptic": "Panoptic quality",
    "alignments": "Properties of an alignment",
    "curves": "Scores at a threshold",
    "instances": "Cells, leaves and other instances",
    "detection": "Detections with scores",
    "semantic": "Classes of elements",
    "regions": "Regions",
    "graph": "Splits and merges",
    "clustering": "Clustering",
    "geometry": "Boundaries and surfaces of shapes",
    "lesions": "Lesions",
    "windows": "Sliding windows over a line",
    "boundaries": "Boundaries on a line",
    "time": "Speech, sound and music",
    "labelled": "Labelled spans of a line",
    "agreement": "Agreement between annotators",
    "video": "Video",
}
"""The families by title, in the order in which tables, JSON, the report and the documentation show them.

A family of a plug-in that is not listed comes after these, by its name.
"""
ALL_KINDS = ("labels", "spans", "intervals", "masks", "polygons", "sets")
BY_TYPE: Mapping[str, tuple[Needs, tuple[str, ...]]] = {
    "OverlapTable": ("table", ALL_KINDS),
    "ItemTables": ("table", ALL_KINDS),
    "Alignment": ("alignment", ALL_KINDS),
    "Tally": ("tally", ALL_KINDS),
    "SegmentCounts": ("tally", ALL_KINDS),
    "CountedOverlaps": ("overlaps", ALL_KINDS),
    "Contingency": ("contingency", ALL_KINDS),
    "Spans": ("order", ("spans",)),
    "SpanLines": ("lines", ("spans",)),
    "MatchedShapes": ("geometry", ("labels", "masks", "spans")),
    "ClassShapes": ("classes", ("labels", "masks")),
    "Segmentation": ("inputs", ALL_KINDS),
    "LabelArray": ("inputs", ("labels",)),
    "Masks": ("inputs", ("masks",)),
    "Polygons": ("inputs", ("polygons",)),
    "Sets": ("inputs", ("sets",)),
    "TimeIntervals": ("inputs", ("intervals",)),
    "TimeLine": ("inputs", ("spans", "intervals")),
    "Annotations": ("annotations", ("annotations",)),
}
"""What a metric needs, and the kinds of segmentations that it takes, by the type of its first parameter."""


def family_order(family: str) -> tuple[int, str]:
    """Return the sort key of a family."""
    names = list(FAMILIES)
    return (names.index(family) if family in FAMILIES else len(names), family)


def family_title(family: str) -> str:
    """Return the heading of a family."""
    return FAMILIES.get(family, family.capitalize())


METRICS: Registry[Metric] = Registry(
    "metric",
    package="segmetry.metrics",
    group="segmetry.metrics",
    order=lambda metric: metric.display_order,
    index={key: module for modules in METRIC_MODULES.values() for key, module in modules.items()},
)
"""Every metric by its key, in the order in which they are shown everywhere."""
MAKERS = {
    "spans": "; Spans.from_masses takes lengths, Spans.from_labels an ordered label array",
    "intervals": "; TimeIntervals.from_seconds takes starts and ends",
    "masks": "; Masks.from_dense takes a stack of masks",
}
"""How a user with arrays gets what a metric takes instead."""

FACTS = {"void": "255", "outside": "0", "allow_float": "True", "allow_negative": "True", "spacing": "(2, 1)"}
"""Facts about a label array that people pass to metrics, with an example of each."""
ELSEWHERE = {
    "ignore_index": "void",
    "ignore_label": "void",
    "voxelspacing": "spacing",
    "spacing_mm": "spacing",
    "num_classes": "n_classes",
}
"""What other packages call a fact or an option."""
IN_MEMORY = (np.ndarray, list, Segmentation)
"""Sides that are not read from files."""
_COMPARED = frozenset({np.ndarray, LabelArray, Spans})
"""Types of two sides that need no further question."""
LAST = 1_000_000
"""The ``order`` of metrics of a module that declares none: last in their family, by key."""
DERIVED: Any = None
"""The default of a fact that :func:`metric` derives."""


@frozen_dataclass()
class Example:
    """Two small segmentations (or annotations, and None) and their value.

    The documentation draws them, the contract tests check the value.
    """

    true: Any
    pred: Any
    value: Any
    options: Mapping[str, Any] = field(default_factory=dict)


@frozen_dataclass()
class Metric:
    """A metric: call it with two segmentations, with an overlap table, with an alignment, or with a tally."""

    key: str
    compute: Callable[..., Result]
    formula: str
    summary: str
    citation: Converted[str | Reference | tuple[str | Reference, ...], tuple[str | Reference, ...]]
    symbol: str = DERIVED
    family: str = DERIVED
    needs: Needs = DERIVED
    bounds: tuple[float, float] = DERIVED
    better: Literal["higher", "lower", "neither"] = "higher"
    symmetric: bool = False
    pooled: bool = False
    value_if_equal: float | None = DERIVED
    swaps_with: str | None = None
    kinds: tuple[str, ...] = DERIVED
    notes: str = ""
    examples: tuple[Example, ...] = ()
    default_in_family: bool = True
    ties_by_id: bool = False
    dimensions: tuple[int, int] | None = None
    least_length: int = 1
    needs_scores: bool = False
    is_count: bool = False
    order: int = DERIVED
    parameters: Mapping[str, str] = field(default_factory=dict)
    aliases: Converted[Iterable[str] | Mapping[str, Mapping[str, Any]], Mapping[str, Mapping[str, Any]]] = DERIVED
    compares_labels: bool = False
    needs_classes: bool = False
    statistics: Aggregation | None = None
    is_rate: bool = False
    of_lines: Callable[..., ScoreColumn | None] | None = None
    default_rule: str | None = None

    @cached_property
    def function(self) -> MetricFunction[..., Result]:
        """The function that users call, ``segmetry.<key>``, with signature and help."""
        from segmetry.metrics.metric_function import function_of

        return function_of(self)

    @cached_property
    def options(self) -> Mapping[str, Any]:
        """The metric's own keyword arguments with their defaults; a required one has ``Parameter.empty``."""
        parameters = signature(self.compute).parameters.values()
        own = {p.name: p.default for p in parameters if p.kind is Parameter.KEYWORD_ONLY}
        return MappingProxyType(own)

    @cached_property
    def required_options(self) -> tuple[str, ...]:
        """The metric's own options without a default."""
        return tuple(name for name, default in self.options.items() if default is Parameter.empty)

    @cached_property
    def shared_options(self) -> tuple[str, ...]:
        """The options of the inputs of the metric: the rule, the policy, the treatment of elements in no segment."""
        left_out = {*self.options, *(("average",) if self.is_count else ())}
        return tuple(name for name in SHARED_OPTIONS.get(self.needs, ()) if name not in left_out)

    @property
    def quotient(self) -> CountQuotient | None:
        """The formula over segment counts, for columns of tallies; None for a metric that needs each pair."""
        return self.compute if isinstance(self.compute, CountQuotient) else None

    @property
    def of_partitions(self) -> PartitionMetric | None:
        """The formula over two partitions, for the tables of many items at once; None for any other metric."""
        return self.compute if isinstance(self.compute, PartitionMetric) else None

    @property
    def additive(self) -> Aggregation | None:
        """How its value follows from what items contribute; None for a metric with one score per item."""
        return self.compute.aggregation if isinstance(self.compute, CountQuotient) else self.statistics

    @property
    def display_order(self) -> tuple[Any, ...]:
        """The sort key of the metric in tables, JSON and documents: by family, then by ``order``."""
        return (*family_order(self.family), self.order, self.key)

    @property
    def depends_on_rule(self) -> bool:
        """Whether the metric uses an alignment, so that its value depends on the rule."""
        return "rule" in self.shared_options

    @property
    def averages(self) -> tuple[str, ...]:
        """The averages over many items that the metric has, in words."""
        has_classes = self.needs == "tally" or self.statistics is not None
        names = ("by item", *(("by class",) if has_classes else ()))
        return (*names, "pooled") if self.needs == "tally" or self.pooled else names

    def takes(self, kind: str, axes: int | None) -> bool:
        """Return whether the metric takes segmentations of a kind (and label arrays with this number of axes)."""
        fewest, most = self.dimensions or (0, axes or 0)
        return kind in self.kinds and (axes is None or fewest <= axes <= most)

    def __call__(self, true: Any, pred: Any = None, **options: Any) -> Result:
        """Score a prediction; options are the metric's own and those of what it needs (see :attr:`shared_options`)."""
        return self.on(self.inputs_of(true, pred, **options), **options)

    def inputs_of(self, true: Any, pred: Any = None, **options: Any) -> MetricInputs:
        """Return the inputs from what users pass; arrays are class maps where classes are all that is compared."""
        if self.needs_classes and pred is not None:
            true, pred = (as_class_map(side) for side in (true, pred))
        return as_metric_inputs(true, pred, **options)

    def on(self, comparison: MetricInputs, *, undefined_class: float | None = None, **options: Any) -> Result:
        """Return the result for inputs that may already be counted and aligned.

        ``undefined_class`` replaces an undefined class in a mean over classes; None is the value of the policy.
        """
        shared: dict[str, Any] = {}
        if options:
            shared = self._shared_of(options)
            for name in options:
                if name not in self.options:
                    raise self._unknown_option(min(options.keys() - self.options.keys()))
        for name in self.required_options:
            if name not in options:
                raise OptionError(f"{self.key} needs the option {name!r}; pass {name}=…")
        if self.default_rule is not None and comparison.fixed is None and shared.get("rule") is None:
            shared["rule"] = self.default_rule
        self.check_kind(comparison.with_pair(self.needs))
        average = checked_average(shared.pop("average")) if "average" in shared else None
        if self.needs == "tally" and not self.is_count and comparison.tally is None:
            (alignment,) = comparison.give("alignment", self.key, **shared)
            if average_of(alignment, average) == "segments":
                return self.compute(alignment.tally, **options)
            fill = alignment.policy.undefined if undefined_class is None else undefined_class
            return self._class_mean(alignment, fill, options)
        if comparison.tally is not None and average == "class":
            raise KindError(f"{self.key}: a tally has no classes to average over; pass the alignment or the table")
        arguments = comparison.give(self.needs, self.key, **shared)
        if self.statistics is not None:
            every = {**self.options, **options}
            collected = comparison.statistics(self.statistics, arguments, every)
            return self.statistics.reading(self.key, collected, every).item_score()
        result = self.compute(*arguments, **options)
        if self.needs == "contingency" and isinstance(result, Score) and arguments[0].details:
            return replace(result, details={**arguments[0].details, **result.details})
        return result

    def line_scores(self, lines: LinePairs, options: Mapping[str, Any]) -> ScoreColumn | None:
        """Return the scores of many lines; None where each has to be computed by itself.

        Options that are not the metric's own are rejected where it is.
        """
        if self.of_lines is None or not options.keys() <= self.options.keys():
            return None
        return self.of_lines(lines, **options)

    def _class_mean(self, alignment: Alignment, fill: float | None, options: Mapping[str, Any]) -> Result:
        """Return the mean over the classes of one item; where none has a value, the score of the whole says why.

        A few tallies take a third of the time of the statistics that many items need.
        """
        whole = self.compute(alignment.tally, **options)
        scores = [cast("Score", self.compute(tally, **options)) for tally in class_tallies(alignment).values()]
        values = [score.value if score.is_defined else fill for score in scores]
        used = [value for value in values if value is not None]
        return Score.of(self.key, math.fsum(used), len(used), **cast("Score", whole).details) if used else whole

    def collect(self, inputs: MetricInputs, shared: Mapping[str, Any], options: Mapping[str, Any]) -> Statistics:
        """Return what one item contributes, from all options of its own and those of the inputs that it takes."""
        aggregation = cast("Aggregation", self.additive)
        self.check_kind(inputs)
        taken = {name: shared[name] for name in self.shared_options if name in shared and name != "average"}
        needs = "alignment" if self.needs == "tally" else self.needs
        return inputs.statistics(aggregation, inputs.give(needs, self.key, **taken), options)

    def score_of(
        self,
        inputs: MetricInputs,
        shared: Mapping[str, Any],
        options: Mapping[str, Any],
        undefined_class: float | None = None,
    ) -> Result:
        """Return the result from options of its own and those of the inputs, of which it takes some."""
        taken = {name: shared[name] for name in self.shared_options if name in shared}
        return self.on(inputs, undefined_class=undefined_class, **(taken | dict(options)))

    def _shared_of(self, options: dict[str, Any]) -> dict[str, Any]:
        """Take the options of the inputs out of all options, and return them."""
        if "resolve" in options and "resolve" not in self.shared_options:
            resolve = options.pop("resolve")
            if resolve not in (None, "by_score"):
                raise OptionError(
                    f"{self.key} does not use an alignment, so resolve={resolve!r} is not supported; "
                    "expected 'by_score' or none"
                )
        if not self.shared_options:
            return {}
        return {name: options.pop(name) for name in self.shared_options if name in options}

    def _unknown_option(self, name: str) -> OptionError:
        known = ", ".join([*self.options, *self.shared_options])
        near = f"did you mean {ELSEWHERE[name]}? " if ELSEWHERE.get(name) in self.options else ""
        advice = _fact_advice(name) or f"{near}it takes {known or 'no options'}"
        return OptionError(f"{self.key} has no option {name!r}; {advice}")

    def check_kind(self, inputs: MetricInputs) -> None:
        """Raise for inputs of a kind, or label arrays of a number of axes, that the metric is not defined for."""
        kind = inputs.kind
        if kind is not None and kind not in self.kinds:
            hint = "".join(MAKERS.get(taken, "") for taken in self.kinds) if kind == "labels" else ""
            raise KindError(f"{self.key} takes {' or '.join(self.kinds)}; found {kind}{hint}")
        if kind is not None and self.dimensions is not None and not self.takes(kind, inputs.axes):
            fewest, most = self.dimensions
            raise KindError(f"{self.key} takes label arrays of {fewest} to {most} axes; found {inputs.axes}")


def metrics_of_family(family: str) -> list[Metric]:
    """Return the metrics of a family, those of plug-ins too, in order; the other families need not be imported."""
    fitting = METRICS.with_plugins(METRIC_MODULES.get(family, {}))
    return [metric for metric in fitting.values() if metric.family == family]


def is_family(name: str) -> bool:
    """Return whether there is a family of metrics of this name, built in or of a plug-in."""
    return name in METRIC_MODULES or (name not in METRICS and bool(metrics_of_family(name)))


def _fact_advice(option: str) -> str:
    """Return how a fact about a segmentation is stated, which is not an option of a metric."""
    fact = ELSEWHERE.get(option, option)
    if fact not in FACTS:
        return ""
    stated = f"{fact}={FACTS[fact]}"
    file = "" if fact == "spacing" else f", or read(path, {stated}) for a file"
    return f"state it with the segmentation: LabelArray(labels, {stated}){file}"


def unknown_option(asker: str, name: str, known: Iterable[str]) -> OptionError:
    """Return the error about an option that a function does not have: the nearest name, or how a fact is stated."""
    from difflib import get_close_matches

    names = list(known)
    near = get_close_matches(ELSEWHERE.get(name, name), names, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]}?" if near else f"it takes {', '.join(names)}"
    return OptionError(f"{asker} has no option {name!r}; {_fact_advice(name) or hint}")


def as_metric_inputs(true: Any, pred: Any = None, **options: Any) -> MetricInputs:
    """Return the inputs of metrics from two segmentations or paths, a table, an alignment, a tally, or annotations."""
    if type(true) in _COMPARED and type(pred) in _COMPARED:
        return MetricInputs.of(true, pred, resolve=options.get("resolve"), classes=options.get("classes"))
    if isinstance(true, MetricInputs):
        return true
    if isinstance(true, Alignment) and pred is None:
        return MetricInputs(counted=true.table, fixed=true)
    if isinstance(true, Tally) and pred is None:
        return MetricInputs(tally=true)
    if isinstance(true, OverlapTable) and pred is None:
        return MetricInputs(counted=true)
    if isinstance(true, SpanLines) and isinstance(pred, SpanLines):
        check_same_lines(true, pred)
        return MetricInputs(lines=(true, pred))
    if isinstance(true, Annotations | Mapping) and pred is None:
        return MetricInputs(annotations=Annotations.of(true))
    if pred is None:
        raise KindError(
            f"pred is missing; expected two segmentations, or one OverlapTable, Alignment or Tally, "
            f"not one {type(true).__name__}"
        )
    if not (isinstance(true, IN_MEMORY) and isinstance(pred, IN_MEMORY)):
        from segmetry.readers import read_sides

        true, pred = read_sides(true, pred)
    return MetricInputs.of(true, pred, resolve=options.get("resolve"), classes=options.get("classes"))


def as_class_map(side: Any) -> Any:
    """Return a plain array, whose labels are classes and whose 0 is outside, as a label array; else the same object."""
    is_plain = isinstance(side, list | tuple | np.ndarray) or hasattr(side, "__dlpack__") or hasattr(side, "__array__")
    return LabelArray.from_classes(side) if is_plain and not isinstance(side, Segmentation) else side


P = ParamSpec("P")
Declaration: TypeAlias = Callable[[Callable[..., Any]], Metric]


def _with_facts_of(
    _metric: Callable[Concatenate[str, Callable[..., Result], P], Metric],
) -> Callable[[Callable[..., Declaration]], Callable[P, Declaration]]:
    """Give a function, for type checkers and editors, the parameters of Metric after its key and its function."""
    return lambda function: function


@_with_facts_of(Metric)
def metric(**facts: Any) -> Declaration:
    """Declare a metric; its key is the name of the function, the other facts are the fields of :class:`Metric`.

    ``symbol`` is by default the left side of the ``formula``, and ``family`` the folder of a built-in metric; a plug-in
    states it. ``needs`` follows from the type of the first parameter (``OverlapTable``: ``"table"``), and is stated
    where it has none or another type; so does ``kinds`` (``Spans``: ``("spans",)``), all kinds where the type does not
    say. A function of ``SegmentCounts``, or one of a ``Contingency`` that returns a ``FormulaValue``, is a formula for
    the tallies, or tables, of many items too. ``order``: its place in its family; without one it comes after the metric
    declared before it in the same module, or last.

    ``citation``: keys of ``references.bib``, :class:`Reference` objects, or citations in plain text.

    ``value_if_equal`` is the value of two equal segmentations that cover something (None where it is undefined
    there; by default 1, or 0 where lower is better), and ``swaps_with`` the metric that gives the same value with
    true and pred exchanged; of the two, the first declared states it. ``ties_by_id``: exact
    ties are broken by segment id and counted in ``details["ties"]``. ``dimensions`` and ``least_length``: how many axes
    label arrays may have, and how long the first one must be. ``default_in_family=False`` (an option has no default)
    and ``needs_scores`` leave it out when its family is selected. ``pooled``: Σ numerators / Σ
    denominators over all items is a value as well as the mean over items. ``is_count``: the
    metric is a count, of 0 or more unless ``bounds`` say otherwise, so its value for all segments is the sum over all
    items. ``parameters``: what its own options
    mean, as help; those of the built-in metrics are in ``metrics/option_texts.txt``.
    ``aliases``: further names in lower case, each with the options that it brings along:
    ``{"f1@75": {"t": "3/4"}}``. ``compares_labels``: the same label means the same thing on both sides.
    ``needs_classes``: it compares classes alone, so that the labels of plain arrays are classes.
    ``statistics``: what an item contributes (see :mod:`segmetry.metrics.aggregation`); the function is then the formula
    over sums of that. ``is_rate``: a share that may exceed 1, and is still written as a percentage.
    ``of_lines``: its quotients of many lines at once, for :func:`segmetry.score_batch` and
    :func:`segmetry.evaluate`; None where they must be computed line by line. ``default_rule``: the rule where none is
    stated, of a metric that is constant under that of the policy.
    """

    def declare(compute: Callable[..., Any]) -> Metric:
        if facts.get("statistics") is not None:
            facts["statistics"] = aggregation = replace(facts["statistics"], finish=compute)
            compute = AggregatedMetric(compute.__name__, aggregation, compute.__module__)
        elif _first_type(compute) == "Contingency" and _returns_formula(compute):
            compute = PartitionMetric(compute)
        elif _first_type(compute) == "SegmentCounts" and not isinstance(compute, CountQuotient):
            compute = CountQuotient(compute, one_to_one=True)
        declared = Metric(compute.__name__, compute, **{**facts, **_derived_facts(compute, facts)})
        if declared.key in _HOMES:
            raise ValueError(f"the metric {declared.key!r} has the name of segmetry.{declared.key}; choose another")
        METRICS.declare(declared.key, declared)
        return declared

    return declare


def _derived_facts(compute: Callable[..., Result], facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts that follow from where and how the function is written, and those kept in another form."""
    module, aliases, citation = module_in_execution(), facts.get("aliases", ()), facts.get("citation")
    symbol, equals, _ = facts.get("formula", " = ").partition(" = ")
    if not equals and "symbol" not in facts:
        raise OptionError(f"the formula of {compute.__name__!r} has no left side `… = `; state symbol=…")
    derived = {
        "symbol": facts.get("symbol", symbol),
        "family": facts.get("family") or _family_of(compute, module),
        "needs": facts.get("needs") or _needs_of(compute),
        "kinds": facts.get("kinds") or BY_TYPE.get(_first_type(compute), (None, ALL_KINDS))[1],
        "order": facts["order"] if "order" in facts else _order_in(module),
        "value_if_equal": facts.get("value_if_equal", 0 if facts.get("better") == "lower" else 1),
        "bounds": facts.get("bounds", (0, math.inf) if facts.get("is_count") else (0, 1)),
        "swaps_with": facts.get("swaps_with", _named_by_partner(compute.__name__)),
        "aliases": dict(aliases) if isinstance(aliases, Mapping) else {alias: {} for alias in aliases},
    }
    return derived if citation is None or isinstance(citation, tuple) else {**derived, "citation": (citation,)}


def _family_of(compute: Callable[..., Result], module: str) -> str:
    if not module.startswith("segmetry.metrics."):
        raise OptionError(f"the metric {compute.__name__!r} is declared without a family; pass family=…")
    return module.split(".")[2]


def _named_by_partner(key: str) -> str | None:
    """Return the metric declared before that gives the same value with true and pred exchanged."""
    return next((metric.key for metric in METRICS.declared_so_far() if metric.swaps_with == key), None)


def _needs_of(compute: Callable[..., Any]) -> Needs:
    """Return what the type of the first parameter stands for."""
    written = _first_type(compute)
    if written not in BY_TYPE:
        found = f"the type {written} of its first parameter" if written else "a first parameter without a type"
        raise OptionError(f"what the metric {compute.__name__!r} needs does not follow from {found}; pass needs=…")
    return BY_TYPE[written][0]


def _first_type(compute: Callable[..., Any]) -> str:
    """Return the type of the first parameter as it is written; annotations are not evaluated."""
    if isinstance(compute, AggregatedMetric):
        return _first_type(compute.aggregation.collect)
    written_for = compute.formula if isinstance(compute, CountQuotient | PartitionMetric) else compute
    annotations: Mapping[str, Any] = getattr(written_for, "__annotations__", {})
    first = next((written for name, written in annotations.items() if name != "return"), "")
    written: str = first if isinstance(first, str) else getattr(first, "__name__", "")
    return written.rpartition(".")[2]


def _returns_formula(compute: Callable[..., Any]) -> bool:
    """Return whether a function is the formula of a metric, for one item or many, rather than a score of one item."""
    return str(getattr(compute, "__annotations__", {}).get("return")).rpartition(".")[2] == "FormulaValue"


def _order_in(module: str) -> int:
    """Return the place after the metric that was declared last in a module."""
    before = (metric.order for metric in reversed(METRICS.declared_so_far()) if METRICS.home(metric.key) == module)
    return min(next(before, LAST) + 1, LAST)
