"""The script of the page: modules put together in order, and nothing HTML could end."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

from segmetry.report.script_bundle import bundle, module_sources, script, variable

JS = files("segmetry.report") / "js"
MODULES = sorted(name for name, _ in module_sources())


def test_the_script_holds_every_module() -> None:
    text = script()
    for name in MODULES:
        assert name == "main.js" or f"const {variable(name)} = (() => {{" in text
    assert not re.search(r"^(?:import|export)\b", text, re.MULTILINE)


@pytest.mark.parametrize("name", MODULES)
def test_modules_are_short_checked_and_write_no_markup(name: str) -> None:
    text = (JS / name).read_text("utf-8")
    assert text.startswith("// @ts-check\n") and len(text.splitlines()) <= 250
    assert max(map(len, text.splitlines())) <= 120
    for forbidden in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "http://", "https://"):
        allowed = "http://www.w3.org/" if forbidden == "http://" else "\0"
        assert forbidden not in text.replace(allowed, "")


@pytest.mark.parametrize("name", MODULES)
def test_modules_evade_no_type_check(name: str) -> None:
    """``make types`` checks them with TypeScript; this keeps the ways round it out."""
    text = (JS / name).read_text("utf-8")
    assert not re.search(r"@ts-(?:ignore|expect-error|nocheck)|[{:<|(] *any\b(?! other)", text)


@pytest.mark.parametrize(
    ("sources", "message"),
    [
        (
            {"a.js": 'import { b } from "./b.js";\n', "b.js": 'import { a } from "./a.js";\n'},
            "import: a.js -> b.js",
        ),
        ({"a.js": 'import b from "./b.js";\n'}, "found 'import b from"),
        ({"a.js": "export default 3;\n"}, "found 'export default"),
        ({"a.js": 'const text = "</script>";\n'}, "write it in two pieces"),
    ],
)
def test_what_cannot_be_put_together_is_rejected(sources: dict[str, str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        bundle(sources, "a.js")


def test_the_example_of_bundle() -> None:
    sources = {"a.js": 'import { b as c } from "./x/b.js";\nc();\n', "x/b.js": "export function b() {}\n"}
    assert bundle(sources, "a.js").split("\n") == [
        "const from_x_b = (() => {",
        "function b() {}",
        "return { b };",
        "})();",
        "(() => {",
        "const { b: c } = from_x_b;",
        "c();",
        "})();",
    ]


def test_the_example_of_variable() -> None:
    assert variable("scoring/exact.js") == "from_scoring_exact"
