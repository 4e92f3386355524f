"""The three averages of a data set, by name.

* ``by_item``: the metric of every item, then the mean over items. The metric of an item whose segments carry classes is
  the mean over its classes (see :mod:`segmetry.metrics.class_average`).
* ``by_class``: counts added over the data set for each class, the metric of each class, then the mean over classes
  [kirillov2019panoptic].
* ``all_segments``: counts added over the data set, classes ignored (the micro average).
"""

from __future__ import annotations

from typing import Any, Literal

from segmetry.errors import OptionError

Average = Literal["by_item", "by_class", "all_segments"]
AVERAGES: tuple[Average, ...] = ("by_item", "by_class", "all_segments")
AVERAGE_HEADINGS: dict[Average, str] = {"by_item": "by item", "by_class": "by class", "all_segments": "all segments"}


def checked_average_name(average: Any) -> Average:
    """Return a checked name of an average.

    >>> checked_average_name("by_class")
    'by_class'
    """
    for name in AVERAGES:
        if average == name:
            return name
    raise OptionError(f"average is {average!r}; expected one of {', '.join(AVERAGES)}")
