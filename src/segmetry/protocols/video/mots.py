"""MOTS: multi-object tracking and segmentation of KITTI and MOTSChallenge, as TrackEval evaluates it."""

from segmetry.protocols.protocol import EachClass, Grid, Heading, ReferenceImplementation, declare
from segmetry.results import NumberStyle

_COLUMNS = (
    Heading("HOTA", key="hota", average="by_class"),
    Heading("DetA", key="deta", average="by_class"),
    Heading("AssA", key="assa", average="by_class"),
    Heading("LocA", key="loca", average="by_class"),
    Heading("sMOTSA", key="smotsa", average="by_class"),
    Heading("MOTSA", key="motsa", average="by_class"),
    Heading("IDF1", key="idf1", average="by_class"),
)

MOTS = declare(
    name="mots",
    field="multi-object tracking and segmentation",
    summary="HOTA with its parts, sMOTSA, MOTSA and IDF1 of cars and pedestrians, as KITTI MOTS prints.",
    header="labels are tracks; classes one by one; ignore regions void; counts of all videos, then the formula",
    decisions=(
        "Cars and pedestrians are evaluated one by one; the mean of both is shown beside them.",
        "A prediction that is unmatched at IoU 0.5 and lies to more than half in an ignore region is removed.",
        "HOTA: detections match so that track alignment times IoU is largest, at thresholds 0.05, …, 0.95.",
        "sMOTSA and MOTSA: detections match at IoU of at least 0.5, those of the frame before first.",
        "IDF1: tracks match one-to-one by the number of frames in which their IoU is at least 0.5.",
        "Counts are added up over all videos before a formula is taken.",
    ),
    headline=("mean", "HOTA"),
    cells=Grid(rows=(EachClass(), Heading("mean", level="group", name="all")), columns=_COLUMNS),
    numbers=NumberStyle(decimals=2, percent=True),
    reference=ReferenceImplementation("trackeval", "1.3.0", "KittiMOTS with HOTA, CLEAR and Identity"),
    citation=("luiten2021hota", "voigtlaender2019mots", "ristani2016performance"),
    formats=("mots",),
    format="mots",
    exceptions=(
        "A class that occurs on neither side has no value; TrackEval prints zeros.",
        "Without a true detection of a class, MOTSA and sMOTSA are undefined; TrackEval divides by 1.",
        "Exact ties between matchings go to the smaller label; in TrackEval to the earlier line of the file.",
    ),
    neighbours=("davis", "kitti-step"),
)
