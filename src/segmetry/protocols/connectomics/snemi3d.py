"""SNEMI3D: the adapted Rand error with predicted zeros as single voxels [argandacarreras2015crowdsourcing]."""

from segmetry.protocols.protocol import Grid, Heading, ReferenceImplementation, declare

SNEMI3D = declare(
    name="snemi3d",
    field="connectomics",
    summary="The adapted Rand error with its precision and recall, as the SNEMI3D challenge computes it.",
    header="voxels of true label 0 left out, each voxel of predicted label 0 a segment of its own; each volume, "
    "then mean over volumes",
    decisions=(
        "Voxels whose true label is 0 are left out.",
        "Every voxel whose predicted label is 0 is a segment of its own.",
        "ARAND is one minus the F score over pairs of voxels, each voxel paired with itself as well.",
        "VOI split and VOI merge, in bits, are printed beside it under the same convention.",
        "Every value is computed for each volume, and volumes count alike in the mean.",
    ),
    background="snemi",
    headline="ARAND",
    cells=Grid(
        rows=(Heading("mean over volumes", average="by_item"),),
        columns=(
            Heading("ARAND", key="adapted_rand_error"),
            Heading("VOI split", key="vi_split"),
            Heading("VOI merge", key="vi_merge"),
            Heading("volumes", key="adapted_rand_error", show="n"),
        ),
    ),
    reference=ReferenceImplementation("SNEMI3D", "2013", "SNEMI3D_metrics.m", transcribed=True),
    citation=("argandacarreras2015crowdsourcing",),
    exceptions=("Where the truth has no segment, all values are undefined; the script divides by 0.",),
    neighbours=("cremi",),
)
