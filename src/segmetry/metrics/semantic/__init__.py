"""Metrics of classes of elements: which class does each pixel, voxel or token have?"""
