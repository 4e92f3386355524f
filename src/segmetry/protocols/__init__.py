"""Protocols: how a community evaluates, one file each, equal to that community's reference implementation."""

from typing import TYPE_CHECKING

from segmetry._base import names_on_demand

if TYPE_CHECKING:
    from segmetry.protocols.grid import EachClass as EachClass, Grid as Grid, Heading as Heading
    from segmetry.protocols.modified import modified_settings as modified_settings, protocol_header as protocol_header
    from segmetry.protocols.protocol import PROTOCOLS as PROTOCOLS, Protocol as Protocol
    from segmetry.protocols.protocol import ReferenceImplementation as ReferenceImplementation
    from segmetry.protocols.protocol import as_protocol as as_protocol, declare_protocol as declare_protocol
    from segmetry.protocols.protocol import default_policy as default_policy, protocol_of_format as protocol_of_format
    from segmetry.protocols.protocol_cells import cell_of_name as cell_of_name, metric_cell as metric_cell
    from segmetry.protocols.protocol_cells import protocol_table as protocol_table, score_value as score_value
    from segmetry.protocols.protocol_cells import table_averages as table_averages, value_of_cell as value_of_cell
else:
    __getattr__, __dir__ = names_on_demand(__name__)
