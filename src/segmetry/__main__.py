"""``python -m segmetry`` is the command line."""

import sys

from segmetry.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
