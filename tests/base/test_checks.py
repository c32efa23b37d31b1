"""Numbers of users: what passes, and what the messages say of the rest."""

from collections.abc import Callable

import numpy as np
import pytest

from gaussbayes.base.checks import finite_number, integer, positive_number, probability
from gaussbayes.base.errors import OptionError


@pytest.mark.parametrize("value", [0, 1, 0.5, np.float32(0.5), np.int64(1)])
def test_probabilities(value: float) -> None:
    number = probability("level", value)
    assert type(number) is float
    assert number == value


@pytest.mark.parametrize("value", [-1e-300, 1.0000001, np.nan, np.inf, "0.5", None, True, [0.5]])
def test_what_is_no_probability(value: object) -> None:
    with pytest.raises(OptionError, match="^level must be a probability from 0 to 1, got "):
        probability("level", value)


@pytest.mark.parametrize("value", [1, np.int32(7), 10**30])
def test_integers(value: int) -> None:
    number = integer("n_draws", value, 1)
    assert type(number) is int
    assert number == value


@pytest.mark.parametrize("value", [0, -3, 2.0, np.nan, "3", None, True])
def test_what_is_no_integer_from_1_on(value: object) -> None:
    with pytest.raises(OptionError, match="^n_draws must be an integer, at least 1, got "):
        integer("n_draws", value, 1)


@pytest.mark.parametrize("check", [finite_number, positive_number])
def test_finite_numbers(check: Callable[[str, object], float]) -> None:
    assert check("tolerance", np.float32(0.25)) == 0.25
    for value in (np.nan, np.inf, -np.inf, "1", None, False):
        with pytest.raises(OptionError, match="^tolerance must be a finite number"):
            check("tolerance", value)


def test_positive_numbers() -> None:
    assert finite_number("cost", -2) == -2.0
    for value in (0, -2, 0.0):
        with pytest.raises(OptionError, match=f"above 0, got {value}"):
            positive_number("cost", value)
