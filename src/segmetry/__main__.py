"""``python -m segmetry`` is the command line."""

from segmetry.cli import main

main()
