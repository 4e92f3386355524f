"""The records of the page: every field of the JSON that :mod:`segmetry.report.page_data` writes and the scripts read.

This is their only definition. ``tools/write_page_types.py`` (``make stub``) writes ``js/data/page_data.d.ts`` from it,
against which TypeScript checks the scripts (``make types``), and mypy checks the functions that fill them. They are
typed dictionaries, not classes, since they are written as JSON at once and nothing computes with them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NotRequired, TypedDict

AgreesBy = Literal["classes", "ids"]
PageAverage = Literal["by_item", "by_class", "pooled"]
"""The averages of the page: over items, over classes, and of all segments."""

Better = Literal["higher", "lower", "neither"]
ColumnKind = Literal["u1", "u2", "u4", "f8", "i8", "u8"]
"""The type of a column, as numpy writes it, little-endian."""

FormulaData = str | list[Any]
"""MathML as nested lists of tag, attributes and children, or LaTeX where that cannot be converted."""

ByAverage = Mapping[PageAverage, float | None]
"""A value in every average; where there are no classes, ``by_class`` is absent."""


class Problem(TypedDict):
    """Why a section has no data."""

    problem: str


class IntervalEnds(TypedDict):
    low: float
    high: float


class PossibleEnds(TypedDict):
    """The ends of a confidence interval; null without one."""

    low: float | None
    high: float | None


# The frame: what the report is about, and the metrics it explains.


class CitationData(TypedDict):
    short: str
    full: str


class MetricData(TypedDict):
    """The declaration of a metric."""

    key: str
    family: str
    formula: FormulaData
    summary: str
    notes: str
    bounds: tuple[float | None, float | None]
    better: Better
    averages: Sequence[str]
    citation: Sequence[CitationData]
    is_count: bool


class ItemWords(TypedDict):
    """What an item and a segment are called."""

    item: str
    segment: str


class SizeBins(TypedDict):
    """The edges between the bins, in elements, and the names of the bins."""

    edges: Sequence[int]
    names: Sequence[str]


class FilterData(TypedDict):
    groups: Mapping[str, Sequence[str]]
    """by column: the label of every item"""
    sizes: SizeBins


# A run: settings, rules, inputs, and the numbers computed in Python.


class PolicyData(TypedDict):
    name: str
    summary: str
    crowd: bool
    undefined: float | None


class SettingsData(TypedDict):
    rule: str
    policy: PolicyData
    undefined: float | None
    average: Literal["class", "segments"]
    """whether the score of an item is the mean over its classes, or of all its segments"""
    resolve: str | None
    classes: str
    background: str
    protocol: str | None
    headline_average: PageAverage | None
    """the average that the protocol of the run ranks by"""
    groups: Mapping[str, Sequence[int]]
    reading: Mapping[str, object]
    wide: bool
    """whether counts are BigInts"""
    widest: int


class RuleData(TypedDict):
    """An alignment rule: a conjunction of clauses, each a disjunction of inequalities a·s > b·m + c·p (or ≥)."""

    name: str
    label: str
    clauses: Sequence[Sequence[tuple[str, str, str, bool]]] | None
    one_to_one: bool
    alpha: str
    attained: bool
    """whether a pair of the rule may have the IoU alpha"""


class CheckedInputs(TypedDict):
    """Whether the files are what they were, and how that is known."""

    state: Literal["unchanged", "scored", "changed", "stated", "none"]
    words: str


class InputData(TypedDict):
    side: str
    name: str
    sha256: str


class FingerprintData(TypedDict):
    content: str | None
    """null until it is computed"""
    checked: CheckedInputs


class PathBar(TypedDict):
    name: str
    number: str
    share: str
    start: float
    stop: float
    """both ends of the bar, from 0 to 1"""


class PathData(TypedDict):
    theirs: str
    program: str
    bars: Sequence[PathBar]


class Provenance(FingerprintData):
    segmetry: str | None
    true: str | None
    pred: str | None
    numbers: str
    paths: Sequence[PathData]
    inputs: Sequence[InputData]
    n_inputs: int
    true_segments: int
    pred_segments: int
    overlap_rows: int


class GraphCounts(TypedDict):
    splits: Sequence[int]
    merges: Sequence[int]


class GraphData(TypedDict):
    splits: int
    merges: int
    by_class: GraphCounts | None


class PlainScore(TypedDict):
    value: float | None
    reason: NotRequired[str]
    numerator: NotRequired[float | str]
    denominator: NotRequired[float | str]
    details: NotRequired[Mapping[str, object]]


class AggregatedData(TypedDict):
    """A stored score of the data set in every average; ``n`` is the number of items in which it is defined."""

    by_item: PlainScore | None
    n: int
    by_class: PlainScore | None
    pooled: PlainScore | None


class RunFacts(TypedDict):
    """What :mod:`segmetry.report.run_data` says of a run."""

    words: ItemWords
    items: Sequence[str]
    kinds: Sequence[str | None]
    """one entry per item, or a single one that is valid for all items; the same with ``axes``"""
    axes: Sequence[int | None]
    classes: Sequence[str] | None
    pairs_only: bool
    agrees_by: AgreesBy | None
    """what makes an element right: the same class, or id of an object; null where segments are partners"""
    settings: SettingsData
    rules: Sequence[RuleData]
    chosen: Mapping[str, str]
    """by rule: the name of the column of the rows that Python has chosen"""
    graph: GraphData
    summaries: Mapping[str, Mapping[str, AggregatedData]]
    """by rule and metric"""
    keys: Sequence[str]
    left_out: Sequence[str]


# The first screen.


class ValueBeside(TypedDict):
    name: str
    key: str
    percent: bool
    value: float | None
    summary: str


class HeadlineInterval(PossibleEnds):
    problem: str | None
    """why there is no interval"""
    detectable: float | None
    """the smallest difference to a fixed number that these items detect with 80 % power"""


class HeadlineData(HeadlineInterval):
    """The number a run is known by; the column "headline_items" has its values of the items."""

    key: str
    name: str
    summary: str
    average: PageAverage
    averaged: str
    better: Better
    bounds: tuple[float | None, float | None]
    protocol: str | None
    percent: bool
    decimals: int
    """in what and with how many digits the protocol prints it"""
    value: float | None
    beside: Sequence[ValueBeside]
    """the protocol's other numbers"""


