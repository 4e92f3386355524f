"""The dask engine: items and blocks computed on the workers of a cluster."""
