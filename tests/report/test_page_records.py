"""The records of the page: what Python writes is what they say, and TypeScript is told the same."""

from __future__ import annotations

import base64
import importlib.util
import json
import re
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType, UnionType
from typing import Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

import numpy as np
import pytest

import segmetry as sm
from segmetry.report import page_records
from segmetry.report.column_blocks import ColumnBlock, pack
from segmetry.report.page import as_json_block
from segmetry.report.page_data import later_data, report_data
from segmetry.report.page_records import Analysis, PageData
from segmetry.report.script_bundle import module_sources
from tests.report.detection_runs import scored_masks

PROJECT = Path(__file__).resolve().parents[2]
READ_FROM_THE_COPY = {"resamples", "seed", "level", "numerator", "denominator", "details"}
"""Fields that no script names: a copied table contains them with the rest."""


def generator() -> ModuleType:
    found = importlib.util.spec_from_file_location("write_page_types", PROJECT / "tools" / "write_page_types.py")
    assert found is not None and found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def faults(value: Any, kind: Any, where: str) -> list[str]:
    """Return where a value that was read from JSON is not what its type says."""
    origin, arguments = get_origin(kind), get_args(kind)
    if kind in (Any, object):
        return []
    if origin is NotRequired:
        return faults(value, arguments[0], where)
    if origin in (Union, UnionType):
        wrong = [faults(value, one, where) for one in arguments]
        return [] if not all(wrong) else min(wrong, key=len)
    if is_typeddict(kind):
        fields = get_type_hints(kind, include_extras=True)
        if not isinstance(value, dict):
            return [f"{where} is no record"]
        required = {key for key, one in fields.items() if get_origin(one) is not NotRequired}
        wrong = [] if required <= set(value) <= set(fields) else [f"{where} has {sorted(value)}"]
        return wrong + [fault for key in value if key in fields for fault in faults(value[key], fields[key], key)]
    if origin is Literal:
        return [] if value in arguments else [f"{where} is {value!r}"]
    if origin is tuple:
        if not isinstance(value, list) or len(value) != len(arguments):
            return [f"{where} is {value!r}"]
        return [fault for each, one in zip(value, arguments, strict=True) for fault in faults(each, one, where)]
    if origin in (Sequence, list):
        if not isinstance(value, list):
            return [f"{where} is {value!r}"]
        return [fault for each in value for fault in faults(each, arguments[0], where)]
    if origin in (Mapping, dict):
        key_type = str if arguments[0] is int else arguments[0]  # an integer key is a string in JSON
        return [fault for key in value for fault in faults(key, key_type, where)] + [
            fault for key, each in value.items() for fault in faults(each, arguments[1], f"{where}.{key}")
        ]
    allowed = (int, float) if kind is float else kind
    is_right = isinstance(value, allowed) and (kind is bool or not isinstance(value, bool))
    return [] if is_right else [f"{where} is {value!r}, expected {kind}"]


def two_lines() -> sm.Run:
    true, pred = {"a": sm.Spans.from_masses([2, 3])}, {"a": sm.Spans.from_masses([1, 4])}
    return sm.evaluate(true, pred, protocol="page-streams")


def classes() -> sm.Run:
    true, pred = ({"a": sm.LabelArray.from_classes([labels])} for labels in ([1, 1, 2, 2], [1, 2, 2, 2]))
    return sm.evaluate(true, pred, metrics="mean_iou")


def panoptic(*, shift: int = 0) -> sm.Run:
    true = {
        name: sm.LabelArray([[1, 1, 1, 2, 2, 0, 0], [1, 1, 1, 2, 2, 3, 3]], classes={1: "car", 2: "sky", 3: "car"})
        for name in "abcdefghijkl"
    }
    labels = [[1, 1, 2, 2, 2, 0, 0], [1, 1, 1 + shift, 2, 2, 3, 0]]
    pred = {name: sm.LabelArray(labels, classes={1: "car", 2: "sky", 3: "sky"}) for name in true}
    return sm.evaluate(true, pred, metrics="panoptic,graph")


REPORTS = {
    "classes of segments": lambda: [panoptic()],
    "two runs": lambda: [panoptic(), panoptic(shift=1)],
    "lines": lambda: [two_lines()],
    "classes of elements": lambda: [classes()],
    "detections": lambda: [sm.evaluate(*scored_masks(), protocol="coco-instances")],
}


@pytest.mark.slow
@pytest.mark.parametrize("name", REPORTS)
def test_the_page_is_what_its_records_say(name: str) -> None:
    runs = REPORTS[name]()
    data, _ = report_data(runs)
    assert faults(json.loads(as_json_block(data)), PageData, "page") == []
    for analysis in later_data(runs):
        assert faults(json.loads(as_json_block(analysis)), Analysis, "analysis") == []


def test_a_field_that_the_records_lack_is_found() -> None:
    data, _ = report_data([two_lines()])
    plain = json.loads(as_json_block(data))
    assert faults(plain | {"titel": ""}, PageData, "page") == [f"page has {sorted([*plain, 'titel'])}"]
    assert faults(plain | {"title": 3}, PageData, "page") == ["title is 3, expected <class 'str'>"]


def test_typescript_has_every_record() -> None:
    text = generator().page_types()
    records = {name: kind for name, kind in vars(page_records).items() if is_typeddict(kind)}
    assert set(re.findall(r"^export interface (\w+)", text, re.MULTILINE)) == set(records)
    for name, record in records.items():
        assert _named_fields(text, name) == set(record.__annotations__)
    assert not re.search(r"[{:<|(] *any\b(?! other)", text)


def _named_fields(text: str, name: str) -> set[str]:
    """Return the fields of an interface, those it extends included."""
    head, body = text.split(f"export interface {name} ")[1].split("\n}", maxsplit=1)[0].split("{", maxsplit=1)
    extended = head.removeprefix("extends").replace(",", " ").split()
    own = set(re.findall(r"^  (\w+)\??: ", body, re.MULTILINE))
    return own.union(*(_named_fields(text, base) for base in extended))


def test_every_field_is_read_by_a_script() -> None:
    scripts = "\n".join(source for _, source in module_sources())
    records = [kind for kind in vars(page_records).values() if is_typeddict(kind)]
    fields = {name for record in records for name in get_type_hints(record)}
    unread = {name for name in fields - READ_FROM_THE_COPY if not re.search(rf"\b{name}\b", scripts)}
    assert not unread, "the page contains what nothing shows"


def test_the_example_of_column_block() -> None:
    columns = ColumnBlock()
    columns.add("size", np.array([3, 300]))
    assert columns.directory == {"size": ("u2", 0, 2)}


def test_the_example_of_pack() -> None:
    assert zlib.decompress(base64.b64decode(pack(b"abc")), wbits=-15) == b"abc"


def test_the_example_of_later_data() -> None:
    import segmetry as sm

    later = later_data([sm.evaluate({"a": [[1, 1, 2]]}, {"a": [[1, 1, 2]]}, metrics="pq")])
    assert (later[0]["budget"]["problem"], sorted(later[0])) == (
        None,
        ["budget", "errors", "headline", "intervals", "run"],
    )
