"""``segmetry leaderboard FOLDER``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from segmetry.cli.console import Screen, check_outputs, write_outputs, write_text
from segmetry.cli.data_warnings import print_warnings
from segmetry.cli.options.option_groups import json_target, text_target
from segmetry.receipts import leaderboard

EXAMPLES = """
\b
Examples:
  segmetry leaderboard submissions/
  segmetry leaderboard submissions/ --like organisers.segm --html index.html
  segmetry leaderboard submissions/ --json - | jq .groups
"""


@click.command(name="leaderboard", epilog=EXAMPLES)
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--like", type=click.Path(path_type=Path), metavar="RUN", help="The run whose truth and settings count.")
@click.option("--html", "html_to", metavar="FILE", help="Write a static page.")
@click.option("--title", default="Leaderboard", metavar="TEXT", help="Title of the page.", show_default=True)
@json_target
@text_target("csv", "one row per system as CSV")
def command(folder: Path, like: Path | None, **options: Any) -> None:
    """Rank the run files in a folder.

    Every run is checked first, as 'segmetry verify' does; no truth is needed. Ranks have the range that they have in
    resampled items, and systems that share a letter cannot be told apart.
    """
    targets = {f"--{name}": options[f"{name}_to"] for name in ("html", "json", "csv")}
    check_outputs([like] if like else [], targets)
    with print_warnings():
        board = leaderboard(folder, like=like)
    write_outputs(options, board.to_dict, board.records)
    if options["html_to"]:
        write_text(options["html_to"], board.html(options["title"]))
    if "-" not in targets.values():
        Screen().show(board.tables)
