"""The errors of a run as files that a field opens: what is missed, what is spurious, and the pairs with their IoU.

Every segment of the table of segments is one object with its outcome, error, IoU, class and size: a missed one as it is
in the truth, every other one as it is predicted. GeoJSON opens in QGIS and QuPath, GeoPackage in QGIS, COCO JSON in
labelling tools, RTTM and TextGrid in audio editors; CoNLL has a column of tags for each side; a label image or volume
has a value for every element.
"""

from __future__ import annotations

import gzip
import sqlite3
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from fractions import Fraction
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base import frozen_dataclass, import_optional, json_text, write_atomically
from segmetry.diagnosis import segments_with_errors
from segmetry.errors import DataWarning, InputError, KindError, OptionError
from segmetry.evaluation import ItemTask, loaders_of
from segmetry.geometry import Mask, shapes_of
from segmetry.readers import Item
from segmetry.run import Run
from segmetry.segmentation import LabelArray, Masks, Polygons, Segmentation, Spans, TimeIntervals

SHARED, MISSED, SPURIOUS, BOTH = 1, 2, 3, 4
"""The values of a label image of errors: shared by a pair, of a true segment alone, of a predicted one alone, of two
segments that are no pair."""
COLOURS = {"matched": (0, 158, 115), "missed": (213, 94, 0), "spurious": (0, 114, 178), "ignored": (153, 153, 153)}
EACH = "{item}"
_FACTS = ("item", "outcome", "error", "true_id", "pred_id", "iou", "nearest_id", "nearest_iou")


@frozen_dataclass()
class ErrorItem:
    """An item, its rows of the table of segments, both sides, and the truth as its file states it."""

    name: str
    rows: list[dict[str, Any]]
    true: Segmentation
    pred: Segmentation
    stated: Item

    def objects(self) -> Iterator[tuple[dict[str, Any], Segmentation, int]]:
        """Yield the facts of each segment, the side it is taken from, and its id there."""
        for row in self.rows:
            side, of_side = ("true", self.true) if row["pred_id"] is None else ("pred", self.pred)
            area = row[f"{side}_size"]
            if isinstance(of_side, Polygons):  # whose elements are half a square of the precision
                area = float(area * of_side.precision**2 / 2)
            facts = {name: row[name] for name in _FACTS} | {"side": side, "area": area}
            yield {**facts, "class": row[f"{side}_class"]}, of_side, row[f"{side}_id"]


def write_errors(run: Run, target: Path) -> None:
    """Write the errors of a run in the format of the name of a file, the inputs are read again.

    ``{item}`` in the name makes a file for each item.
    """
    endings = (*_WRITERS, ".zarr")
    ending = next((one for one in endings if target.name.lower().endswith(one)), None)
    if ending is None:
        raise OptionError(f"--errors is {target}; expected a file that ends in {', '.join(endings)}")
    if EACH not in target.name and ending in _OF_ONE_ITEM and len(run.names) > 1:
        raise OptionError(
            f"{target}: {ending} is of one item, and the run has {len(run.names)}; {{item}} in the name, as in "
            f"errors/{{item}}{ending}, makes a file for each"
        )
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in run.names}
    for row in segments_with_errors(run):
        rows[row["item"]].append(row)
    loaders = loaders_of(run)

    def items(names: Sequence[str]) -> Iterator[ErrorItem]:
        for name in names:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DataWarning)  # shown when the inputs were evaluated
                task = loaders[name]
                true, pred = task()
                stated = task.true_item() if isinstance(task, ItemTask) else Item(name, true)
            yield ErrorItem(name, rows[name], true, pred, stated)

    each = EACH in target.name
    paths = paths_of_items(run.names, target) if each else [target]
    for path, names in zip(paths, [[name] for name in run.names] if each else [run.names], strict=True):
        path.parent.mkdir(parents=True, exist_ok=True)
        if ending == ".zarr":
            _write_zarr(items(names), path)
        else:
            write_atomically(path, _WRITERS[ending](items(names)))


