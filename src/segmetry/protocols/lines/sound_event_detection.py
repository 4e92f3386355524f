"""Sound event detection: event-based and segment-based scores [mesaros2016metrics]."""

from segmetry.protocols.protocol import EachClass, Grid, Heading, ReferenceImplementation, declare
from segmetry.results import NumberStyle

_SED_EVAL = {"one_sided": "undefined"}

SOUND_EVENTS = declare(
    name="sound-events",
    field="sound event detection",
    summary="F1 and error rate of sound events, event-based and segment-based, overall and as a mean over labels.",
    header="onsets within 0.2 s, offsets within 0.2 s or half the length; segments of 1 s; sums over recordings",
    decisions=(
        "Events match if label, onset and offset agree; as many as possible are matched, each once.",
        "Onsets may be 0.2 s apart, offsets 0.2 s or half the length of the true event, whichever is more.",
        "--option event_based_f1.matching=greedy matches in the order of onsets.",
        "--option event_based_f1.ends=onset ignores offsets.",
        "A substitution is a pair that is left over and differs only in its label.",
        "In segments of 1 s a label is active if one of its events touches the segment.",
        "Overall values add up the counts of all labels; the class-wise mean is over labels.",
        "A label that only one side has is left out of the class-wise mean of F1, as in sed_eval.",
        "--option event_based_f1.one_sided=zero counts such a label as 0.",
        "The error rate of a label is its deletions and insertions over its true events.",
        "Counts are added over all recordings first.",
    ),
    headline=("event-based F1", "class-wise"),
    cells=Grid(
        rows=(
            Heading("event-based F1", key="event_based_f1", average="by_class"),
            Heading("event-based error rate", key="event_based_error_rate", average="pooled"),
            Heading("segment-based F1", key="segment_based_f1", average="by_class"),
            Heading("segment-based error rate", key="segment_based_error_rate", average="pooled"),
        ),
        columns=(
            Heading("overall", average="pooled", show="overall"),
            Heading("class-wise", average="by_class", show="class_mean"),
        ),
    ),
    class_cells=Grid(
        rows=(EachClass(),),
        columns=(
            Heading("event F1", key="event_based_f1", average="by_class"),
            Heading("event ER", key="event_based_error_rate", average="by_class"),
            Heading("segment F1", key="segment_based_f1", average="by_class"),
            Heading("segment ER", key="segment_based_error_rate", average="by_class"),
        ),
        corner="label",
    ),
    numbers=NumberStyle(decimals=2, percent=True),
    reference=ReferenceImplementation(
        "sed_eval", "0.2.1", "EventBasedMetrics and SegmentBasedMetrics", transcribed=True
    ),
    citation=("mesaros2016metrics",),
    formats=("sound-events",),
    read_as={"lab": "sound-events", "csv-labels": "sound-events", "": "sound-events"},
    reading={"length": "longer"},
    options={"event_based_f1": _SED_EVAL, "segment_based_f1": _SED_EVAL},
    exceptions=(
        "Times are exact: onsets at 0.7 and 0.9 s are 0.2 s apart; the floats of sed_eval say more.",
        "Without true events the error rate is undefined; sed_eval divides by 2.2e-16.",
        "Events are taken by onset; the greedy matching of sed_eval takes them as they are listed.",
        "Between equally good matchings the number of substitutions may differ from sed_eval's.",
        "F1 of all labels together is 0 if one side has no event; sed_eval writes nan.",
    ),
)
