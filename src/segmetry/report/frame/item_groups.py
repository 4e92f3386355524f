"""What items and segments can be filtered by: columns about items, and sizes of segments."""

from __future__ import annotations

from collections.abc import Sequence

from segmetry.alignments.breakdown import Breakdown, BySize
from segmetry.errors import OptionError
from segmetry.report.page_records import FilterData
from segmetry.run.by_item import ByItem


def filter_facts(items: Sequence[str], by: Sequence[Breakdown | ByItem]) -> FilterData:
    """Return the label of every item in every column, and the bins of sizes (the last ones named, else COCO's).

    >>> from segmetry.run.by_item import ByItem
    >>> filter_facts(["a", "b"], [ByItem("tissue", {"a": "liver", "b": 7})])["groups"]
    {'tissue': ['liver', '7']}
    """
    groups: dict[str, list[str]] = {}
    sizes = BySize()
    for part in by:
        if isinstance(part, BySize):
            sizes = part
        elif isinstance(part, ByItem):
            part.groups(items)  # an item without a label is an error
            groups[part.name] = [str(part.labels[item]) for item in items]
        else:
            raise OptionError(
                f"by names a breakdown by {part.name!r}; expected a column about items (ByItem) or sizes (BySize)"
            )
    return {"groups": groups, "sizes": {"edges": list(sizes.edges), "names": list(sizes.names)}}
