"""Evaluating a data set: pairing its items, counting and scoring them with an engine, writing the run."""
