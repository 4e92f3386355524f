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

from segmetry._base.bibliography import Reference
from segmetry.alignments.candidates import Candidates, MatchRule, Selection, declare_rule
from segmetry.errors import FormatError
from segmetry.evaluation.engines.engine import Engine, declare_engine
from segmetry.metrics.aggregation import Aggregation
from segmetry.metrics.average import (
    BY_CLASS,
    BY_CLASS_OF_ITEMS,
    BY_ITEM,
    BY_ITEM_AND_CLASS,
    BY_ITEM_OF_CLASSES,
    POOLED,
    Average,
)
from segmetry.metrics.count_quotient import SegmentCounts, count_quotient
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.score import Counts, Score
from segmetry.metrics.statistics import Quotient, Statistics, Sums
from segmetry.protocols.grid import EachClass, Grid, Heading
from segmetry.protocols.protocol import Protocol, ReferenceImplementation, declare_protocol
from segmetry.readers.items import Item
from segmetry.readers.reader import (
    Choice,
    Flag,
    Integer,
    Labels,
    Option,
    OptionType,
    PositiveNumber,
    Reader,
    ReadOptions,
    Text,
    declare_reader,
)
from segmetry.results.number import NumberStyle

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