class OtherError(TypedDict):
    name: str
    words: str | None
    count: int
    gain: float
    classes: tuple[int | None, int | None] | None
    """codes of the true and the predicted class; null for none"""


class OtherErrors(TypedDict):
    name: str
    title: str
    unit: str
    base: float | None
    rows: Sequence[OtherError]


class ConfidenceData(TypedDict):
    """Hits and false alarms at IoU 0.5 of the detections of a score or more."""

    scores: Sequence[float]
    """falling"""
    hits: Sequence[int]
    false: Sequence[int]
    n_true: int
    best: int
    """the place of the highest F1"""


class OverviewData(TypedDict):
    headline: HeadlineData
    errors: OtherErrors | None
    """of runs about classes of elements or detections"""
    confidence: ConfidenceData | None
    classes: Sequence[tuple[str, float | None]]
    """name and headline of every class, the worst first"""


# What takes longest: intervals and the error analysis.

AveragedEnds = Mapping[PageAverage, IntervalEnds | None]
"""By average; one that does not exist has no entry."""


class RuleIntervals(TypedDict):
    scores: Mapping[str, AveragedEnds]
    """by metric"""
    reason: str | None
    """why there are no intervals"""


class IntervalData(TypedDict):
    level: float
    resamples: int
    seed: int
    words: str
    by_rule: Mapping[str, RuleIntervals]
    differences: Mapping[str, IntervalEnds]
    """of the headline under another rule less that under the run's own, paired by item"""


class BudgetKind(TypedDict):
    """One kind of error: how many there are, and the scores if they are fixed."""

    words: str
    fixed: str
    """how the prediction changes when an error is fixed"""
    errors: int
    missed: int
    spurious: int
    individually: Mapping[str, ByAverage]
    cumulative: Mapping[str, ByAverage]
    gain_individually: ByAverage
    gain_cumulative: ByAverage


class BudgetPart(TypedDict):
    """PQ of a size or class, and its gain if each kind of error is fixed."""

    name: str
    pq: float | None
    individually: Sequence[float | None]
    cumulative: Sequence[float | None]


class BudgetData(TypedDict):
    problem: None
    rule: str
    policy: str
    order: Sequence[str]
    keys: Sequence[str]
    base: Mapping[str, ByAverage]
    kinds: Mapping[str, BudgetKind]
    size_edges: Sequence[int]
    """in elements; the first bin is below the first edge"""
    by_size: Sequence[BudgetPart]
    by_class: Sequence[BudgetPart] | None
    confusion: Sequence[tuple[str, str, int]] | None
    """true class, predicted class, pairs"""


class ErrorColumns(TypedDict):
    """Every error, the costliest first."""

    whats: Sequence[str]
    classes: Sequence[str]
    item: Sequence[int]
    error: Sequence[str]
    """its address within the item"""
    kind: Sequence[int]
    what: Sequence[int]
    of_class: Sequence[int]
    as_class: Sequence[int]
    """the predicted class, where there is one"""
    size: Sequence[int]
    cost: Sequence[float]
    """in points of the headline"""
    true: Sequence[Sequence[int]]
    """positions of the segments that it is about"""
    pred: Sequence[Sequence[int]]
    span: Sequence[Sequence[float]]
    """where it lies on a line; of a part its first element, plane, first row and column, last row and column"""


