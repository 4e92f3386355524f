"""The NeurIPS 2022 cell segmentation challenge [ma2024multimodality]: F1 at IoU 0.5 without cells at the border."""

from segmetry.protocols.protocol import Grid, Heading, ReferenceImplementation, declare

_KEYS = ("segment_f1", "segment_precision", "segment_recall")

NEURIPS_CELLSEG = declare(
    name="neurips-cellseg",
    field="cells in microscopy images",
    summary="F1, precision and recall of cells at IoU 0.5, mean over images, as the script of the challenge.",
    header="labels are instances, 0 is background; cells at the border left out; IoU ≥ 0.5; mean over images",
    decisions=(
        "Every label but 0 is a cell; classes are ignored.",
        "A cell with a pixel among the two outermost rows or columns is left out, on each side by itself.",
        "The largest number of one-to-one pairs with IoU of at least 0.5 is matched.",
        "F1, precision and recall of an image without a pair are 0, also where there is no cell at all.",
        "Every value is computed for each image, and images count alike in the mean.",
    ),
    options={key: {"thresholds": 0.5, "empty": 0} for key in _KEYS},
    headline="F1",
    cells=Grid(
        rows=(Heading("mean over images", average="by_item_of_classes"),),
        columns=(
            Heading("F1", key="segment_f1"),
            Heading("precision", key="segment_precision"),
            Heading("recall", key="segment_recall"),
            Heading("images", key="segment_f1", show="n"),
        ),
    ),
    reference=ReferenceImplementation("NeurIPS-CellSeg", "3128e96", "compute_metric.py", transcribed=True),
    citation=("ma2024multimodality",),
    reading={"border": 2},
    classes="ignore",
    undefined=0,
    exceptions=(
        "Values of images are not rounded; the reference rounds each to four decimals before the mean.",
        "Images of any size are scored whole; the reference cuts those of 25 million pixels or more into tiles.",
        "Where all pixels at the border are cells, the reference keeps the one with the smallest label.",
    ),
    neighbours=("stardist",),
)
