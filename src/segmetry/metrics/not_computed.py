"""Names that people type for something that is not a metric here: what to write instead, or which package computes it.

A name of this table is neither a key nor an alias; a test checks this, so an entry goes when its metric comes.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_GROUP = (
    "the mean of {key} over a group of classes: choose {key} and groups={{'{group}': …}}, and read groups['{group}']"
)
_TRACKING = "a metric of tracks, not of segments; TrackEval computes it"
_SALIENCY = "a metric of saliency maps with grey values; pysodmetrics computes it"
_CELLS = "a metric of the Cell Tracking Challenge; py-ctcmetrics computes it"
_BOXES = "a measure of two boxes; torchvision.ops computes it"
_SCORED = "a metric of predicted probabilities, not of segments; scikit-learn computes it"
_LOW = (
    "f1 under a rule that admits IoUs below 1/2: choose f1 and rule='greedy(weight=iou, at_least={at})', or "
    "segmental_f1@{percent} for actions in videos"
)

NOT_COMPUTED: Mapping[str, str] = MappingProxyType(
    {
        "box_ap": "the average precision of boxes; pycocotools computes it",
        "brier": _SCORED,
        "ciou": _BOXES,
        "diou": _BOXES,
        "e_measure": _SALIENCY,
        "ece": "a calibration error of predicted probabilities; torchmetrics computes it (CalibrationError)",
        "f1@10": _LOW.format(at="0.10", percent=10),
        "f1@25": _LOW.format(at="0.25", percent=25),
        "giou": _BOXES,
        "mota": _TRACKING,
        "motp": _TRACKING,
        "pq_st": _GROUP.format(key="pq", group="stuff"),
        "pq_th": _GROUP.format(key="pq", group="things"),
        "roc_auc": _SCORED,
        "rq_st": _GROUP.format(key="rq", group="stuff"),
        "rq_th": _GROUP.format(key="rq", group="things"),
        "s_measure": _SALIENCY,
        "sq_st": _GROUP.format(key="sq", group="stuff"),
        "sq_th": _GROUP.format(key="sq", group="things"),
        "tra": _CELLS,
    }
)
