#!/bin/sh
# The source distribution and the wheels in dist each run the demo in an empty environment. Run by `make release-check`.
set -eu

python=$1
directory=$PWD
temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT
for distribution in "$directory"/dist/gaussbayes-*; do
  "$python" -m venv --clear "$temporary/venv"
  run="$temporary/venv/bin/python -m gaussbayes"
  "$temporary/venv/bin/python" -m pip --disable-pip-version-check --quiet install \
    -c "$directory/constraints.txt" "$distribution[cli]"
  (
    cd "$temporary"
    cp "$directory/src/gaussbayes/datasets/iris.csv" .
    $run --version
    $run fit iris.csv -y species -o iris.json
    $run evaluate iris.csv -y species > evaluation.txt
    $run report iris.json iris.csv -o iris.html
  )
done
