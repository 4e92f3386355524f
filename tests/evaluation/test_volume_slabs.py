"""One volume in several parts of a run: slabs add up to the run that was not divided, and a restored chunk costs its
block."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.errors import FormatError, InputError
from segmetry.evaluation.schedule import ProgressState
from segmetry.run.run import Run
from segmetry.storage.stored_arrays import regular_edges
from tests.profiles import examples
from tests.stored_arrays import Chunked, edges_of, label_pairs, small_blocks

SHAPE, CHUNK = (8, 16, 16), (4, 8, 8)


@pytest.fixture
def volumes(tmp_path: Path) -> tuple[Path, Path]:
    """Two zarr arrays of eight chunks, large enough to stay in storage when blocks are small."""
    zarr = pytest.importorskip("zarr")
    rng = np.random.default_rng(5)
    paths = tmp_path / "true.zarr", tmp_path / "pred.zarr"
    for path in paths:
        labels = np.kron(rng.integers(0, 5, (2, 4, 4)), np.ones((4, 4, 4), int)).astype(np.uint32)
        array = zarr.create_array(str(path), shape=SHAPE, chunks=CHUNK, dtype="uint32", compressors=None, fill_value=0)
        array[...] = labels + 1
    return paths


@pytest.fixture(autouse=True)
def _blocks_of_one_chunk(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr("segmetry.segmentation.labels.READ_AT_ONCE", 16)
    with small_blocks(least=256, most=256):
        yield


class Seen:
    """The last state of an evaluation, and the first in which an item had blocks."""

    def __init__(self) -> None:
        self.states: list[ProgressState] = []

    def update(self, state: ProgressState) -> None:
        self.states.append(state)

    @property
    def counted_before(self) -> int:
        return next(state.blocks for state in self.states if state.n_blocks)


def evaluated(volumes: tuple[Path, Path], **options: Any) -> Run:
    return sm.evaluate(*volumes, metrics="pq,voi,hausdorff", engine="serial", **options)


@pytest.mark.slow
@pytest.mark.parametrize("count", [2, 3, 11])
def test_slabs_merge_to_the_run_that_was_not_divided(volumes: tuple[Path, Path], count: int, tmp_path: Path) -> None:
    whole = evaluated(volumes, out=tmp_path / "whole.segm").content_digest()
    parts = [tmp_path / f"part{number}.segm" for number in range(1, count + 1)]
    n_counted = 0
    for number, part in enumerate(parts, 1):
        with evaluated(volumes, out=part, shard=f"{number}/{count}") as run:
            assert run.n_done == 0
            n_counted += run.counted_blocks.get("true", (0, 8))[0]
    assert n_counted == 8
    merged = sm.merge_runs([*parts[1:], parts[0], parts[0]], tmp_path / "all.segm")
    assert merged.counted_blocks == {"true": (8, 8)} and not merged.is_complete
    seen = Seen()
    finished = evaluated(volumes, out=tmp_path / "all.segm", resume=True, progress=seen)
    assert seen.counted_before == 8 and finished.content_digest() == whole
    assert sm.merge_runs([tmp_path / "all.segm", *parts], tmp_path / "again.segm").content_digest() == whole
    assert sm.merge_runs([*parts, tmp_path / "all.segm"], tmp_path / "last.segm").content_digest() == whole


@pytest.mark.slow
@examples(1 / 4)
@given(st.data(), label_pairs(axes=(2, 3)), st.integers(2, 5))
def test_slabs_of_any_arrays_add_up(data: st.DataObject, pair: Any, count: int) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        sides: list[Any] = [{"a": Chunked(array, data.draw(edges_of(array.shape)))} for array in pair]
        options: dict[str, Any] = {"metrics": "pq,rand_index", "engine": "serial"}
        whole = sm.evaluate(*sides, out=f"{folder}/whole", **options).content_digest()
        parts = [f"{folder}/{number}" for number in range(1, count + 1)]
        for number, part in enumerate(parts, 1):
            sm.evaluate(*sides, out=part, shard=f"{number}/{count}", **options)
        sm.merge_runs(parts, f"{folder}/all")
        assert sm.evaluate(*sides, out=f"{folder}/all", resume=True, **options).content_digest() == whole


def test_with_as_many_items_as_parts_no_volume_is_divided(tmp_path: Path) -> None:
    labels = np.arange(64).reshape(8, 8) // 20
    side: dict[str, Any] = {name: Chunked(labels, regular_edges(labels.shape, (2, 8))) for name in "ab"}
    with sm.evaluate(side, side, metrics="pq", out=tmp_path / "part.segm", shard="1/2") as part:
        assert part.n_done == 1 and part.counted_blocks == {}


def test_slabs_of_two_divisions_are_rejected_where_they_overlap(volumes: tuple[Path, Path], tmp_path: Path) -> None:
    evaluated(volumes, out=tmp_path / "half.segm", shard="1/2")
    evaluated(volumes, out=tmp_path / "third.segm", shard="2/3")
    with pytest.raises(InputError, match=r"third.segm: item 'true' shares some of its blocks with parts before"):
        sm.merge_runs([tmp_path / "half.segm", tmp_path / "third.segm"], tmp_path / "all.segm")


def test_a_restored_chunk_recounts_only_its_block(volumes: tuple[Path, Path], tmp_path: Path) -> None:
    chunk = volumes[1] / "c/1/1/1"
    content = chunk.read_bytes()
    chunk.write_bytes(content[:100])
    out = tmp_path / "run.segm"
    with pytest.raises(FormatError, match="c/1/1/1"):
        evaluated(volumes, out=out)
    chunk.write_bytes(content)
    seen = Seen()
    run = evaluated(volumes, out=out, resume=True, progress=seen)
    assert seen.counted_before == 7
    assert run.content_digest() == evaluated(volumes, out=tmp_path / "whole.segm").content_digest()


@pytest.mark.parametrize(("name", "n_kept"), [("c/0/0/0", 0), ("c/1/0/0", 4), ("zarr.json", 0)])
def test_a_changed_chunk_recounts_the_slab_it_is_in(
    volumes: tuple[Path, Path], name: str, n_kept: int, tmp_path: Path
) -> None:
    out, file = tmp_path / "part.segm", volumes[0] / name
    evaluated(volumes, out=out, shard="1/2")
    content = file.read_bytes()
    file.write_bytes(content[4:] + content[:4] if name != "zarr.json" else content + b"\n")
    seen = Seen()
    evaluated(volumes, out=out, shard="1/2", resume=True, progress=seen)
    assert seen.counted_before == n_kept and seen.states[-1].blocks == 4
    evaluated(volumes, out=tmp_path / "other.segm", shard="2/2")
    sm.merge_runs([out, tmp_path / "other.segm"], tmp_path / "all.segm")
    run = evaluated(volumes, out=tmp_path / "all.segm", resume=True)
    assert run.content_digest() == evaluated(volumes, out=tmp_path / "whole.segm").content_digest()
