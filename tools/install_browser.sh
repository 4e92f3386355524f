#!/usr/bin/env bash
# Chromium, and letters for it, for the browser tests: what $CHROMIUM names or PATH holds is used, else Debian packages are
# installed.
set -euo pipefail

if [ -n "${CHROMIUM:-}" ]; then
  if ! [ -x "$CHROMIUM" ]; then echo "CHROMIUM is $CHROMIUM, which is no program" >&2; exit 1; fi
  exit 0
fi
if command -v chromium > /dev/null; then exit 0; fi
if ! command -v apt-get > /dev/null; then
  echo 'The browser tests need Chromium: install it, or set CHROMIUM to its path.' >&2
  exit 1
fi
as_root=
if [ "$(id -u)" -ne 0 ]; then as_root=sudo; fi
$as_root apt-get update -qq
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core > /dev/null
command -v chromium > /dev/null
