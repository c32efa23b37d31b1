#!/bin/sh
# Wheels in dist work in an empty environment without a compiler: the demonstration runs, with the
# native kernels if the wheel has them. Run by `make wheel`.
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
    -c "$directory/constraints.txt" "$wheel[demo]"
  # An empty search path: neither a compiler nor anything else of the machine is found.
  (
    cd "$temporary"
    export PATH=/nonexistent CC=false CXX=false
    "$temporary/venv/bin/python" -c 'import gaussbayes; gaussbayes.show_config()' > config
    "$temporary/venv/bin/python" -W error -m gaussbayes.apps.demo > demo
  )
  grep -q "^kernels *$kernels" "$temporary/config"
  grep -q "[0-9]" "$temporary/demo"
  echo "${wheel##*/}: $(tail -n 1 "$temporary/config")"
done
