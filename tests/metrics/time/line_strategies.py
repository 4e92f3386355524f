"""Generated intervals with labels, and what happens at each element of a line."""

from __future__ import annotations

from collections.abc import Hashable

from hypothesis import strategies as st

from segmetry.segmentation.time_intervals import TimeIntervals

LENGTH = 12


@st.composite
def labelled_intervals(draw: st.DrawFn, *, labels: str = "abc", scored: bool = False) -> TimeIntervals:
    """Up to five intervals that may overlap; perhaps with the parts that are scored."""
    ends = draw(st.lists(st.tuples(st.integers(0, LENGTH - 1), st.integers(1, 6)), max_size=5))
    pairs = [(start, min(start + size, LENGTH)) for start, size in ends]
    parts = None
    if scored and draw(st.booleans()):
        first = draw(st.integers(0, LENGTH - 2))
        parts = [(first, draw(st.integers(first + 1, LENGTH)))]
    return TimeIntervals(
        [start for start, _ in pairs],
        [stop for _, stop in pairs],
        LENGTH,
        classes=[draw(st.sampled_from(labels)) for _ in pairs],
        scored=parts,
    )


def labels_at(line: TimeIntervals) -> list[set[Hashable]]:
    """The labels of each element."""
    names = line.class_list or []
    ends = list(zip(line.starts.tolist(), line.stops.tolist(), names, strict=True))
    return [{name for start, stop, name in ends if start <= at < stop} for at in range(line.n)]
