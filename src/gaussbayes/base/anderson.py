"""Anderson acceleration of iterations that never lower an objective, such as those of EM.

EM goes from parameters x to parameters M(x) that are at least as likely. Near the maximum its steps
shrink by a constant factor, which is close to 1 if much is missing. Anderson's method combines the
last few steps f = M(x) − x so that f would vanish if M were linear. It finds the fixed point of a
linear M in as many iterations as M has distinct factors. A proposal is accepted only if its
objective is at least as high as before; otherwise the plain step is taken. The objective therefore
never decreases.

The parameters decide when to stop. The error e of x obeys ``f = (1 − J) e``, where J is the
Jacobian of M. The largest ``|Δx| / |Δf|`` over pairs of steps estimates the ratio of the error to
f: it is ``1 / (1 − r)`` for the slowest factor r.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, Generic, TypeVar

import numpy as np

from gaussbayes.base.errors import SingularCovarianceError
from gaussbayes.base.progress import track
from gaussbayes.base.types import FloatArray

Result = TypeVar("Result")

_MEMORY = 8
"""Steps that are combined."""

_LONGEST = 2.0
"""Largest entry of a combined step: the last steps describe only the region around them."""

_SLACK = 1e-13
"""Relative decrease of an objective that counts as rounding."""

_STALLED = 40
"""Iterations stop after this many steps without progress of objective or step length."""


@dataclass(frozen=True, slots=True)
class Goal:
    """The stopping rule of the iterations."""

    tolerance: float  # the estimated error of x, in its largest entry
    most: int = 10_000  # most iterations


@dataclass(frozen=True, slots=True, eq=False)
class Step(Generic[Result]):
    """One iteration from x: the next point, and the quantities computed at x."""

    image: FloatArray  # M(x)
    objective: float  # at x
    noise: float  # size of the rounding error of M(x)
    result: Result


@dataclass(frozen=True, slots=True, eq=False)
class Iterations(Generic[Result]):
    """How a maximum was reached: the last iteration, and the objective at the start of each."""

    last: Step[Result]
    objective: FloatArray  # (iterations,)
    converged: bool
    remaining: float  # estimated distance of the last x from the maximum, in units of x


def accelerate(
    step: Callable[[FloatArray], Step[Result]],
    start: FloatArray,
    goal: Goal,
    what: str = "EM iterations",
) -> Iterations[Result]:
    """Iterate a step that never lowers its objective, accelerated, up to a goal.

    Parameters
    ----------
    step : raises SingularCovarianceError if the parameters do not exist; the error is passed on
    only from an unaccelerated step what : the task that a progress bar names
    """
    steps: list[FloatArray] = []  # differences of x, the newest last
    residuals: list[FloatArray] = []  # differences of f
    x, here = start, step(start)
    f = here.image - x
    record, factor, lowest, since = [here.objective], 1.0, np.inf, 0
    remaining, converged, proposed = np.inf, False, None
    for n in track(count(1), what):
        remaining = factor * _size(f)
        converged = remaining <= goal.tolerance or _size(f) <= here.noise
        since = since + 1 if remaining >= 0.9 * lowest else 0
        lowest = min(lowest, remaining)
        if converged or n >= goal.most:
            break
        if since >= _STALLED and record[-1] - record[-_STALLED] <= _STALLED * slack(record[-1]):
            break
        proposed = _combined(x, f, steps, residuals)
        following = None if proposed is None else _tried(step, proposed)
        if following is None or following.objective < here.objective - slack(here.objective):
            steps.clear()
            residuals.clear()
            proposed, following = here.image, step(here.image)
        assert proposed is not None
        g = following.image - proposed
        steps.append(proposed - x)
        residuals.append(g - f)
        if _size(g) > 10 * following.noise:
            factor = max(1.0, *(_ratio(a, b) for a, b in zip(steps, residuals, strict=True)))
        del steps[:-_MEMORY], residuals[:-_MEMORY]
        x, f, here = proposed, g, following
        record.append(here.objective)
    return Iterations(here, np.array(record), bool(converged), float(remaining))


def total_objective(paths: Sequence[Iterations[Any]]) -> FloatArray:
    """The sum of the objectives of several maximisations; shorter ones repeat their last value."""
    length = max(path.objective.size for path in paths)
    total = np.zeros(length)
    for path in paths:
        total += np.pad(path.objective, (0, length - path.objective.size), mode="edge")
    return total


def slack(objective: float) -> float:
    """The size of rounding errors of an objective."""
    return _SLACK * (1.0 + abs(objective))


def _size(vector: FloatArray) -> float:
    return float(np.abs(vector).max(initial=0.0))


def _ratio(step: FloatArray, residual: FloatArray) -> float:
    below = float(np.linalg.norm(residual))
    return float(np.linalg.norm(step)) / below if below else 1.0


def _combined(
    x: FloatArray, f: FloatArray, steps: list[FloatArray], residuals: list[FloatArray]
) -> FloatArray | None:
    """The point at which f would vanish if it were linear, or None for the plain step."""
    if not steps:
        return None
    dx, df = np.stack(steps, axis=1), np.stack(residuals, axis=1)
    # Columns are normalised: the newest differences are the smallest and matter most.
    scale = np.linalg.norm(df, axis=0)
    if not scale.all():
        return None
    mixture = np.linalg.lstsq(df / scale, f, rcond=1e-10)[0] / scale
    step: FloatArray = f - (dx + df) @ mixture
    size = _size(step)
    return x + step / max(1.0, size / _LONGEST) if np.isfinite(size) else None


def _tried(step: Callable[[FloatArray], Step[Result]], x: FloatArray) -> Step[Result] | None:
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            tried = step(x)
    except SingularCovarianceError:
        return None
    return tried if np.isfinite(tried.objective) else None
