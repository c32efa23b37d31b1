#!/bin/sh
# Where no C++ compiler is, gaussbayes installs with its NumPy kernels and passes its tests.
# Run from the project's directory after `make build`; nothing is downloaded.
set -eu

python=$PWD/.venv/bin/python
temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT
unset CI GAUSSBAYES_KERNELS GAUSSBAYES_REQUIRE_NATIVE

CC=false CXX=false "$python" -m pip --disable-pip-version-check --quiet wheel \
  --no-deps --no-index --no-build-isolation -C "build-dir=$temporary/build" -w "$temporary" .
wheel=$(echo "$temporary"/gaussbayes-*-py3-none-any.whl)

# The wheel goes in before the path to the other packages is added: the editable installation that
# lies among them must be neither seen nor touched by pip.
"$python" -m venv --without-pip "$temporary/venv"
"$python" -m pip --disable-pip-version-check --quiet --python "$temporary/venv/bin/python" \
  install --no-deps --no-index "$wheel"
others=$("$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
own=$("$temporary/venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
echo "$others" > "$own/others.pth"

mkdir "$temporary/project"
cp -R tests examples benchmarks docs pyproject.toml "$temporary/project"
cd "$temporary/project"
"$temporary/venv/bin/python" -c 'import gaussbayes; gaussbayes.show_config()' | tee config
grep -q '^kernels *reference' config
"$temporary/venv/bin/python" -m pytest -q -n 2 tests --ignore=tests/test_project.py
