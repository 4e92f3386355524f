"""Front doors: the names of a package are imported when they are asked for, with or without the generated index."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from segmetry._base.front_door import listed_homes, names_on_demand

PACKAGE = '''"""A package."""
from typing import TYPE_CHECKING
from segmetry._base.front_door import names_on_demand
if TYPE_CHECKING:
    from house.kitchen import Kettle as Kettle, boil as boil
    from house.cellar import broken as broken
else:
    __getattr__, __dir__ = names_on_demand(__name__)
'''
KITCHEN = "class Kettle: ...\ndef boil(): return 'tea'\n"


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "house"
    folder.mkdir()
    for name, text in {"__init__": PACKAGE, "kitchen": KITCHEN, "cellar": "import sys\nsys.no_such_thing\n"}.items():
        (folder / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    for module in [module for module in sys.modules if module.split(".")[0] == "house"]:
        monkeypatch.delitem(sys.modules, module)
    return tmp_path


def printed(program: str, folder: Path) -> str:
    program = f"import sys; sys.path.insert(0, {str(folder)!r}); {program}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    return done.stdout + (done.stderr.splitlines()[-1] if done.returncode else "")


def test_a_module_is_imported_when_one_of_its_names_is(house: Path) -> None:
    program = (
        "import house; print('house.kitchen' in sys.modules); from house import boil; "
        "print(boil(), 'house.kitchen' in sys.modules, vars(house)['boil'] is boil)"
    )
    assert printed(program, house).split() == ["False", "tea", "True", "True"]


def test_a_class_behind_a_front_door_is_pickled_by_its_module(house: Path) -> None:
    program = "import pickle; from house import Kettle; print(b'house.kitchen' in pickle.dumps(Kettle()))"
    assert printed(program, house).strip() == "True"


def test_optimised_python_finds_the_same_names(house: Path) -> None:
    program = f"import sys; sys.path.insert(0, {str(house)!r}); import house; print(house.boil(), dir(house))"
    done = subprocess.run([sys.executable, "-OO", "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("tea ['Kettle', ")


def test_a_module_is_still_imported_from_its_package(house: Path) -> None:
    assert printed("from house import kitchen; print(kitchen.boil())", house).strip() == "tea"


def test_a_name_that_is_not_listed_is_an_error_of_its_package(house: Path) -> None:
    assert printed("import house; house.attic", house) == "AttributeError: module 'house' has no attribute 'attic'"


def test_a_fault_inside_a_module_is_not_hidden(house: Path) -> None:
    message = printed("from house import broken", house)
    assert "cannot import 'broken' from 'house.cellar': module 'sys' has no attribute 'no_such_thing'" in message


def test_the_list_is_read_from_the_source(house: Path) -> None:
    kitchen = dict.fromkeys(("Kettle", "boil"), "house.kitchen")
    assert listed_homes("house") == {**kitchen, "broken": "house.cellar"}
    find_name, list_names = names_on_demand("house")
    assert find_name("boil")() == "tea"
    assert {"Kettle", "boil", "broken"} <= set(list_names())
