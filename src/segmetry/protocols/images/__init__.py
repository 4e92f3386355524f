"""Protocols of images: panoptic, semantic and instance segmentation."""
