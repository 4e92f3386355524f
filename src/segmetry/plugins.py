"""The interface for other packages: what a plug-in declares, and the entry point that names its module.

============  =========================  ============================================================
kind          entry point group          what the entry point loads
============  =========================  ============================================================
metric        ``segmetry.metrics``       a module whose functions are decorated with :func:`metric`
rule          ``segmetry.rules``         a module whose functions are decorated with :func:`declare_rule`
reader        ``segmetry.readers``       a module that calls :func:`declare_reader`
engine        ``segmetry.engines``       a module that calls :func:`declare_engine`
protocol      ``segmetry.protocols``     a module that calls :func:`declare_protocol`
============  =========================  ============================================================

Entry points are loaded when the registry of their kind is first used.
"""

from __future__ import annotations

from segmetry._base import Reference
from segmetry.alignments import Candidates, MatchRule, Selection, declare_rule
from segmetry.errors import FormatError
from segmetry.evaluation import Engine, declare_engine
from segmetry.metrics import (
    BY_CLASS,
    BY_CLASS_OF_ITEMS,
    BY_ITEM,
    BY_ITEM_AND_CLASS,
    BY_ITEM_OF_CLASSES,
    POOLED,
    Aggregation,
    Average,
    Counts,
    Example,
    Quotient,
    Score,
    SegmentCounts,
    Statistics,
    Sums,
    count_quotient,
    metric,
)
from segmetry.protocols import EachClass, Grid, Heading, Protocol, ReferenceImplementation, declare_protocol
from segmetry.readers import (
    Choice,
    Flag,
    Integer,
    Item,
    Labels,
    Option,
    OptionType,
    PositiveNumber,
    Reader,
    ReadOptions,
    Text,
    declare_reader,
)
from segmetry.results import NumberStyle

__all__ = [
    "BY_CLASS",
    "BY_CLASS_OF_ITEMS",
    "BY_ITEM",
    "BY_ITEM_AND_CLASS",
    "BY_ITEM_OF_CLASSES",
    "POOLED",
    "Aggregation",
    "Average",
    "Candidates",
    "Choice",
    "Counts",
    "EachClass",
    "Engine",
    "Example",
    "Flag",
    "FormatError",
    "Grid",
    "Heading",
    "Integer",
    "Item",
    "Labels",
    "MatchRule",
    "NumberStyle",
    "Option",
    "OptionType",
    "PositiveNumber",
    "Protocol",
    "Quotient",
    "ReadOptions",
    "Reader",
    "Reference",
    "ReferenceImplementation",
    "Score",
    "SegmentCounts",
    "Selection",
    "Statistics",
    "Sums",
    "Text",
    "count_quotient",
    "declare_engine",
    "declare_protocol",
    "declare_reader",
    "declare_rule",
    "metric",
]
