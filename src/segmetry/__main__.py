"""``python -m segmetry`` is the command line."""

from segmetry.cli.main import main

main()
