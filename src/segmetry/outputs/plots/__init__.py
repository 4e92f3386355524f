"""Results as vector drawings: canvas, axes, and one module per kind of plot."""
