"""A table of a folder of receipts: every run is checked first, and ranks are those of resampled items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from html import escape
from itertools import combinations
from pathlib import Path
from typing import Any

from segmetry._base import frozen_dataclass
from segmetry.comparison import SETTINGS, Comparison, compare, is_certain, level_heading, pairs_table
from segmetry.errors import InputError, SegmetryError
from segmetry.receipts.receipt_checks import verify
from segmetry.results import Exported, ResultTable, ShownAsTable, Table, Value, counted, number
from segmetry.run import Run
from segmetry.statistics import RankStability

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }}
body {{ max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }}
table {{ border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums; }}
th, td {{ padding: .3rem .8rem; text-align: right; border-bottom: 1px solid #8884; }}
th:first-child, td:first-child {{ text-align: left; }}
</style>
<h1>{title}</h1>
<p>{words}</p>
{tables}
"""


@frozen_dataclass()
class Leaderboard(Exported, ShownAsTable):
    """Systems in the order of their ranks; ``left_out`` says why a receipt of the folder is not among them.

    ``groups`` has for each system the letters of the groups that it is in: systems that share a letter cannot be told
    apart. ``digests`` are those of the receipts.
    """

    comparison: Comparison
    ranking: RankStability
    groups: Mapping[str, str]
    digests: Mapping[str, str]
    left_out: Mapping[str, str]
    words: str

    @property
    def tables(self) -> list[ResultTable]:
        """The ranking, and the paired differences of all systems."""
        own = self.comparison
        cell = own.cell(self.ranking.key, self.ranking.average)
        rows = []
        for at in sorted(range(len(own.systems)), key=lambda at: self.ranking.ranks[at]):
            name, shares = self.ranking.systems[at], self.ranking.shares[at]
            value = own.values[name][cell.metric][cell.average]
            low, high = rank_interval(shares, own.level)
            ranks = f"{low}" if low == high else f"{low} to {high}"
            best = number(shares[0], 0, percent=True) + " %"
            first = (name, self.ranking.ranks[at], Value(cell, value.value), cell.span(value.best))
            rows.append((*first, ranks, best, self.groups[name], self.digests[name][:10]))
        headings = ("", "rank", cell.name, level_heading(own.level), "ranks", "best in", "group", "receipt")
        notes = ["systems that share a letter cannot be told apart"]
        notes += [f"left out: {name}: {why}" for name, why in self.left_out.items()]
        title = f"{cell.words}: {counted(own.n_items, 'item')}, {counted(own.resamples, 'resample')}"
        return [
            ResultTable(title, headings, rows, notes, texts=frozenset({0, 6, 7})),
            pairs_table(own, cell.metric, cell.average),
        ]

    def _as_table(self) -> ResultTable:
        return self.tables[0]

    def records(self) -> Table:
        """Return one row per system."""
        return self.tables[0].records()

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        facts = {name: dict(getattr(self, name)) for name in ("groups", "digests", "left_out")}
        return {"schema": "leaderboard", "version": 1, **facts, "comparison": self.comparison.to_dict()}

    def html(self, title: str = "Leaderboard") -> str:
        """Return one static page, which needs no script and no network."""
        tables = "\n".join(str(table.to("html")) for table in self.tables)
        return _PAGE.format(title=escape(title), words=escape(self.words), tables=tables)


