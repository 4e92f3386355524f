"""CREMI: variation of information, adapted Rand error and their geometric mean [funke2016cremi]."""

from dataclasses import replace

from segmetry.protocols.protocol import Grid, Heading, ReferenceImplementation, declare, declare_protocol

_IGNORED = 2**64 - 1
"""NeuronIds adds 1 to all true labels, so that this one becomes the 0 that it ignores."""

CREMI = declare(
    name="cremi",
    field="connectomics",
    summary="VOI split and merge in bits, adapted Rand error, and the CREMI score √(VOI · ARAND).",
    header="voxels of true label 2⁶⁴−1 left out, label 0 is a segment on both sides; each volume, then mean over "
    "volumes",
    decisions=(
        "Voxels whose true label is 2⁶⁴−1 are left out; true label 0 is a segment like any other.",
        "Voxels whose predicted label is 0 are one segment.",
        "Of an HDF5, zarr or N5 file with volumes/labels/neuron_ids these are read; --array names another array.",
        "VOI split is H(prediction | truth), VOI merge is H(truth | prediction), in bits.",
        "ARAND is one minus the F score over pairs of voxels, each voxel paired with itself as well.",
        "The CREMI score is the square root of (VOI split + VOI merge) · ARAND; 0 is perfect.",
        "Voxels near a border of their section are left out with --true-section-border, as the challenge does.",
        "Every value is computed for each volume, and volumes count alike in the mean.",
    ),
    background="cremi",
    reading={"true_outside": _IGNORED},
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
        "cremi_python", "master (aa6d211)", "NeuronIds.voi, NeuronIds.adapted_rand", transcribed=True
    ),
    citation=("funke2016cremi", "nuneziglesias2013machine"),
    exceptions=(
        "ARAND differs where true segments have voxels of predicted label 0: here they are one segment.",
        "The script adds their number divided by that of all voxels, a term of the wrong scale (its issue 3).",
        "Where the truth has no segment, all values are undefined; the script divides by 0.",
        "A section without any border keeps all its voxels; the script's distances are not defined there.",
    ),
    neighbours=("cremi-background", "snemi3d", "skimage-voi"),
)

CREMI_BACKGROUND = declare_protocol(
    replace(
        CREMI,
        name="cremi-background",
        summary="VOI split and merge, adapted Rand error and √(VOI · ARAND), with true label 0 as background.",
        header="voxels of true label 0 left out, predicted label 0 is a segment; each volume, then mean over volumes",
        decisions=("Voxels whose true label is 0 are left out.", *CREMI.decisions[1:]),
        reading={},
        reference=ReferenceImplementation(
            "cremi_python", "master (aa6d211)", "voi, adapted_rand of labels whose background is 0", transcribed=True
        ),
        neighbours=("cremi",),
    )
)
