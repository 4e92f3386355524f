"""What takes longest to compute for the page: intervals, the gain if errors are fixed, and fingerprints.

A report in a file contains it; one that is served is shown first, and asks for it then.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from segmetry._base.on_stage import OnStage
from segmetry.report.analysis.budget_data import budget_facts
from segmetry.report.analysis.interval_data import MANY_ITEMS, interval_facts, own_intervals
from segmetry.report.overview.headline_data import headline_interval, headline_of
from segmetry.run.run import Run

BEING_COMPUTED: Mapping[str, Any] = {
    "intervals": None,
    "budget": {"problem": "The error analysis is being computed; it appears here when it is done."},
    "headline": {"low": None, "high": None, "problem": "the interval is being computed", "detectable": None},
    "run": {"content": None, "checked": {"state": "stated", "words": "being checked"}},
}
"""What stands in the page until it is known."""


def analysis_facts(
    run: Run, rules: Sequence[str], checked: Mapping[str, str], progress: OnStage, most_items: int = MANY_ITEMS
) -> dict[str, Any]:
    """Return intervals under some rules, the interval of the headline, the error analysis, and the fingerprint of the
    run beside what is known of those of its inputs.
    """
    progress("intervals")
    own = own_intervals(run, headline_of(run)[0])
    intervals = interval_facts(run, rules, own)
    headline = headline_interval(run, own)
    progress("error analysis")
    budget = budget_facts(run, most_items)
    provenance = {"content": run.content_digest(), "checked": checked}
    return {"intervals": intervals, "headline": headline, "budget": budget, "run": provenance}


def add_analysis(facts: dict[str, Any], analysis: Mapping[str, Any]) -> None:
    """Add the analysis to the facts of its run."""
    facts |= {"intervals": analysis["intervals"], "budget": analysis["budget"]}
    facts["overview"]["headline"] |= analysis["headline"]
    facts["run"] |= analysis["run"]
