import pytest

from tests.lab.page import Page


@pytest.fixture
def page() -> Page:
    """A page of its own for each test."""
    return Page()
