"""The superpixel benchmark [stutz2018superpixels]: boundary recall, undersegmentation error, ASA and compactness."""

from segmetry.protocols.protocol import Grid, Heading, ReferenceImplementation, declare

SUPERPIXELS = declare(
    name="superpixels",
    field="superpixels",
    summary="Boundary recall and precision, undersegmentation errors, achievable segmentation accuracy and "
    "compactness, mean over images, as superpixel-benchmark.",
    header="every label is a segment, 0 too; each image, then mean over images",
    decisions=(
        "Every label of both sides is a segment; there is no background.",
        "Boundary recall is the share of true boundary pixels with a superpixel boundary in their window.",
        "Boundary precision counts found pixels of the true boundary over these and the spurious pixels.",
        "The window reaches 0.25 % of the diagonal of the image in each direction, rounded.",
        "UE is one minus ASA; UE NP and UE Levin are the errors of Neubert and Protzel, and of Levinshtein.",
        "ASA is the share of pixels in the true segment that overlaps their superpixel most: purity.",
        "Compactness weighs each superpixel by its size; its perimeter includes the frame of the image.",
        "Every value is computed for each image, and images count alike in the mean.",
    ),
    headline="BR",
    cells=Grid(
        rows=(Heading("mean over images", average="by_item"),),
        columns=(
            Heading("BR", key="superpixel_boundary_recall"),
            Heading("BP", key="superpixel_boundary_precision"),
            Heading("UE", key="undersegmentation_error"),
            Heading("UE NP", key="ue_np"),
            Heading("UE Levin", key="ue_levin"),
            Heading("ASA", key="purity"),
            Heading("CO", key="compactness"),
            Heading("images", key="purity", show="n"),
        ),
    ),
    reference=ReferenceImplementation("superpixel-benchmark", "41fe174", "lib_eval/evaluation.cpp", transcribed=True),
    citation=("stutz2018superpixels", "neubert2012superpixel", "levinshtein2009turbopixels", "schick2012measuring"),
    reading={"outside": None},
    undefined=0,
    exceptions=(
        "Values are in double precision; the reference adds up in single precision.",
        "UE Levin is the mean over the true segments; the reference also counts labels that do not occur.",
    ),
)
