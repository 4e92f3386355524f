"""Small items that are scored in groups have the results, the run and the errors of items that are scored alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.errors import SegmetryError
from segmetry.evaluation import schedule
from segmetry.evaluation.inputs import ItemTask
from segmetry.evaluation.schedule import Schedule
from segmetry.evaluation.stages import InspectItem, ScoreItems, run_stage
from segmetry.overlaps.count import count_together
from segmetry.run.settings import Settings
from segmetry.segmentation.pair import SegmentationPair
from segmetry.testing.strategies import span_pairs
from tests.profiles import examples

Sides = tuple[dict[str, Any], dict[str, Any]]
SHORT, LONG = sm.Spans.from_masses([2]), sm.Spans.from_masses([5, 3, 5])


def named(pairs: list[tuple[sm.Spans, sm.Spans]]) -> Sides:
    true, pred = ({f"line {at}": pair[side] for at, pair in enumerate(pairs)} for side in (0, 1))
    return true, pred


def alone(sides: Sides, **options: Any) -> sm.Run:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(schedule, "GROUP_ITEMS", 1)
        return sm.evaluate(*sides, engine="serial", **options)


@given(
    st.lists(span_pairs(), min_size=1, max_size=7),
    st.sampled_from(["pk,wd,boundary_similarity", "pk,segmentation_similarity,pq", "windows,boundaries"]),
    st.sampled_from([None, 2, 7, "segeval", "nltk"]),
    st.booleans(),
    st.integers(1, 4),
    st.sampled_from(["optimal", "greedy"]),
    st.integers(2, 4),
)
@examples(1 / 2)
def test_groups_give_the_run_of_single_items(
    pairs: list[tuple[sm.Spans, sm.Spans]],
    metrics: str | None,
    k: Any,
    padded: bool,
    n_t: int,
    match: str,
    most: int,
) -> None:
    options: Any = {}
    if metrics == "pk,wd,boundary_similarity":
        options["pk"] = {"k": k, "padded": padded}
        options["window_diff"] = {"k": k, "padded": padded, "weighted": padded}
        options["boundary_similarity"] = {"n_t": n_t, "match": match}
    one_by_one = alone(named(pairs), metrics=metrics, options=options)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(schedule, "GROUP_ITEMS", most)
        run = sm.evaluate(*named(pairs), metrics=metrics, options=options, engine="threads", jobs=2)
    assert run.content_digest() == one_by_one.content_digest()


@given(st.lists(span_pairs(), max_size=6))
@examples(1 / 2)
def test_tables_counted_together(lines: list[tuple[sm.Spans, sm.Spans]]) -> None:
    pairs = [SegmentationPair.of(*line) for line in lines]
    assert count_together(pairs) == [sm.overlap(*line) for line in lines]


def test_lines_that_are_too_long_together_are_counted_one_by_one() -> None:
    far = SegmentationPair.of(sm.Spans.from_masses([2**61]), sm.Spans.from_masses([1, 2**61 - 1]))
    assert [table.shared.tolist() for table in count_together([far, far])] == [[1, 2**61 - 1]] * 2


def test_classes_missing_predictions_and_other_kinds_among_the_items() -> None:
    classes = sm.Spans([0, 4], [4, 9], 9, classes=["verse", "chorus"])
    true = {"a": LONG, "b": classes, "c": LONG, "d": [[1, 1, 2]], "e": SHORT, "f": SHORT}
    pred = {"a": LONG, "b": classes, "d": [[1, 2, 2]], "e": SHORT, "f": SHORT}
    run = sm.evaluate(true, pred, metrics="pq", missing="as-empty")
    assert run.content_digest() == alone((true, pred), metrics="pq", missing="as-empty").content_digest()


def test_jobs_are_bounded_in_items_and_segments(monkeypatch: pytest.MonkeyPatch) -> None:
    tasks = {at: ItemTask(str(at), LONG, LONG) for at in range(8)} | {8: ItemTask("8", [[1]], [[1]])}
    monkeypatch.setattr(schedule, "GROUP_ITEMS", 4)
    assert [groups(job) for _, job in Schedule(tasks, run_stage)] == [4, 4, 1]
    monkeypatch.setattr(schedule, "GROUP_SEGMENTS", 12)
    assert [groups(job) for _, job in Schedule(tasks, run_stage)] == [2, 2, 2, 2, 1]
    monkeypatch.setattr(schedule, "GROUP_SEGMENTS", 1)
    assert [groups(job) for _, job in Schedule(tasks, run_stage)] == [1] * 9


def groups(job: Any) -> int:
    return len(job.tasks) if isinstance(job, ScoreItems) else int(isinstance(job, InspectItem))


WRONG: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "lengths": (LONG, SHORT, {"metrics": "pk"}),
    "an option": (SHORT, SHORT, {"metrics": "pk", "options": {"pk": {"k": [2]}}}),
    "an unknown option": (SHORT, SHORT, {"metrics": "pk", "options": {"pk": {"kk": 2}}}),
    "distance": (SHORT, SHORT, {"metrics": "boundary_similarity", "options": {"boundary_similarity": {"n_t": 0}}}),
    "a metric of another kind": (SHORT, SHORT, {"metrics": "video"}),
    "resolve": (SHORT, SHORT, {"resolve": "by_score"}),
    "classes": (sm.Spans([0], [2], 2, classes=[("no", "name")]),) * 2 + ({"metrics": "pk"},),
    "one side with classes": (sm.Spans([0], [2], 2, classes=["a"]), SHORT, {"metrics": "pk"}),
}


@pytest.mark.parametrize("name", WRONG)
def test_an_error_names_its_item_and_leaves_those_before_it(tmp_path: Path, name: str) -> None:
    true, pred, options = WRONG[name]
    pairs = [(LONG, LONG), (LONG, LONG), (true, pred), (LONG, LONG)]
    with pytest.raises(SegmetryError) as expected:
        alone(named(pairs), out=tmp_path / "alone.segm", **options)
    with pytest.raises(SegmetryError) as problem:
        sm.evaluate(*named(pairs), out=tmp_path / "group.segm", **options)
    assert str(problem.value) == str(expected.value)
    assert type(problem.value) is type(expected.value)
    assert "item line " in str(problem.value)
    done = [sm.Run.open(tmp_path / f"{word}.segm").n_done for word in ("alone", "group")]
    assert done[0] == done[1]


def test_progress_tells_of_every_item() -> None:
    seen: list[tuple[int, int]] = []
    sm.evaluate(*named([(LONG, LONG)] * 5), metrics="pk", progress=lambda *items: seen.append(items))
    assert seen == [(at, 5) for at in range(1, 6)]


def test_a_job_says_where_it_stopped() -> None:
    tasks = (ItemTask("a", LONG, LONG), ItemTask("b", LONG, SHORT), ItemTask("c", LONG, LONG))
    scored: Any = run_stage(ScoreItems(tasks), settings=Settings.of(metrics="pk"))
    assert [result.name for result in scored.results] == ["a"]
    assert str(scored.problem).startswith("item b: true has 13 elements")
