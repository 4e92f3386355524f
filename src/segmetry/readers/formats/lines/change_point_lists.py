"""Change points of series by several annotators, as in the Turing Change Point Dataset: series → annotator → list.

``{"bank": {"6": [], "7": [53, 92]}}``: a change point is the first observation after a change, counted from 0. A plain
list in place of the annotators is a prediction. ``--length`` states the number of observations of every series, or a
file states its own: ``{"bank": {"n": 600, "annotations": {"7": [53]}}}``. Without it a series ends after its last
change point. Lists of integers can be lengths as well, so a file that does not state ``n`` is read with ``--format
change-points``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from segmetry.errors import FormatError
from segmetry.readers.items import Item, check_label, check_name
from segmetry.readers.parts.span_rows import LENGTH
from segmetry.readers.parts.text_file import load_json
from segmetry.readers.reader import ReadOptions, reads
from segmetry.segmentation import TimeIntervals

PREDICTION = "prediction"
_ANNOTATIONS = re.compile(rb'"annotations"\s*:\s*\{')


def _parse_series(content: Any, where: str) -> tuple[int | None, dict[str, list[int]]]:
    n = None
    if isinstance(content, Mapping) and "annotations" in content:
        n = content.get("n")
        if n is not None and (not isinstance(n, int) or isinstance(n, bool) or n < 1):
            raise FormatError(f"{where}: n is {n!r}; expected the number of observations")
        content = content["annotations"]
    lists = content if isinstance(content, Mapping) else {PREDICTION: content}
    if not lists:
        raise FormatError(f"{where}: no annotator; expected at least one list of change points")
    return n, {
        check_label(annotator, f"{where}: the annotator"): _parse_points(points, f"{where}, {annotator}")
        for annotator, points in lists.items()
    }


def _parse_points(points: Any, where: str) -> list[int]:
    if not isinstance(points, list) or not all(type(point) is int and point >= 0 for point in points):
        raise FormatError(f"{where}: expected a list of change points, integers of 0 or more")
    return sorted(set(points) - {0})


def _as_tracks(by_annotator: Mapping[str, list[int]], n: int) -> TimeIntervals:
    starts, stops, tracks = [], [], []
    for annotator, points in by_annotator.items():
        edges = [0, *points, n]
        starts += edges[:-1]
        stops += edges[1:]
        tracks += [annotator] * (len(edges) - 1)
    return TimeIntervals(starts, stops, n, tracks=tracks)


@reads(
    "change-points",
    "change points of series by several annotators (JSON)",
    (".json",),
    sniff=lambda _path, head: head.lstrip().startswith(b"{") and _ANNOTATIONS.search(head) is not None,
    options=(LENGTH,),
)
def _read_series(path: Path, options: ReadOptions) -> Iterator[Item]:
    series = load_json(path)
    if not isinstance(series, Mapping) or not series:
        raise FormatError(f"{path}: expected an object of series, such as {{'bank': {{'7': [53, 92]}}}}")
    for name, content in series.items():
        where = f"{path}: {check_name(name, f'{path}: the series')}"
        n, by_annotator = _parse_series(content, where)
        stated = options[LENGTH]
        if isinstance(stated, Fraction) and n is None:
            if stated.denominator != 1:
                raise FormatError(f"{where}: the length is {stated}; expected a number of observations")
            n = int(stated)
        last = max((point for points in by_annotator.values() for point in points), default=0)
        if n is not None and last >= n > 0:
            raise FormatError(f"{where}: the change point {last} is outside 0 … {n - 1}")
        length = last + 1 if n is None else n
        options.check_size((length,), where)
        yield Item(name, _as_tracks(by_annotator, length), open_end=n is None, named=True)
