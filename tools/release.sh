#!/usr/bin/env bash
# Everything of a release short of uploading: tools/release.sh VERSION. See docs/releasing.md.
set -euo pipefail
cd "$(dirname "$0")/.."

version=${1:-}
python=${PYTHON:-python3}
bin=$(dirname "$python")
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+((a|b|rc)[0-9]+)?$ ]] || { echo "make release VERSION=1.2.3: found '$version'" >&2; exit 2; }
[ -z "$(git status --porcelain)" ] || { echo "commit or stash your changes first" >&2; exit 2; }
if git rev-parse -q --verify "refs/tags/v$version" > /dev/null; then echo "there is a tag v$version already" >&2; exit 2; fi

"$python" tools/set_version.py "$version"
"$python" tools/write_notes.py "$version"
sed -i "s/^## $version (unreleased)/## $version ($(date +%F))/" CHANGELOG.md
grep -q "^## $version " CHANGELOG.md || { echo "CHANGELOG.md has no section $version, and changelog.d no fragments for one" >&2; exit 2; }

make lint types test docs
rm -rf dist
make sdist wheel-pure
# The source distribution must build by itself, into a wheel with the same files.
rm -rf build/from-sdist
"$python" -m pip --disable-pip-version-check --quiet wheel --no-deps --wheel-dir build/from-sdist dist/*.tar.gz
"$python" tools/check_wheel.py native build/from-sdist/*.whl
files() { "$python" -c 'import sys, zipfile; print(*sorted(zipfile.ZipFile(sys.argv[1]).namelist()), sep="\n")' "$1" | grep -v '/_native\.'; }
diff <(files dist/*-none-any.whl) <(files build/from-sdist/*.whl)
make test-wheel
cp build/test-wheel/wheel-*/*.whl dist/
"$python" -m pip --disable-pip-version-check --quiet install twine py-rattler-build
"$python" -m twine check --strict dist/*
"$python" tools/check_recipe.py
ls -l dist

cat <<DONE

Version $version is built and tested. What is left, by hand:
  git commit -am 'Release $version' && git tag -s v$version -m 'segmetry $version'
  git push origin main v$version     # the workflow "Release" builds every platform's wheels, attests and publishes them
DONE
