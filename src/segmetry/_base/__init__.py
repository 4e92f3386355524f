"""Foundations: exact arithmetic, the registry, atomic writes, optional packages, the bibliography."""

from typing import TYPE_CHECKING

from segmetry._base.front_door import names_on_demand as names_on_demand

if TYPE_CHECKING:
    from segmetry._base.atomic_write import check_target as check_target, temporary_beside as temporary_beside
    from segmetry._base.atomic_write import write_atomically as write_atomically
    from segmetry._base.bibliography import Reference as Reference, find_reference as find_reference, is_key as is_key
    from segmetry._base.bibliography import references as references
    from segmetry._base.checked_options import check_choice as check_choice, checked_integer as checked_integer
    from segmetry._base.checked_options import whole_number as whole_number
    from segmetry._base.memo import computed_once as computed_once
    from segmetry._base.exact import BoolArray as BoolArray, Column as Column, ColumnsOfItem as ColumnsOfItem
    from segmetry._base.exact import FloatArray as FloatArray, IndexArray as IndexArray, IntArray as IntArray
    from segmetry._base.exact import Number as Number, Threshold as Threshold, as_python_ints as as_python_ints
    from segmetry._base.exact import common_step as common_step, distinct as distinct, exact_sum as exact_sum
    from segmetry._base.exact import fraction as fraction, fraction_in as fraction_in, is_new as is_new
    from segmetry._base.exact import magnitude_bound as magnitude_bound, products_fit as products_fit
    from segmetry._base.exact import range_positions as range_positions, ratio as ratio, sum_by as sum_by
    from segmetry._base.exact import widest as widest
    from segmetry._base.frozen_records import frozen_dataclass as frozen_dataclass
    from segmetry._base.index import ENGINE_MODULES as ENGINE_MODULES, FORMAT_MODULES as FORMAT_MODULES
    from segmetry._base.index import FORMAT_PROTOCOLS as FORMAT_PROTOCOLS, FORMAT_SIGNATURES as FORMAT_SIGNATURES
    from segmetry._base.index import METRIC_ALIASES as METRIC_ALIASES, METRIC_MODULES as METRIC_MODULES
    from segmetry._base.index import OPTION_FORMATS as OPTION_FORMATS, PROTOCOL_MODULES as PROTOCOL_MODULES
    from segmetry._base.index import RULE_MODULES as RULE_MODULES
    from segmetry._base.json_fields import LARGEST as LARGEST, field as field, flag_field as flag_field
    from segmetry._base.json_fields import id_field as id_field, integer_field as integer_field
    from segmetry._base.json_fields import lengths_field as lengths_field, list_field as list_field
    from segmetry._base.json_fields import settings_field as settings_field
    from segmetry._base.on_stage import OnStage as OnStage, silent as silent
    from segmetry._base.optional import errors_within as errors_within
    from segmetry._base.optional import import_optional as import_optional, importing as importing
    from segmetry._base.optional import translate_errors as translate_errors
    from segmetry._base.registry import Registry as Registry, installed_plugins as installed_plugins
    from segmetry._base.registry import module_in_execution as module_in_execution
    from segmetry._base.standard_json import json_text as json_text
    from segmetry._base.version import __version__ as __version__
else:
    __getattr__, __dir__ = names_on_demand(__name__)
