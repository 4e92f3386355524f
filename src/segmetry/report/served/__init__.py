"""The report of run files of any size, served on this machine: ``segmetry open``."""
