"""Adapters for other frameworks; each module needs the package it is named after."""
