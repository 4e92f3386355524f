"""The printed and published numbers of two papers, for the scripts and for the golden tests."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import segmetry as sm
from segmetry.statistics.wider_rule import TwoAlignments, TwoRules, two_rules

# Marx 2022, Table 1: all 16,384 segmentations of 15 elements against one truth.
TRUE = [2, 3, 2, 1, 1, 3, 2, 1]
COLUMNS = [(rule, key) for key in ("sq", "f1", "weighted_f1") for rule in ("theta_plus", "theta_and")]
TABLE_ONE = {
    "count": (15556, 15885, 16384, 16384, 16384, 16384),
    "mean": (0.855, 0.819, 0.348, 0.379, 0.298, 0.314),
    "std": (0.107, 0.117, 0.184, 0.180, 0.164, 0.161),
    "min": (0.600, 0.500, 0.000, 0.000, 0.000, 0.000),
    "25%": (0.787, 0.750, 0.235, 0.250, 0.185, 0.196),
    "50%": (0.867, 0.833, 0.333, 0.375, 0.292, 0.302),
    "75%": (0.920, 0.889, 0.471, 0.500, 0.407, 0.419),
    "max": (1.000, 1.000, 1.000, 1.000, 1.000, 1.000),
}
GAIN_IN_THE_TEXT = 229
"""What section 6.2 says that the second count is above the first."""
SHARES = {"min": 0, "25%": 25, "50%": 50, "75%": 75, "max": 100}

# Van Heusden and Marx 2024, Table 2 and the tests around it: pairs under θ⁺ and θ&, those θ& adds.
TABLE_TWO: dict[str, dict[str, Any]] = {
    "cityscapes": {"pairs": (6944, 7166), "additional": 232, "fraction": ".02", "ks": 0.03, "p": "p = .001"},
    "coco": {"pairs": (18957, 19483), "additional": 536, "fraction": ".01", "ks": 0.027, "p": "p < .001"},
    "lvis": {"pairs": (14053, 14545), "additional": 492, "fraction": ".01", "ks": 0.03, "p": "p < .001"},
}
ADDITIONAL_IN_THE_TEXT = 1250
"""The sum of the additional pairs of all three sets, which shows that one of them is misprinted in the table."""
MISPRINTED = "coco"


def all_scores() -> dict[tuple[str, str], list[float]]:
    """Return the defined scores of all segmentations of 15 elements, by column of Table 1."""
    true = sm.Spans.from_masses(TRUE)
    values: dict[tuple[str, str], list[float]] = {column: [] for column in COLUMNS}
    for bits in range(2**14):
        cuts = [gap for gap in range(1, 15) if bits >> (gap - 1) & 1]
        table = sm.overlap(true, sm.Spans.from_boundaries(cuts, n=15))
        alignments = {rule: sm.align(table, rule) for rule in ("theta_plus", "theta_and")}
        for rule, key in COLUMNS:
            score = getattr(alignments[rule], key)
            if score.is_defined:
                values[rule, key].append(score.value)
    return values


def table_one() -> dict[str, tuple[float, ...]]:
    """Return our Table 1: sample standard deviation, linear quartiles, SQ over the cases where it is defined."""
    return described(all_scores().values())


def described(columns: Iterable[Sequence[float]]) -> dict[str, tuple[float, ...]]:
    """Return the rows of Table 1 from its columns."""
    arrays = [np.array(found) for found in columns]
    rows = {
        "count": tuple(float(values.size) for values in arrays),
        "mean": tuple(float(values.mean()) for values in arrays),
        "std": tuple(float(values.std(ddof=1)) for values in arrays),
    }
    return rows | {
        name: tuple(float(np.percentile(values, share)) for values in arrays) for name, share in SHARES.items()
    }


def additional_pairs(name: str) -> int:
    """Return the numbers of Table 2; the misprinted one is corrected by the sum in the text."""
    if name != MISPRINTED:
        return int(TABLE_TWO[name]["additional"])
    return ADDITIONAL_IN_THE_TEXT - sum(int(row["additional"]) for other, row in TABLE_TWO.items() if other != name)


def images_of(data: Path, name: str) -> dict[str, Any]:
    """Return the result file published with Table 2: pairs and IoUs of every image under both rules."""
    with gzip.open(data / "theta_published" / f"{name}.json.gz") as file:
        images: dict[str, Any] = json.load(file)
    return images


def two_rules_of(images: dict[str, Any]) -> TwoRules:
    """Summarise both alignments of all images."""
    return two_rules(
        TwoAlignments.of_lists(
            image,
            (found["theta_plus"]["pairs"], found["theta_plus"]["iou"]),
            (found["theta_and"]["pairs"], found["theta_and"]["iou"]),
            found["theta_and"]["n_true"],
            _n_pred(found["theta_and"]),
        )
        for image, found in images.items()
    )


def _n_pred(found: dict[str, Any]) -> int:
    """Count predicted segments once each; the files count them once for every pair."""
    return int(found["n_pred"]) - len(found["pairs"]) + len({pred for _, pred in found["pairs"]})
