"""Music structure analysis: boundaries and labels of sections, and hierarchies of them, the tables of mir_eval.

[raffel2014mireval], [mcfee2017evaluating].
"""

from segmetry.protocols.protocol import Grid, Heading, ReferenceImplementation, declare

_FRAMES = {"frame": "0.1"}
_ZERO, _ONE = {"frame": "0.1", "if_one_label": 0}, {"frame": "0.1", "if_one_label": 1}
_ROWS = {
    "hit_rate_precision_05": "Precision@0.5",
    "hit_rate_recall_05": "Recall@0.5",
    "hit_rate_f_05": "F-measure@0.5",
    "hit_rate_precision_3": "Precision@3.0",
    "hit_rate_recall_3": "Recall@3.0",
    "hit_rate_f_3": "F-measure@3.0",
    "median_deviation_true": "Ref-to-est deviation",
    "median_deviation_pred": "Est-to-ref deviation",
    "label_pair_precision": "Pairwise Precision",
    "label_pair_recall": "Pairwise Recall",
    "label_pair_f": "Pairwise F-measure",
    "label_rand_index": "Rand Index",
    "label_ari": "Adjusted Rand Index",
    "label_mutual_information": "Mutual Information",
    "label_ami": "Adjusted Mutual Information",
    "label_nmi": "Normalized Mutual Information",
    "nce_over": "NCE Over",
    "nce_under": "NCE Under",
    "nce_f": "NCE F-measure",
    "label_v_precision": "V Precision",
    "label_v_recall": "V Recall",
    "label_v_measure": "V-measure",
}
"""The names that mir_eval prints, by metric."""

MUSIC = declare(
    name="music",
    field="music structure analysis",
    summary="Boundaries within 0.5 and 3 s, their deviations, and the clustering of frames by label, as mir_eval.",
    header="the line ends with the truth; its ends are boundaries; frames of 0.1 s by label; mean over tracks",
    decisions=(
        "The line lasts from 0 to the end of the last true section; what is predicted beyond is cut off.",
        "Boundaries are all ends of sections; 0 and the end count as well, unless trim=True.",
        "As many boundaries as possible are matched one to one within 0.5 s, and within 3 s.",
        "Deviations are medians of the time to the nearest boundary, in seconds.",
        "Sections of one label are one cluster; labels are compared without case, and never between the sides.",
        "Labels are sampled every 0.1 s in single precision, as mir_eval does; frame=none counts all time exactly.",
        "Adjusted mutual information is divided by the larger entropy, NMI by the geometric mean.",
        "Where both sides have one label, ARI, AMI and NMI are 1.",
        "NCE and V are 0 for a side of one label, as in mir_eval.",
        "Every metric is computed for each track, and tracks count alike in the mean.",
    ),
    options={
        **dict.fromkeys(
            (
                "label_pair_precision",
                "label_pair_recall",
                "label_pair_f",
                "label_rand_index",
                "label_mutual_information",
            ),
            _FRAMES,
        ),
        **dict.fromkeys(("label_ari", "label_ami", "label_nmi"), _ONE),
        **dict.fromkeys(
            ("nce_over", "nce_under", "nce_f", "label_v_precision", "label_v_recall", "label_v_measure"), _ZERO
        ),
    },
    headline=("F-measure@0.5", "mean"),
    cells=Grid(
        rows=tuple(Heading(text, key=key) for key, text in _ROWS.items()),
        columns=(Heading("mean", average="by_item"), Heading("tracks", average="by_item", show="n")),
    ),
    reference=ReferenceImplementation("mir_eval", "0.8.2", "segment.evaluate"),
    citation=("raffel2014mireval", "turnbull2007supervised", "levy2008structural", "lukashevich2008towards"),
    formats=("jams",),
    read_as={"bio": "lab"},
    classes="ignore",
    reading={"length": "longer"},
    exceptions=(
        "Boundaries that are exactly 0.5 s apart hit; the floats of mir_eval may say otherwise.",
        "A perfect prediction of a track with one label has V = 0 in mir_eval and here; v_measure is undefined.",
        "NMI is 0 where one side has one label; mir_eval divides a rounding error by 1e-10.",
        "Without true sections all values are undefined; mir_eval raises an error.",
    ),
    neighbours=("text",),
)


_LEVEL_ROWS = {
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

MUSIC_HIERARCHY = declare(
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
    options={key: {"frame": "0.1", "if_no_pairs": 0} for key in _LEVEL_ROWS},
    headline=("L-Measure", "mean"),
    cells=Grid(
        rows=tuple(Heading(text, key=key) for key, text in _LEVEL_ROWS.items()),
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
    neighbours=("music",),
)
