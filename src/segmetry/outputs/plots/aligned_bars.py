"""Plot of linear segmentations as aligned bars: boundaries, matched segments, wrong windows.

One bar for each segmentation, the first is the truth. A segment has the colour of the true segment it is matched
with and is white where it is matched with none. Between two bars, a solid line joins boundaries that agree and a
dashed one a boundary with its near miss (a transposition of B). Below, for every other segmentation, the windows in
which it is wrong: dark where only one side has a boundary (Pk and WindowDiff), light where only the numbers differ
(WindowDiff).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import index

import numpy as np

from segmetry.alignments import MatchRule, align
from segmetry.errors import InputError, KindError, OptionError, ShapeMismatchError
from segmetry.metrics import Windows, WindowSize, boundary_edits, only_in, slide_windows
from segmetry.outputs.plots.picture import INK, Line, Picture, Rectangle, Shape, Words
from segmetry.overlaps import overlap
from segmetry.segmentation import Spans

# Okabe and Ito's colours without black: distinguishable in colour blindness; neighbours differ in lightness.
COLOURS = ("#56b4e9", "#d55e00", "#f0e442", "#0072b2", "#e69f00", "#009e73", "#cc79a7")
_DARK = frozenset({"#d55e00", "#0072b2", "#009e73"})
UNMATCHED, OUTLINE, MISCOUNTED, MISSED_OR_SPURIOUS = "#ffffff", "#888888", "#b5b5b5", "#333333"
_BAR, _BETWEEN, _STRIP, _EDGE, _SIZE = 26.0, 22.0, 10.0, 12.0, 12.0
_DASHES = (4.0, 3.0)
_MOST = 5000


@dataclass(frozen=True)
class _LineScale:
    """From positions on the line to the page, clipped to the visible part."""

    left: float
    per_element: float
    start: float
    stop: float
    margin: float

    def x(self, position: float) -> float:
        """Return the place of a position; windows may extend beyond the line, up to the margin."""
        low, high = self.start - self.margin, self.stop + self.margin
        return self.left + (min(max(position, low), high) - low) * self.per_element

    def shows(self, start: float, stop: float) -> bool:
        return stop > self.start - self.margin and start < self.stop + self.margin


def draw_bars(
    segmentations: Mapping[str, Spans] | Sequence[Spans],
    *,
    k: WindowSize = None,
    padded: bool = True,
    n_t: int = 2,
    rule: MatchRule | str = "theta_plus",
    start: int = 0,
    stop: int | None = None,
    width: int = 800,
) -> Picture:
    r"""Draw two or more segmentations of one line below each other, the first as the truth.

    The picture draws itself in a notebook; ``.save("bars.svg")`` or ``.save("bars.png")`` writes a file.

    Parameters
    ----------
    segmentations : mapping or sequence of Spans
        The segmentations by name, the truth first.
    k : int or str, optional
        The number of gaps in a window; by default half the mean length of the true segments. ``'segeval'`` and
        ``'nltk'`` round as these packages do.
    padded : bool, default True
        Let windows extend past both ends of the line.
    n_t : int, default 2
        The largest distance, plus one, over which a boundary may be transposed.
    rule : MatchRule or str, default 'theta_plus'
        A rule or its text, such as ``'theta_plus'`` (IoU > 1/2), ``'theta_and'`` (majority overlap) or
        ``'iou(above=3/4)'``.
    start : int, default 0
        The first element that is shown.
    stop : int, optional
        The element after the last that is shown.
    width : int, default 800
        The width of the picture in pixels.

    Returns
    -------
    Picture
        The picture.

    Examples
    --------
    >>> picture = draw_bars({"true": Spans.from_masses([5, 3, 5]), "pred": Spans.from_masses([4, 4, 5])})
    >>> picture.svg.startswith("<svg") and picture.png()[:4] == b"\x89PNG"
    True
    """
    named = _named_lines(segmentations)
    lines = list(named.values())
    until = lines[0].n if stop is None else stop
    _check_part(lines, start, until)
    compared = {name: slide_windows(lines[0], line, k, padded=padded) for name, line in list(named.items())[1:]}
    scale = _line_scale(list(named), start, until, width, next(iter(compared.values())))
    rows = [_EDGE + _SIZE + 6 + at * (_BAR + _BETWEEN) for at in range(len(lines))]
    shapes: list[Shape] = [*_tick_words(scale, _EDGE + 4)]
    for top, (name, line), looks in zip(rows, named.items(), _segment_looks(lines, rule), strict=True):
        shapes.append(Words(scale.left - 8, top + _BAR / 2, name, _SIZE, "end"))
        shapes += _bar_shapes(line, looks, scale, top)
    for top, above, below in zip(rows, lines, lines[1:], strict=False):
        shapes += _joint_lines(above, below, n_t, scale, top + _BAR)
    top = rows[-1] + _BAR + 14
    for name, counted in compared.items():
        shapes += _penalty_bars(name if len(compared) > 1 else "windows", counted, scale, top)
        top += _STRIP + 6
    shapes += _legend_shapes(scale.left, top + 10, next(iter(compared.values())).k)
    return Picture(width, top + 10 + _EDGE, f"{' and '.join(named)}: {lines[0].n} elements", tuple(shapes))


def _line_scale(names: list[str], start: int, stop: int, width: int, windows: Windows) -> _LineScale:
    """Return a scale with room for the names and, if the whole line is shown, for padded windows at its ends."""
    left = _EDGE + max(len(name) for name in [*names, "windows"]) * _SIZE * 0.6 + 8
    if width < left + 100:
        raise OptionError(f"width is {width}; these names need at least {round(left) + 100}")
    whole = (start, stop) == (0, windows.n)
    margin = max(windows.k / 2 - 1, 0) if whole and windows.start < 0 else 0
    return _LineScale(left, (width - left - _EDGE) / (stop - start + 2 * margin), start, stop, margin)


def _named_lines(segmentations: Mapping[str, Spans] | Sequence[Spans]) -> dict[str, Spans]:
    if isinstance(segmentations, Mapping):
        named = {str(name): line for name, line in segmentations.items()}
    elif isinstance(segmentations, Sequence):
        names = ["true", "pred"] if len(segmentations) == 2 else [f"{at + 1}" for at in range(len(segmentations))]
        named = dict(zip(names, segmentations, strict=True))
    else:
        raise KindError(
            f"segmentations are a {type(segmentations).__name__}; expected names to Spans, or Spans in a list"
        )
    if len(named) < 2:
        raise InputError(f"{len(named)} segmentation to draw; expected two or more")
    for name, line in named.items():
        if not isinstance(line, Spans):
            raise KindError(f"{name} is a {type(line).__name__}; expected Spans")
    first, *others = named.items()
    for name, line in others:
        if line.n != first[1].n:
            raise ShapeMismatchError(f"{first[0]} has {first[1].n} elements and {name} has {line.n}; expected one line")
    return named


def _check_part(lines: list[Spans], start: int, stop: int) -> None:
    n = lines[0].n
    if not 0 <= index(start) < index(stop) <= n:
        raise OptionError(f"start is {start} and stop is {stop}; expected 0 <= start < stop <= {n}")
    shown = sum(int(np.count_nonzero((line.stops > start) & (line.starts < stop))) for line in lines)
    if shown > _MOST:
        most = f"more than a picture can show ({_MOST})"
        raise OptionError(f"{shown} segments are {most}; choose a part by start= and stop=")


def _segment_looks(lines: list[Spans], rule: MatchRule | str) -> list[list[tuple[str, bool]]]:
    """Return the colour of every segment and whether it has a partner; partners have the colour of the true segment."""
    first, *others = lines
    own = [COLOURS[at % len(COLOURS)] for at in range(first.starts.size)]
    colours, has_partner = [], [False] * len(own)
    for line in others:
        looks = [(UNMATCHED, False)] * line.starts.size
        for pair in align(overlap(first, line), rule).pairs():
            looks[pair.pred_id - 1] = own[pair.true_id - 1], True
            has_partner[pair.true_id - 1] = True
        colours.append(looks)
    return [list(zip(own, has_partner, strict=True)), *colours]


def _bar_shapes(line: Spans, looks: list[tuple[str, bool]], scale: _LineScale, top: float) -> Iterator[Shape]:
    middle = top + _BAR / 2
    yield Line(((scale.x(scale.start), middle), (scale.x(scale.stop), middle)), OUTLINE, 1)
    for start, stop, (colour, is_matched) in zip(line.starts.tolist(), line.stops.tolist(), looks, strict=True):
        if not scale.shows(start, stop):
            continue
        x, end = scale.x(start), scale.x(stop)
        # The outlines of thin segments would hide their colours.
        outline = OUTLINE if end - x > 4 else None
        matched = "matched" if is_matched else "no partner"
        note = f"[{start}, {stop}): {stop - start} elements, {matched}"
        yield Rectangle(x, top, end - x, _BAR, colour, outline, note)
        if end - x > len(str(stop - start)) * _SIZE * 0.6 + 6:
            ink = "#ffffff" if colour in _DARK else INK
            yield Words((x + end) / 2, middle, str(stop - start), _SIZE - 1, "middle", ink)


def _joint_lines(above: Spans, below: Spans, n_t: int, scale: _LineScale, top: float) -> Iterator[Shape]:
    """Yield lines between two bars: boundaries that agree, and near misses."""
    alone, _, _ = only_in(above.boundaries, below.boundaries)
    width = min(2.0, max(0.5, scale.per_element / 3))
    for cut in np.setdiff1d(above.boundaries, alone, assume_unique=True).tolist():
        if scale.start < cut < scale.stop:
            yield Line(((scale.x(cut), top), (scale.x(cut), top + _BETWEEN)), INK, width)
    for cut, other in boundary_edits(above, below, n_t=n_t).transposed.tolist():
        if scale.start < cut < scale.stop and scale.start < other < scale.stop:
            yield Line(((scale.x(cut), top), (scale.x(other), top + _BETWEEN)), INK, 1.2, _DASHES)


def _penalty_bars(name: str, windows: Windows, scale: _LineScale, top: float) -> Iterator[Shape]:
    """Yield the wrong windows as a strip; a window is drawn at the middle of its gaps."""
    yield Words(scale.left - 8, top + _STRIP / 2, name, _SIZE - 2, "end")
    ends = scale.x(scale.start - scale.margin), scale.x(scale.stop + scale.margin)
    yield Line(((ends[0], top + _STRIP), (ends[1], top + _STRIP)), OUTLINE, 1)
    for first, length, true, pred in zip(*(part.tolist() for part in windows.runs()), strict=True):
        start = first + windows.k / 2
        if true != pred and scale.shows(start, start + length):
            x, end = scale.x(start), scale.x(start + length)
            fill = MISSED_OR_SPURIOUS if (true == 0) != (pred == 0) else MISCOUNTED
            note = f"{length} windows of {_gap_words(windows.k)}: {true} true and {pred} predicted boundaries"
            yield Rectangle(x, top, end - x, _STRIP, fill, None, note)


def _gap_words(k: int) -> str:
    return "1 gap" if k == 1 else f"{k} gaps"


def _legend_shapes(x: float, y: float, k: int) -> Iterator[Shape]:
    entries = (
        (MISSED_OR_SPURIOUS, f"window of {_gap_words(k)} with a boundary on one side only"),
        (MISCOUNTED, "with different numbers"),
        (UNMATCHED, "segment without partner"),
    )
    for fill, words in entries:
        yield Rectangle(x, y - 4, 8, 8, fill, OUTLINE)
        yield Words(x + 13, y, words, _SIZE - 3)
        x += 13 + len(words) * (_SIZE - 3) * 0.52 + 16
    yield Line(((x, y), (x + 14, y)), INK, 1.2, _DASHES)
    yield Words(x + 19, y, "near miss", _SIZE - 3)


def _tick_words(scale: _LineScale, y: float) -> Iterator[Shape]:
    span = scale.stop - scale.start
    step = next(s * 10**p for p in range(20) for s in (1, 2, 5) if s * 10**p * 12 >= span)
    first = -(-int(scale.start) // step) * step
    for position in range(first, int(scale.stop) + 1, step):
        yield Words(scale.x(position), y, str(position), _SIZE - 3, "middle", OUTLINE)
        yield Line(((scale.x(position), y + 6), (scale.x(position), y + 10)), OUTLINE, 1)
