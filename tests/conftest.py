"""What all tests share: the kernels they run with, and how Hypothesis looks for examples."""

import gc
import os
from collections.abc import Generator, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from gaussbayes.kernels import Kernels, native, using

AVAILABLE_KERNELS = ["reference"] if native is None else ["reference", "native"]

# The same examples in every run, so that a test never passes here and fails there;
# HYPOTHESIS_PROFILE=explore looks for new ones, and brief is for a second run with other kernels.
settings.register_profile(
    "repeatable",
    derandomize=True,
    max_examples=15,
    deadline=None,
    # The fixture `kernels` is the same for all examples of a test, which is what is wanted.
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
settings.register_profile("brief", settings.get_profile("repeatable"), max_examples=10)
settings.register_profile(
    "explore", settings.get_profile("repeatable"), derandomize=False, max_examples=300
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, Any, Any]:
    """Thousands of tests are found and stay: they are not looked through for garbage again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_unconfigure() -> None:
    gc.unfreeze()


@pytest.fixture(params=AVAILABLE_KERNELS)
def kernels(request: pytest.FixtureRequest) -> Iterator[Kernels]:
    """Run a test once with each kind of kernels; a whole file: ``usefixtures("kernels")``."""
    with using(request.param) as chosen:
        yield chosen
