"""CREMI: variation of information, adapted Rand error and their geometric mean [funke2016cremi]."""

from segmetry.protocols.grid import Grid, Heading
from segmetry.protocols.protocol import Protocol, ReferenceImplementation, declare_protocol

CREMI = declare_protocol(
    Protocol(
        name="cremi",
        field="connectomics",
        summary="VOI split and merge in bits, adapted Rand error, and the CREMI score √(VOI · ARAND).",
        header="voxels of true label 0 left out, predicted label 0 is a segment; each volume, then mean over volumes",
        decisions=(
            "Voxels whose true label is 0 are left out.",
            "Voxels whose predicted label is 0 are one segment.",
            "VOI split is H(prediction | truth), VOI merge is H(truth | prediction), in bits.",
            "ARAND is one minus the F score over pairs of voxels, each voxel paired with itself as well.",
            "The CREMI score is the square root of (VOI split + VOI merge) · ARAND; 0 is perfect.",
            "Voxels near a border of their section are left out with --true-section-border, as the challenge does.",
            "Every value is computed for each volume, and volumes count alike in the mean.",
        ),
        background="cremi",
        headline="CREMI",
        cells=Grid(
            rows=(Heading("mean over volumes", average="by_item"),),
            columns=(
                Heading("VOI split", key="vi_split"),
                Heading("VOI merge", key="vi_merge"),
                Heading("ARAND", key="adapted_rand_error"),
                Heading("CREMI", key="cremi_score"),
                Heading("volumes", key="cremi_score", show="n"),
            ),
        ),
        reference=ReferenceImplementation(
            "cremi_python", "master", "NeuronIds.voi, NeuronIds.adapted_rand", transcribed=True
        ),
        citation=("funke2016cremi", "nuneziglesias2013machine"),
        exceptions=(
            "ARAND differs where true segments have voxels of predicted label 0: here they are one segment.",
            "The script adds their number divided by that of all voxels, a term of the wrong scale (its issue 3).",
            "Where the truth has no segment, all values are undefined; the script divides by 0.",
            "A section without any border keeps all its voxels; the script's distances are not defined there.",
        ),
        neighbours={
            "snemi3d": "predicted label 0 are segments of one voxel each.",
            "skimage-voi": "label 0 is a segment on both sides.",
        },
    )
)
