"""The build backend: scikit-build-core, after the files that are not in git were generated.

A checkout has neither the stub of the public names nor the index of what is built in; tools/write_stub.py writes them
into src before a wheel, an editable install or a source distribution is made. It imports the package, with the kernels
of numpy, which is therefore needed to build from a checkout. A source distribution contains the files.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from scikit_build_core import build

Settings = dict[str, list[str] | str]

ROOT = Path(__file__).resolve().parent.parent
IN_CHECKOUT = not (ROOT / "PKG-INFO").exists()
GENERATOR_NEEDS = ["numpy>=2.0"] if IN_CHECKOUT else []


def generate() -> None:
    """Write the generated files, unless a source distribution brought them along."""
    if IN_CHECKOUT:
        # pip isolates a build by PYTHONPATH: without what is there, numpy would not be found.
        path = os.pathsep.join(filter(None, (str(ROOT / "src"), os.environ.get("PYTHONPATH"))))
        environment = {**os.environ, "PYTHONPATH": path, "SEGMETRY_KERNELS": "numpy"}
        # An editable install of before maps modules to files that may have moved since: its finder is left out.
        start = (
            "import runpy, sys; sys.meta_path[:] = [finder for finder in sys.meta_path "
            f"if not type(finder).__module__.startswith('_editable_skbc')]; sys.path.insert(0, {str(ROOT / 'src')!r}); "
            f"sys.argv = [{str(ROOT / 'tools' / 'write_stub.py')!r}]; runpy.run_path(sys.argv[0], run_name='__main__')"
        )
        subprocess.run([sys.executable, "-c", start], env=environment, check=True)


def get_requires_for_build_wheel(config_settings: Settings | None = None) -> list[str]:
    return [*GENERATOR_NEEDS, *build.get_requires_for_build_wheel(config_settings)]


def get_requires_for_build_editable(config_settings: Settings | None = None) -> list[str]:
    return [*GENERATOR_NEEDS, *build.get_requires_for_build_editable(config_settings)]


def get_requires_for_build_sdist(config_settings: Settings | None = None) -> list[str]:
    return [*GENERATOR_NEEDS, *build.get_requires_for_build_sdist(config_settings)]


def build_wheel(
    wheel_directory: str, config_settings: Settings | None = None, metadata_directory: str | None = None
) -> str:
    generate()
    return str(build.build_wheel(wheel_directory, config_settings, metadata_directory))


def build_editable(
    wheel_directory: str, config_settings: Settings | None = None, metadata_directory: str | None = None
) -> str:
    generate()
    return str(build.build_editable(wheel_directory, config_settings, metadata_directory))


def build_sdist(sdist_directory: str, config_settings: Settings | None = None) -> str:
    generate()
    return str(build.build_sdist(sdist_directory, config_settings))
