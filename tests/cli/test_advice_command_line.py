"""Every remedy that an error of the command line names is tried: with it the command ends with exit code 0."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import struct
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.cli.running import Runner
from tests.face.advice import CommandCase, command_case
from tests.readers.data_sets import nifti

pyogrio = pytest.importorskip("pyogrio")
shapely = pytest.importorskip("shapely")
zarr = pytest.importorskip("zarr")
A, B = np.array([[1, 1, 2, 2]]), np.array([[1, 1, 1, 2]])
SQUARE = {"type": "Polygon", "coordinates": [[[1000, 1000], [1004, 1000], [1004, 1004], [1000, 1004], [1000, 1000]]]}
SMALL = {"type": "Polygon", "coordinates": [[[0, 0], [4, 0], [4, 4], [0, 4], [0, 0]]]}
COCO = {
    "images": [{"id": 1, "height": 4, "width": 4, "file_name": "a.png"}],
    "categories": [{"id": 1, "name": "cell"}],
    "annotations": [
        {"id": 1, "image_id": 1, "category_id": 1, "iscrowd": 0, "area": 4, "bbox": [0, 0, 2, 2]}
        | {"segmentation": {"size": [4, 4], "counts": [0, 2, 2, 2, 10]}}
    ],
}
BOTH = "both.npy both.npy --labels both --instances-per-class 1000"
RTTM = "SPEAKER f 1 0.0 1.0 <NA> <NA> x <NA> <NA>\n"


def feature(geometry: object, **more: object) -> dict[str, object]:
    return {"type": "Feature", "properties": {}, "geometry": geometry, **more}


def collection(*features: object, crs: str | None = None) -> str:
    named = {} if crs is None else {"crs": {"type": "name", "properties": {"name": crs}}}
    return json.dumps({"type": "FeatureCollection", "features": list(features), **named})


def files(folder: Path) -> None:
    """Write every file that the commands read."""
    for name, labels in {
        "t": A,
        "p": B,
        "float": A.astype(float),
        "negative": A - 2,
        "other": np.array([[1, 1, 2, 2, 3]]),
        "both": np.array([[1001, 1001, 2001, 2001]]),
    }.items():
        np.save(folder / f"{name}.npy", labels)
    for name, values in {
        "streets_true/ulm_000000_000000_gtFine_labelIds": [[7, 8]],
        "streets_pred/ulm_000000_000000": [[0, 255]],
        "streets_twice/ulm_000000_000000_a": [[7, 7]],
        "streets_twice/ulm_000000_000000_b": [[7, 8]],
    }.items():
        (folder / name).parent.mkdir(exist_ok=True)
        Image.fromarray(np.array(values, dtype=np.uint8)).save(folder / f"{name}.png")
    for name, labels in {"t": A, "p": B}.items():
        np.savez(folder / f"{name}.npz", a=labels, b=labels)
        (folder / f"{name}_folder").mkdir()
        np.save(folder / f"{name}_folder" / f"a_{name}.npy", labels)
    for name, text in {
        "bio.tsv": "x B-A\ny I-A\nz O\n",
        "iobes.tsv": "x B-A\ny E-A\nz O\n",
        "unclosed.tsv": "x B-A\ny I-A\nz S-A\n",
        "loose.tsv": "x I-A\ny I-A\nz O\n",
        "blank.txt": "one\n\ntwo\n==========\nthree\n",
        "choi.txt": "==========\none\n\ntwo\n==========\nthree\n==========\n",
        "odd.choi": "==========\none\n==========,1\ntwo\n==========\n",
        "ends.csv": "item,start,end\na,0,2\na,2,4\n",
        "stops.csv": "item,start,stop\na,0,2\na,2,4\n",
        "n.csv": "item,start,stop,n\na,0,2,4\na,2,4,4\n",
        "columns.csv": "item,tissue\nt,liver\n",
        "masses.json": json.dumps({"a": [1, 1]}),
        "coders.json": json.dumps({"items": {"a": {"ann": [2, 2], "bob": [1, 3]}}}),
        "plain.json": json.dumps({"a": [2, 2]}),
        "speakers.rttm": RTTM,
        "short.lab": "0.0 1.0 x\n1.0 2.0 y\n",
        "long.lab": "0.0 1.0 x\n1.0 3.0 y\n",
        "iobes.conll": "Ann B-PER\nLee E-PER\n",
        "bio.conll": "Ann B-PER\nLee I-PER\n",
        "map.geojson": collection(feature(SQUARE)),
        "plane.geojson": collection(feature(SQUARE), crs="EPSG:28992"),
        "empty.geojson": collection(feature(SQUARE), feature(None), crs="EPSG:28992"),
    }.items():
        (folder / name).write_text(text)


AGREEMENT = [
    command_case(
        "--no-isolate starts no process that --isolate-seconds",
        "score t.npy p.npy --no-isolate --isolate-seconds 5",
        "score t.npy p.npy --no-isolate",
        "score t.npy p.npy --isolate-seconds 5",
    ),
    command_case(
        "{}: contains no array {}; found {}; state another with {}",
        "score t.npz p.npz --true-array x --pred-array a --labels instances",
        "score t.npz p.npz --array a --labels instances",
    ),
    command_case(
        "--csv - and --json - both want standard output; give one of them a file",
        "agreement A=t.npz B=p.npz --csv - --json -",
        "agreement A=t.npz B=p.npz --csv - --json out.json",
    ),
    command_case(
        "--{} scores the folders of several annotators, but there is one path; leave it out",
        "agreement coders.json --metrics pq",
        "agreement coders.json",
    ),
]
INSTALLATION = [
    command_case(
        "no building blocks in it; expected 301-OUTPUT-GT.png, or say --format folder --components 4",
        "score streets_true streets_true --protocol mapseg",
        "score streets_true streets_true --protocol mapseg --format folder --components 4",
    ),
    command_case(
        "are both called",
        "score streets_twice streets_twice --pair ulm",
        "score streets_twice streets_twice",
    ),
    command_case("info needs a run file, or --self for segmetry itself", "info", "info --self"),
    command_case(
        "--self is about segmetry, not about a run file; leave out RUN and --interval",
        "info --self --interval",
        "info --self",
    ),
]
PARTS = [
    command_case(
        "--errors is {}; expected a file that ends in {}",
        "export {run} --errors e.shp",
        "export {run} --errors e.geojson",
        "export {run} --errors e.json",
        "export {run} --errors e.npy",
    ),
    command_case(
        "--by {} names a column about items, but --columns names no file; give it a CSV file with the columns item and "
        "{} (or say --by size)",
        "score t.npy p.npy --by tissue",
        "score t.npy p.npy --by tissue --columns columns.csv",
        "score t.npy p.npy --by size",
    ),
    command_case(
        "--columns holds columns about items, but --by names none of them; add --by COLUMN",
        "score t.npy p.npy --columns columns.csv",
        "score t.npy p.npy --columns columns.csv --by tissue",
    ),
    command_case(
        "--by size has the edges {}; expected integers such as size:100,1000",
        "score t.npy p.npy --by size:few",
        "score t.npy p.npy --by size:100,1000",
    ),
    command_case(
        "--table parts writes the parts of one --by COLUMN, but there are {}",
        "score t.npy p.npy --table parts --csv -",
        "score t.npy p.npy --table parts --csv - --by size",
    ),
    command_case(
        "--by names parts, but none is written; add --table parts",
        "export {run} --by size",
        "export {run} --by size --table parts",
    ),
]
SCORE = [
    command_case(
        "num_classes is {}, but labels are {}; state --labels classes",
        "score t.npy p.npy --num-classes 3",
        "score t.npy p.npy --num-classes 3 --labels classes",
        "score t.npy p.npy",
    ),
    command_case(
        "if it must not count state --void {}, if it is another class --map {}:NEW",
        "score t.npy p.npy --labels classes --num-classes 2",
        "score t.npy p.npy --labels classes --num-classes 2 --void 2",
        "score t.npy p.npy --labels classes --num-classes 2 --map 2:0",
        "score t.npy p.npy --labels classes --num-classes 3",
    ),
    command_case(
        "expected {}, {}; if the values are {}, state --{}-cityscapes-ids {}",
        "score streets_true streets_pred --protocol cityscapes-semantic",
        "score streets_true streets_pred --protocol cityscapes-semantic --pred-cityscapes-ids labelTrainIds "
        "--metrics mean_iou",
    ),
    command_case(
        "has two files, {} and {}; expected one; choose with --{}-glob, such as --{}-glob ",
        "score streets_true streets_twice --protocol cityscapes-semantic",
        "score streets_true streets_twice --protocol cityscapes-semantic --pred-glob '*_b.png' --metrics mean_iou",
    ),
    *AGREEMENT,
    *INSTALLATION,
    *PARTS,
    command_case(
        "the segments carry no classes; if labels are classes, evaluate with --labels classes",
        "score t.npy p.npy --confusion",
        "score t.npy p.npy --confusion --labels classes",
    ),
    command_case(
        "--sort sorts the table of items; it needs --items or --worst N",
        "score t.npy p.npy --sort pq",
        "score t.npy p.npy --sort pq --items",
        "score t.npy p.npy --sort pq --worst 1",
    ),
    command_case(
        "--items prints all items and --worst N some of them; give one of them",
        "score t.npy p.npy --items --worst 1",
        "score t.npy p.npy --items",
        "score t.npy p.npy --worst 1",
    ),
    command_case(
        "--sort is {}, not a metric of this run; expected item or one of {}",
        "score t.npy p.npy --items --sort rq",
        "score t.npy p.npy --items --sort item",
        "score t.npy p.npy --items --sort pq",
    ),
    command_case(
        "{} is not among the metrics of this run; add it with --metrics",
        "score t.npy p.npy --fail-under rq=0",
        "score t.npy p.npy --fail-under rq=0 --metrics pq,rq",
    ),
    command_case(
        "--table margins writes what --margin states, but there is none",
        "compare {run} {second} --resamples 100 --table margins --csv -",
        "compare {run} {second} --resamples 100 --table margins --csv - --margin pq:0.9",
    ),
    command_case(
        "--table {} is about two rules; give one run and --rules NARROW,WIDE",
        "compare {run} {second} --resamples 100 --table sets --csv -",
        "compare {run} --rules theta_plus,theta_and --resamples 100 --table sets --csv -",
    ),
    command_case(
        "--columns holds columns about items, but neither --by nor --cluster names one of them",
        "compare {run} {second} --resamples 100 --columns columns.csv",
        "compare {run} {second} --resamples 100 --columns columns.csv --by tissue",
    ),
    command_case(
        "--by size groups segments; compare groups items by a column of --columns",
        "compare {run} {second} --resamples 100 --columns columns.csv --by size",
        "compare {run} {second} --resamples 100 --columns columns.csv --by tissue",
    ),
    command_case(
        "--cluster {} names a column about items; give --columns a CSV file with it",
        "compare {run} {second} --resamples 100 --cluster tissue",
        "compare {run} {second} --resamples 100 --cluster tissue --columns columns.csv",
    ),
    command_case(
        "{} is not among the metrics that are compared; add it with --metrics",
        "compare {run} {second} --resamples 100 --metrics pq --gate sq:0.9",
        "compare {run} {second} --resamples 100 --metrics pq,sq --gate sq:0.9",
    ),
    command_case(
        "{} both want standard output; give one of them a file",
        "score t.npy p.npy --markdown - --latex -",
        "score t.npy p.npy --markdown - --latex table.tex",
    ),
    command_case(
        "--json - and --csv - both want standard output; give one of them a file",
        "score t.npy p.npy --json - --csv -",
        "score t.npy p.npy --json out.json --csv -",
    ),
    command_case(
        "--table selects what --csv, --parquet, --markdown and --latex write, but none is given",
        "score t.npy p.npy --table items",
        "score t.npy p.npy --table items --csv -",
    ),
    command_case(
        "--parquet - would write bytes to standard output; give it a file",
        "score t.npy p.npy --parquet -",
        "score t.npy p.npy --parquet out.parquet",
    ),
    command_case(
        "--table classes: the segments carry no classes; choose another table",
        "score t.npy p.npy --table classes --csv -",
        "score t.npy p.npy --table items --csv -",
    ),
    command_case(
        "--force replaces the run in --out, but --out names none",
        "score t.npy p.npy --force",
        "score t.npy p.npy --force --out r.segm",
    ),
    command_case(
        "they need --report FILE",
        "score t.npy p.npy --images none",
        "score t.npy p.npy --images none --report r.html",
    ),
    command_case("it needs --report FILE", "score t.npy p.npy --maps 3", "score t.npy p.npy --maps 3 --report r.html"),
    command_case(
        "--dask-scheduler belongs to --engine dask",
        "score t.npy p.npy --dask-scheduler tcp://10.0.0.1:8786 --engine threads",
        "score t.npy p.npy --engine threads",
    ),
    command_case(
        "needs the whole run; merge the parts first",
        "score t.npy p.npy --shard 1/1 --out part.segm --report r.html",
        "score t.npy p.npy --shard 1/1 --out part1.segm",
        "merge part1.segm --out merged.segm",
        "report merged.segm --output r.html",
    ),
    command_case(
        "both name", "score t.npy p.npy --json x.out --csv x.out", "score t.npy p.npy --json x.out --csv y.out"
    ),
    command_case(
        "is an input and would be overwritten; choose another name",
        "score t.npy p.npy --json t.npy",
        "score t.npy p.npy --json t.json",
    ),
    command_case(
        "is inside the input", "score t_folder t_folder --json t_folder/x.json", "score t_folder t_folder --json x.json"
    ),
    command_case(
        "expected METRIC.NAME=VALUE, such as pk.k=3",
        "score t.npy p.npy --option k",
        "score t.npy p.npy --metrics surface_dice --option surface_dice.tolerance=1",
    ),
    command_case(
        "; it takes ",
        "score t.npy p.npy --metrics surface_dice --option surface_dice.tau=1",
        "score t.npy p.npy --metrics surface_dice --option surface_dice.tolerance=1",
    ),
    command_case(
        "(--option {}.{}=…)",
        "score t.npy p.npy --metrics surface_dice",
        "score t.npy p.npy --metrics surface_dice --option surface_dice.tolerance=1",
    ),
    command_case(
        "exists already; continue it with resume (--resume), replace it with force (--force)",
        "score t.npy p.npy --metrics pq,sq --out {run}",
        "score t.npy p.npy --metrics pq,sq --out {run} --resume",
        "score t.npy p.npy --metrics pq,sq --out {run} --force",
    ),
    command_case(
        "raise it with --max-elements if the file is genuine",
        "score t.npy p.npy --max-elements 2",
        "score t.npy p.npy --max-elements 4",
    ),
    command_case(
        "LabelArray(labels, allow_float=True) takes them (--allow-float)",
        "score float.npy p.npy",
        "score float.npy p.npy --allow-float",
    ),
    command_case(
        "if it is a segment allow_negative=True",
        "score negative.npy p.npy",
        "score negative.npy p.npy --allow-negative",
        "score negative.npy p.npy --outside=-1",
        "score negative.npy p.npy --void=-1",
    ),
    command_case(
        "--missing as-empty treats them as predictions without segments",
        "score two one",
        "score two one --missing as-empty",
    ),
    command_case(
        "labels is {} and instances_per_class is",
        "score both.npy both.npy --labels both",
        "score both.npy both.npy --labels both --instances-per-class 1000",
    ),
    command_case("'segmetry formats' lists what can be read, --format chooses one", "score odd.bin odd.bin", "formats"),
    command_case(
        "choose one with --format",
        "score masses.json masses.json",
        "score masses.json masses.json --format masses",
        "score masses.json masses.json --format bits",
    ),
]
READING = [
    command_case(
        "(--tags loose lets ",
        "convert loose.tsv x.json --format bio --to masses",
        "score loose.tsv loose.tsv --format bio --tags loose",
    ),
    command_case(
        "(--scheme states another)",
        "score iobes.tsv iobes.tsv --scheme bio",
        "score iobes.tsv iobes.tsv --scheme iobes",
    ),
    command_case(
        "(--tags loose lets it, --tags drop leaves it out)",
        "convert unclosed.tsv x.json --to masses",
        "score unclosed.tsv unclosed.tsv --tags loose",
        "score unclosed.tsv unclosed.tsv --tags drop",
    ),
    command_case("; --column is", "score bio.tsv bio.tsv --column 7", "score bio.tsv bio.tsv --column 2"),
    command_case(
        "a blank line; pass --blank skip or --blank unit",
        "score choi.txt choi.txt",
        "score choi.txt choi.txt --blank skip",
        "score choi.txt choi.txt --blank unit",
    ),
    command_case(
        "for other separators use --format text --separator REGEX",
        "score odd.choi odd.choi --format choi",
        "score odd.choi odd.choi --format text --separator =+",
    ),
    command_case(
        "plain text needs --separator, a regular expression",
        "score blank.txt blank.txt --format text",
        "score blank.txt blank.txt --format text --separator === --blank skip",
    ),
    command_case(
        "--blank applies to lines; omit it with --unit word or character",
        "score blank.txt blank.txt --format text --separator === --unit word --blank skip",
        "score blank.txt blank.txt --format text --separator === --unit word",
    ),
    command_case(
        "matches empty text; expected a visible separator",
        "score blank.txt blank.txt --format text --separator x* --unit word",
        "score blank.txt blank.txt --format text --separator =+ --blank skip",
    ),
    command_case(
        "is not a regular expression",
        "score blank.txt blank.txt --format text --separator ( --blank skip",
        "score blank.txt blank.txt --format text --separator =+ --blank skip",
    ),
    command_case(
        "pass --ends closed or half-open",
        "score ends.csv ends.csv",
        "score ends.csv ends.csv --ends half-open",
        "score ends1.csv ends1.csv --ends closed",
    ),
    command_case("; omit --ends", "score stops.csv stops.csv --ends closed", "score stops.csv stops.csv"),
    command_case("states the length of its line; omit --length", "score n.csv n.csv --length 4", "score n.csv n.csv"),
    command_case(
        "state it with --length (--length longer: the later end)",
        "score short.lab long.lab",
        "score short.lab long.lab --length longer",
        "score short.lab long.lab --length 3",
    ),
    command_case(
        "choose one with --coder",
        "score coders.json coders.json",
        "score coders.json coders.json --coder ann",
        "score coders.json coders.json --coder ann --pred-coder bob",
    ),
    command_case(
        "names no annotators; leave --coder out",
        "score plain.json plain.json --coder ann",
        "score plain.json plain.json",
    ),
    command_case(
        "--coder selects one annotator, but agreement needs all of them; leave it out",
        "agreement coders.json --coder ann",
        "agreement coders.json",
    ),
    command_case(
        "pass --crs {} if the ",
        "score map.geojson map.geojson",
        "score map.geojson map.geojson --crs plane",
        "score map.geojson map.geojson --crs EPSG:28992",
    ),
    command_case(
        "so no area can be compared with --min-size",
        "score small.geojson small.geojson --crs EPSG:28992 --min-size 20",
        "score small.geojson small.geojson --crs EPSG:28992 --min-size 0",
        "score small.geojson small.geojson --crs EPSG:28992 --min-size 20 --grid 0,0,4,4,0.5",
        "score map.geojson map.geojson --crs plane --min-size 16",
    ),
    command_case("(leave the feature out)", "score empty.geojson empty.geojson", "score plane.geojson plane.geojson"),
    command_case(
        "; --force replaces it",
        "convert plain.json masses.json --to masses",
        "convert plain.json masses.json --to masses --force",
    ),
    command_case(
        "; expected increasing integers such as 1024,9216",
        "diagnose {run} --sizes many",
        "diagnose {run} --sizes 1024,9216",
    ),
]
OTHERS = [
    command_case(
        "--scalars writes the values under one rule; {} are named",
        "export {run} --scalars s.json --rule theta_plus --rule theta_and",
        "export {run} --scalars s.json --rule theta_and",
    ),
    command_case(
        "--json - and --csv - both want standard output; give one of them a file",
        "compare {run} {second} --json - --csv -",
        "compare {run} {second} --json out.json --csv -",
    ),
    command_case(
        "--json - and --csv - both want standard output; give one of them a file",
        "diagnose {run} --json - --csv -",
        "diagnose {run} --json out.json --csv -",
    ),
    command_case(
        "--json - and --csv - both want standard output; give one of them a file",
        "sensitivity t.npy p.npy --json - --csv -",
        "sensitivity t.npy p.npy --json out.json --csv -",
    ),
    command_case(
        "; with --rules expected one metric",
        "compare {run} {second} --rules theta_plus,theta_and --metrics pq,sq",
        "compare {run} {second} --rules theta_plus,theta_and --metrics pq",
    ),
    command_case(
        "for one run expected two, the narrower first",
        "compare {run} --rules theta_plus",
        "compare {run} --rules theta_plus,theta_and",
    ),
    command_case(
        "would be lost: name the file {}, or use --drop name",
        "convert speakers.rttm x.lab --to lab",
        "convert speakers.rttm f.lab --to lab",
        "convert speakers.rttm x.lab --to lab --drop name",
    ),
    command_case(
        "leaves nothing of the name",
        "score two one --strip a --missing as-empty",
        "score two one --strip _x --missing as-empty",
    ),
    command_case(
        "is a COCO file; give that file instead of the folder",
        "score coco coco",
        "score coco/a.json coco/a.json",
    ),
    command_case(
        "is a link to a folder, which is not followed; expected the folder itself, or give that folder alone",
        "score linked linked",
        "score linked/sub linked/sub",
    ),
    command_case(
        "(if it may differ, remove it with segmetry convert --drop text)",
        "score first.choi second.choi",
        "convert first.choi first.json --to masses --drop text",
    ),
    command_case(
        "has no finite decimal; choose a --tick such as 0.01",
        "convert half.lab half.csv --to spans --tick 1/3",
        "convert half.lab half.csv --to spans --tick 0.01",
    ),
    command_case(
        "; choose one with --tier",
        "score types.rttm types.rttm",
        "score types.rttm types.rttm --tier SPEAKER",
    ),
]
RARE = [
    command_case(
        "is not supported {} --rules here",
        "compare {run} --rules theta_plus,theta_and --truth files",
        "compare {run} --rules theta_plus,theta_and",
    ),
    command_case(
        "is not a list; write it as [1,2]",
        f"score {BOTH} --metrics pq_dagger --option pq_dagger.stuff=[1,]",
        f"score {BOTH} --metrics pq_dagger --option pq_dagger.stuff=[1,2]",
    ),
    command_case(
        "pass --colours index if the palette indices are the segment ids",
        "score palette.tif palette.tif",
        "score palette.tif palette.tif --colours index",
    ),
    command_case(
        "the length of the line is missing; add a column 'n' or pass --length",
        "score cuts.csv cuts.csv",
        "score cuts.csv cuts.csv --length 5",
        "score cuts_n.csv cuts_n.csv",
    ),
    command_case(
        "which has another meaning in this format; rename it",
        "convert reserved.csv x.json --to masses",
        "convert stops.csv x.json --to masses",
    ),
    command_case(
        "; state border or union",
        "score t.npy p.npy --union x=1,2 --union y=2 --border 1",
        "score t.npy p.npy --border 1 --metrics n_missed",
        "score t.npy p.npy --union x=1,2 --union y=2",
    ),
    command_case(
        "; leave out --labels, or state classes",
        "score t.npy p.npy --union x=1,2 --labels instances",
        "score t.npy p.npy --union x=1,2",
        "score t.npy p.npy --union x=1,2 --labels classes",
    ),
    command_case(
        ": no item has any",
        "convert plain.json x.csv --to spans --drop text",
        "convert plain.json x.csv --to spans",
    ),
    command_case(
        "a pipe or a device, which cannot be read again; save what it gives to a file",
        "score pipe t.npy",
        "score t.npy t.npy",
    ),
    command_case(
        "leave it out where coordinates are lengths",
        "score plane.geojson plane.geojson --project 52",
        "score plane.geojson plane.geojson",
    ),
    command_case(
        "by their letters; expected one scheme: state it with",
        "score iobes.conll bio.conll",
        "score iobes.conll bio.conll --scheme iobes --tags drop",
        "score iobes.conll bio.conll --true-scheme iobes --pred-scheme bio",
    ),
    command_case(
        ", but --crs says",
        "score plane.geojson plane.geojson --crs EPSG:2154",
        "score plane.geojson plane.geojson",
        "score plane.geojson plane.geojson --crs EPSG:28992",
    ),
    command_case(
        "the item has no spans and no length; pass --length",
        "score nothing.csv nothing.csv",
        "score nothing.csv nothing.csv --length 4 --metrics n_missed",
    ),
    command_case(
        "give every span a class",
        "score half_classes.csv half_classes.csv",
        "score all_classes.csv all_classes.csv",
    ),
    command_case(
        "(--missing-chunks fill)",
        "score hole.zarr hole.zarr --missing-chunks refuse",
        "score hole.zarr hole.zarr --missing-chunks fill",
    ),
    command_case(
        "or declare that label outside or void (--outside, --void)",
        "score filled.zarr filled.zarr --missing-chunks fill",
        "score filled.zarr filled.zarr --missing-chunks fill --outside 3",
        "score filled.zarr filled.zarr --missing-chunks fill --void 3",
    ),
    command_case(
        "which would change the labels; save the labels unscaled",
        "score scaled.nii scaled.nii",
        "score plain.nii plain.nii",
    ),
    command_case(
        "layers ({}); choose one with --layer", "score two.gpkg two.gpkg", "score two.gpkg two.gpkg --layer one"
    ),
    command_case(
        "(draw polygons with --grid LEFT,BOTTOM,RIGHT,TOP,CELL)",
        "maps plane.geojson plane.geojson -o x",
        "maps plane.geojson plane.geojson -o x --grid 1000,1000,1004,1004,1",
    ),
    command_case(
        "a plot is saved as {}",
        "plot overlaps t.npy p.npy -o plot.gif",
        "plot overlaps t.npy p.npy -o plot.svg",
        "plot overlaps t.npy p.npy -o plot.png",
    ),
    command_case(
        "--data writes the rows of one figure of runs; plot {} has none",
        "plot overlaps t.npy p.npy -o plot.svg --data rows.csv",
        "plot box {run} -o plot.svg --data rows.csv",
    ),
    command_case(
        "there is no font {} here",
        "plot box {run} -o plot.png --font nowhere",
        "plot box {run} -o plot.png",
    ),
    command_case(
        "needs the ids of a true and a predicted segment",
        "plot pair t.npy p.npy -o pair.svg",
        "plot pair t.npy p.npy -o pair.svg --ids 1,1",
    ),
    command_case(
        "draws one: name it with --item NAME",
        "plot overlaps two two -o two.svg",
        "plot overlaps two two -o two.svg --item a",
    ),
    command_case(
        "is for weights that are distances",
        "curves t.npy p.npy --furthest 3",
        "curves t.npy p.npy --furthest 3 --weight hausdorff",
    ),
    command_case("and another item would share", "maps clash clash -o y", "maps two two -o y"),
]
CASES = [*SCORE, *READING, *OTHERS, *RARE]


def rare_files(folder: Path) -> None:
    for name, text in {
        "cuts.csv": "item,boundaries\na,2 3\n",
        "cuts_n.csv": "item,n,boundaries\na,5,2 3\n",
        "reserved.csv": "item,start,stop\nsegmentation_type,0,2\n",
        "nothing.csv": "item,start,stop\na,,\n",
        "half_classes.csv": "item,start,stop,class\na,0,2,x\na,2,4,\n",
        "all_classes.csv": "item,start,stop,class\na,0,2,x\na,2,4,y\n",
        "small.geojson": collection(feature(SMALL), crs="EPSG:28992"),
    }.items():
        (folder / name).write_text(text)
    palette = Image.fromarray(np.array([[0, 1], [1, 1]], np.uint8), mode="P")
    palette.putpalette([0, 0, 0, 255, 0, 0])
    palette.save(folder / "palette.tif")
    for name, fill in {"hole": 0, "filled": 3}.items():
        array = zarr.create_array(folder / f"{name}.zarr", shape=(4, 4), chunks=(2, 2), dtype="u1", fill_value=fill)
        array[:] = 1
        next(file for file in sorted((folder / f"{name}.zarr").rglob("*")) if file.name == "1").unlink()
    (folder / "scaled.nii").write_bytes(nifti(np.ones((2, 2, 2), np.uint8), slope=2))
    (folder / "plain.nii").write_bytes(nifti(np.ones((2, 2, 2), np.uint8)))
    for layer in ("one", "two"):
        shapes = np.array([shapely.to_wkb(shapely.box(1000, 1000, 1004, 1004))])
        pyogrio.raw.write(
            folder / "two.gpkg",
            shapes,
            [],
            [],
            layer=layer,
            driver="GPKG",
            geometry_type="Polygon",
            crs="EPSG:28992",
            append=layer == "two",
        )


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with every file that the commands read."""
    tmp_path = tmp_path_factory.mktemp("files")
    files(tmp_path)
    for name in ("two/a", "two/b", "one/a"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        np.save(tmp_path / f"{name}.npy", B)
    (tmp_path / "odd.bin").write_bytes(struct.pack("<4I", 1, 2, 3, 4))
    (tmp_path / "ends1.csv").write_text("item,start,end\na,0,1\na,2,3\n")
    for name in ("coco", "linked", "real/sub"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "coco" / "a.json").write_text(json.dumps(COCO))
    np.save(tmp_path / "coco" / "a.npy", A)
    np.save(tmp_path / "linked" / "a.npy", A)
    np.save(tmp_path / "real" / "sub" / "a.npy", A)
    (tmp_path / "linked" / "sub").symlink_to(tmp_path / "real" / "sub")
    for name, text in {"first": "one", "second": "two"}.items():
        (tmp_path / f"{name}.choi").write_text(f"==========\n{text}\n==========\n")
    (tmp_path / "half.lab").write_text("0.0 0.5 x\n0.5 1.0 y\n")
    (tmp_path / "types.rttm").write_text(RTTM + RTTM.replace("SPEAKER", "NOSCORE"))
    for name in ("clash/a b", "clash/a_b"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        np.save(tmp_path / f"{name}.npy", B)
    rare_files(tmp_path)
    return tmp_path


@pytest.fixture
def folder(template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of them, in which the commands run."""
    shutil.copytree(template, tmp_path / "files", symlinks=True)
    os.mkfifo(tmp_path / "files" / "pipe")
    monkeypatch.chdir(tmp_path / "files")
    return tmp_path / "files"


@pytest.mark.parametrize("tried", CASES, ids=lambda tried: tried.words.strip()[:60])
def test_following_the_advice_makes_the_error_go_away(tried: CommandCase, folder: Path, segmetry: Runner) -> None:
    def words_of(line: str) -> list[str]:
        for name, pred in (("run", "p.npy"), ("second", "t.npy")):
            if f"{{{name}}}" in line and not Path(f"{name}.segm").exists():
                assert segmetry("score", "t.npy", pred, "--metrics", "pq,sq", "--out", f"{name}.segm").code == 0
        words = shlex.split(line.replace("{run}", "run.segm").replace("{second}", "second.segm"))
        return [*words, "--metrics", "pq"] if words[0] == "score" and "--metrics" not in words else words

    error = segmetry.refused(*words_of(tried.fails))
    assert all(part in error for part in tried.words.split("{}") if part), error
    for line in tried.works:
        done = segmetry(*words_of(line))
        assert done.code == 0, (line, done.err)
