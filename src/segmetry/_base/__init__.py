"""Foundations: exact arithmetic, the registry, atomic writes, optional packages, the bibliography."""

from typing import TYPE_CHECKING

from segmetry._base.front_door import names_on_demand as names_on_demand

if TYPE_CHECKING:
    from segmetry._base.atomic_write import check_target, replace_lastingly, sync, temporary_beside, write_atomically
    from segmetry._base.bibliography import Reference, find_reference, is_key, references
    from segmetry._base.checked_options import check_choice, checked_integer, whole_number
    from segmetry._base.exact import BoolArray, Column, ColumnsOfItem, FloatArray, IndexArray, IntArray, Number
    from segmetry._base.exact import Threshold, as_python_ints, common_step, distinct, exact_sum, fraction, fraction_in
    from segmetry._base.exact import is_new, magnitude_bound, products_fit, range_positions, ratio, sum_by, widest
    from segmetry._base.frozen_records import frozen_dataclass, short_repr
    from segmetry._base.hostile_database import limit_database
    from segmetry._base.index import ENGINE_MODULES, FORMAT_MODULES, FORMAT_PROTOCOLS, FORMAT_SIGNATURES, METRIC_ALIASES
    from segmetry._base.index import METRIC_MODULES, OPTION_FORMATS, PROTOCOL_MODULES, RULE_MODULES
    from segmetry._base.standard_json import LARGEST, field, flag_field, id_field, integer_field, lengths_field
    from segmetry._base.standard_json import json_text, list_field, settings_field
    from segmetry._base.memo import computed_once
    from segmetry._base.on_stage import OnStage, silent
    from segmetry._base.optional import errors_within, import_optional, importing, translate_errors
    from segmetry._base.registry import Registry, installed_plugins, module_in_execution
    from segmetry._base.version import __version__
else:
    __getattr__, __dir__ = names_on_demand(__name__)
