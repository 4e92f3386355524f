"""COCO's files read at once by native code give the same run, to the bit, as one image after the other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import segmetry as sm
from segmetry.errors import DataWarning
from segmetry.evaluation import scanned_files
from segmetry.kernels import native
from segmetry.kernels.coco_detections import scan_coco
from segmetry.kernels.line_scans import scan_integer_lists, scan_tags, scan_turns
from segmetry.metrics import METRICS
from segmetry.metrics.statistics import Statistics
from tests.coco_strings import encode_coco_counts

pytestmark = pytest.mark.skipif(not hasattr(native, "scan_coco"), reason="native code reads the files")

SHAPE = (40, 60)
N_IMAGES = 12


def disc(rng: np.random.Generator) -> tuple[dict[str, Any], int, list[float]]:
    """Return a disc as compressed text, its area and its box."""
    y, x, radius = rng.integers(0, SHAPE[0]), rng.integers(0, SHAPE[1]), rng.integers(2, 16)
    rows, columns = np.ogrid[: SHAPE[0], : SHAPE[1]]
    mask = (rows - y) ** 2 + (columns - x) ** 2 < radius**2
    flat = mask.T.ravel()
    edges = np.flatnonzero(np.diff(np.concatenate(([False], flat, [False])).astype(int)))
    counts = np.diff(np.concatenate(([0], edges, [flat.size])))
    box = [float(v) for v in (x - radius + 0.25, y - radius, 2 * radius + 0.123456789012345, 2 * radius)]
    return {"size": list(SHAPE), "counts": encode_coco_counts(counts).decode()}, int(mask.sum()), box


def files(*, polygons: bool = False, boxes: bool = True, lvis: bool = False) -> tuple[dict[str, Any], list[Any]]:
    rng = np.random.default_rng(5)
    images = [{"id": 3 * at + 1, "height": SHAPE[0], "width": SHAPE[1]} for at in rng.permutation(N_IMAGES).tolist()]
    annotations: list[dict[str, Any]] = []
    results: list[dict[str, Any]] = []
    for image in images[:-1]:  # one has no annotation, another no result
        if lvis:
            image["neg_category_ids"], image["not_exhaustive_category_ids"] = [7], [2]
        for _ in range(int(rng.integers(1, 6))):
            segment, area, box = disc(rng)
            corners = rng.uniform(-5, 65, 8).tolist()
            drawn = polygons and rng.random() < 0.7
            annotations.append(
                {
                    "id": 900 - len(annotations),
                    "image_id": image["id"],
                    "category_id": int(rng.choice([2, 5, 11])),
                    "segmentation": [corners, rng.uniform(0, 39, 6).round(1).tolist()] if drawn else segment,
                    "area": area + 0.5 if drawn else area,
                    "bbox": box,
                    "iscrowd": int(rng.random() < 0.2),
                }
            )
        if lvis:
            continue
    if lvis:
        images[-1]["neg_category_ids"], images[-1]["not_exhaustive_category_ids"] = [], [5]
    for image in images[1:]:
        for _ in range(int(rng.integers(0, 9))):
            segment, _, box = disc(rng)
            score = float(rng.choice([0.5, 0.25, 1, rng.random()]))
            result = {"image_id": image["id"], "category_id": int(rng.choice([2, 5, 7])), "score": score}
            results.append({**result, "segmentation": segment, **({"bbox": box} if boxes else {})})
    rng.shuffle(annotations)  # type: ignore[arg-type]
    categories = [{"id": name, "name": f"class {name}", "frequency": "rcf"[name % 3]} for name in (2, 5, 7, 11)]
    return {"images": images, "annotations": annotations, "categories": categories}, results


def written(folder: Path, truth: Any, results: Any) -> tuple[Path, Path]:
    paths = folder / "truth.json", folder / "results.json"
    for path, data in zip(paths, (truth, results), strict=True):
        path.write_text(json.dumps(data))
    return paths


def careful(*arguments: Any, **options: Any) -> sm.Run:
    """Evaluate one image after the other."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scanned_files, "score_scanned", lambda *_: None)
        return sm.evaluate(*arguments, **options)


