"""Decoders that crash, hang, allocate without end or print: with isolation each is one error, and the work goes on."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import segmetry as sm
from segmetry.errors import DataWarning, FormatError, InputError, OptionError
from segmetry.readers import isolated_reading as workers
from segmetry.readers.isolated_reading import call_isolated
from segmetry.readers.reader import Isolation
from segmetry.storage import check_lzw
from tests.readers.data_sets import DATA_SETS, tiff
from tests.readers.samples import SAMPLES

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and limits of processes are those of POSIX")

LABELS = (np.arange(130 * 128 * 128).reshape(130, 128, 128) // 999 % 50).astype(np.uint8)
DEATHS = {
    "crash": ("import ctypes\nctypes.string_at(0)", "the process that decodes it died of SIGSEGV"),
    "abort": ("import os\nos.abort()", "the process that decodes it died of SIGABRT"),
    "exit": ("import os\nos._exit(3)", "the process that decodes it ended with code 3"),
    "hang": ("while True: pass", "did not end within 1 seconds; allow more with --isolate-seconds"),
    "memory": ("bytearray(2**40)", "more than the .* bytes of memory that are allowed; allow more with --isolate-mem"),
    "error": ("raise ValueError('no such group')", "damaged HDF5 file: no such group"),
}


@pytest.fixture
def new_workers() -> Iterator[None]:
    """A worker that is idle imported its packages before the test."""
    workers._POOL.close()
    yield
    workers._POOL.close()


def bad_decoder(folder: Path, body: str) -> Path:
    """A package h5py whose decoder does this, and a file for it."""
    folder.mkdir()
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    (folder / "h5py.py").write_text(f"def File(path, mode):\n    print('noise')\n{lines}")
    file = folder / "a.h5"
    file.write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(100))
    return file


@pytest.mark.slow
@pytest.mark.usefixtures("new_workers")
@pytest.mark.parametrize("death", DEATHS)
def test_whatever_a_decoder_does_is_one_error(death: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    body, words = DEATHS[death]
    file = bad_decoder(tmp_path / "bad", body)
    monkeypatch.syspath_prepend(file.parent)
    with pytest.raises(FormatError, match=words) as caught:
        sm.read(file, isolate={"seconds": 1} if death == "hang" else True)
    assert str(file) in str(caught.value) and str(caught.value).isprintable()
    assert call_isolated(Isolation(), "a", 0, abs, -3) == 3, "the next file has a worker again"


@pytest.mark.slow
def test_the_command_line_says_which_item_and_file_and_goes_on(tmp_path: Path) -> None:
    file = bad_decoder(tmp_path / "bad", DEATHS["crash"][0])
    command = [sys.executable, "-m", "segmetry", "score", str(file), str(file), "--isolate", "--engine", "serial"]
    paths = os.pathsep.join((str(file.parent), *filter(None, sys.path)))
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": paths})
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1
    assert f"{file}: damaged: the process that decodes it died of SIGSEGV" in done.stderr


def read_both_ways(path: Path, name: str, options: dict[str, Any]) -> list[list[Any]]:
    from segmetry.readers.reader import ReadOptions
    from segmetry.readers.source import read_items

    found = []
    for isolate in (False, True):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", DataWarning)
            items = list(read_items(path, name, ReadOptions(isolate=isolate, **options)))
            loaded = [(item.name, item.named, item.coder, item.tick, str(item.load())) for item in items]
        found.append([loaded, sorted(str(warning.message) for warning in caught)])
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", [*SAMPLES, *DATA_SETS])
def test_every_format_is_read_the_same_in_a_child(name: str, tmp_path: Path) -> None:
    if name in SAMPLES:
        sample = SAMPLES[name]
        path, options = tmp_path / f"a{sample.suffix}", sample.options
        path.write_bytes(sample.content)
    else:
        if DATA_SETS[name].needs:
            pytest.importorskip(str(DATA_SETS[name].needs))
        path, options = DATA_SETS[name].write(tmp_path), DATA_SETS[name].options
    here, isolated = read_both_ways(path, name, options)
    assert here == isolated


@pytest.fixture(scope="module")
def volumes(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two HDF5 files large enough to stay in storage."""
    h5py = pytest.importorskip("h5py")
    folder = tmp_path_factory.mktemp("volumes")
    for name, labels in (("true", LABELS), ("pred", np.roll(LABELS, 5, axis=1))):
        with h5py.File(folder / f"{name}.h5", "w") as file:
            file.create_dataset("a", data=labels, chunks=(64, 64, 64), compression="gzip")
    return folder / "true.h5", folder / "pred.h5"


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["serial", "threads", "processes", pytest.param("dask", marks=pytest.mark.cluster)])
def test_stored_arrays_are_counted_the_same_by_every_engine(engine: str, volumes: tuple[Path, Path]) -> None:
    here = sm.evaluate(*volumes, metrics=["pq", "rand_index"], engine="serial", isolate=False)
    isolated = sm.evaluate(*volumes, metrics=["pq", "rand_index"], engine=engine, isolate=True)
    assert isolated.content_digest() == here.content_digest()


