"""Metrics are found under the names that people type; what is not there says who computes it."""

from __future__ import annotations

import inspect
import pickle
from pathlib import Path

import numpy as np
import pytest

import segmetry as sm
from segmetry.alignments.candidates import RULES
from segmetry.errors import OptionError, UnknownNameError
from segmetry.metrics.declare import METRICS
from segmetry.metrics.metric_names import NOT_COMPUTED, aliases, canonical_names, find_metric
from tests.cli.running import Runner

A, B = np.array([[1, 1, 2, 2]]), np.array([[1, 1, 1, 2]])
FAMILIES = {metric.family for metric in METRICS.values()}


@pytest.mark.parametrize(
    ("alias", "key"),
    [
        ("hd95", "hausdorff95"),
        ("HD95", "hausdorff95"),
        ("nsd", "surface_dice"),
        ("assd", "average_surface_distance"),
        ("VOI", "variation_of_information"),
        ("arand", "adapted_rand_error"),
        ("ARI", "adjusted_rand_index"),
        ("WindowDiff", "window_diff"),
        ("window-diff", "window_diff"),
        ("mIoU", "mean_iou"),
        ("Dice", "dice"),
        ("panoptic_quality", "pq"),
    ],
)
def test_aliases_in_any_case(alias: str, key: str) -> None:
    assert find_metric(alias).metric.key == key and not find_metric(alias).options
    if alias.isidentifier():
        assert getattr(sm, alias) is getattr(sm, key)


@pytest.mark.parametrize(
    ("alias", "key", "options"),
    [
        ("f1@50", "f1_at", {"t": "1/2"}),
        ("F1@75", "f1_at", {"t": "3/4"}),
        ("masd", "average_surface_distance", {"average": "directed"}),
        ("FG-ARI", "adjusted_rand_index", {"background": "foreground"}),
    ],
)
def test_aliases_with_options(alias: str, key: str, options: dict[str, str]) -> None:
    found = find_metric(alias)
    assert found.metric.key == key and dict(found.options) == options


def test_names_are_unique() -> None:
    names = [*METRICS, *(alias for alias, _ in aliases()), *NOT_COMPUTED, *FAMILIES]
    assert len(names) == len(set(names))
    taken = {*sm._HOMES, *sm._MODULES}
    assert not taken & {*(alias for alias, _ in aliases())}
    assert all(name == name.lower() and len(words) < 160 for name, words in NOT_COMPUTED.items())
    for _, (metric, options) in aliases():
        assert set(options) <= {*metric.options, *metric.shared_options}


def test_an_alias_with_options_is_a_function() -> None:
    assert sm.fg_ari(A, B) == sm.adjusted_rand_index(A, B, background="foreground")
    assert sm.fg_ari(A, B, background="segment") == sm.adjusted_rand_index(A, B)
    assert inspect.signature(sm.fg_ari).parameters["background"].default == "foreground"
    assert "default 'foreground'" in sm.fg_ari.__doc__
    assert pickle.loads(pickle.dumps(sm.fg_ari)) is sm.fg_ari  # noqa: S301
    assert sm.fg_ari.metric is METRICS["adjusted_rand_index"] and "fg_ari" not in dir(sm)


def test_aliases_in_score_and_evaluate() -> None:
    scores = sm.score(A, B, ["PQ", "f1@75", "voi"], options={"VOI": {}})
    assert list(scores) == ["pq", "f1_at", "variation_of_information"]
    assert scores["f1_at"] == sm.f1_at(A, B, t="3/4") == 0 and scores["VOI"] == scores["variation_of_information"]
    assert sm.score(A, B, "f1@75", options={"f1_at": {"t": 0.6}})["f1_at"] == sm.f1_at(A, B, t=0.6) > 0
    run = sm.evaluate({"a": A}, {"a": B}, metrics="PQ,ARI")
    assert run.settings.metrics == ("pq", "adjusted_rand_index")
    summary = run.summary()
    assert summary["ARI"] is summary["adjusted_rand_index"]
    with pytest.raises(UnknownNameError, match="'voi' was not computed; found pq, adjusted_rand_index"):
        summary["voi"]
    assert sm.against_all([A], B, "ARI").mean == sm.adjusted_rand_index(A, B)
    assert canonical_names(None) == (None, {}) and canonical_names("Regions")[0] == ["regions"]


