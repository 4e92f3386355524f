"""``python -m segmetry`` is the command line."""

import sys

from segmetry.cli.main import main

sys.exit(main())
