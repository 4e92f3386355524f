"""Van Heusden and Marx 2024, "A sharper definition of alignment for Panoptic Quality": Table 2 and the tests around it.

From the result files published with the paper: pairs and IoUs of every image under both rules.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.stats import pearsonr

from beside import DATA, Beside, finish
from published import ADDITIONAL_IN_THE_TEXT, MISPRINTED, TABLE_TWO, additional_pairs, images_of, two_rules_of


def data_set(name: str, images: dict[str, Any]) -> Beside:
    """Compare one column of Table 2, the Kolmogorov–Smirnov test, and further facts of the file."""
    printed, found = TABLE_TWO[name], two_rules_of(images)
    table = Beside(f"{name}: {found.n_items:,} images")
    table.same("pairs under θ⁺", printed["pairs"][0], found.n_narrow, digits=0)
    table.same("pairs under θ&", printed["pairs"][1], found.n_wide, digits=0)
    if name == MISPRINTED:
        why = f"a misprint: the sum in the text, {ADDITIONAL_IN_THE_TEXT:,}, needs {additional_pairs(name)}"
        table.differs("additional pairs", str(printed["additional"]), str(found.n_additional), why)
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
    """Compare the three data sets together: additional pairs, their IoU, and their correlation with objects."""
    table = Beside("all three")
    objects, additional, ious = [], [], []
    for image in (image for data_set in images.values() for image in data_set.values()):
        extra = [iou for iou in image["theta_and"]["iou"] if iou <= 0.5]
        objects.append(image["theta_and"]["n_true"])
        additional.append(len(extra))
        ious += extra
    table.same("additional pairs", ADDITIONAL_IN_THE_TEXT, sum(additional), digits=0)
    table.same("mean of their IoU", 0.46, float(np.mean(ious)), digits=2)
    table.same("standard deviation", 0.03, float(np.std(ious, ddof=1)), digits=2)
    table.same("correlation with objects per image", 0.35, float(pearsonr(objects, additional).statistic), digits=2)
    table.differs("degrees of freedom", "9,036", f"{len(objects) - 2:,}", "two fewer than images")
    return table


if __name__ == "__main__":
    if not (DATA / "theta_published").is_dir():
        print("skipped: the published result files (theta_published) are not available")
    else:
        every = {name: images_of(DATA, name) for name in TABLE_TWO}
        finish([*(data_set(name, images) for name, images in every.items()), together(every)])
