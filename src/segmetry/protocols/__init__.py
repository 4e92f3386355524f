"""Protocols: how a community evaluates, one file each, equal to that community's reference implementation."""
