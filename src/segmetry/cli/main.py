"""The command line: ``segmetry score``, ``report``, ``export``, ``info``, ``compare``, ``diagnose``, ``sensitivity``,
``convert``, ``curves``, ``plot``, ``maps``, ``demo``, ``explain``, ``metrics``, ``rules``, ``formats`` …

Each command has its own module, imported only when the command runs, so ``segmetry --help`` is fast.

Exit codes: 0 done; 1 a defect of segmetry (please report it); 2 something wrong with the input or the options,
stated in one line; 3 a bound of --fail-under or --gate is not kept, or a receipt
does not hold; 130 interrupted.
"""

from __future__ import annotations

import errno
import gc
import os
import re
import sys
from contextlib import nullcontext, suppress
from importlib import import_module
from io import TextIOWrapper
from typing import Any

import click

from segmetry import __version__
from segmetry.cli.data_warnings import print_warnings
from segmetry.cli.interrupt_watch import end_when_interrupted
from segmetry.cli.options.config_file import with_config
from segmetry.errors import OptionError, PluginWarning, SegmetryError, printable

COMMANDS = {
    "score": "Score a prediction against the truth.",
    "merge": "Merge the parts of a run.",
    "report": "Write an interactive HTML report of one or several runs.",
    "open": "Show the report of run files of any size in the browser.",
    "export": "Export tables of a run file, under any rule.",
    "info": "Show what a run file contains.",
    "compare": "Compare systems from their run files.",
    "reconcile": "Say why another program gives another number.",
    "verify": "Check the receipt of a run file: recompute what it states.",
    "leaderboard": "Rank the run files in a folder.",
    "agreement": "Measure the agreement of the annotators of a file.",
    "diagnose": "Analyse errors: gain if each kind is fixed.",
    "sensitivity": "Measure how scores change when boundaries move by one pixel.",
    "skeletons": "Measure how far traced neurons can be followed in a volume.",
    "convert": "Convert a linear segmentation to another format.",
    "curves": "Compute precision, recall and F1 by the least weight of a pair.",
    "plot": "Draw a plot of two segmentations.",
    "maps": "Draw precision and recall maps: every segment by its best match.",
    "demo": "Evaluate the built-in sample; needs no input.",
    "explain": "Explain a metric, a rule or a protocol.",
    "metrics": "List all metrics.",
    "protocols": "List the protocols: how communities evaluate.",
    "rules": "List the alignment rules and their guarantees.",
    "formats": "List the supported file formats.",
    "completion": "Print the completion script for bash, zsh or fish.",
}

COUNTING = frozenset({"score", "demo", "agreement", "curves", "plot", "maps", "sensitivity", "skeletons"})
"""The commands that take longer without compiled kernels, and say so."""

YOUNG_OBJECTS = 100_000
"""New objects between two searches for cycles in a process of the command line: importing makes many and no cycle."""


class Commands(click.Group):
    """Commands that are imported when they are used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command: click.Command = import_module(f"segmetry.cli.commands.{name}").command
        return with_config(command)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in COMMANDS and not (args[0].startswith("-") or ctx.resilient_parsing):
            from difflib import get_close_matches

            near = get_close_matches(args[0], COMMANDS, n=1)
            hint = f"did you mean {near[0]}?" if near else "'segmetry --help' lists them"
            raise click.UsageError(f"there is no command {args[0]!r}; {hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


HELP = """Evaluate segmentations of anything: images, volumes, text, any partition.

\b
segmetry demo                     the built-in sample
segmetry score TRUE PRED          two files in, a table out
segmetry report RUN               an interactive HTML report
segmetry compare RUN RUN…         which system is better?
segmetry convert IN OUT --to …    the same in another format
segmetry explain pq               what a number means
"""
EPILOG = """\b
Exit codes:
  0    done
  1    a defect of segmetry: please report it
  2    something wrong with the input or the options, stated in one line
  3    a bound of --fail-under or --gate is not kept, or a receipt does not hold
  130  interrupted (Ctrl-C); --resume continues a run with --out
