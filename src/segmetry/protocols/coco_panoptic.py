"""COCO panoptic [kirillov2019panoptic]: void is left out of unions, crowd regions are neither matched nor missed.

Cityscapes' panoptic benchmark uses the same script.
"""

from __future__ import annotations

from segmetry.protocols.protocol import Protocol, declare_protocol

COCO_PANOPTIC = declare_protocol(
    Protocol(
        name="coco-panoptic",
        field="panoptic segmentation of images",
        summary="Predicted void elements are left out of the union, an unmatched prediction that is more than half "
        "void or crowd of its class is dropped, and crowd regions are neither matched nor missed.",
        formats=("coco-panoptic", "cityscapes"),
        policy="coco",
        reference="panopticapi",
        citation=("kirillov2019panoptic",),
    )
)
