"""Completion: what is offered, and that a real bash offers it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import BashComplete

from segmetry.cli.main import cli
from tests.cli.running import Runner

SCRIPT = """
source "$1"
for words in "${@:2}"; do
    read -ra COMP_WORDS <<< "$words"
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    COMPREPLY=()
    _segmetry_completion "$SEGMETRY"
    echo "${COMPREPLY[@]}"
done
"""


@pytest.mark.slow
def test_a_real_bash_completes(tmp_path: Path, segmetry: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    bash = shutil.which("bash")
    assert bash is not None
    (tmp_path / "completion.bash").write_text(segmetry("completion", "bash").out)
    program = tmp_path / "segmetry"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m segmetry "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("SEGMETRY", str(program))
    call = [bash, "-c", SCRIPT, "bash", str(tmp_path / "completion.bash")]
    words = "segmetry exp", "segmetry score a b --metrics pq,boundary_i"
    result = subprocess.run([*call, *words], capture_output=True, text=True, check=True, timeout=60)
    assert (result.stdout.splitlines(), result.stderr) == (["export explain", "pq,boundary_iou"], "")


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("score a b --un", ["--undefined", "--union", "--unit"]),
        ("score a b --metrics panop", ["panoptic"]),
        ("score a b --rule theta_", ["theta_and", "theta_plus"]),
        ("score a b --policy ", ["coco", "coco-all-crowds", "none", "strict-void", "torchmetrics"]),
        ("score a b --pred-format coco-p", ["coco-panoptic"]),
        ("score a b --engine s", ["serial"]),
        ("score a b --option pk.", ["pk.k=", "pk.padded="]),
        (
            "score a b --fail-under pk",
            [
                "pk.by_class=",
                "pk.by_class_of_items=",
                "pk.by_item=",
                "pk.by_item_and_class=",
                "pk.by_item_of_classes=",
                "pk.pooled=",
                "pk=",
            ],
        ),
        ("score a b --sort window_d", ["window_diff"]),
        ("score a b --sort ite", ["item"]),
        ("score a b --metrics pq,al", ["pq,alignment_index", "pq,alignments", "pq,all"]),
        ("score a b --table sc", ["scores"]),
        ("compare a b --gate pk.by_item_o", ["pk.by_item_of_classes:"]),
        ("compare a b --gate-on i", ["interval"]),
        ("export run --rule theta_p", ["theta_plus"]),
        ("maps a b --format coco-p", ["coco-panoptic"]),
        ("explain window_d", ["window_diff"]),
        ("metrics --family pano", ["panoptic"]),
        ("convert a b --to mas", ["masses"]),
        ("completion f", ["fish"]),
    ],
)
def test_names_are_offered(words: str, offered: list[str]) -> None:
    *before, last = words.split(" ")
    completions = BashComplete(cli, {}, "segmetry", "_SEGMETRY_COMPLETE").get_completions(before, last)
    assert [completion.value for completion in completions] == offered


@pytest.mark.parametrize(("shell", "word"), [("bash", "complete -o"), ("zsh", "compdef"), ("fish", "complete --")])
def test_every_shell_has_its_script(shell: str, word: str, segmetry: Runner) -> None:
    result = segmetry("completion", shell)
    assert result.code == 0 and word in result.out and "_SEGMETRY_COMPLETE" in result.out


def test_other_shells_are_rejected(segmetry: Runner) -> None:
    assert "'tcsh' is not one of" in segmetry.refused("completion", "tcsh")
