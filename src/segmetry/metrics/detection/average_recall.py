"""Average recall [lin2014microsoft]: the share of true masks found by the first few predictions.

AR = mean over classes and IoU thresholds of the recall of the first ``max_detections`` predictions of each class in
each image.
"""

from __future__ import annotations

from segmetry.metrics.declare import Example
from segmetry.metrics.detection.average_precision import SIZE_NOTES, bars
from segmetry.metrics.detection.detection_metric import declare_value

_FORMULA = r" = \frac{1}{|C||\Gamma|}\sum_{c\in C}\sum_{\gamma\in\Gamma}\frac{|M_{c,\gamma}|}{|T_c|}"
_NOTES = (
    "M are the true masks that are matched. Undefined without true masks; classes that have none are left out, as in "
    "the reference. Matching is that of average precision; the order of scores matters only where it decides which "
    "predictions are considered. Over a data set, recall is counted over all images; by item, it is the mean of the "
    "values of the images."
)
_TWO = bars((0, 4), (5, 9)), bars((0, 4), (5, 10), scores=(0.9, 0.8))
_BOTH_FOUND = (7 * 2 + 3) / 20

for _order, _key, _limit in ((70, "ar_1", 1), (80, "ar_10", 10), (90, "average_recall", 100)):
    declare_value(
        _key,
        of_recall=True,
        defaults={"max_detections": _limit},
        order=_order,
        symbol=rf"\mathrm{{AR}}_{{{_limit}}}",
        aliases=("ar", "ar_100") if _key == "average_recall" else (),
        formula=rf"\mathrm{{AR}}_{{{_limit}}}{_FORMULA}",
        summary="Average recall: the share of true masks that are found by at most "
        + (f"{_limit} predictions" if _limit > 1 else "one prediction")
        + " of each class in an image, averaged over IoU thresholds and classes.",
        notes=_NOTES,
        examples=(Example(*_TWO, 0.5 if _limit == 1 else _BOTH_FOUND),),
        value_if_equal=None if _limit == 1 else 1,
    )

for _size in ("small", "medium", "large"):
    declare_value(
        f"ar_{_size}",
        of_recall=True,
        defaults={"size": _size},
        symbol=rf"\mathrm{{AR}}_{{\mathrm{{{_size}}}}}",
        formula=rf"\mathrm{{AR}}_{{\mathrm{{{_size}}}}}{_FORMULA}",
        summary=f"Average recall of {_size} masks, by COCO's limits of 32² and 96² pixels.",
        notes=f"{_NOTES} {SIZE_NOTES}",
        examples=(
            Example(
                bars((0, 4), (5, 9), areas={"small": (4, 2000), "medium": (2000, 4), "large": (4, 9300)}[_size]),
                bars((0, 4), (5, 9), scores=(0.9, 0.8)),
                1.0,
            ),
        ),
        value_if_equal=1 if _size == "small" else None,
    )