def test_files_of_a_folder_are_isolated_by_their_own_format(tmp_path: Path) -> None:
    from segmetry.readers.reader import READERS

    assert not READERS["folder"].isolated
    (tmp_path / "a").mkdir()
    np.save(tmp_path / "a" / "x.npy", np.ones((2, 3), int))
    assert list(sm.read(tmp_path / "a", isolate=True)) == ["x"]


@pytest.mark.usefixtures("new_workers")
def test_blosc_chunks_are_decoded_in_a_child_by_default(tmp_path: Path) -> None:
    zarr = pytest.importorskip("zarr")
    from zarr.codecs import BloscCodec

    zarr.create_array(tmp_path / "a.zarr", data=np.ones((4, 4), np.uint8), compressors=BloscCodec())
    assert not workers._POOL._idle
    sm.read(tmp_path / "a.zarr", isolate=False)
    assert not workers._POOL._idle
    sm.read(tmp_path / "a.zarr")
    assert len(workers._POOL._idle) == 1


LZW_THAT_CRASHED = bytes.fromhex(
    "807f20503824160d0784426150b864361d0f8844625138a4562d178c46"
    "6351b8e4763d1f904864523924964d27944a6552b964b65d2f98462020"
)
"""A strip of 1,200 bytes, on which the decoder of imagecodecs died of SIGSEGV in about half of the attempts."""


@pytest.mark.parametrize("isolate", [None, False])
def test_a_strip_that_crashed_the_decoder_is_rejected_before_it_is_decoded(
    tmp_path: Path, isolate: bool | None
) -> None:
    """The first code is none of a byte: the decoder copied what its memory had, which was taken for labels."""
    pytest.importorskip("imagecodecs")
    strip = np.frombuffer(LZW_THAT_CRASHED, np.uint8).reshape(1, -1)
    file = tmp_path / "a.tif"
    file.write_bytes(tiff(strip, deflate=False, t256=1200, t257=1, t259=5, t278=1))
    for _ in range(3):
        with pytest.raises(FormatError, match=r"a\.tif, page 1: damaged LZW data: code 508 at bit 9 follows a clear"):
            sm.read(file, isolate=isolate)


@pytest.mark.parametrize("n", [1, 250, 500, 30_000])
@pytest.mark.parametrize("values", [2, 250])
def test_every_clear_code_of_lzw_is_found(n: int, values: int) -> None:
    """A byte that follows a clear code anywhere in the data is replaced by a code that is none of a byte."""
    imagecodecs = pytest.importorskip("imagecodecs")
    data = imagecodecs.lzw_encode(np.random.default_rng(n).integers(0, values, n, np.uint8).tobytes())
    check_lzw(data, "strip")
    bits, width, size, at, clears = int.from_bytes(data), 9, 257, 0, []
    while at + width <= 8 * len(data):
        code = bits >> (8 * len(data) - at - width) & ((1 << width) - 1)
        at, size = at + width, size + 1
        if code == 256:
            clears, width, size = [*clears, at], 9, 257
        elif code == 257:
            break
        width = 9 + sum(size >= limit for limit in (511, 1023, 2047))
    assert len(clears) > (n > 10**4 and values > 2)
    for place in (clears[0], clears[-1]):
        damaged = (bits | 0x1FF << (8 * len(data) - place - 9)).to_bytes(len(data))
        with pytest.raises(FormatError, match=f"code 511 at bit {place} follows"):
            check_lzw(damaged, "strip")


