"""Acceleration: quick where plain steps are slow, never downhill, honest about where it ended."""

import numpy as np
import pytest

from gaussbayes.base.anderson import Goal, Step, accelerate
from gaussbayes.base.errors import SingularCovarianceError
from gaussbayes.base.types import FloatArray

RATES = np.array([0.99, 0.9, 0.5, 0.1])


def slow(x: FloatArray) -> Step[None]:
    """Steps that shrink the distance from (1, 1, 1, 1) by a constant factor in each direction."""
    apath = x - 1.0
    return Step(1.0 + RATES * apath, -float(apath @ apath), 1e-15, None)


def test_a_linear_map_takes_as_many_steps_as_it_has_factors() -> None:
    path = accelerate(slow, np.zeros(4), Goal(1e-11, most=100))
    assert path.converged
    assert path.objective.size < 15  # plain steps: 2500
    np.testing.assert_allclose(path.last.image, 1.0, rtol=0, atol=1e-11)
    assert np.diff(path.objective).min() >= 0


def test_too_few_steps_are_admitted() -> None:
    path = accelerate(slow, np.zeros(4), Goal(1e-11, most=3))
    assert not path.converged
    assert path.objective.size == 3
    assert path.remaining > 1e-3


def test_the_remaining_error_is_that_of_the_slow_direction() -> None:
    def shrink(x: FloatArray) -> Step[None]:
        return Step(0.999 * x, -float(x @ x), 1e-15, None)

    path = accelerate(shrink, np.array([1.0]), Goal(1e-6, most=100))
    assert path.converged
    assert abs(path.last.image[0]) <= 1e-6  # a step of 1e-6 would leave an error of 1e-3


def test_a_step_that_is_not_better_is_not_taken() -> None:
    def trap(x: FloatArray) -> Step[None]:
        # Plain steps halve the distance, all that lies beyond is far worse.
        return Step(x / 2, -float(x[0]) if x[0] >= 0 else -1e9, 1e-15, None)

    path = accelerate(trap, np.array([1.0]), Goal(1e-9, most=200))
    assert path.converged
    assert np.diff(path.objective).min() >= 0


def test_an_accelerated_step_may_leave_the_models_a_plain_one_may_not() -> None:
    def edge(x: FloatArray) -> Step[None]:
        if abs(x[0] - 0.2) < 0.1:
            msg = "singular"
            raise SingularCovarianceError(msg)
        return Step(x / 2, -float(x @ x), 1e-15, None)

    with pytest.raises(SingularCovarianceError, match="singular"):
        accelerate(edge, np.array([0.5]), Goal(1e-9, most=50))


def test_without_progress_it_ends_and_says_so() -> None:
    rng = np.random.default_rng(0)

    def astray(x: FloatArray) -> Step[None]:
        return Step(x + rng.normal(size=20), 0.0, 1e-15, None)

    path = accelerate(astray, np.zeros(20), Goal(1e-9, most=10_000))
    assert not path.converged
    assert path.objective.size < 500


@pytest.mark.parametrize("size", [0, 1, 3])
def test_iterations_that_have_arrived_may_go_on(size: int) -> None:
    """Also those without coordinates: the combined step is exactly 0 from the second on."""

    def arrive(x: FloatArray) -> Step[None]:
        return Step(np.ones(size), -float(np.square(x - 1.0).sum()), -1.0, None)

    path = accelerate(arrive, np.zeros(size), Goal(-1.0, most=6))
    assert not path.converged
    assert path.remaining == 0.0
    assert path.objective.tolist() == [-size, *[0.0] * 5]
    assert accelerate(arrive, np.zeros(size), Goal(1e-9)).converged
