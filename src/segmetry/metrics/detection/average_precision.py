r"""Average precision of masks with scores [lin2014microsoft, everingham2010pascal].

Predictions are matched in descending order of score. After each of them precision is hits / predictions so far and
recall hits / true masks; AP is the mean over 101 recalls of the best precision reached at that recall or beyond,
averaged over the criteria (IoU at least .50, .55, …, .95 by default) and over the classes that have true masks.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from segmetry.metrics.declare import Example
from segmetry.metrics.detection.detection_metric import declare_value
from segmetry.segmentation.detection_facts import DetectionFacts
from segmetry.segmentation.masks import Masks

NOTES = (
    "Undefined without true masks; classes that have none are left out, as in the reference. IoU equal to the "
    "threshold is a match. Equal scores keep the input order, equal IoUs go to the last true mask of the input, as in "
    "the reference. Over a data set the predictions of all images are ranked together, as published; by item, it is "
    "the mean of the values of the images, which is another number. A mask without elements matches nothing."
)
SIZE_NOTES = (
    "The area of a true mask is the one that its file states. True masks of another area are ignored; so are "
    "predictions matched to them, and unmatched predictions of another area. Both ends of a size are included, so a "
    "mask of 32² pixels is small and medium."
)


def bars(*bars: tuple[int, int], scores: Sequence[float] | None = None, areas: Sequence[float] | None = None) -> Masks:
    """Return masks of one row, for examples."""
    stack = np.zeros((len(bars), 1, 10), dtype=bool)
    for row, (start, stop) in zip(stack, bars, strict=True):
        row[0, start:stop] = True
    return Masks.from_dense(stack, scores=scores, detection=None if areas is None else DetectionFacts(areas=areas))


_INNER = r"\frac{1}{101}\sum_{i=0}^{100}\max_{n : R_n\ge i/100} P_n"
_TWO = bars((0, 4), (5, 9)), bars((0, 4), (5, 10), scores=(0.9, 0.8))

average_precision = declare_value(
    "average_precision",
    order=10,
    symbol="AP",
    aliases=("ap", "map"),
    formula=rf"\mathrm{{AP}} = \frac{{1}}{{|C||\Gamma|}}\sum_{{c\in C}}\sum_{{\gamma\in\Gamma}}{_INNER}",
    summary="Average precision: the area under precision over recall as masks are accepted in descending order of "
    "score, averaged over IoU thresholds and classes.",
    notes=f"{NOTES} recall_points='coco' are the reference's 101 floats, ten of which are just above i/100, so that a "
    "recall of 7/20 does not reach 0.35; 'exact' are i/100. rule= is a rule, such as theta_and, instead of the "
    "thresholds.",
    examples=(
        Example(*_TWO, (7 + 3 * 51 / 101) / 10),
        Example(bars((0, 4)), bars((2, 7), (0, 4), scores=(0.9, 0.1)), 0.5, {"thresholds": 0.5}),
        Example(bars((0, 4)), bars((1, 7), scores=(0.5,)), 0, {"rule": "theta_plus"}),
        Example(bars((0, 5)), bars((1, 8), scores=(0.5,)), 1, {"rule": "theta_and"}),
    ),
)

for _least in ("0.5", "0.75"):
    declare_value(
        f"ap{_least[2:].ljust(2, '0')}",
        defaults={"thresholds": _least},
        symbol=rf"\mathrm{{AP}}_{{{_least[2:].ljust(2, '0')}}}",
        formula=rf"\mathrm{{AP}}_{{{_least[2:].ljust(2, '0')}}} = \frac{{1}}{{|C|}}\sum_{{c\in C}}{_INNER}",
        summary=f"Average precision at IoU {_least}: masks are found if they overlap a true one by at least that much.",
        notes=NOTES,
        examples=(Example(*_TWO, 1.0),),
    )

for _size in ("small", "medium", "large"):
    declare_value(
        f"ap_{_size}",
        defaults={"size": _size},
        symbol=rf"\mathrm{{AP}}_{{\mathrm{{{_size}}}}}",
        formula=rf"\mathrm{{AP}}_{{\mathrm{{{_size}}}}} = \frac{{1}}{{|C||\Gamma|}}"
        rf"\sum_{{c\in C}}\sum_{{\gamma\in\Gamma}}{_INNER}",
        summary=f"Average precision of {_size} masks, by COCO's limits of 32² and 96² pixels.",
        notes=f"{NOTES} {SIZE_NOTES}",
        examples=(
            Example(
                bars((0, 4), (5, 9), areas={"small": (4, 2000), "medium": (2000, 4), "large": (4, 9300)}[_size]),
                bars((0, 4), (5, 9), scores=(0.9, 0.8)),
                1.0,
            ),
        ),
        value_if_equal=1 if _size == "small" else None,
    )
