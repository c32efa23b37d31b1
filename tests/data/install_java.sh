#!/bin/sh
# Java for the tests of Spark: installed where that may be done (Debian, as root). Elsewhere those
# tests are skipped, unless GAUSSBAYES_JAVA=required or CI says that they must run.
# Run from the project's directory with its Python as the only argument.
set -eu

found() { PYTHONPATH=. "$1" -c 'import sys; from tests.data import java; sys.exit(not java.is_there())'; }

if found "$1"; then exit 0; fi

if [ "$(id -u)" = 0 ] && [ -e /etc/debian_version ] && command -v apt-get > /dev/null; then
  export DEBIAN_FRONTEND=noninteractive
  { apt-get -qq update && apt-get -qq install --no-install-recommends openjdk-17-jre-headless; } \
    > /dev/null || true
fi

if found "$1"; then exit 0; fi
PYTHONPATH=. "$1" - << 'END'
import sys
from tests.data import java

if java.is_required():
    sys.exit(f"the tests of Spark need Java: {java.HOW}")
print(f"the tests of Spark will be skipped; to run them, {java.HOW}", file=sys.stderr)
END
