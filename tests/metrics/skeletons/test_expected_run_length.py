"""Expected run length against its definition over sets of nodes; sampling, skeleton files, and worked numbers."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.errors import FormatError, InputError, OptionError
from segmetry.metrics.skeletons.expected_run_length import run_lengths
from segmetry.segmentation.skeleton_graphs import Skeletons, node_labels
from tests.profiles import examples


@st.composite
def forests(draw: st.DrawFn) -> tuple[sm.Skeletons, list[int]]:
    """One to three trees of up to six nodes, and a segment (0 is none) for every node."""
    places, edges, names = [], [], []
    for name in range(draw(st.integers(1, 3))):
        for number in range(draw(st.integers(1, 6))):
            if number:
                edges.append((len(places), len(places) - 1 - draw(st.integers(0, number - 1))))
            places.append([draw(st.integers(0, 5)), draw(st.integers(0, 5))])
            names.append(f"neuron {name}")
    labels = draw(st.lists(st.integers(0, 3), min_size=len(places), max_size=len(places)))
    return sm.Skeletons(places, edges, names), labels


def defined(skeletons: sm.Skeletons, labels: list[int], threshold: int) -> tuple[float, float, float, float]:
    """ERL, ERL of a perfect segmentation, the length of all skeletons and that of merged edges, from nodes."""
    of = [skeletons.names[at] for at in skeletons.skeleton_of.tolist()]
    nodes: dict[int, dict[object, int]] = {}
    for name, label in zip(of, labels, strict=True):
        nodes.setdefault(label, {}).setdefault(name, 0)
        nodes[label][name] += 1
    merging = {label for label, by_name in nodes.items() if sum(n >= threshold for n in by_name.values()) > 1}
    merged = 0.0
    runs: dict[tuple[object, int], float] = {}
    lengths: dict[object, float] = {}
    for first, second in skeletons.edges.tolist():
        length = math.dist(skeletons.positions[first], skeletons.positions[second])
        lengths[of[first]] = lengths.get(of[first], 0) + length
        ends = {labels[first], labels[second]}
        merged += length if 0 not in ends and ends & merging else 0
        if labels[first] == labels[second] and labels[first] and labels[first] not in merging:
            runs[of[first], labels[first]] = runs.get((of[first], labels[first]), 0) + length
    total = sum(lengths.values())
    if not total:
        return math.nan, math.nan, 0, merged
    expected = sum(
        lengths[s] / total * sum(r**2 for (n, _), r in runs.items() if n == s) / lengths[s]
        for s in lengths
        if lengths[s]
    )
    return expected, sum(length**2 for length in lengths.values()) / total, total, merged


@examples(6)
@given(forests(), st.integers(1, 3))
def test_run_lengths_equal_the_definition(forest: tuple[sm.Skeletons, list[int]], threshold: int) -> None:
    skeletons, labels = forest
    found = run_lengths(skeletons, np.array(labels), merge_threshold=threshold)
    expected, perfect, total, merged = defined(skeletons, labels, threshold)
    if not total:
        assert not found.erl.is_defined and not found.nerl.is_defined
        return
    assert math.isclose(found.erl.value, expected, abs_tol=1e-9)
    assert math.isclose(found.nerl.value, expected / perfect, abs_tol=1e-9)
    assert math.isclose(sum(row["merged"] for row in found.rows()), merged, abs_tol=1e-9)
    for row in found.rows():
        parts = row["correct"] + row["split"] + row["merged"] + row["omitted"]
        assert math.isclose(parts, row["length"], abs_tol=1e-9)


def test_a_perfect_segmentation_has_nerl_1_and_one_stray_node_merges_two_neurons() -> None:
    edges = [*pairwise(range(5)), *pairwise(range(5, 10))]
    traced = sm.Skeletons([[y, x] for y in (0, 1) for x in range(5)], edges, ["a"] * 5 + ["b"] * 5)
    perfect = sm.expected_run_length(traced, [[1] * 5, [2] * 5])
    assert (perfect.erl.value, perfect.nerl.value, perfect.merging) == (4, 1, {})
    stray = sm.expected_run_length(traced, [[1, 1, 1, 1, 2], [2] * 5])
    assert stray.merging == {2: ("a", "b")} and stray.nerl.value == 9 / 32
    forgiven = sm.expected_run_length(traced, [[1, 1, 1, 1, 2], [2] * 5], merge_threshold=2)
    assert forgiven.merging == {} and forgiven.nerl.value == (9 + 16) / 32


def test_nodes_are_sampled_by_spacing_and_offset() -> None:
    traced = sm.Skeletons([[30, 8], [34, 16]], [[0, 1]], ["a", "a"])
    volume = np.arange(12).reshape(3, 4)
    assert node_labels(traced, volume, spacing=(30, 8), offset=(0, 0)).tolist() == [5, 6]
    assert node_labels(traced, volume, spacing=(30, 8), offset=(0, 4)).tolist() == [5, 6]
    assert node_labels(traced, volume, spacing=(30, 8), offset=(0, 4), rounding="down").tolist() == [4, 5]
    assert node_labels(traced, sm.LabelArray(volume, spacing=(30, 8))).tolist() == [5, 6]


def test_of_a_stored_volume_only_chunks_with_nodes_are_read(tmp_path: Path) -> None:
    zarr = pytest.importorskip("zarr")
    stored = zarr.create_array(str(tmp_path / "v.zarr"), shape=(4, 1200, 1200), chunks=(2, 400, 400), dtype="uint64")
    stored[0, 10, 10] = 2**63 + 5
    stored[3, 1199, 1199] = 7
    traced = sm.Skeletons([[0, 10, 10], [3, 1199, 1199]], [[0, 1]], ["a", "a"])
    array = sm.LabelArray(stored)
    read = []
    original = array.stored.read
    array.stored.__dict__["read"] = lambda box: read.append(box) or original(box)
    assert node_labels(traced, array).tolist() == [2**63 + 5, 7]
    assert len(read) == 2


SWC = "# made by hand\n1 0 0 0 0 1 -1\n2 0 3 4 0 1 1\n3 0 3 4 12 1 2\n"
NML = """<things><parameters><scale x="11" y="11" z="25"/></parameters>
<thing id="1" name="axon"><nodes><node id="1" x="0" y="0" z="0"/><node id="2" x="1" y="0" z="2"/></nodes>
<edges><edge source="1" target="2"/></edges></thing>
<thing id="2" name="axon"><nodes><node id="1" x="5" y="5" z="5"/></nodes><edges/></thing></things>"""


def test_skeletons_are_read_from_swc_nml_and_folders(tmp_path: Path) -> None:
    (tmp_path / "n1.swc").write_text(SWC)
    swc = sm.read_skeletons(tmp_path / "n1.swc")
    assert (swc.names, swc.lengths.tolist(), swc.positions[2].tolist()) == (("n1",), [17], [12, 4, 3])
    (tmp_path / "n2.nml").write_text(NML)
    nml = sm.read_skeletons(tmp_path / "n2.nml")
    assert nml.names == ("axon", "axon (2)") and nml.positions[1].tolist() == [50, 0, 11]
    assert repr(sm.read_skeletons(tmp_path)) == "Skeletons(3 skeletons, 6 nodes, 3 edges)"


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.swc", "1 0 0 0\n", "line 1: 4 columns; expected number, type"),
        ("a.swc", "1 0 x 0 0 1 -1\n", "contains something else than numbers"),
        ("a.swc", "1 0 nan 0 0 1 -1\n", "expected finite numbers"),
        ("a.swc", "1 0 0 0 0 1 9\n", "an edge names node 9, which the skeleton 'a' does not have"),
        ("a.swc", "1 0 0 0 0 1 -1\n1 0 0 0 0 1 -1\n", "line 2: node 1 occurs twice"),
        ("a.swc", "# nothing\n", "contains no nodes"),
        ("a.nml", "<stuff/>", "its root is 'stuff'; expected things"),
        ("a.nml", "<things/>", "contains no nodes"),
        (
            "a.nml",
            '<things><thing id="1"><nodes><node id="q" x="0" y="0" z="0"/></nodes></thing></things>',
            "id is 'q'",
        ),
        ("a.nml", '<!DOCTYPE x [<!ENTITY e "e">]><things/>', "declares a document type or entities"),
        ("a.txt", "x", "not a file of skeletons; expected .swc or .nml"),
    ],
)
def test_damage_is_one_error_that_names_the_file(tmp_path: Path, name: str, text: str, words: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(FormatError, match=words) as error:
        sm.read_skeletons(tmp_path / name)
    assert name in str(error.value)


def test_wrong_input_is_one_clear_error(tmp_path: Path) -> None:
    traced = sm.Skeletons([[0, 0], [0, 9]], [[0, 1]], ["a", "a"])
    with pytest.raises(InputError, match=r"node 1 at \[0.0, 9.0\] is in voxel \[0, 9\], outside the volume of shape"):
        sm.expected_run_length(traced, [[1, 1]])
    with pytest.raises(InputError, match="nodes have 2 coordinates and the volume 3 axes"):
        sm.expected_run_length(traced, [[[1, 1]]])
    with pytest.raises(OptionError, match="merge_threshold is 0; expected at least 1 node"):
        sm.expected_run_length(traced, [[1] * 10], merge_threshold=0)
    with pytest.raises(InputError, match="edge 0 joins the skeletons 'a' and 'b'"):
        sm.Skeletons([[0], [1]], [[0, 1]], ["a", "b"])
    with pytest.raises(FormatError, match="no skeleton in it"):
        sm.read_skeletons(tmp_path)


def test_the_example_of_node_labels() -> None:
    traced = Skeletons([[0, 0], [0, 14]], [[0, 1]], ["a", "a"])
    assert node_labels(traced, [[5, 6, 7]], spacing=(1, 10)).tolist() == [5, 6]
