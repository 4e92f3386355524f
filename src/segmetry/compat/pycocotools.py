"""``pycocotools``: annotations by image and category, and COCO's evaluation of detections.

Not here, and left to the package itself: keypoints, captions, pictures and downloads.
"""

from __future__ import annotations

import copy
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmetry._base import BoolArray, FloatArray, IntArray, import_optional
from segmetry.compat import coco_rle as mask
from segmetry.compat.patched import say_once
from segmetry.errors import OptionError
from segmetry.kernels import match_greedily

CocoAnnotation = dict[str, Any]


def _say(words: str) -> None:
    sys.stdout.write(f"{words}\n")


def _listed(value: Any) -> Any:
    return value if hasattr(value, "__iter__") and hasattr(value, "__len__") else [value]


def _chosen(rows: Iterable[Any], **wanted: Any) -> Iterable[Any]:
    """Return the rows whose fields have one of the wanted values; an empty list wants all."""
    kept = {name: values for name, values in wanted.items() if len(_listed(values))}
    return [row for row in rows if all(row[name] in _listed(values) for name, values in kept.items())]


class COCO:
    """Annotations of a data set, or results for it, by image and category."""

    def __init__(self, annotation_file: str | Path | None = None) -> None:
        self.dataset: dict[str, Any] = {}
        if annotation_file is not None:
            self.dataset = json.loads(Path(annotation_file).read_bytes())
            if not isinstance(self.dataset, dict):
                raise AssertionError(f"annotation file format {type(self.dataset)} not supported")
        self.createIndex()

    def createIndex(self) -> None:  # noqa: N802
        """Index ``dataset`` after it was changed."""
        self.anns, self.imgs, self.cats = (
            {row["id"]: row for row in self.dataset.get(name, [])} for name in ("annotations", "images", "categories")
        )
        self.imgToAnns, self.catToImgs = defaultdict[Any, list[Any]](list), defaultdict[Any, list[Any]](list)
        for annotation in self.dataset.get("annotations", []):
            self.imgToAnns[annotation["image_id"]].append(annotation)
            if "categories" in self.dataset:
                self.catToImgs[annotation["category_id"]].append(annotation["image_id"])

    def info(self) -> None:
        """Print what the file states of itself."""
        for name, value in self.dataset["info"].items():
            _say(f"{name}: {value}")

    def getAnnIds(self, imgIds: Any = (), catIds: Any = (), areaRng: Any = (), iscrowd: Any = None) -> list[Any]:  # noqa: N802, N803
        """Return the ids of annotations of images and categories, with an area between two, that are crowds or not."""
        images = _listed(imgIds)
        rows: Iterable[Any] = self.dataset["annotations"]
        if len(images):
            rows = [row for image in images if image in self.imgToAnns for row in self.imgToAnns[image]]
        rows = _chosen(rows, category_id=catIds)
        if len(areaRng):
            rows = [row for row in rows if areaRng[0] < row["area"] < areaRng[1]]
        return [row["id"] for row in rows if iscrowd is None or row["iscrowd"] == iscrowd]

    def getCatIds(self, catNms: Any = (), supNms: Any = (), catIds: Any = ()) -> list[Any]:  # noqa: N802, N803
        """Return the ids of categories with these names, supercategories or ids."""
        rows = _chosen(self.dataset["categories"], name=catNms, supercategory=supNms, id=catIds)
        return [row["id"] for row in rows]

    def getImgIds(self, imgIds: Any = (), catIds: Any = ()) -> list[Any]:  # noqa: N802, N803
        """Return the ids of images, those that show all categories."""
        images, categories = _listed(imgIds), _listed(catIds)
        if not len(images) and not len(categories):
            return list(self.imgs)
        found = set(images) if len(images) else set(self.catToImgs[categories[0]])
        return list(found.intersection(*(self.catToImgs[category] for category in categories)))

    @staticmethod
    def _loaded(known: Mapping[Any, Any], ids: Any) -> list[Any]:
        return [known[one] for one in _listed(ids)]

    def loadAnns(self, ids: Any = ()) -> list[Any]:  # noqa: N802
        """Return annotations by their ids."""
        return self._loaded(self.anns, ids)

    def loadCats(self, ids: Any = ()) -> list[Any]:  # noqa: N802
        """Return categories by their ids."""
        return self._loaded(self.cats, ids)

    def loadImgs(self, ids: Any = ()) -> list[Any]:  # noqa: N802
        """Return images by their ids."""
        return self._loaded(self.imgs, ids)

    def annToRLE(self, ann: CocoAnnotation) -> mask.EncodedMask:  # noqa: N802
        """Return the mask of an annotation as compressed run lengths."""
        image, drawn = self.imgs[ann["image_id"]], ann["segmentation"]
        if isinstance(drawn, list):
            parts = mask.frPyObjects(drawn, image["height"], image["width"])
            merged: mask.EncodedMask = import_optional("pycocotools._mask", "drawing COCO's polygons", "coco").merge(
                parts
            )
            return merged
        if isinstance(drawn["counts"], list):
            drawn = mask.frPyObjects(drawn, image["height"], image["width"])
        return dict(drawn)

    def annToMask(self, ann: CocoAnnotation) -> NDArray[np.uint8]:  # noqa: N802
        """Return the mask of an annotation."""
        return mask.decode(self.annToRLE(ann))

    def loadNumpyAnnotations(self, data: NDArray[Any]) -> list[CocoAnnotation]:  # noqa: N802
        """Return results from rows of image, x, y, width, height, score and category."""
        if data.ndim != 2 or data.shape[1] != 7:
            raise AssertionError(f"results have shape {data.shape}; expected (detections, 7)")
        return [
            {"image_id": int(row[0]), "bbox": row[1:5], "score": row[5], "category_id": int(row[6])}
            for row in data.tolist()
        ]

    def loadRes(self, resFile: Any) -> COCO:  # noqa: N802, N803
        """Return results, from a file, a list or an array, as annotations of the same images, with ids and areas."""
        found = COCO()
        rows = resFile
        if isinstance(resFile, str | Path):
            rows = json.loads(Path(resFile).read_bytes())
        elif isinstance(resFile, np.ndarray):
            rows = self.loadNumpyAnnotations(resFile)
        if not isinstance(rows, list):
            raise AssertionError("results in not an array of objects")  # noqa: TRY004 - theirs
        if not {row["image_id"] for row in rows} <= set(self.imgs):
            raise AssertionError("Results do not correspond to current coco set")
        boxes = bool(rows) and bool(rows[0].get("bbox"))
        masks = [] if boxes else [row["segmentation"] for row in rows]
        areas, own_boxes = mask.area(masks), mask.toBbox(masks)
        for at, row in enumerate(rows, 1):
            if boxes:
                x, y, width, height = row["bbox"]
                corners = [x, y, x, y + height, x + width, y + height, x + width, y]
                row.setdefault("segmentation", [corners])
                own = width * height
                if isinstance(row["segmentation"], Mapping) and (right := mask.area(row["segmentation"])) != own:
                    say_once("coco.area", partial(_area_words, at, own, right))
            else:
                own = areas[at - 1]
                row.setdefault("bbox", own_boxes[at - 1])
            row.update(area=own, id=at, iscrowd=0)
        found.dataset = {
            "info": copy.deepcopy(self.dataset.get("info", {})),
            "images": list(self.dataset["images"]),
            "categories": copy.deepcopy(self.dataset["categories"]),
            "annotations": rows,
        }
        found.createIndex()
        return found


