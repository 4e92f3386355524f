"""Protocols of microscopy and plant images: cells, nuclei and leaves."""
