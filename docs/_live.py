"""Blocks that run while the site is built, and show what they really print.

``{live}`` runs Python; the blocks of one page share their names, and the value of a last expression is printed as in
a session. ``{console}`` runs every line that begins with ``$ `` in bash, in a folder that belongs to the page. Both
take ``:hidden:`` (run, show nothing); ``{console}`` takes ``:exit:``, the exit code its last command must have, and
``:in-project:`` (run in the folder of the checkout); ``{live}`` takes ``:markdown:`` (what is printed becomes part of
the page, the code is not shown) and ``:picture:``, words that describe the picture that its last expression is: it is
shown below the code. A block that fails stops the build, so what a page claims is
asserted in the block itself.
"""

from __future__ import annotations

import ast
import base64
import contextlib
import io
import os
import subprocess
import sys
import tempfile
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

COLUMNS = "80"
PROJECT = Path(__file__).resolve().parent.parent


def run_python(source: str, names: dict[str, Any]) -> str:
    """Run a block with these names; return what it prints and the value of its last expression.

    >>> run_python("a = 2\\nprint(a)\\na + 1", {})
    '2\\n3\\n'
    """
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "<block>", "exec"), names)  # noqa: S102 - the page's own code
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "<block>", "eval"), names)  # noqa: S307
            if value is not None:
                print(repr(value))
    return printed.getvalue()


def picture_of(source: str, names: dict[str, Any]) -> str:
    """Run a block whose last expression is a picture (:class:`segmetry.outputs.plots.picture.Picture`); return its SVG.

    >>> from types import SimpleNamespace
    >>> picture_of("it", {"it": SimpleNamespace(svg="<svg/>")})
    '<svg/>'
    """
    tree = ast.parse(source)
    last = tree.body.pop()
    if not isinstance(last, ast.Expr):
        raise TypeError("the last line of a block with :picture: is the picture")
    exec(compile(tree, "<block>", "exec"), names)  # noqa: S102 - the page's own code
    return str(eval(compile(ast.Expression(last.value), "<block>", "eval"), names).svg)  # noqa: S307


def image_of(svg: str, words: str) -> str:
    """Return an SVG as an image of a page; nothing in it can clash with other pictures."""
    content = base64.b64encode(svg.encode()).decode()
    return f'<img class="picture" alt="{escape(words)}" src="data:image/svg+xml;base64,{content}">'


def run_console(lines: list[str], folder: Path, expected: int) -> str:
    """Run the commands in a folder; return the session as shown in a terminal of 80 columns."""
    commands = [line for line in lines if line.startswith("$ ")]
    if len(commands) != len([line for line in lines if line.strip()]):
        raise ValueError("every line of a console block begins with '$ '; its output is written by the build")
    shown = []
    environment = {
        **os.environ,
        "COLUMNS": COLUMNS,
        "NO_COLOR": "1",
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    for at, line in enumerate(commands):
        result = subprocess.run(  # noqa: S603 - the page's own commands
            ["bash", "-c", line[2:]],  # noqa: S607
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        allowed = expected if at == len(commands) - 1 else 0
        if result.returncode != allowed:
            raise ValueError(f"{line!r} exited with {result.returncode}; expected {allowed}\n{result.stdout}")
        shown += [line, *(part.rstrip() for part in result.stdout.rstrip().splitlines())]
    return "\n".join(shown)


class _Block(SphinxDirective):
    has_content = True
    option_spec = {  # noqa: RUF012 - as docutils asks
        "hidden": directives.flag,
        "exit": directives.nonnegative_int,
        "in-project": directives.flag,
        "markdown": directives.flag,
        "picture": directives.unchanged_required,
    }

    def shown(self, language: str, text: str, kind: str) -> nodes.Node:
        block: nodes.Node = nodes.literal_block(text, text, language=language, classes=[kind])
        return block

    def page(self, what: str, make: Any) -> Any:
        """Return an object of this page, created by the first block that needs it."""
        objects = self.env.temp_data.setdefault("segmetry_live", {})
        if what not in objects:
            objects[what] = make()
        return objects[what]

    def folder(self) -> Path:
        kept: tempfile.TemporaryDirectory[str] = self.page("folder", tempfile.TemporaryDirectory)
        return Path(kept.name)


class LivePython(_Block):
    def run(self) -> list[nodes.Node]:
        source = "\n".join(self.content)
        names = self.page("names", dict)
        try:
            with contextlib.chdir(self.folder()):
                if "picture" in self.options:
                    image = image_of(picture_of(source, names), self.options["picture"])
                    return [self.shown("python", source, "live"), nodes.raw("", image, format="html")]
                printed = run_python(source, names)
        except Exception as problem:
            raise self.error(f"the block failed: {type(problem).__name__}: {problem}") from problem
        if "hidden" in self.options:
            return []
        if "markdown" in self.options:
            parsed: list[nodes.Node] = self.parse_text_to_nodes(printed)
            return parsed
        code = [self.shown("python", source, "live")]
        return [*code, self.shown("text", printed.rstrip(), "live-output")] if printed.strip() else code


class LiveConsole(_Block):
    def run(self) -> list[nodes.Node]:
        try:
            folder = PROJECT if "in-project" in self.options else self.folder()
            text = run_console(list(self.content), folder, self.options.get("exit", 0))
        except ValueError as problem:
            raise self.error(str(problem)) from problem
        return [] if "hidden" in self.options else [self.shown("console", text, "live")]


def setup(app: Any) -> dict[str, bool]:
    app.add_directive("live", LivePython)
    app.add_directive("console", LiveConsole)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
