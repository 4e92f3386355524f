"""Metrics Reloaded [maierhein2024metrics]: all measures of its package for each label of each case."""

from segmetry.protocols.protocol import EachClass, Grid, Heading, ReferenceImplementation, declare

_MEASURES = (
    Heading("numb_ref", key="true_elements"),
    Heading("numb_pred", key="pred_elements"),
    Heading("numb_tp", key="true_positive_elements"),
    Heading("numb_fp", key="false_positive_elements"),
    Heading("numb_fn", key="false_negative_elements"),
    Heading("accuracy", key="class_accuracy"),
    Heading("nb", key="net_benefit"),
    Heading("ec", key="expected_cost"),
    Heading("ba", key="balanced_accuracy"),
    Heading("cohens_kappa", key="cohen_kappa"),
    Heading("lr+", key="positive_likelihood_ratio"),
    Heading("iou", key="iou"),
    Heading("fbeta", key="class_f_beta"),
    Heading("dsc", key="dice"),
    Heading("youden_ind", key="youden_index"),
    Heading("ppv", key="positive_predictive_value"),
    Heading("npv", key="negative_predictive_value"),
    Heading("sensitivity, ior", key="true_positive_rate"),
    Heading("specificity", key="specificity"),
    Heading("mcc", key="matthews_correlation"),
    Heading("avdr", key="absolute_volume_error"),
    Heading("assd", key="class_surface_distance"),
    Heading("masd", key="class_mean_surface_distance"),
    Heading("boundary_iou", key="class_boundary_iou"),
    Heading("hd", key="class_hausdorff"),
    Heading("hd_perc", key="class_hausdorff95"),
    Heading("nsd", key="class_surface_dice"),
)

METRICS_RELOADED = declare(
    name="metrics-reloaded",
    field="medical image segmentation",
    summary="The counting, volume and distance measures of MetricsReloaded for each label, mean over cases and "
    "then over labels.",
    header="labels are classes, 0 is background; each case and label, mean over cases, then over labels",
    decisions=(
        "The value of a voxel is its class; each label is compared with all others, label 0 among them.",
        "Every measure is computed for each case and label; its mean is over the cases in which it has a value.",
        "Sensitivity and intersection over reference are the same number.",
        "nb has an exchange rate of 1 (--option net_benefit.exchange_rate=1/9).",
        "ec weighs errors inversely to frequency, unless cost_fp and cost_fn are stated for expected_cost.",
        "A surface are the elements with a neighbour along an axis that is not of the label; elements count alike.",
        "hd_perc is the larger of the 95th percentiles of both directions, interpolated linearly.",
        "nsd counts surface elements within 1 unit of spacing (--option class_surface_dice.tolerance=2).",
        "boundary_iou compares the surface elements themselves.",
    ),
    headline="dsc",
    cells=Grid(
        rows=_MEASURES,
        columns=(Heading("mean over labels", level="group", name="all", average="by_class_of_items"),),
        corner="measure",
    ),
    class_cells=Grid(rows=_MEASURES, columns=(EachClass(average="by_item"),), corner="measure"),
    reference=ReferenceImplementation("MetricsReloaded", "0.1 (ca3d352)", "BinaryPairwiseMeasures", transcribed=True),
    citation=("maierhein2024metrics", "taha2015metrics"),
    reading={"labels": "classes"},
    options={"class_surface_dice": {"tolerance": 1, "weights": "elements"}, "class_boundary_iou": {"d": "surface"}},
    exceptions=(
        "Cases with a label on neither side are left out of all but its counts; the reference writes 1 or 0.",
        "PPV of a label that is nowhere predicted has no value, NPV of one that is everywhere; it writes 0.",
        "Distances of a label on one side only have no value, nsd is 0; it measures to a corner of the volume.",
        "Numbers are doubles from exact counts; the reference counts in float32, about seven digits.",
        "clDice is not part of the table.",
    ),
    neighbours={
        "nnunet": "Dice, IoU and counts are the same numbers.",
        "monai": "labels that a case does not have in the truth are left out; infinite distances stay in means.",
    },
)
