"""Segmetry inside other people's frameworks; each module needs the package it is named after."""
