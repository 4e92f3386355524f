"""Kernels of detections: matching by score, precision over recall, and boxes of masks."""
