"""``segmetry open RUN [RUN …]``."""

from __future__ import annotations

import webbrowser
from contextlib import ExitStack
from pathlib import Path
from platform import node
from threading import Thread
from typing import Any

import click

from segmetry.cli.data_warnings import print_warnings
from segmetry.cli.options.option_groups import class_names_option, moved_inputs, opened_run
from segmetry.cli.progress import report_progress
from segmetry.report import ReportServer, ServedReport, redirecting_file

EXAMPLES = """
\b
Examples:
  segmetry open run.segm
  segmetry open first.segm second.segm
  segmetry open run.segm --images photos --no-browser
"""


@click.command(name="open", epilog=EXAMPLES)
@click.argument("paths", metavar="RUN…", nargs=-1, required=True, type=click.Path(path_type=Path))
@moved_inputs
@click.option(
    "--images", metavar="DIR|none", help="Folder of the photographs under the masks. [default: those of a COCO file]"
)
@click.option("--title", help="Title of the report.")
@class_names_option
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port to listen on. [default: one that is free]")
@click.option("--no-browser", is_flag=True, help="Print the address, but open no browser.")
def command(paths: tuple[Path, ...], port: int, no_browser: bool, **options: Any) -> None:
    """Show the report of run files of any size in the browser, without writing a file.

    The report is served on this machine only, at an address that holds a secret, and nothing can be changed through it.
    The page appears as soon as the run is read; intervals and the error analysis follow when they are computed, and
    pictures are drawn from the inputs of the run when an item is opened. Ctrl-C ends it.
    """
    runs = [opened_run(path, options) for path in paths]
    options.pop("class_names")
    options |= {name: list(options[name]) or None for name in ("pred", "sensitivity")}
    with ExitStack() as ending:
        answers = ServedReport(runs, **options)
        server = ending.enter_context(ReportServer(answers, port))
        serving = Thread(target=server.serve_forever, daemon=True)
        serving.start()
        ending.callback(server.shutdown)
        click.echo(f"Report: {server.address}")
        number = server.server_port
        click.echo(f"From another machine: ssh -L {number}:localhost:{number} {node() or 'HOST'}", err=True)
        click.echo("Ctrl-C ends it.", err=True)
        if not no_browser:
            webbrowser.open(ending.enter_context(redirecting_file(server.address)).as_uri())
        try:
            with print_warnings(), report_progress() as progress:
                answers.prepare(progress)
            while serving.is_alive():
                serving.join(timeout=60)
        except KeyboardInterrupt:
            click.echo("", err=True)