class ErrorsData(TypedDict):
    problem: None
    headline: str
    """the number that costs are points of"""
    note: str | None
    kinds: Sequence[str]
    n: int
    """of all errors; the page may have fewer, the costliest"""
    by_place: bool
    """whether segments are masks in the order in which they are listed, predicted ones by score"""
    packed: str
    """:class:`ErrorColumns` as JSON, deflated, in base64"""


class Analysis(TypedDict):
    """What a server sends when it is computed."""

    intervals: IntervalData | None
    budget: BudgetData | Problem
    errors: ErrorsData | Problem
    headline: HeadlineInterval
    run: FingerprintData


class SegmentKindsData(TypedDict):
    problem: str | None
    """why errors cannot be distinguished under the rule of the run; null where the columns are there"""
    rule: str
    bits: Mapping[str, int]
    """the bit of every kind of error, and of "matched\""""


SensitivityCells = Sequence[float | None]
"""The three averages, and the change of each by the move."""


class SensitivityData(TypedDict):
    rules: Sequence[tuple[str, str]]
    moves: Mapping[str, str]
    sizes: Sequence[str]
    keys: Sequence[str]
    values: Mapping[str, Mapping[str, Mapping[str, Sequence[SensitivityCells]]]]
    """by key, rule and move: the cells of all segments first, then those of every size"""


# Pictures: the header of an item that is drawn.


class ColourNumbers(TypedDict):
    """A digit for the colour of every segment: neighbours differ, partners have the same."""

    true: str
    pred: str


class MaskPlaces(TypedDict):
    true: Sequence[int]
    pred: Sequence[int]


class ObjectCurve(TypedDict):
    """An object of a video by frame: the elements that both sides have of it, and those of either."""

    name: str
    shared: Sequence[int]
    union: Sequence[int]


class LabelsHeader(TypedDict):
    kind: Literal["labels"]
    shape: Sequence[int]
    rows: int
    columns: int
    tall: float
    """height of an element as a multiple of its width"""
    step: int
    """one row and column in ``step`` is in the page"""
    stack: Sequence[int]
    """the lengths of the axes along which planes are counted"""
    planes: Sequence[int]
    """the planes that are in the page"""
    first: int
    """the position of the plane to open with"""
    word: str
    """what a plane is called"""
    colours: ColourNumbers
    peaks: tuple[Sequence[int], Sequence[int]] | None
    """of every true and predicted segment the position of the plane with most of it; null for one plane"""
    axis: int | None
    """the axis along which planes are counted, null for one plane or more than three axes"""
    spacing: Sequence[float] | None
    """the distance between neighbours along every axis of a volume, if it is known"""
    unit: str | None
    """that of the distance"""
    names: Sequence[str | None]
    """what a cut across each axis of a volume is called where its position in space says so, such as axial"""
    wrong: Sequence[Sequence[int]] | None
    """of a stack the numbers of wrong elements by plane, by row and by column; null for one plane"""
    objects: Sequence[ObjectCurve]
    """of a video whose objects keep their ids"""


class MasksHeader(TypedDict):
    """Masks of an image, which may overlap."""

    kind: Literal["masks"]
    shape: Sequence[int]
    rows: int
    columns: int
    places: MaskPlaces | None
    """true masks as they are listed, predicted ones by score; null without scores"""
    colours: ColourNumbers


class SpansHeader(TypedDict):
    kind: Literal["spans"]
    shape: Sequence[int]
    colours: ColourNumbers
    tick: float | None
    """the seconds of an element of a recording; null where elements are not time"""
    unit: str
    """what an element is"""
    words: Sequence[str] | None
    """the texts of the elements, where their file has them"""


class LanesHeader(TypedDict):
    """Turns that may overlap, such as those of speakers."""

    kind: Literal["lanes"]
    shape: Sequence[int]
    tick: float
    """the seconds of an element"""
    names: tuple[Sequence[str], Sequence[str]]
    """of the true and the predicted lanes"""
    turns: tuple[Sequence[tuple[int, int, int]], Sequence[tuple[int, int, int]]]
    """first element, the one after the last, and lane"""
    colours: ColourNumbers


PictureHeader = LabelsHeader | MasksHeader | SpansHeader | LanesHeader
"""The header of an item with pictures."""


