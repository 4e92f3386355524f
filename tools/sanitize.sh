#!/usr/bin/env bash
# sanitize.sh memory: build the native kernels with AddressSanitizer and UndefinedBehaviorSanitizer, and run with them
# the kernel tests and those that give them damaged files.
# sanitize.sh threads: build them with ThreadSanitizer, and run with them the tests in which threads share kernels.
# Everything goes into build/sanitize-*; the installed package is not touched. Further arguments go to pytest.
set -euo pipefail
cd "$(dirname "$0")/.."

subject=${1:-memory}
shift || true
case "$subject" in
    memory) sanitizers=address,undefined; tests="tests/kernels tests/readers/parts/test_png_rows.py" ;;
    threads) sanitizers=thread; tests="tests/hardening/test_threads.py tests/hardening/test_thread_kernels.py" ;;
    *) echo "sanitize memory or threads, not $subject" >&2; exit 2 ;;
esac
python=${PYTHON:-python3}
folder=build/sanitize-$subject
"$python" -m venv --system-site-packages "$folder/venv"
# The new environment sees what the calling one has installed, whether that is a virtual environment or not.
site=$("$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
echo "$site" > "$("$folder/venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/calling.pth"

# What pip would fetch to build the package, it must fetch here as well.
"$folder/venv/bin/python" -m pip --disable-pip-version-check install --quiet 'nanobind>=2.4' 'cmake>=3.18' ninja
export PATH="$PWD/$folder/venv/bin:$PATH"

cmake -S . -B "$folder/cmake" -DCMAKE_BUILD_TYPE=Debug -DSEGMETRY_SANITIZE=$sanitizers \
    -DPython_EXECUTABLE="$PWD/$folder/venv/bin/python" > "$folder/cmake.log"
cmake --build "$folder/cmake" --parallel 2 >> "$folder/cmake.log"

# A copy of the sources with the sanitized extension beside them, found before any installed segmetry.
rm -rf "$folder/src"
cp -r src "$folder/src"
find "$folder/src" -name '_native*.so' -delete
cp "$folder"/cmake/_native*.so "$folder/src/segmetry/kernels/"

# The sanitizer must be loaded before Python. Python's own leaks at exit are not our subject.
if [ "$subject" = memory ]; then
    export LD_PRELOAD="$(g++ -print-file-name=libasan.so) $(g++ -print-file-name=libstdc++.so)"
    export ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 PYTHONMALLOC=malloc
else
    export LD_PRELOAD="$(g++ -print-file-name=libtsan.so)"
    export TSAN_OPTIONS="suppressions=$PWD/tools/sanitize_threads.txt halt_on_error=1 exitcode=66"
fi
export SEGMETRY_KERNELS=native
export PYTHONPATH="$PWD/$folder/src"
sources=$("$folder/venv/bin/python" -c 'from segmetry.kernels.backend import native; print(native.__file__)')
case "$sources" in
    "$PWD/$folder"/*) echo "sanitized kernels: ${sources#"$PWD/"}" ;;
    *) echo "the sanitized kernels were not the ones imported, but $sources" >&2; exit 1 ;;
esac
"$folder/venv/bin/python" -m pytest -q -p no:cacheprovider $tests "$@"
if [ "$subject" = memory ] && [ $# = 0 ]; then
    # Sums of numbers that another process changes may overflow; what must not happen is an access to foreign memory.
    UBSAN_OPTIONS=halt_on_error=0 "$folder/venv/bin/python" -m pytest -q -p no:cacheprovider tests/hardening/test_changing_arrays.py
fi