def leaderboard(folder: str | Path, *, like: str | Path | None = None) -> Leaderboard:
    """Compare the runs in a folder by their headline, after checking their receipts.

    Runs on another truth or with other settings than most are left out, and so are those whose receipt does not follow
    from their statistics.

    Parameters
    ----------
    folder : str or Path
        A folder of run files (``*.segm``) with receipts.
    like : str or Path, optional
        The run file whose truth and settings count, such as that of the organisers; by default those of most runs.

    Returns
    -------
    Leaderboard
        Ranks under resampling, intervals, paired tests, and groups that cannot be told apart.

    Examples
    --------
    >>> import segmetry as sm, tempfile
    >>> folder, true = Path(tempfile.mkdtemp()), {name: [[1, 1, 2, 2]] for name in "abcdefghijkl"}
    >>> for name, pred in {"good": [[1, 1, 2, 2]], "fair": [[1, 1, 1, 2]]}.items():
    ...     sm.evaluate(true, dict.fromkeys(true, pred), metrics="pq", out=folder / f"{name}.segm").close()
    ...     _ = sm.seal(folder / f"{name}.segm")
    >>> board = leaderboard(folder)
    >>> board.groups
    {'good': 'a', 'fair': 'b'}
    """
    left_out: dict[str, str] = {}
    with ExitStack() as opened:
        runs = _checked_runs(Path(folder), left_out, opened)
        kinds = {name: _kind(run) for name, run in runs.items()}
        wanted = _kind(opened.enter_context(Run.open(like))) if like is not None else _commonest(kinds, folder)
        seen: dict[str, str] = {}
        for name, run in list(runs.items()):
            twin = seen.setdefault(run.results_digest(), name)
            if kinds[name] != wanted:
                left_out[name] = "another truth, or other settings"
            elif twin != name:
                left_out[name] = f"the same results as {twin}"
            if name in left_out:
                runs.pop(name)
        if len(runs) < 2:
            reasons = "".join(f"; {name}: {why}" for name, why in list(left_out.items())[:3])
            raise InputError(f"{folder}: {len(runs)} receipts to compare; expected at least 2{reasons}")
        cell = next(iter(runs.values())).cell()
        found = compare(runs, metrics=[cell.metric], truth="segments")
        ranking = next((one for one in found.ranks if one.average == cell.average), None)
        if ranking is None:
            raise InputError(
                f"{folder}: the runs have {counted(found.n_items, 'item')}; expected several, to be resampled"
            )
        digests = {name: verify(run).digest for name, run in runs.items()}
        words = next(iter(runs.values())).header or ""
    return Leaderboard(found, ranking, letters(found, ranking), digests, left_out, words)


def _checked_runs(folder: Path, left_out: dict[str, str], opened: ExitStack) -> dict[str, Run]:
    """Return the runs of a folder whose receipts follow from their statistics; the others are named."""
    runs = {}
    for path in sorted(folder.glob("*.segm")) if folder.is_dir() else ():
        try:
            run = opened.enter_context(Run.open(path))
            changed = verify(run).changed
        except SegmetryError as problem:
            left_out[path.stem] = str(problem).removeprefix(f"{path}: ")
            continue
        if changed:
            left_out[path.stem] = f"its receipt does not follow from its statistics ({changed[0].name})"
        else:
            runs[path.stem] = run
    if not runs:
        reasons = "".join(f"; {name}: {why}" for name, why in list(left_out.items())[:3])
        raise InputError(f"{folder}: no run file (*.segm) with a receipt that holds{reasons}")
    return runs


def _kind(run: Run) -> tuple[Any, ...]:
    """Return what two runs must have in common to be compared."""
    settings = [repr(getattr(run.settings, name)) for name in SETTINGS]
    return (run.settings.protocol, run.headline, *settings, *sorted(run.truth_digests().items()))


def _commonest(kinds: Mapping[str, Any], folder: str | Path) -> Any:
    (kind, count), *others = Counter(kinds.values()).most_common(2)
    if others and others[0][1] == count:
        raise InputError(
            f"{folder}: as many runs have one truth and settings as another; like= (--like RUN) says which count"
        )
    return kind


def rank_interval(shares: Sequence[float], level: float) -> tuple[int, int]:
    """Return the ranks between which a system is in this share of the resamples."""
    tail, below, low, high = (1 - level) / 2, 0.0, len(shares), 1
    for rank, share in enumerate(shares, 1):
        if below < 1 - tail and below + share > tail:
            low, high = min(low, rank), rank
        below += share
    return low, high


def letters(comparison: Comparison, ranking: RankStability) -> dict[str, str]:
    """Return for each system, the best first, the letters of its groups of systems that cannot be told apart."""
    order = sorted(ranking.systems, key=lambda name: ranking.ranks[ranking.systems.index(name)])
    apart = {
        frozenset((row.first, row.second))
        for row in comparison.differences
        if (row.level, row.key, row.average) == ("data set", ranking.key, ranking.average)
        and is_certain(comparison, row)
    }
    groups: list[range] = []
    for start in range(len(order)):
        stop = start + 1
        while stop < len(order) and not any(
            frozenset(pair) in apart for pair in combinations(order[start : stop + 1], 2)
        ):
            stop += 1
        if not groups or stop > groups[-1].stop:
            groups.append(range(start, stop))
    named = [_LETTERS[at % 26] * (1 + at // 26) for at in range(len(groups))]
    return {
        name: " ".join(letter for letter, group in zip(named, groups, strict=True) if at in group)
        for at, name in enumerate(order)
    }
