"""Small examples of internal functions in evaluation/."""

from __future__ import annotations

from pathlib import Path

import segmetry as sm
from segmetry.evaluation.data_notes import LabelsAndClasses, labels_like_classes, stack_size
from segmetry.evaluation.engines.dask.cluster import check_address
from segmetry.evaluation.engines.dask.in_flight import DistributedSum
from segmetry.evaluation.engines.engine import check_engine, leaves_process, run_tasks
from segmetry.evaluation.engines.pools import FinishedPack, TaskPacks
from segmetry.evaluation.evaluate_items import CommitGroups
from segmetry.evaluation.fingerprint import object_fingerprint, table_fingerprint
from segmetry.evaluation.inputs import by_position, find_inputs, policy_without_protocol
from segmetry.evaluation.protocol_settings import options_by_metric, read_under, rule_of_metrics
from segmetry.evaluation.reopen import StoredPairing, loaders_of, most_steps
from segmetry.evaluation.schedule import _ranges
from segmetry.overlaps.count import overlap
from segmetry.segmentation.labels import LabelArray
from segmetry.segmentation.pair import SegmentationPair


def test_the_example_of_labelsandclasses_of() -> None:
    pair = SegmentationPair.of([[60, 61]], [[61, 60]])
    facts = LabelsAndClasses.of(pair, overlap([[60, 61]], [[61, 60]]))
    assert (sorted(facts.true_labels), facts.crossing) == ([60, 61], True)


def test_the_example_of_stack_size() -> None:
    assert (stack_size((2, 60, 60)), stack_size((60, 60, 60)), stack_size((60, 60))) == (2, 0, 0)


def test_the_example_of_labels_like_classes() -> None:
    def facts(true, pred):
        return LabelsAndClasses(frozenset(true), frozenset(pred), crossing=True)

    assert sorted(labels_like_classes([facts([60, 61], [60, 61])])) == [60, 61]
    assert labels_like_classes([facts([1, 2, 3], [1, 2, 3]), facts([1, 2], [1, 2, 3, 4])]) is None


def test_the_example_of_check_address() -> None:
    check_address("tcp://10.0.0.1:8786")


def test_the_example_of_distributedsum() -> None:
    total = DistributedSum(add=sum)
    for number in range(20):
        total.expect()
        total.put(number, 10)
    assert (total.is_due, total.take()[1], total.take()) == (True, 200, None)


def test_the_example_of_run_tasks() -> None:
    assert sorted(run_tasks(abs, [(1, -5), (2, 7)], "threads", jobs=2)) == [(1, 5), (2, 7)]


def test_the_example_of_check_engine() -> None:
    check_engine("serial", jobs=1)


def test_the_example_of_leaves_process() -> None:
    assert (leaves_process("threads"), leaves_process("tcp://10.0.0.1:8786")) == (False, True)


def test_the_example_of_taskpacks() -> None:
    packs = TaskPacks(enumerate([1, 2, 3, 4]))
    assert next(packs) == (0, [(0, 1)])
    packs.learn(FinishedPack([(0, 1)], None, int, seconds=1e-4, rest=[]))
    assert (next(packs), next(packs)) == ((1, [(1, 2), (2, 3)]), (2, [(3, 4)]))


def test_the_example_of_commitgroups_is_due() -> None:
    seconds = iter([0.0, *(number / 1000 for number in range(400))])
    groups = CommitGroups(clock=lambda: next(seconds))
    assert sum(groups.is_due() for _ in range(400)) == 64


def test_the_example_of_object_fingerprint() -> None:
    first, second = (LabelArray([[1, 1, label]]) for label in (2, 3))
    assert object_fingerprint(first) == object_fingerprint(LabelArray([[1, 1, 2]]))
    assert object_fingerprint(first) != object_fingerprint(second)


def test_the_example_of_table_fingerprint() -> None:
    fingerprint = table_fingerprint(sm.overlap([[1, 1, 2]], [[5, 5, 5]]))
    assert fingerprint == table_fingerprint(sm.overlap([[1], [1], [2]], [[5], [5], [5]]))
    assert fingerprint != table_fingerprint(sm.overlap([[1, 1, 2]], [[5, 5, 0]]))


def test_the_example_of_find_inputs() -> None:
    assert [task.name for task in find_inputs({"a": [[1]]}, {"a": [[2]]}).tasks] == ["a"]


def test_the_example_of_by_position() -> None:
    assert repr(by_position(["a.png"], [Path("b.png")], batch=False)) == "({'0': 'a.png'}, {'0': PosixPath('b.png')})"


def test_the_example_of_policy_without_protocol() -> None:
    assert policy_without_protocol([LabelArray([[1, 255]], void=255), [[1, 1]]]) == "strict-void"


def test_the_example_of_read_under() -> None:
    assert read_under(None, {"void": 255}, ("true.png", "pred.png")).values == {"void": 255}


def test_the_example_of_rule_of_metrics() -> None:
    assert (rule_of_metrics("false_hits, additional_pairs"), rule_of_metrics("false_hits, pq")) == ("theta_and", None)


def test_the_example_of_options_by_metric() -> None:
    assert options_by_metric({"max_detections": 300}, ["average_precision", "ar_1"]) == {
        "average_precision": {"max_detections": 300}
    }


def test_the_example_of_storedpairing() -> None:
    assert StoredPairing(pair=r"(\d+)\D*$").name("case_7_gt", "true") == "7"


def test_the_example_of_most_steps() -> None:
    assert repr((most_steps(r"case_(\d+)", 100), most_steps("(a+)+$", 100))) == "(10000.0, inf)"


def test_the_example_of_loaders_of() -> None:
    run = sm.evaluate({"a": [[1, 1, 2]]}, {"a": [[1, 2, 2]]}, metrics="pq")
    true, pred = loaders_of(run)["a"]()
    assert pred.labels.tolist() == [[1, 2, 2]]


def test_the_example_of_ranges() -> None:
    assert repr(list(_ranges({1, 2, 3, 4, 7}, 3))) == "[range(1, 4), range(4, 5), range(7, 8)]"
