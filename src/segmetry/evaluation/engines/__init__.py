"""Execution backends: serial, threads, processes, dask. All give the same results; time and memory differ."""
