"""Metrics of skeletons: how far a neuron can be followed without an error."""
