"""How time and memory grow with the size of the input: ``python -m bench.growth [--only NAME] [-o FILE]``.

Every subject is a file here that declares curves with :func:`bench.growth.curves.grows`.
"""
