#!/usr/bin/env bash
# Import the pure wheel in Pyodide, under node, and score with it: tools/test_pyodide.sh WHEEL.
# Pyodide comes from npm; it fetches numpy and scipy for WebAssembly from its own server, which must be reachable.
set -euo pipefail
cd "$(dirname "$0")/.."
npm install --no-save --loglevel=error --prefix build/pyodide pyodide@314.0.7
cp tools/scripts/pyodide_scores.mjs build/pyodide/
exec node build/pyodide/pyodide_scores.mjs "$(realpath "$1")"
