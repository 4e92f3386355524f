"""Foundations: exact arithmetic, the registry, atomic writes, optional packages, the bibliography."""
