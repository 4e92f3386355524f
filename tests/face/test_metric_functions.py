"""Every metric is a function with a signature, help in numpydoc form whose examples run, and a name to pickle it by."""

from __future__ import annotations

import doctest
import inspect
import pickle
import pydoc
import re
from dataclasses import replace
from typing import Any, get_args

import pytest

import segmetry as sm
from segmetry.alignments.align_table import RESOLVES
from segmetry.alignments.candidates import RULES
from segmetry.alignments.policy import POLICIES
from segmetry.errors import OptionError
from segmetry.evaluation.inputs import InputOptions
from segmetry.metrics import shared_options
from segmetry.metrics.declare import METRICS, Metric
from segmetry.metrics.metric_inputs import SHARED_OPTIONS
from segmetry.metrics.metric_signature import option_entries
from segmetry.metrics.option_texts import OPTION_HELP
from segmetry.overlaps.cross_table import BACKGROUNDS
from segmetry.testing import contracts

SECTIONS = ("Parameters", "Returns", "Notes", "References", "Examples")
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def run_examples(text: str, name: str) -> doctest.TestResults:
    """Run the examples of a docstring as a user would who pastes them into a new session."""
    test = doctest.DocTestParser().get_doctest(text, {}, name, None, None)
    return doctest.DocTestRunner(verbose=False, optionflags=FLAGS).run(test, out=lambda _: None)


@pytest.mark.parametrize("key", METRICS)
def test_the_help_of_every_metric(key: str) -> None:
    function = getattr(sm, key)
    assert inspect.isfunction(function) and function.metric is METRICS[key]
    text = inspect.getdoc(function)
    assert text is not None and text.startswith(METRICS[key].summary[:40])
    assert [title for title in SECTIONS if f"\n{title}\n--" in text] == list(SECTIONS)
    for name in inspect.signature(function).parameters:
        _, _, body = text.partition(f"\n{name} : ")
        assert body.splitlines()[1].startswith("    "), f"{name} is not described"
    results = run_examples(text, key)
    assert results.attempted >= 3 and results.failed == 0


def test_the_test_of_examples_notices_a_wrong_value() -> None:
    metric = METRICS["pq"]
    wrong = replace(metric, examples=(replace(metric.examples[0], value=0.84),))
    assert run_examples(str(wrong.function.__doc__), "wrong").failed == 1


def test_signatures_show_options_with_types_and_defaults() -> None:
    shown = str(inspect.signature(sm.hausdorff95))
    assert shown.startswith(
        "(true: SegmentationLike | Alignment, pred: SegmentationLike | None = None, *, "
        "percentile: Literal['directed', 'pooled'] = 'directed', "
    )
    assert ", rule: MatchRule | RuleName | str | None = None, policy: Policy | PolicyName" in shown
    assert shown.endswith(") -> Score")
    assert list(inspect.signature(sm.agreement_pi).parameters) == ["annotations", "n_t", "match"]
    assert inspect.signature(sm.surface_dice).parameters["tolerance"].default is inspect.Parameter.empty
    page = pydoc.plain(pydoc.render_doc(sm.pq))
    assert "function pq in module segmetry" in page and "Kirillov" in page and ">>> sm.pq(true, pred)" in page


@pytest.mark.parametrize("key", METRICS)
def test_signatures_name_what_a_call_accepts(key: str) -> None:
    metric = METRICS[key]
    options = set(inspect.signature(metric.function).parameters) - {"true", "pred", "annotations"}
    assert options - {"resolve"} == {*metric.options, *metric.shared_options} - {"resolve"}


def test_calling() -> None:
    true, pred = [[1, 1, 2]], [[1, 1, 1]]
    assert sm.pq(true, pred) == METRICS["pq"](true, pred) == sm.pq(sm.overlap(true, pred))
    assert sm.pq(true=true, pred=pred, rule="theta_plus") == METRICS["pq"](true, pred, rule="theta_plus")
    with pytest.raises(OptionError, match="pq has no option 'rlue'; it takes rule"):
        sm.pq(true, pred, rlue="theta_plus")
    with pytest.raises(OptionError, match="no option 'num_classes'; did you mean n_classes"):
        sm.mean_iou(true, pred, num_classes=3)
    for call in (sm.mean_iou, sm.score):
        with pytest.raises(OptionError, match=r"no option 'ignore_index'; state it .*LabelArray\(labels, void=255\)"):
            call(true, pred, ignore_index=255)
    with pytest.raises(TypeError, match="argument"):
        sm.pq(true, pred, "theta_plus")
    annotations = {"Ann": sm.Spans.from_masses([2, 1]), "Bob": sm.Spans.from_masses([1, 2])}
    assert sm.agreement_pi(annotations) == METRICS["agreement_pi"](annotations)


