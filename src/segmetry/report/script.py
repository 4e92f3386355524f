"""The modules of ``js/`` as one inline script, put together without a bundler.

Every module becomes a function that is called once and returns what the module exports; an import becomes a look into
that. So a module's own names stay its own, the files are plain ES modules for editors and type checkers, and one
sha256 in the page's content security policy covers the whole script.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

ENTRY = "main.js"
STYLES = ("style.css", "items.css")
_IMPORT = re.compile(r'^import \{ (?P<names>[^}]*?),? \} from "\./(?P<file>[\w-]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?P<what>(?:async )?function\*?|const|class) (?P<name>[A-Za-z_$][\w$]*)", re.MULTILINE)
_STRAY = re.compile(r"^(?:import|export)\b.*$", re.MULTILINE)


@cache
def script() -> str:
    """The whole script of the page."""
    folder = files("segmetry.report") / "js"
    sources = {one.name: one.read_text("utf-8") for one in folder.iterdir() if one.name.endswith(".js")}
    return bundle(sources, ENTRY)


@cache
def style() -> str:
    """The style sheets of the page."""
    return "\n".join((files("segmetry.report") / name).read_text("utf-8") for name in STYLES)


def bundle(sources: Mapping[str, str], entry: str) -> str:
    r"""Modules in the order in which they need each other.

    >>> sources = {"a.js": 'import { b as c } from "./b.js";\nc();\n', "b.js": "export function b() {}\n"}
    >>> print(bundle(sources, "a.js"))
    const from_b = (() => {
    function b() {}
    return { b };
    })();
    (() => {
    const { b: c } = from_b;
    c();
    })();
    """
    order: list[str] = []
    _visit(entry, sources, order, ())
    text = "\n".join(_wrapped(name, sources[name], last=name == entry) for name in order)
    if "</script" in text.lower() or "<!--" in text:
        raise ValueError("the script holds </script or <!--, which ends it in HTML; write it in two pieces")
    return text


def _visit(name: str, sources: Mapping[str, str], order: list[str], above: tuple[str, ...]) -> None:
    if name in above:
        raise ValueError(f"modules import each other in a circle: {' -> '.join((*above, name))}")
    if name not in order:
        for found in _IMPORT.finditer(sources[name]):
            _visit(found["file"], sources, order, (*above, name))
        order.append(name)


def _wrapped(name: str, source: str, *, last: bool) -> str:
    exported = [found["name"] for found in _EXPORT.finditer(source)]
    body = _EXPORT.sub(r"\g<what> \g<name>", _IMPORT.sub(_look, source))
    stray = _STRAY.search(body)
    if stray is not None:
        raise ValueError(f'{name}: expected `import {{ … }} from "./….js";` or an exported name, found {stray[0]!r}')
    if last:
        return f"(() => {{\n{body}}})();"
    return f"const {_variable(name)} = (() => {{\n{body}return {{ {', '.join(exported)} }};\n}})();"


def _look(found: re.Match[str]) -> str:
    names = ", ".join(one.strip().replace(" as ", ": ") for one in found["names"].split(","))
    return f"const {{ {names} }} = {_variable(found['file'])};\n"


def _variable(name: str) -> str:
    return f"from_{name.removesuffix('.js').replace('-', '_')}"
