"""Kernels over boundaries and spans of lines."""
