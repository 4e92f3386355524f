"""Receipts: what a finished run states about itself, checks of it, and tables of many of them.

:func:`~segmetry.receipts.seal` writes the receipt into a run file, :func:`~segmetry.receipts.verify` recomputes what it
states from the statistics and, where they are at hand, the inputs, and :func:`~segmetry.receipts.leaderboard` makes a
table of a folder of them.
"""

from typing import TYPE_CHECKING

from segmetry._base import names_on_demand

if TYPE_CHECKING:
    from segmetry.receipts.ranked_folder import leaderboard
    from segmetry.receipts.reconciliation import neighbour_paths, reconcile
    from segmetry.receipts.receipt import seal
    from segmetry.receipts.receipt_checks import verify
else:
    __getattr__, __dir__ = names_on_demand(__name__)
