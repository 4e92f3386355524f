"""FG-ARI and mBO: object discovery in images [greff2019multi]."""

from segmetry.protocols.protocol import Grid, Heading, ReferenceImplementation, declare

FG_ARI = declare(
    name="fg-ari",
    field="object discovery",
    summary="The adjusted Rand index of the elements of true objects, and the mean best overlap of true objects.",
    header="elements of true label 0 left out; every predicted label a segment; each image, then mean over images",
    decisions=(
        "FG-ARI is the adjusted Rand index of the elements whose true label is not 0.",
        "Every predicted label is a segment, 0 too.",
        "FG-ARI is 1 where the only true object is one predicted segment, though chance alone would find it.",
        "mBO is the mean over true objects of the largest IoU with a predicted segment.",
        "The IoU counts all elements of the predicted segment, also those outside all true objects.",
        "Both are computed for each image, and images count alike in the mean.",
    ),
    background="foreground",
    options={"adjusted_rand_index": {"trivial": 1}},
    reading={"pred_outside": None},
    headline="FG-ARI",
    cells=Grid(
        rows=(Heading("mean over images", average="by_item"),),
        columns=(
            Heading("FG-ARI", key="adjusted_rand_index"),
            Heading("mBO", key="mean_best_iou"),
            Heading("images", key="mean_best_iou", show="n"),
        ),
    ),
    reference=ReferenceImplementation(
        "scikit-learn", "1.9.1", "adjusted_rand_score of the foreground; mBO transcribed"
    ),
    citation=("greff2019multi",),
    exceptions=("An image without a true object has no value and is left out; scikit-learn writes 1.",),
)
