"""The stub names what the package has: type checkers and editors see the public names with their signatures."""

from __future__ import annotations

import ast
import importlib.util
import os
import subprocess
import sys
from inspect import Parameter, getdoc, signature
from pathlib import Path
from types import ModuleType

import pytest

import segmetry as sm
from segmetry.metrics.declare import METRICS
from segmetry.metrics.metric_names import aliases

PROJECT = Path(__file__).resolve().parents[2]
STUB = Path(sm.__file__).with_name("__init__.pyi")
BUILT_IN = STUB.parent / "_base" / "built_in.py"


def load_generator() -> ModuleType:
    found = importlib.util.spec_from_file_location("write_stub", PROJECT / "tools" / "write_stub.py")
    assert found is not None and found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def stub() -> ast.Module:
    return ast.parse(STUB.read_text("utf-8"))


def test_the_stub_is_up_to_date() -> None:
    assert load_generator().stub() == STUB.read_text("utf-8"), "the stub is out of date: run make stub"


def test_the_modules_of_metrics_and_protocols_are_up_to_date() -> None:
    assert load_generator().built_in() == BUILT_IN.read_text("utf-8"), "built_in.py is out of date: run make stub"


def test_the_stub_lists_the_public_names(stub: ast.Module) -> None:
    listed = next(
        ast.literal_eval(node.value)
        for node in stub.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
    )
    assert listed == sm.__all__ == dir(sm)
    assert set(listed) == {"list_metrics", *sm._MODULES, *sm._HOMES, *METRICS}


def test_every_metric_has_its_signature_in_the_stub(stub: ast.Module) -> None:
    functions = {node.name: node for node in stub.body if isinstance(node, ast.FunctionDef)}
    presets = {alias for alias, named in aliases() if named.options and alias.isidentifier()}
    assert {*METRICS, *presets, "list_metrics", "_metric", "evaluate", "score"} == set(functions)
    same = {ast.unparse(node.targets[0]) for node in stub.body if isinstance(node, ast.Assign)}
    assert {alias for alias, named in aliases() if not named.options and alias.isascii()} <= same
    for key in METRICS:
        parameters = signature(getattr(sm, key)).parameters.values()
        arguments = functions[key].args
        keyword_only = [p.name for p in parameters if p.kind is Parameter.KEYWORD_ONLY]
        assert [argument.arg for argument in arguments.kwonlyargs] == keyword_only
        assert [argument.arg for argument in [*arguments.args, *arguments.kwonlyargs]] == [p.name for p in parameters]
        assert ast.get_docstring(functions[key]) == sm.list_metrics()[key].function.__doc__


@pytest.mark.parametrize("name", ["evaluate", "score"])
def test_records_of_options_are_listed_in_the_stub(name: str, stub: ast.Module) -> None:
    function = getattr(sm, name)
    stubs = [node for node in stub.body if isinstance(node, ast.FunctionDef) and node.name == name]
    assert [len(stubs), *{len(node.decorator_list) for node in stubs}] == ([1, 0] if name == "evaluate" else [2, 1])
    for node in stubs:
        arguments = [argument.arg for argument in (*node.args.args, *node.args.kwonlyargs)]
        assert arguments == list(signature(function).parameters)
        assert ast.get_docstring(node) == getdoc(function)


def test_only_public_names_are_listed() -> None:
    assert not [name for name in dir(sm) if name.startswith("_")]
    assert {"pq", "overlap", "Score", "rules"} <= set(dir(sm)) and not {"os", "sys", "import_module"} & set(dir(sm))
    for name in dir(sm):
        assert getattr(sm, name) is not None


def test_the_package_is_marked_as_typed() -> None:
    assert STUB.with_name("py.typed").exists()


@pytest.mark.slow
@pytest.mark.parametrize(("eager", "loaded"), [("1", True), ("", False)])
def test_eager_import(eager: str, loaded: bool) -> None:
    program = (
        "import sys, segmetry; print('segmetry.metrics.windows.window_metrics' in sys.modules, 'pk' in vars(segmetry))"
    )
    environment = {**os.environ, "EAGER_IMPORT": eager}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(loaded)] * 2


def test_star_import() -> None:
    names: dict[str, object] = {}
    exec("from segmetry import *", names)  # noqa: S102
    assert names["pq"] is sm.pq and set(sm.__all__) <= set(names)
