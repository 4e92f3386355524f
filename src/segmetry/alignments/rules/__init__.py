"""Alignment rules: local ones look at one pair at a time, assignment rules weigh candidates against each other."""