def mat_file(array: np.ndarray[Any, Any]) -> bytearray:
    from scipy.io import savemat

    target = io.BytesIO()
    savemat(target, {"inst_map": array})
    return bytearray(target.getvalue())


@pytest.mark.slow
@pytest.mark.usefixtures("new_workers")
@pytest.mark.parametrize("array", [np.ones((2, 2)), np.ones((2, 2), np.uint8), np.ones((4, 2), np.int32)], ids=str)
def test_a_variable_of_an_unknown_type_is_rejected(array: np.ndarray[Any, Any], tmp_path: Path) -> None:
    """One byte of the type of the elements is another: scipy dies of SIGSEGV or of SIGBUS."""
    file, deaths = tmp_path / "a.mat", 0
    for at, byte in ((184, 0), (184, 255), (185, 1), (185, 2), (185, 255)):
        content = mat_file(array)
        content[at] = byte
        file.write_bytes(content)
        with pytest.raises(FormatError) as caught:
            sm.read(file)
        assert str(file) in str(caught.value)
        deaths += "the process that decodes it died of SIG" in str(caught.value)
    assert deaths, "scipy has learnt to read these"


@pytest.mark.slow
def test_the_command_line_ends_with_one_line_for_a_file_that_crashes_scipy(tmp_path: Path) -> None:
    content = mat_file(np.ones((2, 4)))
    content[185] = 1
    file = tmp_path / "a.mat"
    file.write_bytes(content)
    command = [sys.executable, "-m", "segmetry", "score", str(file), str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1 and str(file) in done.stderr


PARSED_BY_NATIVE_CODE = {"hdf5", "hover-net-mat"}
"""Formats whose structure is parsed by native code of other packages."""


def test_formats_parsed_by_native_code_are_isolated_by_default() -> None:
    from segmetry.readers.reader import READERS

    assert {name for name, reader in READERS.items() if reader.isolated} == PARSED_BY_NATIVE_CODE


@pytest.mark.usefixtures("new_workers")
@pytest.mark.parametrize("compression", ["zlib", "lzw", "packbits", "zstd"])
def test_compressed_strips_are_decoded_in_a_child_by_default(compression: str, tmp_path: Path) -> None:
    tifffile = pytest.importorskip("tifffile")
    pytest.importorskip("imagecodecs")
    labels = np.arange(64, dtype=np.uint8).reshape(8, 8)
    tifffile.imwrite(tmp_path / "a.tif", labels, compression=compression, photometric="minisblack")
    sm.read(tmp_path / "a.tif", isolate=False)
    assert not workers._POOL._idle
    read = sm.read(tmp_path / "a.tif")
    assert isinstance(read, sm.LabelArray) and np.array_equal(read.labels, labels)
    assert len(workers._POOL._idle) == 1


def test_a_relative_name_is_looked_for_where_the_caller_is_now(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = []
    for name, rows in (("first", 2), ("second", 3)):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        Path("a.txt").write_text("x" * rows)
        sizes.append(call_isolated(Isolation(), "a.txt", 0, os.path.getsize, "a.txt"))
    assert sizes == [2, 3]


def test_limits_that_mean_nothing_are_rejected(tmp_path: Path) -> None:
    for wrong in ({"seconds": 0}, {"memory": -1}, {"second": 1}, "yes"):
        with pytest.raises(OptionError, match="isolate"):
            sm.read(tmp_path, isolate=wrong)
    with pytest.raises(OptionError, match="isolate: applies to files, but true and pred contain no paths"):
        sm.evaluate({"a": [[1]]}, {"a": [[1]]}, isolate=True)
    with pytest.raises(InputError):
        sm.read(tmp_path / "absent", isolate=True)


def test_a_child_ends_with_its_parent(tmp_path: Path) -> None:
    program = (
        "import os, segmetry.readers.isolated_reading as w\nfrom segmetry.readers.reader import Isolation\n"
        "print(w.call_isolated(Isolation(), 'a', 0, os.getpid), flush=True)\nos.kill(os.getpid(), 9)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    child = int(done.stdout)
    for _ in range(200):
        try:
            os.kill(child, 0)
        except ProcessLookupError:
            return
        if Path(f"/proc/{child}/stat").read_text().split()[2] == "Z":
            return  # ended; nobody has asked for its exit code
        import time

        time.sleep(0.02)
    pytest.fail("the child process is still there")
