"""scikit-image: variation of information and adapted Rand error of raw label arrays [nuneziglesias2013machine]."""

from segmetry.protocols.protocol import Grid, Heading, ReferenceImplementation, declare

SKIMAGE_VOI = declare(
    name="skimage-voi",
    field="connectomics",
    summary="VOI split and merge in bits, and the adapted Rand error, of all voxels, as scikit-image computes.",
    header="label 0 is a segment on both sides; each volume, then mean over volumes",
    decisions=(
        "Every voxel counts, and label 0 is a segment on both sides.",
        "VOI split is H(prediction | truth), VOI merge is H(truth | prediction), in bits.",
        "ARAND is one minus the F score over pairs of different voxels.",
        "Every value is computed for each volume, and volumes count alike in the mean.",
    ),
    background="segment",
    options={"adapted_rand_error": {"self_pairs": False}},
    headline="VOI",
    cells=Grid(
        rows=(Heading("mean over volumes", average="by_item"),),
        columns=(
            Heading("VOI split", key="vi_split"),
            Heading("VOI merge", key="vi_merge"),
            Heading("VOI", key="variation_of_information"),
            Heading("ARAND", key="adapted_rand_error"),
            Heading("volumes", key="variation_of_information", show="n"),
        ),
    ),
    reference=ReferenceImplementation(
        "scikit-image", "0.26", "variation_of_information, adapted_rand_error(ignore_labels=())"
    ),
    citation=("meila2007comparing", "nuneziglesias2013machine"),
    exceptions=("Where no side puts two voxels together, ARAND is undefined; scikit-image divides by 0.",),
    neighbours=("cremi",),
)
