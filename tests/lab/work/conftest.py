import pytest

from tests.lab.asking import Page


@pytest.fixture
def page() -> Page:
    """A page of its own for each test."""
    return Page()
