#!/bin/sh
# Wheels in dist work in an empty environment without a compiler: they fit a model, with the native
# kernels if the wheel has them. Run by `make wheel`.
set -eu

python=$1
directory=$PWD
temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT
for wheel in "$directory"/dist/gaussbayes-*.whl; do
  case $wheel in
    *-none-any.whl) kernels=reference ;;
    *) kernels=native ;;
  esac
  "$python" -m venv --clear "$temporary/venv"
  "$temporary/venv/bin/python" -m pip --disable-pip-version-check --quiet install \
    -c "$directory/constraints.txt" "$wheel"
  # An empty search path: neither a compiler nor anything else of the machine is found.
  (
    cd "$temporary"
    export PATH=/nonexistent CC=false CXX=false
    "$temporary/venv/bin/python" -W error "$directory/tests/smoke.py" $kernels
  )
done
