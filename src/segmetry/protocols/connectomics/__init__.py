"""Protocols of connectomics and of object discovery."""