def test_families_and_functions() -> None:
    assert list(sm.score(A, B, [sm.pq, sm.ari, "sq"])) == ["pq", "sq", "adjusted_rand_index"]
    assert sm.evaluate({"a": A}, {"a": B}, metrics=[sm.pq]).settings.metrics == ("pq",)
    everything = sm.score(A, B, "all")
    assert {"pq", "adjusted_rand_index", "covering"} <= set(everything)
    assert list(sm.score(A, B, ["All"])) == list(everything)
    with pytest.raises(UnknownNameError, match="did you mean panoptic"):
        sm.score(A, B, "panoptik")
    for nothing in ([], ""):
        with pytest.raises(OptionError, match="metrics is empty"):
            sm.score(A, B, nothing)


def test_two_aliases_of_one_metric_with_different_options() -> None:
    with pytest.raises(OptionError, match="f1@50 and f1@75 are both f1_at"):
        sm.score(A, B, ["f1@50", "f1@75"])
    assert list(sm.score(A, B, ["f1@50", "F1@50"])) == ["f1_at"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("mota", "TrackEval computes it"),
        ("pq_th", "groups={'things': …}"),
        ("pqq", "did you mean pq"),
        ("hausdorf", "did you mean hausdorff"),
        ("windowdif", "did you mean windowdiff (window_diff)"),
        ("qqqqqq", "sm.list_metrics"),
    ],
)
def test_other_names_say_what_to_do(name: str, words: str) -> None:
    with pytest.raises(UnknownNameError) as unknown:
        sm.score(A, B, [name])
    assert words in str(unknown.value) and f"there is no metric {name!r}" in str(unknown.value)
    with pytest.raises(AttributeError) as missing:
        getattr(sm, name)
    assert words in str(missing.value)


def test_advice_of_the_table_works() -> None:
    """What the table says to choose instead exists and computes."""
    assert sm.f1(A, B, rule="greedy(weight=iou, at_least=0.25)") == 1
    assert sm.f1(A, A, rule="iou(at_least=1)", resolve="assign") == 1
    assert sm.adjusted_rand_index(A, B, background="foreground").is_defined
    true = sm.LabelArray(A, classes={1: "car", 2: "sky"})
    scores = sm.score(true, true, "pq", groups={"things": ["car"], "stuff": ["sky"]})
    assert scores.groups["things"]["pq"] == scores.groups["stuff"]["pq"] == 1
    assert {"greedy", "iou"} <= set(RULES) and {"area_fit_index", "f1", "pq", "sq", "rq"} <= set(METRICS)


def test_aliases_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    segmetry = Runner(capsys, monkeypatch)
    paths = []
    for name, array in (("true", A), ("pred", B)):
        np.save(tmp_path / f"{name}.npy", array)
        paths.append(str(tmp_path / f"{name}.npy"))
    wrong = segmetry("score", *paths, "--metrics", "PQ,voi", "--option", "ARI.x=1")
    assert wrong.code == 2 and "adjusted_rand_index has no option 'x'" in wrong.err
    done = segmetry("score", *paths, "--metrics", "PQ,voi")
    assert done.code == 0 and "variation_of_information" in done.out
    config = tmp_path / "options.toml"
    config.write_text('metrics = "ARI"\n', encoding="utf-8")
    done = segmetry("score", *paths, "--config", str(config))
    assert done.code == 0 and "adjusted_rand_index" in done.out
    done = segmetry("explain", "HD95")
    assert done.code == 0 and done.out.startswith("hausdorff95") and "aliases      hd95" in done.out
    unknown = segmetry("score", *paths, "--metrics", "mota")
    assert unknown.code == 2 and "TrackEval" in unknown.err and "Traceback" not in unknown.err