def columns_of(run: sm.Run) -> Statistics:
    return run.data.source(run.metrics[0].key).statistics


CASES: dict[str, tuple[dict[str, bool], dict[str, Any]]] = {
    "masks": ({}, {}),
    "polygons": ({"polygons": True}, {}),
    "boxes": ({}, {"iou_type": "bbox"}),
    "boxes of polygons": ({"polygons": True}, {"iou_type": "bbox"}),
    "no stated boxes": ({"boxes": False}, {}),
    "crowds by IoU": ({}, {"crowd_overlap": "iou"}),
    "lvis": ({"lvis": True, "polygons": True}, {}),
    "lvis boxes": ({"lvis": True}, {"iou_type": "bbox"}),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("engine", ["threads", "serial"])
def test_the_columns_and_every_number_are_those_of_single_images(tmp_path: Path, case: str, engine: str) -> None:
    how, chosen = CASES[case]
    paths = written(tmp_path, *files(**how))
    protocol = "lvis" if how.get("lvis") else "coco-instances"
    plain = careful(*paths, protocol=protocol)
    options = {metric.key: chosen for metric in plain.metrics} if chosen else {}
    run, expected = (evaluate(*paths, protocol=protocol, options=options) for evaluate in (partial_of(engine), careful))
    assert run._source._together  # type: ignore[union-attr] # it was read at once
    own, other = columns_of(run), columns_of(expected)
    assert own.labels == other.labels
    assert own.columns.keys() == other.columns.keys()
    for name, column in other.columns.items():
        np.testing.assert_array_equal(own.columns[name], column, name)
        np.testing.assert_array_equal(own.starts[name], other.starts[name], name)
        assert own.columns[name].dtype == column.dtype, name
    assert run.summary().rows() == expected.summary().rows() or _equal(run, expected)
    assert str(run.protocol_table()) == str(expected.protocol_table())
    assert run._source.is_postponed  # type: ignore[union-attr] # nothing of it needed overlaps
    assert run.content_digest() == expected.content_digest()  # which does


def _equal(run: sm.Run, expected: sm.Run) -> bool:
    return repr(run.summary().rows()) == repr(expected.summary().rows())


def partial_of(engine: str) -> Any:
    return lambda *paths, **options: sm.evaluate(*paths, engine=engine, **options)


def test_what_follows_from_overlaps_is_counted_when_it_is_asked_for(tmp_path: Path) -> None:
    paths = written(tmp_path, *files())
    run, expected = sm.evaluate(*paths), careful(*paths)
    assert run._source.is_postponed  # type: ignore[union-attr]
    assert repr(list(run.items())) == repr(list(expected.items()))
    assert list(run.segments()) == list(expected.segments())
    run.save(tmp_path / "own.segm")
    expected.save(tmp_path / "careful.segm")
    assert (
        sm.Run.open(tmp_path / "own.segm").content_digest() == sm.Run.open(tmp_path / "careful.segm").content_digest()
    )


def test_other_metrics_and_settings_take_one_image_after_the_other(tmp_path: Path) -> None:
    paths = written(tmp_path, *files())
    for options in ({"metrics": "pq"}, {"classes": "ignore"}, {"options": {"ap": {"iou_type": "boundary"}}}):
        run = sm.evaluate(*paths, protocol="coco-instances", **options)
        assert not run._source._together  # type: ignore[union-attr]


def _changed(where: str, value: Any) -> Any:
    def change(truth: Any, results: Any) -> None:
        side, key = where.split(".", 1)
        target = (truth["annotations"] if side == "true" else results)[3]
        if key.startswith("segmentation."):
            target, key = target["segmentation"], key.removeprefix("segmentation.")
        if value is ...:
            del target[key]
        else:
            target[key] = value

    return change


DAMAGE = {
    "an unknown image": _changed("true.image_id", 999),
    "an unknown category": _changed("true.category_id", 999),
    "a text as category": _changed("pred.category_id", "2"),
    "a crowd of 2": _changed("true.iscrowd", 2),
    "no score": _changed("pred.score", ...),
    "a box of three": _changed("pred.bbox", [1, 2, 3]),
    "a negative box": _changed("true.bbox", [1, 2, -3, 4]),
    "another size": _changed("pred.segmentation.size", [41, 60]),
    "a fractional size": _changed("true.segmentation.size", [40.0, 60]),
    "counts that end early": _changed("true.segmentation.counts", "52203"),
    "foreign counts": _changed("pred.segmentation.counts", "~~~"),
    "an unknown image of a result": _changed("pred.image_id", 998),
    "a polygon of two points": _changed("true.segmentation", [[1, 2, 3, 4]]),
    "a polygon far away": _changed("true.segmentation", [[1, 2, 3, 4, 5, 1e9]]),
}


@pytest.mark.parametrize("case", DAMAGE)
def test_what_is_wrong_is_refused_in_the_words_of_the_careful_reader(tmp_path: Path, case: str) -> None:
    truth, results = files()
    DAMAGE[case](truth, results)
    paths = written(tmp_path, truth, results)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("segmetry.readers.formats.data_sets.coco_masks.scan", lambda *_, **__: None)
        with pytest.raises(sm.SegmetryError) as expected:
            sm.evaluate(*paths, protocol="coco-instances")
    with pytest.raises(sm.SegmetryError) as raised:
        sm.evaluate(*paths, protocol="coco-instances")
    assert str(raised.value) == str(expected.value)


def test_an_area_that_is_not_the_counted_one_is_a_warning(tmp_path: Path) -> None:
    truth, results = files()
    truth["annotations"][0]["area"] += 1
    paths = written(tmp_path, truth, results)
    for options in ({}, {"options": {"ap": {"iou_type": "bbox"}}}):
        with pytest.warns(DataWarning, match="area is"):
            sm.evaluate(*paths, metrics="average_precision", **options)


@pytest.mark.parametrize(
    "text",
    [
        '[{"image_id": 1, "image_id": 1, "category_id": 2, "bbox": [0, 0, 2, 1], "score": 1}]',
        '[{"image_id": 1, "category_id": 2, "bbox": [0, 0, 2, 1], "score": NaN}]',
        '[{"image_id": 1, "category_id": 2, "bbox": [0, 0, 2, 1], "score": 1, "x": {"a": 1, "a": 2}}]',
        '[{"image_id": 1, "category_id": 2, "bbox": [0, 0, 2, 01], "score": 1}]',
        '[{"image_id": 1, "category_id": 2, "bbox": [0, 0, 2, 1.], "score": 1}]',
        '[{"image_id": 1, "category_id": 2, "bbox": [0, 0, 2, 1], "score": 1e999}]',
        '[{"image_id": 1, "category_id": 2, "bbox": [0, 0, 2, 1], "score": 1,}]',
        '[{"image_id": 1, "category_id": 2, "bbox": [0, 0, 2, 1], "score": 1}',
        '[{"image_id": 1, "category_id": 2, "bbox": [0, 0, 2, 1], "score": 1}]]',
        '[{"image_id": 1, "category_id": 2, "bbox": [0, 0, 2, 1], "score": 1, "x": "a\tb"}]',
        '[{"image_id": 1, "category_id": 2, "bbox": [0, 0, 2, 1], "score": 1, "x": "\\ud800"}]',
        '[{"image_id": 1, "category_id": 2, "bbox": [0, 0, 2, 1], "score": 1, "x": "\\q"}]',
        '[{"image_id": 1, "category_id": 2, "bbox": [0, 0, 2, 1], "score": 1, "x": tru}]',
        '[{"image_id": 1, "category_id": 2, "bbox": [0, 0, 2, 1], "score": 1}]\0',
        '[{"image_id": 1, "category_id": 2, "bbox": [0, 0, 2, 1], "score": 1, "x": "\u00e9"}]',
        '[{"image_id": 99999999999999999999, "category_id": 2, "bbox": [0, 0, 2, 1], "score": 1}]',
        '[{"image_id": 1, "category_id": 2, "bbox": [0, 0, 2, 1], "score": 1, "x": ' + "[" * 90 + "]" * 90 + "}]",
        "",
        "[",
        '["',
        '["\\',
        "[-",
        "[1e",
    ],
)
def test_a_text_that_is_unusual_or_no_json_is_not_scanned(text: str) -> None:
    assert native is not None
    assert native.scan_coco(text.encode(), True) is None


def test_numbers_are_read_as_python_reads_them() -> None:
    assert native is not None
    rng = np.random.default_rng(3)
    numbers = [repr(float(v)) for v in rng.random(300) * 10.0 ** rng.integers(-30, 30, 300)]
    numbers += [
        "0",
        "-0",
        "-0.0",
        "7",
        "0.1",
        "123456789.123456",
        "1e22",
        "1E-5",
        "0.30000000000000004",
        "999999999999999999",
    ]
    rows = ", ".join(f'{{"image_id": 1, "category_id": 2, "bbox": [0, 0, 1, 1], "score": {text}}}' for text in numbers)
    columns, _ = native.scan_coco(f"[{rows}]".encode(), True)
    expected = np.array([float(text) if text != "-0" else 0.0 for text in numbers])
    np.testing.assert_array_equal(np.abs(columns[9]).view(np.int64), np.abs(expected).view(np.int64))


def test_damaged_texts_are_never_read_as_something_else() -> None:
    assert native is not None
    truth, results = files(polygons=True)
    rng = np.random.default_rng(8)
    for data, is_results in ((truth, False), (results[:6], True)):
        content = json.dumps(data).encode()
        for _ in range(2000):
            damaged = bytearray(content)
            damaged[int(rng.integers(len(content)))] = int(rng.choice(list(b'{}[],:"\\0e.-xt\0 ')))
            scanned = native.scan_coco(bytes(damaged), is_results)
            if scanned is not None:
                pairs = json.loads(damaged, object_pairs_hook=_unique)
                assert len(pairs if is_results else pairs["annotations"]) == len(scanned[0][0])


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    assert len(dict(pairs)) == len(pairs)
    return dict(pairs)


def test_the_files_are_read_at_once_only_where_nothing_needs_single_images() -> None:
    assert METRICS["average_precision"].statistics.name == scanned_files.COLLECTOR  # type: ignore[union-attr]


def test_the_example_of_scan_coco() -> None:
    found = scan_coco(b'[{"image_id": 1, "category_id": 2, "bbox": [0, 0, 2, 1.5], "score": 0.5}]', is_results=True)
    assert found is None or found.columns.boxes.tolist() == [[0.0, 0.0, 2.0, 1.5]]


def test_the_example_of_scan_integer_lists() -> None:
    found = scan_integer_lists(b'{"a": [5, 3], "b": []}')
    assert found is None or (found.names, found.numbers.tolist()) == (["a", "b"], [5, 3])


def test_the_example_of_scan_tags() -> None:
    found = scan_tags(b"Ada B-PER\nis O\n\nhere O\n", None)
    assert found is None or (found.codes.tolist(), found.tags) == ([0, 1, 1], ["B-PER", "O"])


def test_the_example_of_scan_turns() -> None:
    found = scan_turns(b"SPEAKER a 1 0.5 2.25 <NA> <NA> ann <NA> <NA>")
    assert found is None or (found.speakers, found.duration.tolist()) == (["ann"], [2250000000])
