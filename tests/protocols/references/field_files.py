"""Made-up data sets in the files of their fields, for protocols whose programs were run on the same files."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

Labels = NDArray[np.int64]
Pairs = list[dict[str, Any]]
"""The items of a data set: both sides of each, as labels or lists of labels, and the values of the program."""
SIDES = ("true", "pred")


def decoded(stored: Mapping[str, Any]) -> Labels:
    """The labels that are stored as runs: ``3x2 0`` is 3, 3, 0."""
    parts = [run.split("x") for run in stored["runs"].split()]
    lengths = [int(rest[0]) if rest else 1 for _, *rest in parts]
    return np.repeat(np.array([int(label) for label, *_ in parts], dtype=np.int64), lengths).reshape(stored["shape"])


def in_folders(folder: Path, items: Pairs, write: Callable[[str, int, Any], None]) -> tuple[Path, Path]:
    """Write every item of both sides below two folders."""
    for side in SIDES:
        (folder / side).mkdir(parents=True)
        for at, item in enumerate(items):
            write(side, at, item[side])
    return folder / "true", folder / "pred"


def png_16(folder: Path, items: Pairs, name: str = "{at}.png") -> tuple[Path, Path]:
    def write(side: str, at: int, stored: Any) -> None:
        Image.fromarray((decoded(stored) * 257).astype(np.uint16)).save(folder / side / name.format(at=at))

    return in_folders(folder, items, write)


def png_8(folder: Path, items: Pairs) -> tuple[Path, Path]:
    def write(side: str, at: int, stored: Any) -> None:
        Image.fromarray(decoded(stored).astype(np.uint8)).save(folder / side / f"{at:08}.png")

    return in_folders(folder, items, write)


def tiff(folder: Path, items: Pairs) -> tuple[Path, Path]:
    """The names of NeurIPS-CellSeg: ``cell_00001.tif`` and ``cell_00001_label.tiff``."""
    import tifffile

    def write(side: str, at: int, stored: Any) -> None:
        name = f"cell_{at:05}" + (".tif" if side == "true" else "_label.tiff")
        tifffile.imwrite(folder / side / name, decoded(stored).astype(np.uint16))

    return in_folders(folder, items, write)


def matlab(folder: Path, items: Pairs) -> tuple[Path, Path]:
    from scipy.io import savemat

    def write(side: str, at: int, stored: Any) -> None:
        savemat(folder / side / f"test_{at}.mat", {"inst_map": decoded(stored).astype(np.int32)})

    return in_folders(folder, items, write)


def conic(folder: Path, items: Pairs) -> tuple[Path, Path]:
    folder.mkdir(parents=True)
    for side in SIDES:
        stacked = [np.stack([decoded(one) for one in item[side]], axis=-1) for item in items]
        np.save(folder / f"{side}.npy", np.stack(stacked).astype(np.int32))
    return folder / "true.npy", folder / "pred.npy"


def pannuke(folder: Path, items: Pairs) -> tuple[Path, Path]:
    """Channels of classes, a sixth one for what is in none, and the tissue of every image."""
    for side in SIDES:
        (folder / side).mkdir(parents=True)
        labels, classes = (np.stack([decoded(item[side][at]) for item in items]) for at in (0, 1))
        channels = np.stack([np.where(classes == number, labels, 0) for number in range(1, 6)], axis=-1)
        masks = np.concatenate([channels, (labels == 0)[..., None]], axis=-1)
        np.save(folder / side / "masks.npy", masks.astype(np.float64))
        np.save(folder / side / "types.npy", np.array([item["tissue"] for item in items]))
    return folder / "true", folder / "pred"


def frame_labels(folder: Path, items: Pairs) -> tuple[Path, Path]:
    """A label in each line of the truth; results with a header, all labels in its second line."""

    def write(side: str, at: int, stored: Any) -> None:
        stored = stored.split() if isinstance(stored, str) else stored
        end = "\r\n" if at % 2 else "\n"
        truth = "".join(label + end for label in stored)
        text = truth if side == "true" else f"### Frame level recognition: ###{end}" + " ".join(stored)
        (folder / side / f"video{at}{'.txt' if side == 'true' else ''}").write_bytes(text.encode())

    return in_folders(folder, items, write)


def video_frames(folder: Path, items: Pairs) -> tuple[Path, Path]:
    """DAVIS: images of a palette, five digits, a folder for each video."""

    def write(side: str, at: int, stored: Any) -> None:
        (folder / side / f"video{at}").mkdir()
        for number, frame in enumerate(decoded(stored)):
            made = Image.fromarray(frame.astype(np.uint8), mode="P")
            made.putpalette([value for index in range(256) for value in (index, 255 - index, index // 2)])
            made.save(folder / side / f"video{at}" / f"{number:05}.png")

    return in_folders(folder, items, write)


def step_frames(folder: Path, items: Pairs) -> tuple[Path, Path]:
    """KITTI-STEP: red the class, green and blue the instance."""

    def write(side: str, at: int, stored: Any) -> None:
        (folder / side / f"{at:04}").mkdir()
        for number, frame in enumerate(decoded(stored)):
            colours = np.stack([frame >> 16, frame >> 8 & 255, frame & 255], axis=-1).astype(np.uint8)
            Image.fromarray(colours).save(folder / side / f"{at:04}" / f"{number:06}.png")

    return in_folders(folder, items, write)


def kitti_scans(folder: Path, items: Pairs) -> tuple[Path, Path]:
    def write(side: str, at: int, stored: Any) -> None:
        home = folder / side / "sequences" / "08" / ("labels" if side == "true" else "predictions")
        home.mkdir(parents=True, exist_ok=True)
        decoded(stored).astype("<u4").tofile(home / f"{at:06}.label")

    return in_folders(folder, items, write)


def nuscenes_scans(folder: Path, items: Pairs) -> tuple[Path, Path]:
    """A file for each scan, named by its token; ``scenes.json`` lists the tokens of each scene."""

    def write(side: str, at: int, stored: Any) -> None:
        for number, scan in enumerate(stored):
            name = f"token{at}{number}_panoptic.npz"
            np.savez_compressed(folder / side / name, data=decoded(scan).astype(np.uint16))

    tokens = {
        f"scene{at}": [f"token{at}{number}" for number in range(len(item["true"]))] for at, item in enumerate(items)
    }
    paths = in_folders(folder, items, write)
    (folder / "scenes.json").write_text(json.dumps(tokens))
    return paths


def nifti(folder: Path, items: Pairs, spacing: tuple[float, ...] = (1, 1, 1)) -> tuple[Path, Path]:
    import nibabel

    def write(side: str, at: int, stored: Any) -> None:
        image = nibabel.Nifti1Image(decoded(stored).astype(np.uint8), np.diag([*spacing, 1]))
        image.header.set_xyzt_units("mm")
        nibabel.save(image, folder / side / f"case_{at:03}.nii.gz")

    return in_folders(folder, items, write)


def coco_panoptic(folder: Path, items: Pairs) -> tuple[Path, Path]:
    """JSON beside PNG; what is 0 is void, and an id is class · 1000 + instance, those of 900 and more crowds."""
    categories = [{"id": at, "name": f"class {at}", "isthing": at % 2} for at in range(1, 5)]
    folder.mkdir(parents=True)
    for side in SIDES:
        (folder / side).mkdir()
        annotations = []
        for at, item in enumerate(items):
            ids = decoded(item[side])
            colours = np.stack([ids & 255, ids >> 8 & 255, ids >> 16], axis=-1).astype(np.uint8)
            Image.fromarray(colours).save(folder / side / f"{at:012}.png")
            segments = [
                {
                    "id": one,
                    "category_id": one // 1000,
                    "iscrowd": int(one % 1000 >= 900),
                    "area": int((ids == one).sum()),
                }
                for one in np.unique(ids[ids > 0]).tolist()
            ]
            annotations.append({"image_id": at, "file_name": f"{at:012}.png", "segments_info": segments})
        shapes = [decoded(item[side]).shape for item in items]
        images = [{"id": at, "height": shape[0], "width": shape[1]} for at, shape in enumerate(shapes)]
        document = {"images": images, "annotations": annotations, "categories": categories}
        (folder / f"{side}.json").write_text(json.dumps(document))
    return folder / "true.json", folder / "pred.json"


def cremi(folder: Path, items: Pairs) -> tuple[Path, Path]:
    """A sample and a submission in HDF5: label arrays beside the raw volume."""
    import h5py

    (item,) = items
    folder.mkdir(parents=True)
    for side in SIDES:
        labels = decoded(item[side])
        with h5py.File(folder / f"{side}.hdf", "w") as file:
            array = np.where(labels < 0, np.uint64(2**64 - 1), labels.astype(np.uint64))
            file.create_dataset("volumes/labels/neuron_ids", data=array, compression="gzip")
            if side == "true":
                file.create_dataset("volumes/raw", data=(labels % 251).astype(np.uint8))
    return folder / "true.hdf", folder / "pred.hdf"


def change_points(folder: Path, items: Pairs) -> tuple[Path, Path]:
    """The annotations of TCPD, by series and annotator, and predictions by series."""
    folder.mkdir(parents=True)
    true = {f"series{at}": item["true"] for at, item in enumerate(items)}
    pred = {f"series{at}": item["pred"] for at, item in enumerate(items)}
    for side, data in zip(SIDES, (true, pred), strict=True):
        (folder / f"{side}.json").write_bytes(json.dumps(data, indent=1).replace("\n", "\r\n").encode())
    return folder / "true.json", folder / "pred.json"
