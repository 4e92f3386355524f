"""Kernels over the rows of overlap tables."""
