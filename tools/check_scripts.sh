#!/usr/bin/env bash
# Check the types of the report's scripts (src/segmetry/report/js) with TypeScript, which reads their JSDoc comments.
set -euo pipefail
source "$(dirname "$0")/node_packages.sh"
exec "$node" node_modules/typescript/bin/tsc --project .