@pytest.mark.parametrize("key", ["pq", "pair_counts", "agreement_pi"])
def test_pickled_by_name(key: str) -> None:
    function = getattr(sm, key)
    data = pickle.dumps(function)
    assert pickle.loads(data) is function  # noqa: S301
    assert len(data) < 100


def test_functions_are_accepted_where_keys_are() -> None:
    true = {"Ann": sm.Spans.from_masses([2, 1]), "Bob": sm.Spans.from_masses([1, 2])}
    assert sm.against_all(true, true["Ann"], sm.pq) == sm.against_all(true, true["Ann"], "pq")


def test_literal_types_are_the_values_that_are_accepted() -> None:
    assert set(get_args(shared_options.RuleName)) == set(RULES)
    assert get_args(shared_options.PolicyName) == tuple(POLICIES)
    assert get_args(shared_options.ResolveName) == RESOLVES
    assert get_args(shared_options.BackgroundName) == tuple(BACKGROUNDS)
    names = {name for options in SHARED_OPTIONS.values() for name in options}
    assert names < set(shared_options.ScoringOptions.__annotations__)


@pytest.mark.parametrize("record", [shared_options.ScoringOptions, InputOptions])
def test_every_option_of_a_record_has_help(record: Any) -> None:
    assert option_entries(record).keys() == record.__annotations__.keys()
    for name, entry in option_entries(record).items():
        assert re.fullmatch(rf"{name} : .+(, optional|, default .+)\n(    .+\n?)+", entry)


@pytest.mark.parametrize(
    ("function", "own"),
    [(sm.score, 5), (sm.evaluate, 12), (sm.Run.rescore, 3)],
)
def test_options_of_scoring_are_listed_once(function: Any, own: int) -> None:
    """A function names few parameters of its own; what it shows and documents is completed from the record."""
    assert function.__code__.co_argcount + function.__code__.co_kwonlyargcount == own
    shown = inspect.signature(function).parameters
    assert not [parameter for parameter in shown.values() if parameter.kind is parameter.VAR_KEYWORD]
    written = shared_options.ScoringOptions.__annotations__
    shared = shown.keys() & written.keys() - {"rule", "metrics"}
    assert {"policy", "classes", "background", "undefined", "average", "options"} <= shared
    assert all(str(shown[name].annotation) == written[name].__forward_arg__ for name in shared)
    assert all(option_entries(shared_options.ScoringOptions)[name] in str(inspect.getdoc(function)) for name in shared)


def test_an_unknown_option_names_the_nearest() -> None:
    pair = [1, 1, 2], [1, 2, 2]
    items: Any = {"a": pair[0]}, {"a": pair[1]}
    for call, words in (
        (lambda: sm.score(*pair, ruel="theta_and"), "score has no option 'ruel'; did you mean rule"),  # type: ignore[call-overload]
        (lambda: sm.score(*pair, also=["theta_and"]), "score has no option 'also'"),  # type: ignore[call-overload]
        (lambda: sm.evaluate(*items, metric="pq"), "evaluate has no option 'metric'; did you mean metrics"),  # type: ignore[call-arg]
        (lambda: sm.evaluate(*items, ignore_index=0), "evaluate has no option 'ignore_index'; state it with the seg"),  # type: ignore[call-arg]
        (lambda: sm.evaluate(*items).rescore(resolve="keep"), "rescore has no option 'resolve'; it takes policy"),  # type: ignore[call-arg]
    ):
        with pytest.raises(OptionError, match=words):
            call()


def test_every_option_has_help_and_no_help_is_left_over() -> None:
    options = {f"{metric.key}.{option}" for metric in METRICS.values() for option in metric.options}
    keys = (name.rpartition(".") for name in OPTION_HELP)
    of_metrics = [f"{metric}.{option}" for metrics, _, option in keys for metric in metrics.split()]
    described = set(of_metrics)
    assert described <= options and len(described) == len(of_metrics)
    assert {name for name in OPTION_HELP if "." not in name} <= {name.partition(".")[2] for name in options - described}


def test_the_contract_asks_for_words() -> None:
    def silent(table: sm.OverlapTable, *, verbosity: int = 0) -> sm.Score:
        return sm.Score.number("silent", 0)

    metric: Metric = replace(METRICS["mean_best_iou"], key="silent", compute=silent)
    with pytest.raises(AssertionError, match="say what the option 'verbosity' means"):
        contracts.check_declaration(metric)
    contracts.check_declaration(replace(metric, parameters={"verbosity": "How much to print."}))
