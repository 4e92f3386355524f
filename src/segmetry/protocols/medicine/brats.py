"""BraTS since 2023 [saluja2023brats]: lesion-wise Dice and HD95 of the regions of a brain tumour.

The challenges differ in how far the truth is dilated and in which lesions are too small: one protocol for each kind.
"""

from __future__ import annotations

from segmetry.protocols.protocol import Grid, Heading, Protocol, ReferenceImplementation, declare

REGIONS = {"WT": (1, 2, 3), "TC": (1, 3), "ET": (3,)}
"""Whole tumour, tumour core and enhancing tumour: 1 is necrotic core, 2 oedema, 3 enhancing tumour."""
_LESIONS = ("lesion_dice", "lesion_hausdorff95", "lesion_f1", "lesions_found", "lesions_missed", "lesions_spurious")
_COLUMNS = (
    Heading("Dice", key="lesion_dice", average="by_class_of_items"),
    Heading("HD95", key="lesion_hausdorff95", average="by_class_of_items"),
    Heading("F1", key="lesion_f1", average="by_class_of_items"),
    Heading("TP", key="lesions_found", average="by_class"),
    Heading("FN", key="lesions_missed", average="by_class"),
    Heading("FP", key="lesions_spurious", average="by_class"),
    Heading("whole Dice", key="dice", average="by_class_of_items"),
    Heading("whole HD95", key="class_hausdorff95", average="by_class_of_items"),
)


def _brats(name: str, challenges: str, dilation: int, least_volume: int, neighbours: tuple[str, ...]) -> Protocol:
    """Declare the protocol of some of the challenges."""
    lesions = {"dilation": dilation, "least_volume": least_volume}
    empty = {"lesion_dice": 1, "lesion_hausdorff95": 0, "lesion_f1": 1}
    steps = f"{dilation} step{'s' * (dilation != 1)}"
    return declare(
        name=name,
        field="brain tumours in MRI",
        summary=f"Lesion-wise Dice and HD95 of whole tumour, tumour core and enhancing tumour, as BraTS {challenges} "
        "scores them.",
        header=f"regions WT, TC, ET; lesions of the truth dilated by {steps}, above {least_volume} mm³; "
        "means over cases, sums of TP, FN, FP",
        decisions=(
            "WT is the union of labels 1, 2, 3, TC of 1, 3, ET is label 3; other labels are background.",
            f"The truth of a region is dilated by {steps}, by the 18 neighbours that share a face or an edge.",
            "True voxels in one connected component (26 neighbours) of the dilation are one lesion.",
            "All predicted components (26 neighbours) that touch the dilation of a lesion are its prediction.",
            "A predicted component may serve several lesions; one that touches none is a false positive.",
            f"True lesions of at most {least_volume} mm³ do not count; false positives of any size do.",
            "A found lesion has its Dice and the HD95 of surface-distance; missed and false ones have 0 and 374 mm.",
            "The value of a case is the mean over its lesions; with none at all it is Dice 1, HD95 0 and F1 1.",
            "The spacing of both files must agree, or one file states it.",
            "Whole Dice and HD95 are those of whole regions: 0 and 374 mm on one side only, 1 and 0 on neither.",
        ),
        metrics=(*_LESIONS, "dice", "class_hausdorff95"),
        headline=("mean", "Dice"),
        cells=Grid(
            rows=(
                *(Heading(region, level="class", name=region, optional=True) for region in REGIONS),
                Heading("mean", level="group", name="all"),
            ),
            columns=_COLUMNS,
            corner="region",
        ),
        reference=ReferenceImplementation("BraTS-2023-Metrics", "2023", "get_LesionWiseResults", transcribed=True),
        citation=("saluja2023brats", "nikolov2021clinically"),
        reading={"union": REGIONS},
        options={
            **{key: lesions | ({"both_empty": empty[key]} if key in empty else {}) for key in _LESIONS},
            "dice": {"both_empty": 1},
            "class_hausdorff95": {"weights": "area", "missing": 374, "both_empty": 0},
        },
        exceptions=(
            "A region that no case has on either side has no row; the script gives it Dice 1 and HD95 0.",
            "Files whose spacing differs are an error; the script takes the spacing of the prediction.",
            "A volume is compared with the limit exactly; the script multiplies floats.",
        ),
        neighbours=neighbours,
    )


BRATS = _brats(
    "brats",
    "GLI, SSA and PED",
    dilation=3,
    least_volume=50,
    neighbours=("brats-men", "brats-met", "nnunet"),
)
BRATS_MEN = _brats(
    "brats-men",
    "MEN",
    dilation=1,
    least_volume=50,
    neighbours=("brats", "brats-met"),
)
BRATS_MET = _brats(
    "brats-met",
    "MET",
    dilation=1,
    least_volume=2,
    neighbours=("brats", "brats-men"),
)
