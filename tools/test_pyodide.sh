#!/usr/bin/env bash
# Import the pure wheel in Pyodide, under node, and score with it: tools/test_pyodide.sh WHEEL.
# Pyodide comes from npm; it fetches numpy and scipy for WebAssembly from its own server. Where one of them cannot be had, it
# says so and ends well, except in continuous integration (CI is set), where nothing may be left out unnoticed.
set -euo pipefail
cd "$(dirname "$0")/.."
version=314.0.7
server=https://cdn.jsdelivr.net/

not_run() {
  echo "not run in Pyodide: $1"
  [ -z "${CI:-}" ] || exit 1
  exit 0
}

command -v node > /dev/null || not_run "node is missing"
command -v npm > /dev/null || not_run "npm is missing"
curl --silent --fail --head --max-time 20 --output /dev/null "$server" || not_run "$server cannot be reached"
npm install --no-save --loglevel=error --prefix build/pyodide "pyodide@$version" || not_run "npm has no pyodide@$version"
cp tools/scripts/pyodide_scores.mjs build/pyodide/
exec node build/pyodide/pyodide_scores.mjs "$(realpath "$1")"
