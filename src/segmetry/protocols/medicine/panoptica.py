"""panoptica [kofler2023panoptica]: instances matched at IoU ≥ 0.5, quality and volume of the pairs, global Dice."""

from segmetry.protocols.protocol import EachClass, Grid, Heading, ReferenceImplementation, declare

_VALUES = (
    Heading("tp", key="n_matched"),
    Heading("fp", key="n_spurious"),
    Heading("fn", key="n_missed"),
    Heading("prec", key="precision"),
    Heading("rec", key="recall"),
    Heading("rq", key="rq"),
    Heading("sq", key="sq_weighted"),
    Heading("pq", key="pq"),
    Heading("sq_dsc", key="sq_dice"),
    Heading("pq_dsc", key="pq_dice"),
    Heading("sq_rvd", key="sq_rvd"),
    Heading("sq_rvae", key="sq_rvae"),
)
_GLOBAL = (
    Heading("global_bin_dsc", key="dice"),
    Heading("global_bin_rvd", key="relative_volume_difference"),
    Heading("global_bin_rvae", key="absolute_volume_error"),
)

PANOPTICA = declare(
    name="panoptica",
    field="instances in medical images",
    summary="Instance Dice, SQ, RQ and PQ by IoU and by Dice, volume errors of matched instances and of the "
    "whole, as panoptica prints them.",
    header="labels are instances; matched at IoU ≥ 0.5, best pairs first; values of each case, mean over cases",
    decisions=(
        "The value of a voxel is its instance; --components 26 makes instances of a semantic map.",
        "Pairs of instances are taken by descending IoU if it is at least 0.5 and both are still free.",
        "sq and pq weigh a matched pair by its IoU, sq_dsc and pq_dsc by its Dice coefficient.",
        "sq_rvd and sq_rvae are means over the matched pairs of (V_pred − V_ref)/V_ref and of its absolute value.",
        "The global values compare all instances of a side together.",
        "A case with instances but without a pair has sq and sq_dsc 0; its volume errors have no value.",
        "A case without instances on either side has no value and is left out of the means.",
        "Values are computed for each case; the table shows their means over cases.",
    ),
    headline="pq_dsc",
    cells=Grid(rows=(*_VALUES, *_GLOBAL), columns=(Heading("mean", average="by_item_of_classes"),)),
    class_cells=Grid(
        rows=(EachClass(average="by_item"),),
        columns=tuple(value for value in _VALUES if value.text in ("rq", "sq", "pq", "sq_dsc", "pq_dsc", "sq_rvd")),
        corner="class",
    ),
    reference=ReferenceImplementation("panoptica", "2.1.7", "Panoptica_Evaluator.evaluate"),
    citation=("kofler2023panoptica", "kirillov2019panoptic"),
    rule="greedy(weight=iou,at_least=1/2)",
    options={
        "sq_weighted": {"weight": "iou", "without_pair": 0},
        "sq_dice": {"without_pair": 0},
        "dice": {"foreground": True},
        "relative_volume_difference": {"foreground": True},
        "absolute_volume_error": {"foreground": True},
    },
    exceptions=(
        "Global volume errors are computed where foregrounds do not overlap; panoptica has NaN there.",
        "NSD (surface_dice) is higher for better pairs; panoptica declares it decreasing, so its matching inverts.",
    ),
    neighbours=("coco-panoptic", "nnunet"),
)