def _area_words(at: int, own: Any, right: Any) -> str:
    return (
        f"pycocotools takes {own:g}, the area of its box, as the size of a predicted mask that states both (detection "
        f"{at}); the mask has {right}: protocol='coco-instances' takes that"
    )


class Params:
    """What is evaluated: images, categories, thresholds, recalls, numbers of detections and ranges of sizes."""

    def __init__(self, iouType: str = "segm") -> None:  # noqa: N803 - theirs
        if iouType not in ("segm", "bbox"):
            raise OptionError(f"iouType is {iouType!r}; expected 'segm' or 'bbox': pycocotools itself has the others")
        self.iouType, self.useCats = iouType, 1
        self.useSegm: Any = None
        self.imgIds: list[Any] = []
        self.catIds: list[Any] = []
        self.iouThrs, self.recThrs = np.linspace(0.5, 0.95, 10), np.linspace(0.0, 1.0, 101)
        self.maxDets = [1, 10, 100]
        self.areaRng: list[Any] = [[0, 1e10], [0, 32**2], [32**2, 96**2], [96**2, 1e10]]
        self.areaRngLbl = ["all", "small", "medium", "large"]


class _ImageGroup(NamedTuple):
    """The annotations of an image and a category, detections in the order in which they choose, and their overlaps."""

    image: Any
    category: Any
    gts: list[CocoAnnotation]
    dts: list[CocoAnnotation]
    ious: Any


