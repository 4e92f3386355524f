"""Spans of many lines in columns: a corpus of sentences or a set of videos without a Python object per span."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from segmetry._base import IndexArray, IntArray, frozen_dataclass
from segmetry.errors import ClassesError, ShapeMismatchError, SpanError
from segmetry.kernels import number_labels
from segmetry.segmentation.spans import LabelRuns, Spans, label_runs, outside_labels

if TYPE_CHECKING:
    from segmetry.segmentation.tag_schemes import Malformed, Scheme

_SHORT = 16
"""Elements per span up to which the line of every element is written down; searching is slower."""


@frozen_dataclass(eq=False)
class SpanLines:
    """Disjoint spans with classes of many lines, as columns.

    Metrics of a data set of spans (such as ``entity_f1``) take two of them, and give the value of the data set.

    Parameters
    ----------
    starts : array of int
        The first element of each span, in its line.
    stops : array of int
        The element after the last of each span.
    lines : array of int
        The line of each span, ascending; spans of a line are in order.
    codes : array of int
        The class of each span, a position in ``names``.
    names : tuple
        The classes.
    lengths : array of int
        The number of elements of each line.

    Examples
    --------
    >>> lines = SpanLines.from_tags([["B-PER", "I-PER", "O"], ["O", "B-LOC"]])
    >>> len(lines), lines.starts.tolist(), lines[1].classes
    (2, [0, 1], {1: 'LOC'})
    """

    starts: IntArray
    stops: IntArray
    lines: IndexArray
    codes: IndexArray
    names: tuple[Hashable, ...]
    lengths: IntArray

    def __post_init__(self) -> None:
        sizes = {column.size for column in (self.starts, self.stops, self.lines, self.codes)}
        if len(sizes) != 1:
            raise SpanError(f"the columns of the spans have {sorted(sizes)} entries; expected one length")
        same = np.diff(self.lines) == 0
        wrong = (self.starts < 0) | (self.starts >= self.stops)
        if self.lines.size:
            if self.lines.min() < 0 or self.lines.max() >= self.lengths.size or (np.diff(self.lines) < 0).any():
                raise SpanError(f"the lines of the spans must ascend from 0 to {self.lengths.size - 1}")
            wrong |= self.stops > self.lengths[self.lines]
            wrong[1:] |= same & (self.starts[1:] < self.stops[:-1])
        if wrong.any():
            at = int(np.argmax(wrong))
            raise SpanError(
                f"line {int(self.lines[at])}: span [{int(self.starts[at])}, {int(self.stops[at])}) is empty, outside "
                "its line, or overlaps the one before it; expected disjoint spans in order"
            )

    @classmethod
    def from_tags(
        cls, tags: Collection[Sequence[str]], *, scheme: Scheme | None = None, malformed: Malformed = "error"
    ) -> SpanLines:
        """Build from the tags of many lines; see :meth:`Spans.from_tags`.

        >>> SpanLines.from_tags([["S-PER", "O"], ["B-LOC", "E-LOC"]]).stops.tolist()
        [1, 2]
        """
        from segmetry.segmentation.tag_schemes import tagged_runs

        return cls.of_runs(tagged_runs(tags, scheme, malformed))

    @classmethod
    def from_frame_labels(cls, labels: Collection[Collection[Hashable]], *, outside: Any = None) -> SpanLines:
        """Build from one label per element of many lines; see :meth:`Spans.from_frame_labels`.

        >>> SpanLines.from_frame_labels([["cut", "cut", "stir"], ["stir"]]).lines.tolist()
        [0, 0, 1]
        """
        return cls.of_runs(label_runs(labels, outside_labels(outside)))

    @classmethod
    def of(cls, lines: Sequence[Spans]) -> SpanLines:
        """Build from spans of single lines; spans without classes have one and the same, the empty text.

        >>> SpanLines.of([Spans.from_masses([2, 1]), Spans.from_masses([3])]).lines.tolist()
        [0, 0, 1]
        """
        names = [[""] * spans.starts.size if spans.classes is None else spans.classes.values() for spans in lines]
        numbered = number_labels(names)
        nothing = np.zeros(0, dtype=np.int64)
        return cls(
            np.concatenate([nothing, *(spans.starts for spans in lines)]),
            np.concatenate([nothing, *(spans.stops for spans in lines)]),
            np.repeat(np.arange(len(lines)), [spans.starts.size for spans in lines]),
            numbered.codes,
            tuple(numbered.labels),
            np.array([spans.n for spans in lines], dtype=np.int64),
        )

    @classmethod
    def of_runs(cls, runs: LabelRuns) -> SpanLines:
        """Return runs, whose positions count on over all lines, as spans of each line."""
        starts, lengths = runs.starts, runs.lengths
        offsets = np.cumsum(lengths) - lengths
        if int(lengths.sum()) <= _SHORT * starts.size:
            lines = np.repeat(np.arange(lengths.size), lengths).take(starts)
        else:
            lines = np.searchsorted(offsets, starts, side="right") - 1
        return cls(starts - offsets[lines], runs.stops - offsets[lines], lines, runs.codes, runs.names, lengths)

    def __len__(self) -> int:
        return self.lengths.size

    def __getitem__(self, line: int) -> Spans:
        at = range(len(self))[line]
        first, last = np.searchsorted(self.lines, [at, at + 1])
        classes = [self.names[code] for code in self.codes[first:last].tolist()]
        return Spans(self.starts[first:last], self.stops[first:last], int(self.lengths[at]), classes=classes)

    def __iter__(self) -> Iterator[Spans]:
        offsets = np.searchsorted(self.lines, np.arange(len(self) + 1)).tolist()
        classes = [self.names[code] for code in self.codes.tolist()]
        for n, (first, last) in zip(self.lengths.tolist(), pairwise(offsets), strict=True):
            yield Spans.of_checked(self.starts[first:last], self.stops[first:last], n, classes[first:last])

    def __repr__(self) -> str:
        return f"SpanLines({len(self)} lines, {self.starts.size} spans, {len(self.names)} classes)"


def check_same_lines(true: SpanLines, pred: SpanLines) -> None:
    """Raise if two sides differ in the number or length of lines, or if only one has classes."""
    if len(true) != len(pred):
        raise ShapeMismatchError(f"true has {len(true)} lines and pred {len(pred)}; expected the same lines")
    differs = true.lengths != pred.lengths
    if differs.any():
        at = int(np.argmax(differs))
        raise ShapeMismatchError(
            f"line {at} has {int(true.lengths[at])} elements in true and {int(pred.lengths[at])} in pred; expected "
            "the same lines"
        )
    bare = [set(side.names) <= {""} for side in (true, pred)]
    if bare[0] != bare[1] and true.starts.size and pred.starts.size:
        raise ClassesError(f"{'true' if bare[0] else 'pred'} has no classes but the other side does")
