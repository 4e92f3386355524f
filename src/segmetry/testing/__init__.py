"""For authors of metrics, rules and readers: strategies that generate segmentations, and contracts to test against.

Needs hypothesis: ``pip install 'segmetry[testing]'``.
"""
