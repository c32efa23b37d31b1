#!/bin/sh
# Chromium for the tests of pages: installed where that may be done (Debian, as root). Elsewhere
# those tests are skipped, unless GAUSSBAYES_BROWSER or CI says that they must run.
# Run from the project's directory with its Python as the only argument.
set -eu

found() { PYTHONPATH=. "$1" -c 'from tests.page import chromium; print(chromium.find() or "")'; }

if [ -n "$(found "$1")" ]; then exit 0; fi

if [ "$(id -u)" = 0 ] && [ -e /etc/debian_version ] && command -v apt-get > /dev/null; then
  export DEBIAN_FRONTEND=noninteractive
  { apt-get -qq update && apt-get -qq install --no-install-recommends chromium; } > /dev/null || true
fi

if [ -n "$(found "$1")" ]; then exit 0; fi
PYTHONPATH=. "$1" - << 'END'
import sys
from tests.page import chromium

if chromium.is_required():
    sys.exit(f"the tests of pages need a browser: {chromium.HOW}")
print(f"the tests of pages will be skipped; to run them, {chromium.HOW}", file=sys.stderr)
END
