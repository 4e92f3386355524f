"""Adapters for other frameworks; each module needs the package it is named after."""

from typing import TYPE_CHECKING

from segmetry._base import names_on_demand

if TYPE_CHECKING:
    from segmetry.adapters.trackers import log_provenance, log_scalars
else:
    __getattr__, __dir__ = names_on_demand(__name__)
