"""What doctests need: kernels that can be searched for them, and no figure left open."""

import sys
from collections.abc import Iterator

import pytest

from gaussbayes import kernels

# Where no compiler was, the wrapper of the native kernels cannot be searched for doctests.
collect_ignore = [] if kernels.native else ["src/gaussbayes/kernels/native.py"]


@pytest.fixture(autouse=True)
def _figures_of_examples_are_closed(request: pytest.FixtureRequest) -> Iterator[None]:
    yield
    if isinstance(request.node, pytest.DoctestItem) and "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
