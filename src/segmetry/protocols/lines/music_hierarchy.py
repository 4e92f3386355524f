"""Hierarchies of musical sections: T-measures and L-measures, the table of mir_eval [mcfee2017evaluating]."""

from segmetry.protocols.grid import Grid, Heading
from segmetry.protocols.protocol import Protocol, ReferenceImplementation, declare_protocol

_ROWS = {
    "t_precision_reduced": "T-Precision reduced",
    "t_recall_reduced": "T-Recall reduced",
    "t_measure_reduced": "T-Measure reduced",
    "t_precision_full": "T-Precision full",
    "t_recall_full": "T-Recall full",
    "t_measure_full": "T-Measure full",
    "l_precision": "L-Precision",
    "l_recall": "L-Recall",
    "l_measure": "L-Measure",
}
"""The names that mir_eval prints, by metric."""

MUSIC_HIERARCHY = declare_protocol(
    Protocol(
        name="music-hierarchy",
        field="music structure analysis",
        summary="How deep two moments stay together in hierarchies of sections and of labels, as mir_eval.",
        header="levels are tracks, coarsest first; the line ends with the truth; frames of 0.1 s; mean over tracks",
        decisions=(
            "A hierarchy has levels, the coarsest first; JAMS files have them in the namespace multi_segment.",
            "The line lasts from 0 to the end of the last true section; what is predicted beyond is cut off.",
            "Time before the first section of a level and after its last one is a section of its own.",
            "Ends are rounded down to frames of 0.1 s in floating point, as mir_eval does.",
            "T compares pairs of frames within 15 s of a frame (149 frames, by the same rounding), L of all frames.",
            "Reduced T-measures compare neighbouring levels, full ones and L-measures all levels.",
            "Labels of one level are compared without case, and never between the sides.",
            "A side whose frames are all equally close has precision or recall 0, as in mir_eval.",
        ),
        options={key: {"frame": "0.1", "if_no_pairs": 0} for key in _ROWS},
        headline=("L-Measure", "mean"),
        cells=Grid(
            rows=tuple(Heading(text, key=key) for key, text in _ROWS.items()),
            columns=(Heading("mean", average="by_item"), Heading("tracks", average="by_item", show="n")),
        ),
        reference=ReferenceImplementation("mir_eval", "0.8.2", "hierarchy.evaluate"),
        citation=("raffel2014mireval", "mcfee2015hierarchical", "mcfee2017evaluating"),
        classes="ignore",
        reading={"length": "longer"},
        exceptions=(
            "Levels of the truth may end at different times; mir_eval raises an error.",
            "A track of one frame has the value 0; mir_eval raises an error.",
        ),
        neighbours={"music": "boundaries and labels of one level."},
    )
)
