"""The counting kernels: native code where it was built, a numpy twin of each everywhere.

Set ``SEGMETRY_KERNELS=numpy`` before the first import to use the twins even where native code is installed.
"""
