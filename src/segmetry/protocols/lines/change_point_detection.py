"""Change point detection: F1 with a margin and covering over several annotators [vandenburg2020evaluation]."""

from segmetry.protocols.protocol import Grid, Heading, ReferenceImplementation, declare

CHANGE_POINTS = declare(
    name="change-points",
    field="change point detection",
    summary="F1 of change points with a margin of 5, and covering, over several annotators, as TCPDBench.",
    header="change points within 5 observations; 0 is one; precision against all annotators; mean over series",
    decisions=(
        "A change point is the first observation after a change, counted from 0, and 0 is one on every side.",
        "A true change point takes the nearest free predicted one that is at most 5 observations away.",
        "Precision is against the change points of all annotators together, recall the mean over annotators.",
        "Covering is the mean over annotators of the size-weighted best Jaccard index of their segments.",
        "Every series counts alike in the mean.",
        "The reading of ruptures: start=False, within=below (a strict margin), pairing=every.",
    ),
    headline="F1",
    cells=Grid(
        rows=(Heading("mean over series", average="by_item"),),
        columns=(
            Heading("F1", key="change_point_f1"),
            Heading("covering", key="change_point_covering"),
            Heading("series", key="change_point_covering", show="n"),
        ),
    ),
    reference=ReferenceImplementation("TCPDBench", "1709f40", "f_measure and covering", transcribed=True),
    citation=("vandenburg2020evaluation", "truong2020selective"),
    formats=("change-points",),
    read_as={"masses": "change-points", "bits": "change-points"},
    reading={"length": "longer"},
    exceptions=(
        "True change points are taken in ascending order; TCPDBench takes them in the order of a Python set.",
        "The margin of ruptures is strict: points 10 apart are not within a margin of 10 there.",
        "In ruptures a true change point uses up every predicted one near it (pairing=every).",
    ),
    neighbours=("text",),
)
