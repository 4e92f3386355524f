"""What takes longest to compute for the page: intervals, the gain if errors are fixed, and fingerprints.

A report in a file contains it; one that is served is shown first, and asks for it then.
"""

from __future__ import annotations

from collections.abc import Sequence

from segmetry._base.on_stage import OnStage
from segmetry.report.analysis.budget_data import MANY_ITEMS, budget_facts
from segmetry.report.analysis.interval_data import interval_facts, own_intervals
from segmetry.report.overview.headline_data import headline_interval
from segmetry.report.page_records import Analysis, CheckedInputs, FingerprintData
from segmetry.run.run import Run

BEING_COMPUTED: Analysis = {
    "intervals": None,
    "budget": {"problem": "The error analysis is being computed; it appears here when it is done."},
    "headline": {"low": None, "high": None, "problem": "the interval is being computed", "detectable": None},
    "run": {"content": None, "checked": {"state": "stated", "words": "being checked"}},
}
"""What stands in the page until it is known."""


def analysis_facts(
    run: Run, rules: Sequence[str], checked: CheckedInputs, progress: OnStage, most_items: int = MANY_ITEMS
) -> Analysis:
    """Return intervals under some rules, the interval of the headline, the error analysis, and the fingerprint of the
    run beside what is known of those of its inputs.
    """
    progress("intervals")
    intervals = interval_facts(run, rules, own_intervals(run))
    headline = headline_interval(run)
    progress("error analysis")
    budget = budget_facts(run, most_items)
    fingerprint: FingerprintData = {"content": run.content_digest(), "checked": checked}
    return {"intervals": intervals, "headline": headline, "budget": budget, "run": fingerprint}
