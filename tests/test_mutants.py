"""The mutants that ``make mutants`` tries: each changes one thing, and can be compiled."""

from __future__ import annotations

import ast
import importlib.util
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
SOURCE = '''"""Words."""
LIMIT: int = 3


def larger(é: int, other: list[int]) -> bool:
    """Words."""
    other.append(1)
    return é >= LIMIT and not other or f"{é + 1}" == "x"
'''
spec = importlib.util.spec_from_file_location("mutants", CHECKOUT / "tools" / "mutants.py")
assert spec is not None and spec.loader is not None
mutants = importlib.util.module_from_spec(spec)
spec.loader.exec_module(mutants)


def test_one_thing_is_changed_and_texts_and_types_stay(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text(SOURCE, encoding="utf-8")
    found = list(mutants.mutants_of(path))
    assert [(mutant.node.lineno, mutant.new) for mutant in found] == [
        (2, "(4)"),
        (7, "pass"),
        (7, "(2)"),
        (8, "return None"),
        (8, """((é >= LIMIT and (not other)) and f'{é + 1}' == 'x')"""),
        (8, "(é >= LIMIT or not other)"),
        (8, "(é > LIMIT)"),
        (8, "(other)"),
        (8, """(f'{é + 1}' != 'x')"""),
    ]
    assert [list(mutant.lines) for mutant in found[:3]] == [[], [7], [7]], "the top level has no lines of its own"
    lines = SOURCE.splitlines()
    for mutant in found:
        changed = mutant.source().decode().splitlines()
        assert [at for at, line in enumerate(lines, 1) if changed[at - 1] != line] == [mutant.node.lineno]
        ast.parse(mutant.source())


def test_every_mutant_of_a_module_can_be_compiled() -> None:
    path = CHECKOUT / "src" / "segmetry" / "statistics" / "bootstrap.py"
    found = list(mutants.mutants_of(path))
    assert len(found) > 50
    for mutant in found:
        compile(mutant.source(), str(path), "exec")
