"""Bundle the modules of ``js/`` into one inline script.

Every module becomes a function that is called once and returns its exports; an import unpacks them. So names stay local
to their module, the files are plain ES modules for editors and type checkers, and one sha256 in the page's content
security policy covers the script.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

ENTRY = "main.js"
STYLES = ("style.css", "items.css", "frame.css", "overview.css", "atlas.css")
_IMPORT = re.compile(r'^import \{ (?P<names>[^}]*?),? \} from "(?P<path>\.{1,2}/[\w./-]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?P<what>(?:async )?function\*?|const|class) (?P<name>[A-Za-z_$][\w$]*)", re.MULTILINE)
_STRAY = re.compile(r"^(?:import|export)\b.*$", re.MULTILINE)


@cache
def script() -> str:
    """Return the script of the page."""
    return bundle(dict(module_sources()), ENTRY)


@cache
def style() -> str:
    """Return the style sheets of the page."""
    return "\n".join((files("segmetry.report") / name).read_text("utf-8") for name in STYLES)


def module_sources(folder: Traversable | None = None, prefix: str = "") -> Iterator[tuple[str, str]]:
    """Yield the path below ``js/`` and the source of every module."""
    for entry in (folder or files("segmetry.report") / "js").iterdir():
        if entry.is_dir():
            yield from module_sources(entry, f"{prefix}{entry.name}/")
        elif entry.name.endswith(".js"):
            yield prefix + entry.name, entry.read_text("utf-8")


def bundle(sources: Mapping[str, str], entry: str) -> str:
    """Return the entry module and all it imports as one script, every module after those it imports."""
    order: list[str] = []
    _visit(entry, sources, order, ())
    text = "\n".join(_wrapped(name, sources[name], is_entry=name == entry) for name in order)
    if "</script" in text.lower() or "<!--" in text:
        raise ValueError("the script contains </script or <!--, which ends it in HTML; write it in two pieces")
    return text


def _visit(name: str, sources: Mapping[str, str], order: list[str], importers: tuple[str, ...]) -> None:
    if name in importers:
        raise ValueError(f"circular import: {' -> '.join((*importers, name))}")
    if name not in order:
        for statement in _IMPORT.finditer(sources[name]):
            _visit(_resolved(statement["path"], name), sources, order, (*importers, name))
        order.append(name)


def _resolved(path: str, importer: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(importer), path))


def _wrapped(name: str, source: str, *, is_entry: bool) -> str:
    exported = [statement["name"] for statement in _EXPORT.finditer(source)]
    imported = _IMPORT.sub(lambda statement: _unpacking(statement, name), source)
    body = _EXPORT.sub(r"\g<what> \g<name>", imported)
    stray = _STRAY.search(body)
    if stray is not None:
        raise ValueError(f'{name}: expected `import {{ … }} from "./….js";` or an exported name, found {stray[0]!r}')
    if is_entry:
        return f"(() => {{\n{body}}})();"
    return f"const {variable(name)} = (() => {{\n{body}return {{ {', '.join(exported)} }};\n}})();"


def _unpacking(statement: re.Match[str], importer: str) -> str:
    names = ", ".join(name.strip().replace(" as ", ": ") for name in statement["names"].split(","))
    return f"const {{ {names} }} = {variable(_resolved(statement['path'], importer))};\n"


def variable(name: str) -> str:
    """Return the name of the variable for the exports of a module."""
    return f"from_{re.sub(r'[/-]', '_', name.removesuffix('.js'))}"
