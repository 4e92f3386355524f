"""``segmetry completion SHELL``."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from segmetry.errors import UnknownNameError

SHELLS = ("bash", "zsh", "fish")
EXAMPLES = """
\b
Examples:
  segmetry completion bash >> ~/.bashrc
  segmetry completion zsh >> ~/.zshrc
  segmetry completion fish > ~/.config/fish/completions/segmetry.fish
"""


@click.command(name="completion", epilog=EXAMPLES)
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the script that lets a shell complete commands, options, metrics, rules, policies and formats."""
    completion = get_completion_class(shell)
    if completion is None:
        raise UnknownNameError(f"this version of click has no completion for {shell}")
    script = completion(ctx.find_root().command, {}, "segmetry", "_SEGMETRY_COMPLETE")
    # The class's own source() of bash runs bash to check its version; the script is the same without.
    click.echo(script.source_template % script.source_vars())