class PictureAnswer(TypedDict):
    """What a server sends of an item that is looked at."""

    header: PictureHeader | None
    text: NotRequired[str]
    photo: NotRequired[str | None]
    photo_problem: NotRequired[str]
    problem: NotRequired[str | None]


class PhotographData(TypedDict):
    titles: Sequence[str | None] | None
    """the file name of every item, null without one"""
    photos: dict[int, str]
    """the block with the photograph of an item"""
    scans: dict[int, dict[str, str]]
    """the blocks with cuts of the scan of a volume, and frames of a video, by axis and place such as 2:14"""
    photos_rejected: dict[int, str]
    """why others have none"""
    photos_problem: str | None
    """a word about all"""


class TwoRulesData(TypedDict):
    """Tests of what θ& adds to θ⁺, over all items; null where a test has too few values."""

    ks_p: float | None
    class_ks: float | None
    """how far the classes of additional pairs are from those of all, in the order of their frequency"""
    class_ks_p: float | None
    correlation_p: float | None


class DescribedRun(RunFacts, FilterData):
    """A run but for its name and photographs, which depend on the other runs."""

    run: Provenance
    sensitivity: SensitivityData | None
    segment_kinds: SegmentKindsData
    subsets: Mapping[str, Sequence[tuple[str, int, float | None]]]
    """by column: labels with the number of their items and the headline over them, under the rule of the run"""
    overview: OverviewData
    intervals: IntervalData | None
    budget: BudgetData | Problem
    errors: ErrorsData | Problem
    two_rules: TwoRulesData | None
    block: str
    columns: Mapping[str, tuple[ColumnKind, int, int]]
    """by name: its type, where it begins in the block, and how many entries it has"""
    maps: dict[int, PictureHeader]
    maps_block: str
    maps_problem: str | None


class RunData(DescribedRun, PhotographData):
    name: str


# Several runs.


class DifferenceData(PossibleEnds):
    first: str
    second: str
    key: str
    average: PageAverage
    difference: float | None
    p: float | None
    p_holm: float | None
    won: int | None
    tied: int | None
    lost: int | None
    detectable: float | None


class ClassDifferenceData(PossibleEnds):
    """The same for one class."""

    first: str
    second: str
    name: str
    first_value: float | None
    second_value: float | None
    difference: float | None
    p_holm: float | None


class RunValue(PossibleEnds):
    value: float | None


class RuleComparison(TypedDict):
    sentence: str
    """which of the two best runs is better, by how much, in how many items"""
    values: Mapping[str, Mapping[str, Mapping[PageAverage, RunValue]]]
    """by run and metric"""
    differences: Sequence[DifferenceData]


class RankingRow(TypedDict):
    rule: str
    label: str
    values: Sequence[float | None]
    ranks: Sequence[int | None]
    tau: float | None
    stable: float | None
    changed: Sequence[tuple[str, str]]


class RankingRows(TypedDict):
    changes: bool
    rows: Sequence[RankingRow]


class RankingData(TypedDict):
    problem: None
    words: str
    by: Mapping[str, RankingRows]


class MetricRankRow(TypedDict):
    """One metric of all systems."""

    metric: str
    values: Sequence[str]
    ranks: Sequence[int]
    intervals: Sequence[str]
    tau: float | None
    stable: str


class AcrossData(TypedDict):
    words: str
    rows: Sequence[MetricRankRow]


class ComparedHeadline(TypedDict):
    key: str
    average: PageAverage
    better: Better


class ComparisonData(TypedDict):
    systems: Sequence[str]
    keys: Sequence[str]
    words: str
    headline: ComparedHeadline
    by_rule: Mapping[str, RuleComparison]
    classes: Sequence[ClassDifferenceData]
    """differences of classes in the headline, under the runs' own rule"""
    ranking: RankingData | Problem
    across: AcrossData | None


class ErrorFates(TypedDict):
    """What becomes of every error of the first run in another: a digit for each error that the page has."""

    run: int
    """the other run"""
    before: str
    """of the first run: 0 fixed, 1 changed to another kind, 2 remaining, 4 not compared"""
    after: str
    """of the other: 1 and 2 the same, 3 new, 4 not compared"""
    problem: str | None


class PageData(TypedDict):
    """Everything in the page but its blocks of columns and pictures."""

    title: str
    runs: Sequence[RunData]
    metrics: Sequence[MetricData]
    absent: Sequence[str]
    """ids of the views that say nothing about these runs"""
    about: Sequence[str]
    """what the report is about, in words: protocol, number of items, date"""
    comparison: ComparisonData | None
    """null for a report of one run"""
    fates: Sequence[ErrorFates]
    """of several runs what becomes of the errors of the first in each other one"""