"""  # the control character \\b keeps click from rewrapping the lines


OF_OBJECTS = re.compile(
    r"; (?:objects in memory|[^;]*\b(?:LabelArray|Masks|Polygons|Sets|SpanLines|Spans|TimeIntervals)\.from_)[^;]*"
)
"""The part of a message that is about objects of the library, which the command line does not have."""


@click.group(
    cls=Commands,
    help=HELP,
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="segmetry")
@click.pass_context
def cli(context: click.Context) -> None:
    """The group of all commands."""
    if context.invoked_subcommand in COUNTING:
        from segmetry.installation import slow_kernels_note

        if note := slow_kernels_note():
            click.echo(f"segmetry: note: {note}", err=True)


def _escape_what_cannot_be_printed() -> None:
    """Print characters that the encoding of the output does not have as escapes, as standard error does."""
    if isinstance(sys.stdout, TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="backslashreplace")


_LIMITS = {
    errno.ENOSPC: "standard output or a temporary file cannot be written: the disk is full",
    errno.EIO: "standard output or a temporary file cannot be written",
    errno.EMFILE: "too many open files; raise the limit with ulimit -n, or choose fewer --jobs",
    errno.ENFILE: "too many open files on this machine",
    errno.EAGAIN: "no further process or thread can be started; choose fewer --jobs or --threads",
}
"""What the system rejects without naming a file."""


def _check_environment() -> None:
    """Raise for a closed output and for variables with values that they cannot have; discard errors nobody reads."""
    if sys.stderr is None:  # 2>&-: a run file that is opened would get the number of standard error
        nowhere = os.open(os.devnull, os.O_WRONLY)
        if nowhere != 2:
            os.dup2(nowhere, 2)
        sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115 - until the process ends
    if sys.stdout is None:
        raise OptionError("standard output is closed; > /dev/null discards what is printed")
    kernels = os.environ.get("SEGMETRY_KERNELS", "auto")
    if kernels not in ("auto", "native", "numpy"):
        raise OptionError(f"SEGMETRY_KERNELS is {kernels[:80]!a}; expected auto, native or numpy")
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "0")  # numpy reads it, too, when scipy is imported
    if not (epoch.isascii() and epoch.isdigit() and len(epoch) < 12):
        raise OptionError(f"SOURCE_DATE_EPOCH is {epoch[:80]!a}; expected seconds since 1970")


def _give_up_output() -> None:
    """Let the rest of standard output go nowhere: Python writes it at the end, and would fail once more."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _tell_of_system(problem: OSError) -> None:
    """Print what the system rejects; an error without a file is a defect, unless it is one of the limits."""
    if problem.filename is not None:
        click.echo(f"segmetry: {printable(f'{problem.filename}: {problem.strerror}')}", err=True)
        return
    if problem.errno not in (errno.EPIPE, *_LIMITS):
        raise problem
    _give_up_output()
    if problem.errno == errno.EPIPE:
        sys.exit(0)  # head has what it wants
    click.echo(f"segmetry: {_LIMITS[problem.errno or 0]}", err=True)


def has_styles() -> bool | None:
    """Return False where the user wants no colours (``NO_COLOR``, ``TERM=dumb``); None leaves it to the output."""
    return False if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" else None


def main(arguments: list[str] | None = None) -> Any:
    """Run the command line; a user's mistake is one line on standard error and exit code 2."""
    if arguments is None:
        gc.set_threshold(YOUNG_OBJECTS)
        _escape_what_cannot_be_printed()
    try:
        if arguments is None:
            _check_environment()
        with (
            end_when_interrupted() if arguments is None else nullcontext(),
            print_warnings(PluginWarning, "warning", others=True),
        ):
            code = cli.main(args=arguments, prog_name="segmetry", standalone_mode=False, color=has_styles()) or 0
            sys.stdout.flush()
            return code
    except SegmetryError as problem:
        click.echo(f"segmetry: {OF_OBJECTS.sub('', str(problem))}", err=True)
    except MemoryError:
        click.echo("segmetry: not enough memory for this input; --max-elements rejects large files at once", err=True)
    except OSError as problem:
        _tell_of_system(problem)
    except click.exceptions.Abort as problem:
        message = str(problem.__cause__ or "")  # an interrupted run states how to continue it
        click.echo(f"segmetry: {printable(message) or 'interrupted; nothing was written'}", err=True)
        sys.exit(130)
    except click.exceptions.NoArgsIsHelpError as problem:
        problem.show()
    except click.ClickException as problem:
        # Click lists choices over several lines, and repeats some arguments as they are.
        click.echo(f"segmetry: {printable(' '.join(problem.format_message().split()))}", err=True)
    except SystemExit as exit_:
        # Click exits with 1 when the reader of a pipe has closed it, as head does after its last line: not an error.
        sys.exit(0 if exit_.code == 1 else exit_.code)
    sys.exit(2)
