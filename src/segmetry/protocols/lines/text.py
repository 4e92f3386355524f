"""Text segmentation: Pk, WindowDiff, boundary similarity and segmentation similarity [fournier2013evaluating]."""

from segmetry.protocols.protocol import Grid, Heading, ReferenceImplementation, declare

TEXT = declare(
    name="text",
    field="linear segmentation of text",
    summary="The errors Pk and WindowDiff, and the similarities B and S, as segeval computes them.",
    header="boundaries between units; windows of half the mean true segment; each text, then mean over texts",
    decisions=(
        "A text is a sequence of units, and its boundaries are the gaps between segments.",
        "Pk and WindowDiff are errors: 0 is perfect.",
        "A window has half the mean length of the true segments of its text, rounded half to even, and at least 2.",
        "Windows are not padded, so an error at the edge of a text counts less.",
        "B and S pair boundaries that are one unit apart as a near miss, which costs half an edit.",
        "Every metric is computed for each text, and texts count alike in the mean.",
        "A text in which a value is undefined is left out of the mean of this metric.",
    ),
    options={"pk": {"k": "segeval"}, "window_diff": {"k": "segeval"}},
    headline="B",
    cells=Grid(
        rows=(Heading("mean over texts", average="by_item"),),
        columns=(
            Heading("Pk", key="pk"),
            Heading("WD", key="window_diff"),
            Heading("B", key="boundary_similarity"),
            Heading("S", key="segmentation_similarity"),
            Heading("texts", key="segmentation_similarity", show="n"),
        ),
    ),
    reference=ReferenceImplementation(
        "segeval", "2.0.11", "pk, window_diff, boundary_similarity, segmentation_similarity"
    ),
    citation=("beeferman1999statistical", "pevzner2002critique", "fournier2013evaluating"),
    formats=("boundaries", "choi", "masses", "text"),
    exceptions=(
        "Where no window fits a text, Pk and WindowDiff are undefined; segeval gives 0 or an error.",
        "Where neither side has a boundary, B is undefined and S is 1; segeval raises an error for both.",
    ),
    neighbours=("page-streams",),
)
