"""What all tests and doctests need: threads, kernels that can be searched, no figure left open."""

import os
import sys
from collections.abc import Iterator

import pytest

# Before NumPy is imported: as many processes as processors run the tests, and threads of BLAS that
# spin beside them take processor time from the tests. Where the matrix products are those of BLAS,
# tests/without_compiler.sh runs with its threads.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from gaussbayes import kernels

# Where no compiler was, the wrapper of the native kernels cannot be searched for doctests.
collect_ignore = [] if kernels.native else ["src/gaussbayes/kernels/native.py"]

LONGEST = ("transcripts", "test_project", "test_remedies", "test_crafted_files", "page", "report")
"""Files and folders of tests that take long: the tests of the others fill both processors up."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files that take longest, so that all processes end at the same time."""
    items.sort(key=lambda item: not {*item.path.parts, item.path.stem} & {*LONGEST})


@pytest.fixture(autouse=True)
def _figures_of_examples_are_closed(request: pytest.FixtureRequest) -> Iterator[None]:
    yield
    if isinstance(request.node, pytest.DoctestItem) and "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
