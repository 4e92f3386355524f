"""Video metrics: panoptic quality of tubes, segmentation and tracking quality."""