def paths_of_items(names: Sequence[str], pattern: Path) -> list[Path]:
    """Return the path of each item: a pattern in whose last part ``{item}`` stands for its name."""
    paths = [pattern.with_name(pattern.name.replace(EACH, _file_name(name))) for name in names]
    if len(set(paths)) < len(paths):
        clash, path = next(both for both in zip(names, paths, strict=True) if paths.count(both[1]) > 1)
        raise InputError(f"item {clash!r} and another item would share {path}; rename one")
    return paths


def _file_name(item: str) -> str:
    """Return the name of an item as a valid name of a file."""
    kept = "".join(letter if letter.isalnum() or letter in "._-" else "_" for letter in item)
    return kept if kept.strip(".") else "_"


def _mask(side: Segmentation, label: int) -> tuple[Mask, tuple[int, int]]:
    """Return the elements of a segment of an image, and where they begin."""
    if not isinstance(side, LabelArray | Masks) or len(side.domain) != 2:
        raise KindError(
            f"found {side.kind} of {len(side.domain)} axes; expected images; volumes are written as .nii.gz"
        )
    shapes = shapes_of(side, np.array([label]))
    return shapes.crop(0, shapes.boxes[0]), (int(shapes.boxes[0, 0, 0]), int(shapes.boxes[0, 1, 0]))


