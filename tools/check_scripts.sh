#!/usr/bin/env bash
# Check the types of the report's scripts (src/segmetry/report/js) with TypeScript, which reads their JSDoc comments,
# and the records of the page (write_page_types.py).
set -euo pipefail
"${PYTHON:-python3}" "$(dirname "$0")/write_page_types.py"
source "$(dirname "$0")/node_packages.sh"
exec "$node" node_modules/typescript/bin/tsc --project .
