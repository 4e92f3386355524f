"""The benchmark: segmetry and its peers on the same inputs in one process, compared as ratios.

Run ``python -m bench``. A subject is a file in this folder; its cases register themselves with
:func:`bench.cases.case`.
"""