class _DetectionColumns(NamedTuple):
    """All groups in flat columns: sizes of detections and truths, and pairs that overlap enough."""

    scores: FloatArray
    dt_areas: FloatArray
    gt_areas: FloatArray
    gt_ids: NDArray[Any]
    crowd: BoolArray
    rank: IntArray
    dt_category: IntArray
    gt_category: IntArray
    starts: IntArray
    truths: IntArray
    overlaps: FloatArray


class COCOeval:
    """COCO's evaluation: ``evaluate()``, ``accumulate()``, ``summarize()``, then ``stats`` and ``eval``."""

    def __init__(self, cocoGt: Any = None, cocoDt: Any = None, iouType: str = "segm") -> None:  # noqa: N803
        self.cocoGt, self.cocoDt = cocoGt, cocoDt
        self.params = Params(iouType)
        self.eval: dict[str, Any] = {}
        self.stats: Any = []
        self.ious: dict[tuple[Any, Any], Any] = {}
        if cocoGt is not None:
            self.params.imgIds, self.params.catIds = sorted(cocoGt.getImgIds()), sorted(cocoGt.getCatIds())

    def _annotations(self, source: Any) -> dict[tuple[Any, Any], list[CocoAnnotation]]:
        params = self.params
        wanted = source.getAnnIds(imgIds=params.imgIds, **({"catIds": params.catIds} if params.useCats else {}))
        found = defaultdict(list)
        rows = source.loadAnns(wanted)
        if not params.useCats:
            place = {category: at for at, category in enumerate(params.catIds)}
            rows = sorted(
                (row for row in rows if row["category_id"] in place), key=lambda row: place[row["category_id"]]
            )
        for row in rows:
            found[row["image_id"], row["category_id"] if params.useCats else -1].append(row)
        return found

    def _overlaps(self, gts: list[CocoAnnotation], dts: list[CocoAnnotation]) -> Any:
        if self.params.iouType == "bbox":
            pred, true = ([row["bbox"] for row in rows] for rows in (dts, gts))
        else:
            pred, true = list(map(self.cocoDt.annToRLE, dts)), list(map(self.cocoGt.annToRLE, gts))
        return mask.iou(pred, true, [int(row.get("iscrowd", 0)) for row in gts])

    def evaluate(self) -> None:
        """Match the detections of every image and category."""
        params = self.params
        if params.useSegm is not None:
            params.iouType = "segm" if params.useSegm == 1 else "bbox"
        params.imgIds, params.maxDets = list(np.unique(params.imgIds)), sorted(params.maxDets)
        if params.useCats:
            params.catIds = list(np.unique(params.catIds))
        self._categories = list(params.catIds) if params.useCats else [-1]
        truth, results = self._annotations(self.cocoGt), self._annotations(self.cocoDt)
        self._groups: list[_ImageGroup] = []
        for category in self._categories:
            for image in params.imgIds:
                gts, dts = (side.get((image, category), []) for side in (truth, results))
                if not (gts or dts):
                    self.ious[image, category] = []
                    continue
                dts = sorted(dts, key=lambda row: -row["score"])[: params.maxDets[-1]]
                self.ious[image, category] = overlaps = self._overlaps(gts, dts)
                self._groups.append(_ImageGroup(image, category, gts, dts, overlaps))
        self._columns = self._in_columns()
        areas = self._columns.gt_areas
        self._ignored = [self._columns.crowd | (areas < low) | (areas > high) for low, high in params.areaRng]
        self._partners = [
            match_greedily(
                self._columns.starts, self._columns.truths, self._columns.overlaps, ignored=ignored,
                reusable=self._columns.crowd, thresholds=np.asarray(params.iouThrs, np.float64),
            )
            for ignored in self._ignored
        ]  # fmt: skip
        if (self._columns.gt_ids == 0).any():
            say_once(
                "coco.id",
                lambda: (
                    "pycocotools counts the match of a truth whose id is 0 as a miss; number truths from 1, or score "
                    "with protocol='coco-instances'"
                ),
            )
        self._evaluated = copy.deepcopy(params)
        self.__dict__.pop("evalImgs", None)

    def _in_columns(self) -> _DetectionColumns:
        place = {category: at for at, category in enumerate(self._categories)}
        least = min(*self.params.iouThrs, 1 - 1e-10) if len(self.params.iouThrs) else 0.0
        lengths: list[Any] = [np.zeros(0, np.int64)]
        truths: list[Any] = [np.zeros(0, np.int64)]
        overlaps: list[Any] = [np.zeros(0)]
        n_true = 0
        for group in self._groups:
            ious = np.asarray(group.ious, np.float64).reshape(len(group.dts), len(group.gts))
            rows, columns = np.nonzero(ious >= least)
            lengths.append(np.bincount(rows, minlength=len(group.dts)))
            truths.append(columns + n_true)
            overlaps.append(ious[rows, columns])
            n_true += len(group.gts)
        gts, dts = ([row for group in self._groups for row in group[side]] for side in (2, 3))
        n_gts, n_dts = ([len(group[side]) for group in self._groups] for side in (2, 3))
        categories = np.array([place[group.category] for group in self._groups], np.int64)
        return _DetectionColumns(
            np.array([row["score"] for row in dts], np.float64),
            np.array([row["area"] for row in dts], np.float64),
            np.array([row["area"] for row in gts], np.float64),
            np.array([row["id"] for row in gts]),
            np.array([bool(row.get("iscrowd", 0)) for row in gts], bool),
            np.concatenate([np.zeros(0, np.int64), *map(np.arange, n_dts)]),
            np.repeat(categories, n_dts),
            np.repeat(categories, n_gts),
            np.concatenate(([0], np.cumsum(np.concatenate(lengths)))).astype(np.int64),
            np.concatenate(truths).astype(np.int64),
            np.concatenate(overlaps),
        )

    def _outcomes(self, at: int) -> tuple[NDArray[Any], BoolArray]:
        """Return the ids of the truths that detections match in a range of sizes (0: none), and what is ignored."""
        columns, partners = self._columns, self._partners[at]
        matched = partners >= 0
        ids = np.where(matched, np.append(columns.gt_ids, 0)[partners], 0)
        low, high = self._evaluated.areaRng[at]
        outside = (columns.dt_areas < low) | (columns.dt_areas > high)
        return ids, (matched & np.append(self._ignored[at], False)[partners]) | ((ids == 0) & outside[:, None])

    @cached_property
    def evalImgs(self) -> list[dict[str, Any] | None]:  # noqa: N802
        """What became of every image, by category and range of sizes; made when it is read."""
        if not hasattr(self, "_groups"):
            return []
        params, groups = self._evaluated, {(group.category, group.image): group for group in self._groups}
        edges = np.cumsum([[0, 0], *((len(group.gts), len(group.dts)) for group in self._groups)], axis=0)
        place = {key: at for at, key in enumerate(groups)}
        found: list[dict[str, Any] | None] = []
        outcomes = [self._outcomes(at) for at in range(len(params.areaRng))]
        for category in self._categories:
            for at, area in enumerate(params.areaRng):
                for image in params.imgIds:
                    group = groups.get((category, image))
                    if group is None:
                        found.append(None)
                        continue
                    (gt, dt), (gt_end, dt_end) = edges[place[category, image]], edges[place[category, image] + 1]
                    ignored = self._ignored[at][gt:gt_end]
                    order = np.argsort(ignored, kind="stable")
                    partners = self._partners[at][dt:dt_end].T
                    matches = np.zeros((len(params.iouThrs), len(group.gts)))
                    for number, row in enumerate(group.dts):
                        taken = np.flatnonzero(partners[:, number] >= 0)
                        matches[taken, partners[taken, number] - gt] = row["id"]
                    ids, dt_ignored = (column[dt:dt_end].T for column in outcomes[at])
                    found.append(
                        {
                            "image_id": image, "category_id": category, "aRng": area, "maxDet": params.maxDets[-1],
                            "dtIds": [row["id"] for row in group.dts],
                            "gtIds": [group.gts[one]["id"] for one in order],
                            "dtMatches": ids.astype(np.float64), "gtMatches": matches[:, order],
                            "dtScores": [row["score"] for row in group.dts],
                            "gtIgnore": ignored[order].astype(np.int64), "dtIgnore": dt_ignored,
                        }
                    )  # fmt: skip
        return found

    def accumulate(self, p: Params | None = None) -> None:
        """Rank the detections of all images: precision, recall and score by threshold, category, size and number."""
        params = self.params if p is None else p
        if not hasattr(self, "_groups"):
            raise RuntimeError("Please run evaluate() first")
        for name in ("imgIds", "catIds", "iouThrs", "areaRng", "maxDets"):
            if not np.array_equal(getattr(params, name), getattr(self._evaluated, name)):
                raise OptionError(f"{name} has changed since evaluate(): run it again")
        columns, levels = self._columns, np.asarray(params.recThrs)
        shape = [len(params.iouThrs), len(levels), len(self._categories), len(params.areaRng), len(params.maxDets)]
        precision, scores, recall = -np.ones(shape), -np.ones(shape), -np.ones([shape[0], *shape[2:]])
        # Stable: of equal scores the first image, and in it the first in the file.
        order = np.lexsort((-columns.scores, columns.dt_category))
        edges = np.searchsorted(columns.dt_category[order], np.arange(len(self._categories) + 1))
        for at in range(len(params.areaRng)):
            n_true = np.bincount(columns.gt_category[~self._ignored[at]], minlength=len(self._categories))
            ids, ignored = self._outcomes(at)
            for number in np.flatnonzero(n_true).tolist():
                rows = order[edges[number] : edges[number + 1]]
                for last, most in enumerate(params.maxDets):
                    ranked = rows[columns.rank[rows] < most]
                    counted = ~ignored[ranked].T
                    hits = np.cumsum((ids[ranked].T != 0) & counted, axis=1).astype(float)
                    misses = np.cumsum((ids[ranked].T == 0) & counted, axis=1).astype(float)
                    reached = hits / n_true[number]
                    best = np.maximum.accumulate((hits / (misses + hits + np.spacing(1)))[:, ::-1], axis=1)[:, ::-1]
                    recall[:, number, at, last] = reached[:, -1] if ranked.size else 0.0
                    for threshold in range(shape[0]):
                        places = np.searchsorted(reached[threshold], levels, side="left")
                        precision[threshold, :, number, at, last] = np.append(best[threshold], 0.0)[places]
                        scores[threshold, :, number, at, last] = np.append(columns.scores[ranked], 0.0)[places]
        self.eval = {
            "params": params, "counts": shape, "date": datetime.now().strftime("%Y-%m-%d %H:%M:%S"),  # noqa: DTZ005
            "precision": precision, "recall": recall, "scores": scores,
        }  # fmt: skip

    def _mean(self, name: str, threshold: float | None, area: str, most: int) -> float:
        params = self.params
        at = [place for place, label in enumerate(params.areaRngLbl) if label == area]
        last = [place for place, number in enumerate(params.maxDets) if number == most]
        values = self.eval[name][..., at, last]
        if threshold is not None:
            values = values[np.flatnonzero(threshold == params.iouThrs)]
        values = values[values > -1]
        mean = float(np.mean(values)) if values.size else -1.0
        kind = "Average Precision  (AP)" if name == "precision" else "Average Recall     (AR)"
        stated = f"{params.iouThrs[0]:0.2f}:{params.iouThrs[-1]:0.2f}" if threshold is None else f"{threshold:0.2f}"
        _say(f" {kind} @[ IoU={stated:<9} | area={area:>6s} | maxDets={most:>3d} ] = {mean:0.3f}")
        return mean

    def summarize(self) -> None:
        """Print the twelve numbers, and keep them as ``stats``."""
        if not self.eval:
            raise RuntimeError("Please run accumulate() first")
        first, second, last = self.params.maxDets[:3]
        asked: list[tuple[str, float | None, str, int]] = [
            ("precision", None, "all", 100), ("precision", 0.5, "all", last), ("precision", 0.75, "all", last),
            *(("precision", None, area, last) for area in ("small", "medium", "large")),
            *(("recall", None, "all", most) for most in (first, second, last)),
            *(("recall", None, area, last) for area in ("small", "medium", "large")),
        ]  # fmt: skip
        if last != 100:
            say_once(
                "coco.maxDets",
                lambda: (
                    f"pycocotools takes the first number for 100 detections, and -1 where maxDets has none ({last} "
                    "here); protocol='coco-instances' takes it for any number"
                ),
            )
        self.stats = np.array([self._mean(*one) for one in asked])
