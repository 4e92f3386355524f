"""Metrics of skeletons: how far a neuron can be followed without an error [januszewski2018high]."""
