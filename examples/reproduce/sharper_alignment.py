"""Van Heusden and Marx 2024, "A sharper definition of alignment for Panoptic Quality": Table 2 and the tests around it.

From the result files published with the paper: pairs and IoUs of every image under both rules. The independent numbers
are those of the lists themselves, by numpy and scipy.
"""

from __future__ import annotations

import math
from itertools import chain
from typing import Any

import numpy as np
from scipy.stats import ks_2samp, pearsonr

from beside import DATA, NOTHING, Beside, finish
from published import ADDITIONAL_IN_THE_TEXT, MISPRINTED, TABLE_TWO, additional_pairs, images_of, two_rules_of

Images = dict[str, Any]
NOT_PUBLISHED = {
    "CityScapes: objects an image": ("20.4", "the file has 10,119 in 500 images, 20.2, or 20.6 of the 492 with any"),
    "classes of all and of additional pairs, KS": (
        "D = .43, .03, .23; p = .37, .07, < .001",
        "the files have no classes",
    ),
    "false hits": ("61: .5 %, 5 %, 6 %", "the files have no overlaps of pairs that are not aligned"),
    "median size of false hits": ("359, 422, 930", "the files have no sizes of segments"),
    "false hits below 1,024 pixels": ("100 %, 71 %, 65 %", "the files have no sizes of segments"),
    "kinds of CityScapes' 232": (
        "48, 45, 24, 48, 45, 12",
        "assigned by hand (they sum to 222); segmetry computes kinds from overlaps, which the files lack",
    ),
}
"""What the published files cannot give: the numbers of the paper, and why."""


def data_set(name: str, images: Images) -> Beside:
    """Compare one row of Table 2, the Kolmogorov–Smirnov test, and further facts of the file."""
    printed, found = TABLE_TWO[name], two_rules_of(images)
    table = Beside(f"{name}: {found.n_items:,} images", "Table 2, figure 3 and the text of section 3")
    narrow, wide = (
        [iou for image in images.values() for iou in image[rule]["iou"]] for rule in ("theta_plus", "theta_and")
    )
    extra = [iou for iou in wide if iou <= 0.5]
    table.same("pairs under θ⁺", printed["pairs"][0], found.n_narrow, len(narrow), digits=0)
    table.same("pairs under θ&", printed["pairs"][1], found.n_wide, len(wide), digits=0)
    if name == MISPRINTED:
        why = f"a misprint: the sum in the text, {ADDITIONAL_IN_THE_TEXT:,}, needs {additional_pairs(name)}"
        table.differs("additional pairs", str(printed["additional"]), str(found.n_additional), why, str(len(extra)))
    else:
        table.same("additional pairs", printed["additional"], found.n_additional, len(extra), digits=0)
    objects = sum(image["theta_and"]["n_true"] for image in images.values())
    share = found.n_additional / objects
    why = f"{share:.4f}: recall gained, as the text says; the caption says of all pairs"
    table.same("fraction: of true objects", float(printed["fraction"]), share, len(extra) / objects, digits=2, why=why)
    of_wide, of_narrow = found.additional_fraction or math.nan, found.n_additional / found.n_narrow
    table.differs(
        "of θ& pairs, as in the caption", printed["fraction"], f"{of_wide:.3f}", "", f"{len(extra) / len(wide):.3f}"
    )
    table.differs("of θ⁺ pairs", printed["fraction"], f"{of_narrow:.3f}", "", f"{len(extra) / len(narrow):.3f}")
    digits = 3 if name == "coco" else 2
    test = ks_2samp(narrow, wide)
    table.same(
        "Kolmogorov–Smirnov D", printed["ks"], found.ks_statistic or math.nan, float(test.statistic), digits=digits
    )
    table.differs("its p value", printed["p"], f"{found.ks_p:.1e}", "", f"{test.pvalue:.1e}")
    quartiles = found.additional_iou.quartiles or (math.nan,) * 3
    quartile = float(np.percentile(extra, 25))
    table.differs("first quartile of their IoU", "> .43", f"{quartiles[0]:.3f}", "", f"{quartile:.3f}")
    table.wrong += not (quartiles[0] > 0.43 and math.isclose(quartiles[0], quartile))
    clashing = sum(_clashes(image["theta_and"]["pairs"]) for image in images.values())
    own = len(found.wide_not_one_to_one)
    table.differs("images not one-to-one under θ&", "0", str(own), "masks overlap" if own else "", str(clashing))
    table.wrong += own != clashing
    lost = found.n_additional - (found.n_wide - found.n_narrow)
    if lost:
        table.differs("θ⁺ pairs missing from the θ& list", "0", str(lost), "overlapping masks, resolved twice")
    return table


def _clashes(pairs: list[list[int]]) -> bool:
    return any(len(set(side)) < len(pairs) for side in zip(*pairs, strict=True))


def together(images: dict[str, Images]) -> Beside:
    """Compare the three data sets together: additional pairs, their IoU, and their correlation with objects."""
    table = Beside("all three", "the text of section 3")
    every = {f"{name}/{image}": found for name, items in images.items() for image, found in items.items()}
    found = two_rules_of(every)
    extra = [[iou for iou in image["theta_and"]["iou"] if iou <= 0.5] for image in every.values()]
    objects, ious = [image["theta_and"]["n_true"] for image in every.values()], list(chain(*extra))
    of = found.additional_iou
    table.same("additional pairs", ADDITIONAL_IN_THE_TEXT, found.n_additional, len(ious), digits=0)
    table.same("mean of their IoU", 0.46, of.mean or math.nan, float(np.mean(ious)), digits=2)
    table.same("standard deviation", 0.03, of.sd or math.nan, float(np.std(ious, ddof=1)), digits=2)
    test = pearsonr(objects, [len(one) for one in extra])
    table.same(
        "correlation with objects per image", 0.35, found.correlation or math.nan, float(test.statistic), digits=2
    )
    table.differs("its p value", "p < .001", f"{found.correlation_p:.0e}", "", f"{test.pvalue:.0e}")
    why = "two fewer than images; the paper prints their number"
    table.differs("degrees of freedom", "9,036", f"{found.n_items - 2:,}", why, f"{len(objects) - 2:,}")
    return table


def not_published() -> Beside:
    """List what the files cannot give."""
    table = Beside("what the published files cannot give", "the text of section 3")
    for what, (printed, why) in NOT_PUBLISHED.items():
        table.differs(what, printed, NOTHING, why)
    return table


if __name__ == "__main__":
    if not (DATA / "theta_published").is_dir():
        print("skipped: the published result files (theta_published) are not available")
    else:
        every = {name: images_of(DATA, name) for name in TABLE_TWO}
        finish([*(data_set(name, images) for name, images in every.items()), together(every), not_published()])
