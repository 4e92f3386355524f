"""Protocols of instance segmentation and object detection."""
