"""Action segmentation of videos: accuracy of frames, edit score, and F1 at three overlaps [lea2017temporal]."""

from segmetry.protocols.protocol import EachClass, Grid, Heading, ReferenceImplementation, declare
from segmetry.results import NumberStyle

_F1 = {"F1@10": ("f1_at", "0.1"), "F1@25": ("f1_at", "0.25"), "F1@50": ("f1_at", "0.5")}

ACTION = declare(
    name="action",
    field="action segmentation of videos",
    summary="The share of right frames, the edit score of actions, and F1 of actions at IoU 0.10, 0.25 and 0.50.",
    header="runs of equal frame labels are actions, background is none; frames and actions of all videos counted "
    "together, the edit score by video",
    decisions=(
        "An action is a maximal run of frames with one label.",
        "Frames labelled background are no action; every other label is, also SIL of the Breakfast data.",
        "A frame that is background on both sides is right.",
        "The frames of all videos are counted together.",
        "The edit score of a video compares the order of its actions; videos count alike in the mean.",
        "Each predicted action, from left to right, takes the true action of its label with the largest IoU.",
        "It is a hit if that IoU reaches the threshold and no prediction before it has hit the same action.",
        "Otherwise it is spurious, even if another true action would fit.",
        "Hits, missed and spurious actions of all videos are counted together before F1 is taken.",
        "The value one quotes is F1 at IoU 0.50.",
    ),
    read_as={"bio": "frame-labels", "": "frame-labels"},
    reading={"outside_class": ("background",)},
    metrics=("frame_accuracy", "edit_score", "segmental_f1"),
    options={"segmental_f1": {"at": "0.5"}},
    headline="F1@50",
    cells=Grid(
        rows=(Heading("all videos"),),
        columns=(
            *(Heading(text, key="segmental_f1", average="pooled", show=entry) for text, entry in _F1.items()),
            Heading("Edit", key="edit_score", average="by_item_of_classes"),
            Heading("Acc", key="frame_accuracy", average="pooled"),
            Heading("videos", key="frame_accuracy", average="by_item_of_classes", show="n"),
        ),
    ),
    class_cells=Grid(
        rows=(EachClass(),),
        columns=tuple(Heading(text, key="segmental_f1", average="by_class", show=entry) for text, entry in _F1.items()),
        corner="action",
    ),
    numbers=NumberStyle(decimals=1, percent=True),
    reference=ReferenceImplementation("ms-tcn", "33ed91c", "eval.py", transcribed=True),
    citation=("lea2017temporal", "abufarha2019multi"),
    formats=("frame-labels",),
    exceptions=(
        "A video without an action on either side has no edit score and is left out; the reference divides by 0.",
        "Where no video has an action on either side, F1 is undefined; the reference writes 0.",
        "Truth and prediction must have the same number of frames; the reference ignores further predictions.",
        "MS-TCN++ and its successors end the last action one frame early (--option segmental_f1.ends=ms-tcn2).",
    ),
)
