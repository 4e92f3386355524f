"""The rules of conftest.py, each on a small suite of its own in an empty folder."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SKIPPING = {
    "test_skips_inside.py": "import pytest\ndef test_it():\n    pytest.skip('reason one')\n",
    "test_skips_by_mark.py": "import pytest\n@pytest.mark.skip(reason='reason two')\ndef test_it():\n    pass\n",
    "test_skips_the_file.py": "import pytest\npytest.skip('reason three', allow_module_level=True)\n",
    "test_fails_as_expected.py": "import pytest\n@pytest.mark.xfail\ndef test_it():\n    assert False\n",
    "test_passes.py": "def test_it():\n    pass\n",
}


def run_pytest(folder: Path, files: dict[str, str], *options: str) -> subprocess.CompletedProcess[str]:
    here = Path(__file__).parent
    shutil.copy(here / "conftest.py", folder / "conftest.py")
    (folder / "tests").mkdir()
    shutil.copy(here / "profiles.py", folder / "tests" / "profiles.py")
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "xdist", "--import-mode=importlib"]
    # Of all the plugins installed only xdist matters here; importing the others would be most of the work.
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return subprocess.run(
        [*command, *options, "."], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def test_skips_pass_without_the_switch(tmp_path: Path) -> None:
    done = run_pytest(tmp_path, SKIPPING)
    assert done.returncode == 0
    assert "1 passed, 3 skipped, 1 xfailed" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["0", "1"])
def test_each_skip_fails_with_the_switch_and_tells_its_reason(tmp_path: Path, workers: str) -> None:
    done = run_pytest(tmp_path, SKIPPING, "--no-skips", "--continue-on-collection-errors", "-n", workers)
    assert done.returncode == 1
    assert "1 failed, 1 passed, 1 xfailed, 2 errors" in done.stdout
    assert all(f"reason {number}" in done.stdout for number in ("one", "two", "three"))


def test_a_deselected_folder_is_not_even_imported(tmp_path: Path) -> None:
    files = {"peers/test_peer.py": "import nowhere_to_be_found\n", "test_passes.py": SKIPPING["test_passes.py"]}
    done = run_pytest(tmp_path, files, "-m", "not peers and not browser")
    assert done.returncode == 0
    assert "1 passed" in done.stdout


def test_a_marked_folder_marks_its_tests(tmp_path: Path) -> None:
    files = {"peers/test_peer.py": "def test_peer():\n    pass\n", "test_passes.py": SKIPPING["test_passes.py"]}
    done = run_pytest(tmp_path, files, "-m", "peers")
    assert "1 passed, 1 deselected" in done.stdout
