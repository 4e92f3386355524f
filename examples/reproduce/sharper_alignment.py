"""Van Heusden and Marx 2024, "A sharper definition of alignment for Panoptic Quality": Table 2 and the tests around it.

From the result files published with the paper: pairs and IoUs of every image under both rules.
"""

from __future__ import annotations

import gzip
import json
import math
from typing import Any

import numpy as np
from scipy.stats import pearsonr

from segmetry.aggregate.two_rules import TwoAlignments, TwoRules, two_rules

from beside import DATA, Beside, finish

PRINTED: dict[str, dict[str, Any]] = {
    "cityscapes": {"pairs": (6944, 7166), "additional": 232, "fraction": ".02", "ks": 0.03, "p": "p = .001"},
    "coco": {"pairs": (18957, 19483), "additional": 536, "fraction": ".01", "ks": 0.027, "p": "p < .001"},
    "lvis": {"pairs": (14053, 14545), "additional": 492, "fraction": ".01", "ks": 0.03, "p": "p < .001"},
}


def _n_pred(found: dict[str, Any]) -> int:
    """The files count a pred once for every pair it is in; a segment is one segment."""
    return int(found["n_pred"]) - len(found["pairs"]) + len({pred for _, pred in found["pairs"]})


def _images(name: str) -> dict[str, Any]:
    with gzip.open(DATA / "theta_published" / f"{name}.json.gz") as file:
        images: dict[str, Any] = json.load(file)
    return images


def _two(images: dict[str, Any]) -> TwoRules:
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


def data_set(name: str, images: dict[str, Any]) -> Beside:
    """One column of Table 2, the Kolmogorov–Smirnov test, and what the file itself reveals."""
    printed, found = PRINTED[name], _two(images)
    table = Beside(f"{name}: {found.n_items:,} images")
    table.same("pairs under θ⁺", printed["pairs"][0], found.n_narrow, digits=0)
    table.same("pairs under θ&", printed["pairs"][1], found.n_wide, digits=0)
    if name == "coco":
        table.differs(
            "additional pairs", "536", str(found.n_additional), "a misprint: the sum in the text, 1,250, needs 526"
        )
    else:
        table.same("additional pairs", printed["additional"], found.n_additional, digits=0)
    fraction = found.additional_fraction or math.nan
    table.differs("of all θ& pairs", printed["fraction"], f"{fraction:.3f}", "the paper's is recall gained, or cut off")
    digits = 3 if name == "coco" else 2
    table.same("Kolmogorov–Smirnov D", printed["ks"], found.ks_statistic or math.nan, digits=digits)
    table.differs("its p value", printed["p"], f"{found.ks_p:.1e}", "")
    quartiles = found.additional_iou.quartiles or (math.nan,) * 3
    table.differs("first quartile of their IoU", "> .43", f"{quartiles[0]:.3f}", "")
    table.differs("images not one-to-one under θ&", "–", str(len(found.wide_not_one_to_one)), "masks overlap")
    lost = found.n_additional - (found.n_wide - found.n_narrow)
    if lost:
        table.differs("θ⁺ pairs missing from the θ& list", "0", str(lost), "overlapping masks, resolved twice")
    return table


def together(images: dict[str, dict[str, Any]]) -> Beside:
    """The three sets as one: 1,250 additional pairs, their IoU, and their correlation with the number of objects."""
    table = Beside("all three")
    objects, additional, ious = [], [], []
    for found in (one for each in images.values() for one in each.values()):
        extra = [iou for iou in found["theta_and"]["iou"] if iou <= 0.5]
        objects.append(found["theta_and"]["n_true"])
        additional.append(len(extra))
        ious += extra
    table.same("additional pairs", 1250, sum(additional), digits=0)
    table.same("mean of their IoU", 0.46, float(np.mean(ious)), digits=2)
    table.same("standard deviation", 0.03, float(np.std(ious, ddof=1)), digits=2)
    table.same("correlation with objects per image", 0.35, float(pearsonr(objects, additional).statistic), digits=2)
    table.differs("degrees of freedom", "9,036", f"{len(objects) - 2:,}", "two fewer than images")
    return table


if __name__ == "__main__":
    if not (DATA / "theta_published").is_dir():
        print("left out: the published result files (theta_published) are not here")
    else:
        every = {name: _images(name) for name in PRINTED}
        finish([*(data_set(name, images) for name, images in every.items()), together(every)])