def _run_ends(flat: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return the starts and stops of the runs of True, alternately."""
    return np.flatnonzero(np.diff(np.concatenate(([False], flat, [False])).astype(np.int8)))


def _geometry(side: Segmentation, label: int) -> Any:
    """Return the outline of a segment: of a map in its coordinates, of an image along the edges of its pixels."""
    shapely = import_optional("shapely", "GeoJSON", "maps")
    if isinstance(side, Polygons):
        step, of_map = side.precision, side.geometries[int(np.flatnonzero(side.ids == label)[0])]
        return shapely.transform(of_map, lambda points: points * step.numerator / step.denominator)
    mask, (top, left) = _mask(side, label)
    boxes = []
    for y, row in enumerate(mask, top):
        ends = _run_ends(row) + left
        boxes.append(shapely.box(ends[::2], y, ends[1::2], y + 1))
    return shapely.union_all(np.concatenate(boxes)).simplify(0)


def _features(items: Iterator[ErrorItem]) -> tuple[list[tuple[dict[str, Any], Any]], str | None]:
    """Return the facts and the outline of every object, and the one reference system, if it has a code."""
    found, systems = [], set[str | None]()
    for item in items:
        systems.add(getattr(item.true, "crs", None))
        found += [(facts, _geometry(side, label)) for facts, side, label in item.objects()]
    if len(systems) > 1 or any(name and name.startswith("equal-area") for name in systems):
        raise InputError(f"coordinates are in {', '.join(map(str, systems))}; expected one system, not projected")
    return found, next((name for name in systems if name is not None and ":" in name), None)


def _geojson(items: Iterator[ErrorItem]) -> bytes:
    shapely = import_optional("shapely", "GeoJSON", "maps")
    found, system = _features(items)
    features = []
    for facts, outline in found:
        named = {"name": facts["outcome"], "color": COLOURS[facts["outcome"]]}  # as QuPath reads it
        properties = {"objectType": "annotation", "classification": named, **facts}
        features.append({"type": "Feature", "geometry": shapely.geometry.mapping(outline), "properties": properties})
    crs = {"crs": {"type": "name", "properties": {"name": system}}} if system else {}
    return _as_bytes({"type": "FeatureCollection", **crs, "features": features})


def _geopackage(items: Iterator[ErrorItem]) -> bytes:
    """Return a GeoPackage 1.3 with a layer ``errors`` [OGC 12-128r18, annex C]."""
    shapely = import_optional("shapely", "GeoPackage", "maps")
    found, system = _features(items)
    code = int(system.split(":")[1]) if system and system.split(":")[1].isdigit() else -1
    bounds = shapely.total_bounds([outline for _, outline in found]).tolist() if found else [None] * 4
    names = [*_FACTS, "side", "class", "area"]
    columns = ", ".join(f'"{name}" {_SQL_TYPES.get(name, "TEXT")}' for name in names)
    with closing(sqlite3.connect(":memory:")) as database:
        database.executescript(_GEOPACKAGE + f"CREATE TABLE errors (fid INTEGER PRIMARY KEY, geom GEOMETRY, {columns})")
        for number in sorted({-1, 0, 4326, code}):
            owner = "NONE" if number < 1 else "EPSG"
            row = (f"{owner}:{number}", number, owner, number, "undefined")
            database.execute("INSERT INTO gpkg_spatial_ref_sys VALUES (?, ?, ?, ?, ?, NULL)", row)
        layer = "'errors', 'features', 'errors', '', strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), ?, ?, ?, ?, ?"
        database.execute(f"INSERT INTO gpkg_contents VALUES ({layer})", (*bounds, code))  # noqa: S608
        database.execute("INSERT INTO gpkg_geometry_columns VALUES ('errors', 'geom', 'GEOMETRY', ?, 0, 0)", (code,))
        head = b"GP\0\1" + code.to_bytes(4, "little", signed=True)
        rows = []
        for facts, outline in found:  # SQLite holds integers below 2⁶³; other ids, and classes of any type, are text
            plain = [isinstance(facts[name], int | float) and abs(facts[name]) < 2**63 for name in names]
            values = [
                facts[name] if ok or facts[name] is None else str(facts[name])
                for name, ok in zip(names, plain, strict=True)
            ]
            rows.append((head + shapely.to_wkb(outline, byte_order=1), *values))
        places = ", ".join("?" * (len(names) + 1))
        database.executemany(f"INSERT INTO errors VALUES (NULL, {places})", rows)  # noqa: S608
        database.commit()
        return database.serialize()


def _coco(items: Iterator[ErrorItem]) -> bytes:
    images: list[dict[str, Any]] = []
    annotations: list[dict[str, Any]] = []
    categories = {name: number for number, name in enumerate(COLOURS, 1)}
    for number, item in enumerate(items, 1):
        for facts, side, label in item.objects():
            mask, (top, left) = _mask(side, label)
            whole = np.zeros(side.domain, dtype=bool)
            whole[top : top + mask.shape[0], left : left + mask.shape[1]] = mask
            edges = _run_ends(whole.ravel(order="F"))
            annotations.append(
                {
                    **facts,
                    "id": len(annotations) + 1,
                    "image_id": number,
                    "category_id": categories[facts["outcome"]],
                    "iscrowd": 0,
                    "bbox": [left, top, mask.shape[1], mask.shape[0]],
                    "segmentation": {
                        "size": list(side.domain),
                        "counts": np.diff(np.concatenate(([0], edges, [whole.size]))).tolist(),
                    },
                }
            )
        height, width = item.true.domain
        images.append({"id": number, "file_name": item.stated.file or item.name, "height": height, "width": width})
    named = [{"id": number, "name": name} for name, number in categories.items()]
    return _as_bytes({"images": images, "categories": named, "annotations": annotations})


def _times(item: ErrorItem) -> Iterator[tuple[dict[str, Any], float, float]]:
    """Yield the facts of each segment of a line, its start and its end."""
    for facts, side, label in item.objects():
        if not isinstance(side, Spans | TimeIntervals):
            raise KindError(f"item {item.name}: found {side.kind}; expected a line of spans or intervals")
        start, stop = (float(Fraction(int(ends[label - 1])) * side.tick) for ends in (side.starts, side.stops))
        yield facts, start, stop


def _rttm(items: Iterator[ErrorItem]) -> bytes:
    lines = []
    for item in items:
        for facts, start, stop in _times(item):
            words = [facts["outcome"], *([] if facts["class"] is None else [str(facts["class"])])]
            name = "_".join("-".join(words).split())
            file = "_".join(item.name.split())
            lines.append(f"SPEAKER {file} 1 {start:g} {stop - start:g} <NA> <NA> {name} <NA> <NA>\n")
    return "".join(lines).encode()


def _textgrid(items: Iterator[ErrorItem]) -> bytes:
    """Return one tier for each outcome, or several where its segments overlap, as Praat writes them."""
    item, tiers, end = next(items), dict[str, list[tuple[float, float, str]]](), 0.0
    for facts, start, stop in sorted(_times(item), key=lambda one: one[1:]):
        text, number = "-".join(str(facts[name]) for name in ("class", "error") if facts[name] is not None), 1
        while (tier := tiers.setdefault(f"{facts['outcome']} {number}", [])) and tier[-1][1] > start:
            number += 1
        tier.append((start, stop, text))
        end = max(end, stop)
    lines = ['File type = "ooTextFile"', 'Object class = "TextGrid"', "", "0", f"{end!r}", "<exists>", str(len(tiers))]
    for name, spoken in tiers.items():
        filled, last = list[tuple[float, float, str]](), 0.0
        for start, stop, text in [*spoken, (end, end, "")]:
            filled += [(last, start, "")] * (start > last) + [(start, stop, text)] * (stop > start)
            last = stop
        lines += ['"IntervalTier"', f'"{name}"', "0", f"{end!r}", str(len(filled))]
        for start, stop, text in filled:
            quoted = text.replace('"', '""')
            lines += [f"{start!r}", f"{stop!r}", f'"{quoted}"']
    return "\n".join([*lines, ""]).encode()


def _conll(items: Iterator[ErrorItem]) -> bytes:
    """Return a line for each token: its text, a tag of the true segment and one of the predicted one."""
    lines = []
    for item in items:
        columns = []
        for name, side in (("true", item.true), ("pred", item.pred)):
            if not isinstance(side, Spans):
                raise KindError(f"item {item.name}: found {side.kind}; expected spans of tokens")
            tags = ["O"] * side.n
            for row in item.rows:
                if (label := row[f"{name}_id"]) is not None:
                    start, stop = int(side.starts[label - 1]), int(side.stops[label - 1])
                    words = (row["outcome"], row[f"{name}_class"])
                    kind = "_".join("-".join(str(word) for word in words if word is not None).split())
                    tags[start:stop] = [f"B-{kind}", *[f"I-{kind}"] * (stop - start - 1)]
            columns.append(tags)
        tokens = ["_".join(unit.split()) or "_" for unit in item.stated.units or ["_"] * len(columns[0])]
        rows = zip(tokens, *columns, strict=True)
        lines += [f"# sent_id = {item.name}", *("\t".join(row) for row in rows), ""]
    return "\n".join([*lines, ""]).encode()


def error_labels(item: ErrorItem) -> NDArray[np.uint8]:
    """Return which elements are shared by a pair, missed, spurious, or of two segments that are no pair."""
    if not isinstance(item.true, LabelArray) or not isinstance(item.pred, LabelArray):
        raise KindError(f"item {item.name}: found {item.true.kind}; a label image of errors is of label arrays")
    counted = [row for row in item.rows if row["outcome"] != "ignored"]
    ids, places, inside = [], [], []
    for side, segmentation in (("true_id", item.true), ("pred_id", item.pred)):
        labels, place = np.unique(np.asarray(segmentation.labels), return_inverse=True)
        ids.append({label: at for at, label in enumerate(labels.tolist())})
        places.append(place.reshape(item.true.domain))
        inside.append(np.isin(places[-1], [ids[-1][row[side]] for row in counted if row[side] is not None]))
    pairs = [(row["true_id"], row["pred_id"]) for row in counted if row["outcome"] == "matched"]
    shared = np.isin(places[0] * len(ids[1]) + places[1], [ids[0][t] * len(ids[1]) + ids[1][p] for t, p in pairs])
    values = np.select([shared, inside[0] & inside[1], *inside], [SHARED, BOTH, MISSED, SPURIOUS], 0)
    return values.astype(np.uint8)


def _npy(items: Iterator[ErrorItem]) -> bytes:
    buffer = BytesIO()
    np.save(buffer, error_labels(next(items)))
    return buffer.getvalue()


def _png(items: Iterator[ErrorItem]) -> bytes:
    from PIL import Image

    item, buffer = next(items), BytesIO()
    if len(item.true.domain) != 2:
        raise KindError(f"item {item.name} has {len(item.true.domain)} axes; expected an image (volumes: .nii.gz)")
    Image.fromarray(error_labels(item)).save(buffer, format="PNG")
    return buffer.getvalue()


def _nifti(items: Iterator[ErrorItem]) -> bytes:
    """Return a volume at the place of the truth, or with its spacing if its file states no place."""
    nibabel = import_optional("nibabel", "NIfTI", "medical")
    item, affine = next(items), np.eye(4)
    labels = error_labels(item)
    if labels.ndim > 3:
        raise KindError(f"item {item.name} has {labels.ndim} axes; expected a volume (.npy has any number)")
    spacing = getattr(item.true, "spacing", None)
    if item.stated.place is not None:
        affine[:3] = item.stated.place.affine
    elif spacing is not None:
        affine[range(len(spacing)), range(len(spacing))] = spacing
    image = nibabel.Nifti1Image(labels, affine)
    image.header.set_xyzt_units(spacing.unit if spacing is not None and spacing.unit == "mm" else None)
    return bytes(image.to_bytes())


def _write_zarr(items: Iterator[ErrorItem], target: Path) -> None:
    """Write an array as a folder, which is no one's until it is complete."""
    zarr, labels = import_optional("zarr", "zarr", "zarr"), error_labels(next(items))
    if target.exists():
        raise OptionError(f"{target} exists, and no folder is replaced")
    with TemporaryDirectory(dir=target.parent) as folder:
        zarr.create_array(f"{folder}/array", data=labels, fill_value=0)
        Path(folder, "array").rename(target)


def _as_bytes(data: Mapping[str, Any]) -> bytes:
    return json_text(data, ensure_ascii=False).encode()


_GEOPACKAGE = """
PRAGMA application_id = 0x47504B47; PRAGMA user_version = 10300;
CREATE TABLE gpkg_spatial_ref_sys (srs_name TEXT NOT NULL, srs_id INTEGER PRIMARY KEY, organization TEXT NOT NULL,
  organization_coordsys_id INTEGER NOT NULL, definition TEXT NOT NULL, description TEXT);
CREATE TABLE gpkg_contents (table_name TEXT PRIMARY KEY, data_type TEXT NOT NULL, identifier TEXT UNIQUE,
  description TEXT, last_change DATETIME NOT NULL, min_x DOUBLE, min_y DOUBLE, max_x DOUBLE, max_y DOUBLE,
  srs_id INTEGER REFERENCES gpkg_spatial_ref_sys (srs_id));
CREATE TABLE gpkg_geometry_columns (table_name TEXT NOT NULL REFERENCES gpkg_contents (table_name),
  column_name TEXT NOT NULL, geometry_type_name TEXT NOT NULL, srs_id INTEGER NOT NULL REFERENCES gpkg_spatial_ref_sys,
  z TINYINT NOT NULL, m TINYINT NOT NULL, PRIMARY KEY (table_name, column_name));
"""
_SQL_TYPES = {"iou": "DOUBLE", "nearest_iou": "DOUBLE", "area": "DOUBLE"} | dict.fromkeys(
    ("true_id", "pred_id", "nearest_id"), "INTEGER"
)
_WRITERS: dict[str, Callable[[Iterator[ErrorItem]], bytes]] = {
    ".geojson": _geojson,
    ".gpkg": _geopackage,
    ".json": _coco,
    ".rttm": _rttm,
    ".textgrid": _textgrid,
    ".conll": _conll,
    ".png": _png,
    ".npy": _npy,
    ".nii.gz": lambda items: gzip.compress(_nifti(items), mtime=0),
    ".nii": _nifti,
}
_OF_ONE_ITEM = (".textgrid", ".png", ".npy", ".nii.gz", ".nii", ".zarr")
