"""Protocols: how a community evaluates, one file each, equal to that community's reference implementation."""

from typing import TYPE_CHECKING

from segmetry._base import names_on_demand

if TYPE_CHECKING:
    from segmetry.protocols.protocol import EachClass, Grid, Heading
    from segmetry.protocols.decisions import declared_reading, declared_scoring, decisions_of, decisions_under
    from segmetry.protocols.decisions import differences_words, provenance_of, value_words
    from segmetry.protocols.practices import PRACTICES, Practice
    from segmetry.protocols.modified import modified_settings, protocol_header
    from segmetry.protocols.protocol import PROTOCOLS, Protocol, ReferenceImplementation, as_protocol, declare_protocol
    from segmetry.protocols.protocol import default_policy, protocol_of_format
    from segmetry.protocols.protocol_cells import cell_of_name, metric_cell, protocol_table, score_value, table_averages
    from segmetry.protocols.protocol_cells import value_of_cell
else:
    __getattr__, __dir__ = names_on_demand(__name__)
