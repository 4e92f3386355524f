"""The report: a run as one HTML file that draws, aligns and scores by itself.

Python writes the facts (overlap rows, sizes, classes, stored scores) into the page; modules in ``js/`` align and score
them again in the browser, so the rule and the threshold are live controls. The numbers are Python's to the last bit:
integers are compared by cross-multiplication and sums of IoUs are exactly rounded on both sides.
"""

from typing import TYPE_CHECKING

from segmetry._base import names_on_demand

if TYPE_CHECKING:
    from segmetry.report.head import found_sentence
    from segmetry.report.page import render, write_report
    from segmetry.report.notebook_card import run_card
    from segmetry.report.served_report import ReportServer, ServedReport, redirecting_file
else:
    __getattr__, __dir__ = names_on_demand(__name__)
