"""Journeys through the page: what its readers do, and the numbers that they see."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.page import newcomer
from tests.page.driving import Lab


@pytest.mark.parametrize("task", newcomer.TASKS, ids=lambda task: task.__name__)
def test_a_newcomer_needs_at_most_two_actions(task: Callable[[Any], Any], lab: Lab) -> None:
    with newcomer.counting(lab) as somebody:
        task(somebody)
