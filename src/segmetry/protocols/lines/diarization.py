"""Speaker diarization: who spoke when [fiscus2006rich, bredin2017pyannote]."""

from segmetry.protocols.protocol import Grid, Heading, ReferenceImplementation, declare
from segmetry.results import NumberStyle

DIARIZATION = declare(
    name="diarization",
    field="speaker diarization",
    summary="The diarization error rate with its three parts, and the Jaccard error rate.",
    header="no collar; overlapped speech scored; UEM, else first to last turn of both sides; sums over recordings",
    decisions=(
        "Each predicted speaker stands for at most one true speaker; the map has the longest common time.",
        "DER is missed, falsely detected and confused speaker time over true speaker time.",
        "A moment counts once for each speaker who talks, so overlapped speech counts several times.",
        "There is no collar; --option der.collar=0.25 leaves out a quarter of a second on each side of an end.",
        "A collar is the width on each side of an end; --option der.collar_width=whole makes it the whole width.",
        "Overlapped speech is scored; --option der.overlap=skipped leaves it out.",
        "Without a UEM (--uem FILE) what is evaluated lasts from the first to the last turn of either side.",
        "A turn that goes beyond the UEM counts within it, as in md-eval.",
        "Times are whole ticks, so sums are exact.",
        "DER of a data set is the sum of the errors over the sum of the speech of all recordings.",
        "JER is the mean over all true speakers of all recordings.",
    ),
    headline="DER",
    cells=Grid(
        rows=(Heading("all recordings", average="pooled"),),
        columns=(
            Heading("DER", key="der"),
            Heading("missed", key="der", show="missed_rate"),
            Heading("false alarm", key="der", show="false_alarm_rate"),
            Heading("confusion", key="der", show="confused_rate"),
            Heading("JER", key="jer"),
        ),
    ),
    numbers=NumberStyle(decimals=2, percent=True),
    reference=ReferenceImplementation("pyannote.metrics", "4.2.0", "DiarizationErrorRate and JaccardErrorRate"),
    citation=("fiscus2006rich", "bredin2017pyannote", "ryant2019second"),
    formats=("rttm",),
    classes="ignore",
    reading={"length": "longer"},
    exceptions=(
        "Without true speech DER and JER are undefined; pyannote.metrics writes 0 or 1 for DER.",
        "Turns of one speaker that overlap count once, as in dscore; pyannote.metrics counts each of them.",
        "The collar of pyannote.metrics is the whole width, that of md-eval each side; collar_width= says which.",
        "A recording without true turns is false alarm, with a note; md-eval does not score it.",
        "md-eval maps speakers before collars are taken out (map_within=region).",
        "dscore maps speakers for JER by their Jaccard indices (map_by=jaccard).",
    ),
)
